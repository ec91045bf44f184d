package sim

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lbmsim/config"
	"lbmsim/io/picture"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// eye wants one slice of the first step of a run.
type eye struct {
	slice output.Slice
	seen  []picture.Picture
}

func (e *eye) Wanted() (output.Slice, bool) {
	return e.slice, len(e.seen) == 0
}

func (e *eye) Show(of output.Slice, p picture.Picture) {
	if of != e.slice {
		panic(fmt.Sprintf("%v was wanted, %v is shown", e.slice, of))
	}
	e.seen = append(e.seen, p)
}

// seenBy returns the painted slice of the state that a checkpoint has, as ranks that resume from it see it.
func seenBy(t *testing.T, text, from string, slice output.Slice, ranks int) []byte {
	t.Helper()
	e := &eye{slice: slice}
	s := trial{text: text, ranks: ranks, dir: t.TempDir(), restart: from, viewer: e}.must(t)
	if len(e.seen) != 1 || e.seen[0].Step != 20 {
		t.Fatalf("%d slices until step %d", len(e.seen), s.summary.Last)
	}
	b, err := e.seen[0].Bare()
	if err != nil {
		t.Fatal(err)
	}
	return append(fmt.Appendf(nil, "%s %s %v %v ", b.Title, b.Under, b.Ends, b.Axes), b.PNG...)
}

// A slice has the same bits on any number of ranks, in any cut, on one grid and on a refined one; of fields of single cells and
// of fields that need their neighbours.
func TestSlicesOnAnyRanks(t *testing.T) {
	texts := map[string]string{"closed box": variety["closed box"], "open channel with a curved body": variety["open channel with a curved body"]}
	for name, text := range texts {
		texts[name] = text + "[collision]\nmodel = \"bgk\"\n"
	}
	texts["disc in a channel"] = refinedCases["disc in a channel"]
	const ending = "[checkpoint]\nevery = 20\n[run]\nsteps = %d\n"
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			trial{text: texts[name] + fmt.Sprintf(ending, 20), ranks: 1, dir: dir}.must(t)
			text := texts[name] + fmt.Sprintf(ending, 21)
			c, err := config.Load("test.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			found, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*.h5"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			axes := []int{2}
			if c.Dims() == 3 {
				axes = []int{0, 1, 2}
			}
			for _, field := range []string{"speed", "q_criterion"} {
				f, _ := model.FindField(field)
				for _, axis := range axes {
					s := output.Slice{Field: f, Component: -1, Axis: axis, At: c.Cells[axis] / 2}
					if err := s.Check(c); err != nil {
						t.Fatal(err)
					}
					want := seenBy(t, text, found[0], s, 1)
					for _, ranks := range []int{2, 3} {
						if got := seenBy(t, text, found[0], s, ranks); !bytes.Equal(got, want) {
							t.Errorf("%s across %c differs on %d ranks", field, "xyz"[axis], ranks)
						}
					}
				}
			}
		})
	}
}

// Every slice of a case has a code, from which all ranks know it.
func TestCodesOfSlices(t *testing.T) {
	seen := map[int64]bool{}
	for _, f := range model.Fields {
		for component := -1; component < 3; component++ {
			for axis := range 3 {
				for _, at := range []int{0, 1, 1 << 20, 1<<31 - 1} {
					s := output.Slice{Field: f, Component: component, Axis: axis, At: at}
					code := s.Code()
					if code <= 0 || seen[code] || output.SliceOf(code) != s {
						t.Fatalf("%+v has the code %x, of %+v", s, code, output.SliceOf(code))
					}
					seen[code] = true
				}
			}
		}
	}
}

// glutton always wants a slice.
type glutton struct {
	eye
	times []time.Time
}

func (g *glutton) Wanted() (output.Slice, bool) { return g.slice, true }
func (g *glutton) Show(output.Slice, picture.Picture) {
	g.times = append(g.times, time.Now())
}

// However often a viewer asks, slices come four times per second at most.
func TestRateOfSlices(t *testing.T) {
	f, _ := model.FindField("speed")
	g := &glutton{eye: eye{slice: output.Slice{Field: f, Component: -1, Axis: 2}}}
	start := time.Now()
	trial{text: variety["closed box"] + "[collision]\nmodel = \"bgk\"\n[run]\nsteps = 2000000000\nwall_time = \"2 s\"\n", ranks: 2, viewer: g, dir: t.TempDir()}.must(t)
	if most := int(time.Since(start)/showEvery) + 1; len(g.times) < 2 || len(g.times) > most {
		t.Errorf("%d slices, at most %d are allowed", len(g.times), most)
	}
}

// A run that is seen many times ends with the same bits as one that is not.
func TestSlicesChangeNothing(t *testing.T) {
	f, _ := model.FindField("q_criterion")
	text := refinedRun("disc in a channel", "float64", 80)
	g := &glutton{eye: eye{slice: output.Slice{Field: f, Component: -1, Axis: 2}}}
	seen, alone := t.TempDir(), t.TempDir()
	trial{text: text, ranks: 2, viewer: g, dir: seen}.must(t)
	trial{text: text, ranks: 2, dir: alone}.must(t)
	if len(g.times) < 2 {
		t.Fatalf("only %d slices", len(g.times))
	}
	want := refinedOutputs(t, alone)
	for name, got := range refinedOutputs(t, seen) {
		if !bytes.Equal(got, want[name]) {
			t.Errorf("%s differs", name)
		}
	}
}
