package output

import (
	"math"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// panics tells whether f does.
func panics(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// A number that the case file can name has a formula, and one without must not become
// another one.
func TestNumbersOfForcesHaveFormulas(t *testing.T) {
	units := config.Units{Length: 1, Time: 1, Density: 1}
	row := func(name string) { (&forces{list: []config.ForceSeries{{Name: name}}}).values(nil, 1, units) }
	for _, name := range config.ForceQuantities() {
		if panics(func() { row(name) }) {
			t.Errorf("%s has no formula", name)
		}
	}
	if !panics(func() { row("power_x") }) {
		t.Error("a number without a formula was written")
	}
	s := &Set{Run: (&reports{}).run()}
	s.Case = &config.Case{Grid: config.Grid{Units: units}}
	f := &forces{ForceOutput: config.ForceOutput{Name: "ball"}, list: []config.ForceSeries{{Name: "drag"}}, series: make([]stats.Series, 1)}
	f.series[0].Add(0, 1)
	s.List = []Output{f}
	value := func(of string) { s.ForceValue(config.Expectation{Force: "ball", Series: "drag", Statistic: of}) }
	for _, name := range config.Statistics() {
		if panics(func() { value(name) }) {
			t.Errorf("%s has no formula", name)
		}
	}
	if !panics(func() { value("median") }) {
		t.Error("a statistic without a formula was judged")
	}
}

// A frequency of oscillations that do not come at a time of their own is told with a warning, that of a wake without.
func TestIrregularOscillationsAreTold(t *testing.T) {
	var warned []string
	s := &Set{Run: (&reports{}).run()}
	s.Part.Warn = func(w finding.Finding) { warned = append(warned, w.Text) }
	s.Case = &config.Case{Grid: config.Grid{Units: config.Units{Length: 1, Time: 1, Density: 1}}}
	f := &forces{ForceOutput: config.ForceOutput{Name: "ball", Strouhal: 1}, list: []config.ForceSeries{{Name: "drag"}, {Name: "lift"}}, series: make([]stats.Series, 2)}
	for i := range 2000 {
		at := float64(i) / 20
		f.series[0].Add(at, math.Sin(2*math.Pi*at/7)+math.Sin(2*math.Pi*at/1.7))
		f.series[1].Add(at, math.Sin(2*math.Pi*at/7)+0.1*math.Sin(2*math.Pi*at/1.7))
	}
	s.List = []Output{f}
	for _, of := range []string{"frequency", "strouhal"} {
		warned = nil
		s.ForceValue(config.Expectation{Name: "expect.force.a", Force: "ball", Series: "drag", Statistic: of})
		if len(warned) != 1 || !strings.Contains(warned[0], "[expect.force.a]: the periods of drag scatter by") {
			t.Errorf("%s: %q", of, warned)
		}
		got, half := s.ForceValue(config.Expectation{Force: "ball", Series: "lift", Statistic: of})
		if math.Abs(7*got-1) > 0.01 || len(warned) != 1 || !(half > 0 && half < 0.02*got) {
			t.Errorf("%s of a wake is %g +- %g: %q", of, got, half, warned)
		}
	}
	// A lift that is rounding, or sound, beside a drag.
	f.series[1] = stats.Series{}
	for i := range 2000 {
		f.series[1].Add(float64(i)/20, 1e-6*math.Sin(float64(i)/20))
	}
	warned = nil
	s.ForceValue(config.Expectation{Name: "expect.force.a", Force: "ball", Series: "lift", Statistic: "strouhal"})
	if len(warned) != 1 || !strings.Contains(warned[0], "[expect.force.a]: lift varies by 7e-07 of the largest number of its kind only") {
		t.Errorf("rounding: %q", warned)
	}
}

func TestQuantityWithoutDefinition(t *testing.T) {
	r := (&reports{}).run()
	r.Case = &config.Case{}
	if v, err := (&series{}).values(r, config.SeriesQuantity{Name: "entropy"}, derive.Totals{}); err == nil || !strings.Contains(err.Error(), "entropy") {
		t.Errorf("values %v, error %v", v, err)
	}
	if !panics(func() { (&averager{}).column(model.Field{Name: "mean_entropy"}, 0, config.Units{}) }) {
		t.Error("an average without a formula was written")
	}
}
