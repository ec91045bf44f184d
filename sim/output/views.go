// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"image"
	"image/color"
	"math"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/parallel"
	"lbmsim/internal/render"
	"lbmsim/io/picture"
	"lbmsim/model"
)

// views writes one [output.view.NAME]: a PNG of a surface of constant value and the bodies. Each rank casts rays through its own
// cells; the hits meet on rank 0.
type views struct {
	base
	config.View
	dir   string
	known bool // bodies, which stay where they are while the camera does
	solid []render.Hit
}

func viewOutputs(s *Set) (list []Output) {
	for _, v := range s.Case.Views {
		list = append(list, &views{base: newBase(v.Schedule), View: v, dir: s.Path()})
	}
	return list
}

func (v *views) stepFiles() []string { return numbered(v.dir, v.Name) }

// DueOn reports true also on an order for pictures.
func (v *views) DueOn(o Occasion) bool { return o == DrawOrder || v.base.DueOn(o) }

// Write casts the rays through the flow. Rank 0 draws while the run continues; a rank alone also casts those onto bodies then. So known and
// solid belong to that goroutine until CommitSeries has waited for it.
func (v *views) Write(r *Run) error {
	if err := r.Files.CommitSeries("view", filepath.Join(v.dir, v.Name)+"_"); err != nil {
		return err
	}
	v.at = r.Step()
	scene := v.scene(r)
	g := r.reserve(v.Surface, v.Colour, v.Size)
	if err := g.gather(r); err != nil {
		return err
	}
	defer g.close()
	seen, err := g.cast(r, scene)
	if err != nil {
		return err
	}
	hits, err := meet(r, func() ([]render.Hit, error) {
		var failed error
		if !v.known || v.Orbit != 0 {
			v.solid, failed = cast(r, scene, v.solids(r, scene).Row)
			v.known = failed == nil
		}
		flow, err := seen()
		return render.Nearest(flow, v.solid), errors.Join(failed, err)
	})
	if err != nil {
		return err
	}
	path := filepath.Join(v.dir, picture.FileName(v.Name, int64(r.Step())))
	whole := func(failed error) error { return comm.Agree(r.Rank.Comm, failed) } // written whole or not at all
	if !r.Rank.Root {
		r.Files.Launch("view", path, whole, func() error { return nil })
		return nil
	}
	picture := v.draw(r, scene, hits, parallel.Pieces)
	r.Files.Launch("view", path, whole, func() error { return picture.Write(path) })
	return nil
}

// scene returns the scene of the present step.
func (v *views) scene(r *Run) render.Scene {
	return r.scene(v.camera(r), v.Value)
}

// scene returns the scene of a surface in front of a camera.
func (r *Run) scene(c render.Camera, value float64) render.Scene {
	s := render.Scene{Camera: c, Level: value}
	for a, n := range r.Case.Cells {
		s.Size[a] = float64(n)
	}
	if g := r.View.Refined; g != nil {
		s.Finest = len(g.Hierarchy.Levels) - 1
	}
	return s
}

// The default camera is above and to one side of the line upstream, by these shares of the distance, and shows so many body lengths behind
// the bodies.
const (
	upstream = 0.75
	sideways = 1.0
	above    = 0.55
	wake     = 4
)

// camera returns the camera of the present step.
func (v *views) camera(r *Run) render.Camera {
	c, lo, hi := v.sight(r)
	c = c.Fit(lo, hi)
	if v.At != nil {
		for a, to := range v.At {
			c.From[a] += to - c.At[a]
		}
		c.At = *v.At
	}
	if v.From != nil {
		c.From = *v.From
	}
	return c.Turned(math.Mod(v.Orbit*r.Time(), 360))
}

// sight returns a camera with the default direction, and the box that it shows.
func (v *views) sight(r *Run) (c render.Camera, lo, hi [3]float64) {
	c = render.Camera{Angle: v.Angle, W: v.Size[0], H: v.Size[1]}
	c.Up[v.Up] = 1
	stream := config.Upstream(r.Case)
	if stream.Axis == v.Up {
		stream.Axis = (v.Up + 1) % 3
	}
	side := 3 - v.Up - stream.Axis
	c.From[stream.Axis], c.From[side], c.From[v.Up] = upstream*float64(2*stream.Side-1), -sideways, above
	if v.Up == 1 { // on the same side of the flow as with z upwards
		c.From[side] = sideways
	}
	lo, hi = v.extent(r, stream)
	return c, lo, hi
}

// extent returns the box that the default camera shows.
func (v *views) extent(r *Run, stream config.Face) (lo, hi [3]float64) {
	for a, n := range r.Case.Cells {
		lo[a], hi[a] = float64(n), 0
	}
	for _, b := range r.View.Part.Bodies() {
		from, to := b.Shape.Bounds()
		for a, n := range r.Case.Cells {
			lo[a], hi[a] = min(lo[a], max(from[a], 0)), max(hi[a], min(to[a], float64(n)))
		}
	}
	length := max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2])
	for a, n := range r.Case.Cells {
		whole := float64(n)
		if !(length > 0 && length < whole) {
			lo[a], hi[a] = 0, whole
			continue
		}
		before, after := length/4, length/4
		if a == stream.Axis {
			if after = wake * length; stream.Side == 1 {
				before, after = after, before
			}
		}
		lo[a], hi[a] = max(lo[a]-before, 0), min(hi[a]+after, whole)
	}
	return lo, hi
}

// solids returns the bodies in the rank's part of the domain.
func (v *views) solids(r *Run, s render.Scene) *render.Solids {
	var list []render.Solid
	for _, b := range r.View.Part.Bodies() {
		list = append(list, b.Shape)
	}
	var lo, hi [3]float64
	for a := range lo {
		lo[a], hi[a] = float64(r.View.Part.Box.Lo[a]), float64(r.View.Part.Box.Hi[a])
	}
	return render.NewSolids(s, list, lo, hi)
}

// draw returns the picture of hits, which are computed when it is painted, on rank 0. pieces divides the painting between threads.
func (v *views) draw(r *Run, scene render.Scene, hits listing, pieces func(n, size int, work func(lo, hi int))) picture.View {
	c, u := r.Case, r.Case.Units
	p := picture.View{
		Surface: named(v.Surface), Value: v.Value, SurfaceUnit: u.Symbol(v.Surface.Dim),
		Quantity: named(v.Colour), Unit: u.Symbol(v.Colour.Dim), Case: c.Title, Step: int64(r.Step()), Time: r.Time(), Lattice: !u.Physical,
		Text: r.texts(),
	}
	if v.Min != 0 || v.Max != 0 {
		p.Range = &[2]float64{v.Min, v.Max}
	}
	var ground *render.Ground
	if v.Ground != nil {
		ground = &render.Ground{Axis: v.Ground.Axis, Side: v.Ground.Side}
	}
	p.Look = func() ([]float64, picture.Drawing, error) {
		seen, err := hits()
		return render.Values(seen), func(colour func(float64) color.NRGBA) *image.NRGBA {
			return scene.Image(seen, ground, colour, pieces)
		}, err
	}
	return p
}

// named returns the name of a field's scalar in a picture.
func named(f model.Field) string {
	if f.Components > 1 {
		return f.Name + " magnitude"
	}
	return f.Name
}
