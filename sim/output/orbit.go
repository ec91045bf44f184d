// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/ram"
	"lbmsim/internal/render"
	"lbmsim/io/picture"
	"lbmsim/model"
	"lbmsim/sim/rank"
)

// Orbit is a view in space that a viewer turns about the middle of what the default view of [output.view.NAME] shows.
type Orbit struct {
	Surface, Colour model.Field
	Value           float32 // of the surface, in the output's unit
	Auto            bool    // choose the value
	Turn            int     // degrees about the axis upwards from the default view, 0 to 359
	Tilt            int     // degrees above the horizontal
	Zoom            int     // the distance is 2^(-Zoom/4) times the default one
	Moving          bool    // the camera turns: a small picture, of a state a few seconds old
	Again           bool    // of the fields that the last moving view has gathered
}

// Limits of the camera, and pixels of pictures at rest and of moving ones.
const (
	mostTilt  = 85
	leastZoom = -8
	mostZoom  = 20
)

func (o Orbit) size() [2]int {
	if o.Moving {
		return [2]int{320, 180}
	}
	return [2]int{960, 540}
}

// Check implements Request.
func (o Orbit) Check(c *config.Case) error {
	switch {
	case c.Dims() != 3:
		return fmt.Errorf("the case is in 2D: it has slices and no views")
	case o.Turn < 0 || o.Turn > 359:
		return fmt.Errorf("turn = %d is not from 0 to 359 degrees", o.Turn)
	case o.Tilt < -mostTilt || o.Tilt > mostTilt:
		return fmt.Errorf("tilt = %d is not from %d to %d degrees", o.Tilt, -mostTilt, mostTilt)
	case o.Zoom < leastZoom || o.Zoom > mostZoom:
		return fmt.Errorf("zoom = %d is not from %d to %d", o.Zoom, leastZoom, mostZoom)
	case math.IsNaN(float64(o.Value)) || math.IsInf(float64(o.Value), 0):
		return fmt.Errorf("the value of the surface is not a number")
	}
	for _, f := range [2]model.Field{o.Surface, o.Colour} {
		if !Viewed(c, f) {
			return fmt.Errorf("the case has no field %s for views", f.Name)
		}
	}
	return nil
}

// Viewed reports whether views can show a field of a case at any time.
func Viewed(c *config.Case, f model.Field) bool { return Sliced(c, f) && f.Name != "solid" }

// Code implements Request.
func (o Orbit) Code() [2]int64 {
	code := orbitCode | numberOf(o.Surface)<<40 | numberOf(o.Colour)<<32 | int64(o.Turn)<<20 | int64(o.Tilt+mostTilt)<<12 | int64(o.Zoom-leastZoom)<<4
	for k, b := range [3]bool{o.Auto, o.Moving, o.Again} {
		if b {
			code |= 1 << k
		}
	}
	return [2]int64{code, int64(math.Float32bits(o.Value))}
}

// orbitOf returns the view of a code.
func orbitOf(code [2]int64) Orbit {
	c := code[0]
	return Orbit{
		Surface: model.Fields[c>>40&0xff], Colour: model.Fields[c>>32&0xff], Value: math.Float32frombits(uint32(code[1])), Turn: int(c >> 20 & 0xfff),
		Tilt: int(c>>12&0xff) - mostTilt, Zoom: int(c>>4&0xff) + leastZoom, Auto: c&1 != 0, Moving: c&2 != 0, Again: c&4 != 0,
	}
}

// Budget implements Request.
func (o Orbit) Budget() Budget {
	if o.Moving {
		return Turns
	}
	return Views
}

// SameSurface reports whether two views differ in their cameras alone.
func (o Orbit) SameSurface(as Orbit) bool {
	return o.Surface == as.Surface && o.Colour == as.Colour && o.Value == as.Value && o.Auto == as.Auto
}

// frozen is the state that views show while a camera turns. Gathering it takes longer than casting a small picture's rays.
type frozen struct {
	*scenery
	value  float64
	levels []float64 // that the value may be chosen from; nil: it was given
	step   int
	time   float64
}

// thaw frees the state.
func thaw(s *Set) {
	if s.frozen != nil {
		s.frozen.close()
		s.frozen = nil
	}
}

func (o Orbit) show(set *Set) (Painter, error) {
	r := set.Run
	r.Rank.Heartbeat.Doing("showing a view")
	v := o.view(r)
	f := set.frozen
	if !o.Again || f == nil {
		if o.Moving {
			thaw(set) // not two states in memory
		}
		g, need, err := o.reserve(set)
		if err != nil || g == nil {
			return refusal{fmt.Errorf("not enough memory for a view: it takes %.3g GB on rank 0, and a machine has less for each of its ranks", float64(need)/1e9)}, err
		}
		if f, err = o.gather(r, g); err != nil {
			return nil, err
		}
		if o.Moving {
			set.frozen = f
		} else {
			defer f.close()
		}
	}
	v.Value = f.value
	c, lo, hi := v.sight(r)
	scene := r.scene(c.Around(lo, hi, float64(o.Turn), float64(o.Tilt), math.Pow(2, -float64(o.Zoom)/4)), f.value)
	seen, err := f.cast(r, scene)
	if err != nil {
		return nil, err
	}
	alone := len(f.volumes) > 0 && r.Rank.Size == 1
	own := set.Rays.list(func() ([]render.Hit, error) {
		began := time.Now()
		device, failed := seen()
		if alone {
			set.Rays.waited[o.Budget()].Add(int64(time.Since(began)))
		}
		solid, err := cast(r, scene, v.solids(r, scene).Row)
		return render.Nearest(device, solid), errors.Join(failed, err)
	})
	if !alone {
		_, _ = own() // the budget pays for the work of all threads
	}
	hits, err := meet(r, own)
	if err != nil || !r.Rank.Root {
		return nil, err
	}
	p := v.draw(r, scene, hits, func(n, _ int, work func(lo, hi int)) { work(0, n) }) // on one thread, whose time is counted
	p.Step, p.Time, p.Levels = int64(f.step), f.time, f.levels
	return p, nil
}

// besideSteps are rays that a device casts beside the steps.
type besideSteps struct {
	running sync.WaitGroup
	count   atomic.Int64
	waited  [Budgets]atomic.Int64 // nanoseconds for the device
}

// list starts to list hits: a picture that no viewer waits for any more is not painted, and the
// device's memory must be freed all the same. The result waits.
func (b *besideSteps) list(cast listing) listing {
	var hits []render.Hit
	var err error
	done := make(chan struct{})
	b.running.Add(1)
	b.count.Add(1)
	go func() {
		defer b.running.Done()
		defer b.count.Add(-1)
		defer close(done)
		err = rank.Guarded(func() (failed error) {
			hits, failed = cast()
			return failed
		})
	}()
	return func() ([]render.Hit, error) {
		<-done
		return hits, err
	}
}

// Taken reports whether rays are under way, and returns the time that rays have taken of each account since the last call.
func (b *besideSteps) Taken() (busy bool, took [Budgets]time.Duration) {
	for k := range took {
		took[k] = time.Duration(b.waited[k].Swap(0))
	}
	return b.count.Load() > 0, took
}

// refusal is the answer to a request that is not computed.
type refusal struct{ error }

// Bare implements Painter.
func (r refusal) Bare() (picture.Bare, error) { return picture.Bare{}, r.error }

// memoryLeft is ram.Rest, or what a test has instead.
var memoryLeft = ram.Rest

// reserve allocates the device's memory for a view, and returns nil if a rank lacks memory on the host for the rest: a viewer must not end
// the run. What turning views keep is freed before a view is refused. need is the rank's memory on the host. Collective.
func (o Orbit) reserve(set *Set) (g *scenery, need int64, err error) {
	_, neighbours := comm.LocalRank(set.Rank.Comm)
	for again := false; ; again = true {
		g = set.Run.reserve(o.Surface, o.Colour, o.size())
		need = g.bytes()
		lack := []int64{0}
		if left := memoryLeft(neighbours); left > 0 && left < need {
			lack[0] = 1
		}
		if err = comm.Max(set.Rank.Comm, lack); err == nil && lack[0] == 0 {
			return g, need, nil
		}
		if g.close(); err != nil || again {
			return nil, need, err
		}
		thaw(set)
		debug.FreeOSMemory() // returns also what earlier views have left
	}
}

// view returns the view of the case that shows the same as o, or the default one.
func (o Orbit) view(r *Run) *views {
	v := config.View{Up: 2, Angle: config.UsualAngle}
	if list := r.Case.Views; len(list) > 0 {
		v = list[0]
	}
	if v.Colour != o.Colour {
		v.Min, v.Max = 0, 0
	}
	v.Surface, v.Colour, v.Size = o.Surface, o.Colour, o.size()
	return &views{View: v}
}

// gather takes the present state. After an error the memory is free. Collective.
func (o Orbit) gather(r *Run, g *scenery) (*frozen, error) {
	err := r.filled()
	if err == nil {
		err = g.gather(r)
	}
	f := &frozen{scenery: g, value: float64(o.Value), step: r.Step(), time: r.Time()}
	if err == nil && o.Auto {
		f.levels, err = levelsOf(r.Rank.Comm, g)
	}
	if err != nil {
		g.close()
		return nil, err
	}
	if o.Auto {
		f.value = f.levels[usualLevel]
		if v, known := config.UsualValue(r.Case, o.Surface); known && v < f.levels[levels] {
			f.value = v
		}
	}
	return f, nil
}
