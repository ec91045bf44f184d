package output

import (
	"math"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
)

// recorded returns a force output of drag and lift with samples every five steps.
func recorded(n int, lift func(t float64) float64) *forces {
	f := &forces{
		ForceOutput: config.ForceOutput{Name: "disc", Coefficient: 1, Strouhal: 2, Schedule: config.Schedule{Period: 5}},
		list:        []config.ForceSeries{{Name: "drag"}, {Name: "lift"}},
		series:      make([]stats.Series, 2),
		course:      make([]stats.Record, 2),
	}
	for k := range n {
		t := 5 * float64(k)
		for i, v := range []float64{1.5, lift(t)} {
			f.series[i].Add(t, v)
			f.course[i].Add(v)
		}
	}
	return f
}

func TestOscillation(t *testing.T) {
	lattice := config.Units{Length: 1, Time: 1}
	sine := func(f, a float64) func(t float64) float64 {
		return func(t float64) float64 { return a * math.Sin(2*math.Pi*f*t+0.3) }
	}
	const f = 0.00462
	main, third := sine(f, 1), sine(f/3, 0.9)
	for _, c := range []struct {
		name  string
		n     int
		lift  func(t float64) float64
		doubt *finding.Kind
		note  string
	}{
		{"regular", 3000, main, nil, "69.3 periods"},
		{"one in three is weak", 3000, func(t float64) float64 { return main(t) + third(t) }, finding.UnconfirmedFrequency, "and 0.00308 with 90 % of its amplitude"},
		{"few periods", 220, main, nil, "5.08 periods, interval from their scatter"},
		{"weak", 3000, sine(f, 1e-5), finding.WeakOscillation, "69.3 periods"},
	} {
		o := recorded(c.n, c.lift).oscillation("lift", true, lattice)
		kind := ""
		if c.doubt != nil {
			kind = c.doubt.Name
		}
		if math.Abs(o.value/(2*f)-1) > 2e-3 || !(o.half < 0.01*o.value) || o.doubt.Kind != kind || !strings.HasSuffix(o.note, c.note) {
			t.Errorf("%s: %+v instead of %v", c.name, o, 2*f)
		}
		if got := recorded(c.n, c.lift).oscillation("lift", false, lattice).value; math.Abs(got/f-1) > 2e-3 {
			t.Errorf("%s: the frequency is %v instead of %v", c.name, got, f)
		}
	}
	if o := recorded(3000, func(t float64) float64 { return math.Exp(-t / 1000) }).oscillation("lift", true, lattice); !math.IsNaN(o.value) || !strings.Contains(o.note, "above the noise") {
		t.Errorf("a decay: %+v", o)
	}
	uneven := recorded(3000, main)
	uneven.uneven = true
	if o := uneven.oscillation("lift", true, lattice); !math.IsNaN(o.value) || !strings.Contains(o.note, "equally spaced") {
		t.Errorf("uneven samples: %+v", o)
	}
	warnsOfOscillations(t, recorded(3000, func(t float64) float64 { return main(t) + third(t) }), "[expect.force.a]: the spectrum of lift peaks at 0.00924")
	warnsOfOscillations(t, recorded(3000, sine(f, 1e-5)), "[expect.force.a]: lift varies by only 7e-06 of its largest value")
	warnsOfOscillations(t, recorded(3000, main), "")
}

// warnsOfOscillations holds the warning of an expected Strouhal number.
func warnsOfOscillations(t *testing.T, f *forces, want string) {
	t.Helper()
	var warned []string
	s := &Set{Run: (&reports{}).run(), List: []Output{f}}
	s.Rank.Warn = func(w finding.Finding) { warned = append(warned, w.Text) }
	s.Case = &config.Case{Grid: config.Grid{Units: config.Units{Length: 1, Time: 1, Density: 1}}}
	s.ForceValue(config.Expectation{Name: "expect.force.a", Force: "disc", Series: "lift", Statistic: "strouhal"})
	if text := strings.Join(warned, "\n"); !strings.HasPrefix(text, want) || want == "" && text != "" {
		t.Errorf("%q instead of %q", text, want)
	}
}
