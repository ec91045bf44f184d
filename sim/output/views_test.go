// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/render"
	"lbmsim/io/picture"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// The default camera shows the whole body, wherever it is and wherever the flow comes from, from upstream.
func TestDefaultCamera(t *testing.T) {
	const text = `
[domain]
cells = [80, 40, 40]
[fluid]
viscosity = 0.05
length = 8
velocity = 0.05
[boundary.inlet]
type = "velocity"
velocity = [%g, 0, 0]
faces = [%q]
[boundary.outlet]
type = "outflow"
faces = [%q]
[boundary.sides]
type = "slip"
faces = ["y-", "y+", "z-", "z+"]
[body.ball]
shape = "sphere"
centre = [%d, 20, 14]
radius = 6
[output.view.all]
up = %q
size = [160, 90]
[run]
steps = 1
`
	for _, c := range []struct {
		velocity   float64
		from, to   string
		centre     int
		up         string
		upstreamOf float64
	}{{0.05, "x-", "x+", 20, "z", -1}, {-0.05, "x+", "x-", 60, "z", 1}, {0.05, "x-", "x+", 7, "y", -1}} {
		flow, err := config.Load("a.toml", fmt.Appendf(nil, text, c.velocity, c.from, c.to, c.centre, c.up))
		if err != nil {
			t.Fatal(err)
		}
		on := rank.New(comm.Serial(), 1, nil)
		part, err := domain.New(on, flow)
		if err != nil {
			t.Fatal(err)
		}
		r := &Run{Rank: on, Case: flow, View: derive.View{Rank: on, Case: flow, Part: part, State: atStart{}}}
		v := &views{View: flow.Views[0]}
		s := v.scene(r)
		if side := s.Camera.From[0] - float64(c.centre); side*c.upstreamOf <= 0 {
			t.Errorf("%+v: the camera is %g cells downstream", c, side)
		}
		inside, err := cast(r, s, v.solids(r, s).Row)
		if err != nil {
			t.Fatal(err)
		}
		// The rows and columns at the edges do not see it.
		w := 2 * v.Size[0]
		for _, h := range inside {
			if x, y := int(h.Ray)%w, int(h.Ray)/w; x == 0 || y == 0 || x == w-1 || y == s.Rows()-1 {
				t.Fatalf("%+v: the body reaches the edge of the picture at %d, %d", c, x, y)
			}
		}
		// A ball of 12 cells, and half of its width before, four of it behind. Stated before the first run: 1 to 30 % of the picture.
		if share := float64(len(inside)) / float64(w*s.Rows()); share < 0.01 || share > 0.3 {
			t.Errorf("%+v: the body has %.3g of the picture", c, share)
		}
	}
}

// atStart is a state before the first step.
type atStart struct{ derive.State }

func (atStart) Step() int { return 0 }

// Hits of many ranks are merged on rank 0, each ray's nearest.
func TestHitsOfRanksMeet(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 5, 8} {
		err := comm.RunLocal(ranks, func(c comm.Comm) error {
			r := &Run{Rank: rank.New(c, 1, nil)}
			hits := []render.Hit{{Ray: 0, Depth: float32(10 + (c.Rank()+1)%ranks)}, {Ray: uint32(c.Rank() + 1), Depth: 1}}
			if c.Rank() == 1 {
				hits = nil // has no hits
			}
			all, err := together(r, hits)
			if err != nil || c.Rank() > 0 {
				return err
			}
			want := ranks + 1
			if ranks > 1 {
				want--
			}
			if len(all) != want {
				t.Errorf("%d ranks: %d hits, not %d", ranks, len(all), want)
			}
			least := float32(10)
			if ranks == 2 {
				least = 11 // rank 0's own
			}
			if all[0].Depth != least {
				t.Errorf("%d ranks: depth %g, not %g", ranks, all[0].Depth, least)
			}
			for i, h := range all[1:] {
				if h.Ray <= all[i].Ray {
					t.Errorf("%d ranks: rays %v", ranks, all)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A device that fails while it lists hits ends the picture with its error, not with a panic.
func TestLostHits(t *testing.T) {
	lost := errors.New("a lost device")
	var b besideSteps
	list := b.list(func() ([]render.Hit, error) { return nil, lost })
	r := &Run{Rank: rank.New(comm.Serial(), 1, nil), View: derive.View{State: atStart{}}}
	hits, err := meet(r, list)
	if err != nil {
		t.Fatal(err)
	}
	view := picture.View{Look: func() ([]float64, picture.Drawing, error) {
		seen, err := hits()
		return render.Values(seen), nil, err
	}}
	if _, err := view.Bare(); !errors.Is(err, lost) || !strings.Contains(err.Error(), "view at step 0") {
		t.Error(err)
	}
	b.running.Wait()
}
