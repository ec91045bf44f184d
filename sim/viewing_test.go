// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lbmsim/config"
	"lbmsim/internal/brief"
	"lbmsim/io/picture"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// eye wants some pictures of a run, one after the other.
type eye struct {
	of   []output.Request
	seen []picture.Bare
	err  error
}

func (e *eye) Wanted(left func(output.Budget) bool) output.Request {
	if len(e.seen) == len(e.of) || !left(e.of[len(e.seen)].Budget()) {
		return nil
	}
	return e.of[len(e.seen)]
}

func (e *eye) Show(of output.Request, p output.Painter) {
	if of != e.of[len(e.seen)] {
		panic(fmt.Sprintf("%v was wanted, %v is shown", e.of[len(e.seen)], of))
	}
	b, err := p.Bare()
	e.seen, e.err = append(e.seen, b), errors.Join(e.err, err)
}

// Take ends the run when it has shown all.
func (e *eye) Take() Order { return Order{Stop: len(e.seen) == len(e.of)} }

// seenBy returns a painted picture of the state that a checkpoint has, as ranks that resume from it see it.
func seenBy(t *testing.T, text, from string, of output.Request, tr trial) []byte {
	t.Helper()
	e := &eye{of: []output.Request{of}}
	tr.text, tr.dir, tr.restart, tr.viewer = text, t.TempDir(), from, e
	s := tr.must(t)
	if len(e.seen) != 1 || e.seen[0].Step != 20 || e.err != nil {
		t.Fatalf("%d pictures until step %d (%v)", len(e.seen), s.summary.Last, e.err)
	}
	b := e.seen[0]
	return append(fmt.Appendf(nil, "%s %s %v %v %v %v ", b.Title, b.Under, b.Ends, b.Axes, b.Value, b.Levels), b.PNG...)
}

// saved runs a case to step 20 and returns its checkpoint, and the text of a run for one more step.
func saved(t *testing.T, text string) (next, path string) {
	t.Helper()
	const ending = "[checkpoint]\nevery = 20\n[run]\nsteps = %d\n"
	dir := t.TempDir()
	trial{text: text + fmt.Sprintf(ending, 20), ranks: 1, dir: dir}.must(t)
	found, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*.h5"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return text + fmt.Sprintf(ending, 21), found[0]
}

// A slice has the same bits on any number of ranks, in any cut, on one grid and on a refined one; of fields of single cells and
// of fields that need their neighbours.
func TestSlicesOnAnyRanks(t *testing.T) {
	texts := map[string]string{"closed box": variety["closed box"], "open channel with a curved body": variety["open channel with a curved body"]}
	for name, text := range texts {
		texts[name] = text + "[collision]\nmodel = \"bgk\"\n"
	}
	texts["disc in a channel"] = refinedCases["disc in a channel"]
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Run(name, func(t *testing.T) {
			text, found := saved(t, texts[name])
			c, err := config.Load("test.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
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
					want := seenBy(t, text, found, s, trial{ranks: 1})
					for _, ranks := range []int{2, 3} {
						if got := seenBy(t, text, found, s, trial{ranks: ranks}); !bytes.Equal(got, want) {
							t.Errorf("%s across %c differs on %d ranks", field, "xyz"[axis], ranks)
						}
					}
				}
			}
		})
	}
}

// Views have the same bits on any number of ranks and threads, in any cut, on one grid and on a refined one; also of a value that
// the run chooses, from the cells of all ranks.
func TestTurnedViewsOnAnyRanks(t *testing.T) {
	brief.Fewer(t, "views")
	file, _ := ballFile(t, 16, 4.2, 0)
	whole, _, _ := strings.Cut(fmt.Sprintf(viewed, file), "[output.")
	for name, text := range map[string]string{"ball and rod": whole, "refined": fmt.Sprintf(strings.Split(viewedLevels, "[output.")[0], viewedBoxes)} {
		t.Run(name, func(t *testing.T) {
			text, found := saved(t, text)
			c, err := config.Load("test.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			q, _ := model.FindField("q_criterion")
			speed, _ := model.FindField("speed")
			density, _ := model.FindField("density")
			for i, o := range []output.Orbit{
				{Surface: q, Colour: speed, Auto: true, Turn: 40, Tilt: 30, Moving: true},
				{Surface: speed, Colour: q, Value: 0.03, Turn: 200, Tilt: -20, Zoom: 3},
				{Surface: speed, Colour: density, Auto: true, Turn: 300, Tilt: 10, Moving: true},
			} {
				if testing.Short() && (i == 2 || len(c.Refine) > 0 && i > 0) {
					continue
				}
				if err := o.Check(c); err != nil {
					t.Fatal(err)
				}
				want := seenBy(t, text, found, o, trial{ranks: 1, threads: 2})
				for _, tr := range []trial{{ranks: 2}, {ranks: 3, threads: 2}, {ranks: 4, cut: [3]int{1, 2, 2}}, {ranks: 2, wrap: sightedDevice(new(atomic.Int64))}} {
					if tr.cut != [3]int{} && len(c.Refine) > 0 {
						continue // refined grids are cut along one axis
					}
					if !o.Moving && tr.ranks != 3 {
						continue // a picture at rest has many more pixels
					}
					if testing.Short() && tr.wrap == nil && (tr.ranks == 2 || tr.ranks == 3 && o.Moving && len(c.Refine) == 0) {
						continue // four ranks have it
					}
					if got := seenBy(t, text, found, o, tr); !bytes.Equal(got, want) {
						t.Errorf("%s differs on %d ranks", o.Surface.Name, tr.ranks)
					}
				}
			}
		})
	}
}

// hurried requests pictures without a limit: a slow machine would exhaust an account, and wait longer than the test.
type hurried struct{ *eye }

func (h hurried) Wanted(func(output.Budget) bool) output.Request {
	return h.eye.Wanted(func(output.Budget) bool { return true })
}

// While the camera turns, views show the fields that the first of them has gathered; a view at rest shows the present state and leaves
// these fields as they are; a view of another surface replaces them.
func TestViewsWhileTheCameraTurns(t *testing.T) {
	defer func(was time.Duration) { frozenFor = was }(frozenFor)
	frozenFor = time.Hour // however slow the machine is
	q, _ := model.FindField("q_criterion")
	speed, _ := model.FindField("speed")
	a := output.Orbit{Surface: speed, Colour: q, Value: 0.02, Tilt: 24, Moving: true}
	b, other, rest := a, a, a
	b.Turn, other.Value, rest.Moving = 30, 0.03, false
	file, _ := ballFile(t, 16, 4.2, 0)
	whole, _, _ := strings.Cut(fmt.Sprintf(viewed, file), "[output.")
	e := &eye{of: []output.Request{a, b, rest, b, other, b}}
	trial{text: whole + "[run]\nsteps = 2000000000\n", ranks: 2, dir: t.TempDir(), viewer: hurried{e}, orders: []Orders{e}}.must(t)
	if len(e.seen) != len(e.of) || e.err != nil {
		t.Fatalf("%d pictures (%v)", len(e.seen), e.err)
	}
	kept := e.seen[0].Step
	for k, same := range []bool{true, true, false, true, false, false} {
		if (e.seen[k].Step == kept) != same {
			t.Errorf("picture %d is of step %d, the first of step %d", k, e.seen[k].Step, kept)
		}
	}
	if bytes.Equal(e.seen[0].PNG, e.seen[1].PNG) || !bytes.Equal(e.seen[1].PNG, e.seen[3].PNG) {
		t.Error("a turn makes no difference, or a view at rest does")
	}
	if small, large := len(e.seen[1].PNG), len(e.seen[2].PNG); small > large/3 {
		t.Errorf("%d bytes while the camera turns, %d at rest", small, large)
	}
}

// A view at rest delays no rotation: each account has its own rate.
func TestRatesOfViews(t *testing.T) {
	speed, _ := model.FindField("speed")
	rest := output.Orbit{Surface: speed, Colour: speed}
	turning := rest
	turning.Moving = true
	e := &eye{of: []output.Request{rest, turning, rest}}
	v, now := viewing{viewer: e}, time.Unix(1000, 0)
	for k, budget := range []output.Budget{output.Views, output.Turns} {
		if code := v.wanted(now); output.RequestOf(code) != e.of[k] {
			t.Fatalf("picture %d has the code %x", k, code)
		}
		v.next[budget] = now.Add(tariffs[budget].every)
		e.seen = make([]picture.Bare, k+1)
	}
	if code := v.wanted(now); code != [2]int64{} {
		t.Errorf("a second view at rest at once: %x", code)
	}
	if code := v.wanted(now.Add(tariffs[output.Views].every + 1)); output.RequestOf(code) != e.of[2] {
		t.Errorf("no second view at rest: %x", code)
	}
}

// Each account of time pays for its own pictures; fields not requested recently are freed once.
func TestAccountsOfViews(t *testing.T) {
	speed, _ := model.FindField("speed")
	turning := output.Orbit{Surface: speed, Colour: speed, Moving: true}
	e := &eye{of: []output.Request{turning, turning, output.Slice{Field: speed, Axis: 2}}}
	v, now := viewing{viewer: e}, time.Unix(1000, 0)
	if got := output.RequestOf(v.wanted(now)); got != turning {
		t.Fatalf("%+v", got)
	}
	v.charge(now, [output.Budgets]time.Duration{output.Turns: time.Minute}) // for rays beside the steps
	if code := v.wanted(now); code != [2]int64{} {
		t.Errorf("a view without time has the code %x", code)
	}
	e.seen = make([]picture.Bare, 2)
	if got, is := output.RequestOf(v.wanted(now)).(output.Slice); !is || got.Axis != 2 {
		t.Errorf("%+v: slices have time of their own", got)
	}
	e.seen = make([]picture.Bare, 3)
	for k, want := range []int64{0, output.Forget, 0} {
		if code := v.wanted(now.Add(time.Duration(k) * 11 * time.Second)); code != [2]int64{want, 0} {
			t.Errorf("after %d s the code is %x, want %x", 11*k, code, want)
		}
	}
}

// Every view has a code, from which all ranks know it.
func TestCodesOfViews(t *testing.T) {
	seen := map[[2]int64]bool{}
	for k, f := range model.Fields {
		for _, value := range []float32{0, -1.5, 1e-30, math.MaxFloat32} {
			for _, camera := range [][3]int{{0, 0, 0}, {359, 85, 20}, {180, -85, -8}} {
				for flags := range 8 {
					o := output.Orbit{Surface: f, Colour: model.Fields[len(model.Fields)-1-k], Value: value, Turn: camera[0], Tilt: camera[1], Zoom: camera[2], Auto: flags&1 != 0, Moving: flags&2 != 0, Again: flags&4 != 0}
					code := o.Code()
					if code[0] <= output.Forget || code[1] < 0 || seen[code] || output.RequestOf(code) != o {
						t.Fatalf("%+v has the code %x, of %+v", o, code, output.RequestOf(code))
					}
					seen[code] = true
				}
			}
		}
	}
}

// Every slice of a case has a code, from which all ranks know it.
func TestCodesOfSlices(t *testing.T) {
	seen := map[[2]int64]bool{}
	for _, f := range model.Fields {
		for component := -1; component < 3; component++ {
			for axis := range 3 {
				for _, at := range []int{0, 1, 1 << 20, 1<<31 - 1} {
					s := output.Slice{Field: f, Component: component, Axis: axis, At: at}
					code := s.Code()
					if code[0] <= 0 || seen[code] || output.RequestOf(code) != s {
						t.Fatalf("%+v has the code %x, of %+v", s, code, output.RequestOf(code))
					}
					seen[code] = true
				}
			}
		}
	}
}

// glutton always requests the same picture.
type glutton struct {
	of    output.Request
	times []time.Time
}

func (g *glutton) Wanted(left func(output.Budget) bool) output.Request {
	if !left(g.of.Budget()) {
		return nil
	}
	return g.of
}

func (g *glutton) Show(output.Request, output.Painter) {
	g.times = append(g.times, time.Now())
}

// Slices are limited to four per second, however often a viewer requests them.
func TestRateOfSlices(t *testing.T) {
	f, _ := model.FindField("speed")
	g := &glutton{of: output.Slice{Field: f, Component: -1, Axis: 2}}
	start := time.Now()
	trial{text: variety["closed box"] + "[collision]\nmodel = \"bgk\"\n[run]\nsteps = 2000000000\nwall_time = \"2 s\"\n", ranks: 2, viewer: g, dir: t.TempDir()}.must(t)
	if most := int(time.Since(start)/tariffs[output.Slices].every) + 1; len(g.times) < 2 || len(g.times) > most {
		t.Errorf("%d slices, at most %d are allowed", len(g.times), most)
	}
}

// A run with many viewed pictures ends with the same bits as one without.
func TestSlicesChangeNothing(t *testing.T) {
	f, _ := model.FindField("q_criterion")
	text := refinedRun("disc in a channel", "float64", 80)
	g := &glutton{of: output.Slice{Field: f, Component: -1, Axis: 2}}
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
