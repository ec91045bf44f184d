// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"slices"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// volumes: fields in the device's memory are the formulas of the state's density and velocity, and rays through them hit what the rays of
// package render do, in one volume and in two.
func volumes(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		if spec.Lattice.Dims != 3 {
			return
		}
		for k, n := range [][3]int{{37, 17, 21}, {64, 9, 10}} {
			e := NewExample(spec, n, [3]bool{k == 0, k == 1, true}, int64(700+k))
			s := Start(t, d, e)
			caster, ok := s.parts[0].program.(device.RayCaster)
			if !ok {
				return // an ability that a device need not have
			}
			s.Step(t, 3)
			s.exchange(0)
			s.sync(t)
			for _, q := range [][2]device.Quantity{{device.Speed, device.Invariant}, {device.Invariant, device.Vorticity}, {device.StrainRate, device.Excess}} {
				compareVolume(t, s, caster, q)
			}
		}
	})
}

// compareVolume compares a volume of all cells, and two of half of them each. Bounds were stated before the first run: values differ by
// rounding of single precision, of the largest; one ray in 500 may graze a surface.
func compareVolume(t *testing.T, s *Slabs, caster device.RayCaster, of [2]device.Quantity) {
	t.Helper()
	e, p := s.e, &s.parts[0]
	var shown [2]device.Shown
	for i, q := range of {
		shown[i] = device.Shown{Factor: 3, Offset: 0.5, Quantity: q}
		for k := range shown[i].Blank {
			shown[i].Blank[k] = k > 0
		}
	}
	scene := render.Scene{Camera: render.Camera{From: [3]float64{-0.6, -1, 0.5}, Up: [3]float64{0, 0, 1}, Angle: 30, W: 80, H: 60}}
	for a, n := range e.N {
		scene.Size[a] = float64(n)
	}
	scene.Camera = scene.Camera.Fit([3]float64{}, scene.Size)
	volume := func(lo, hi int) device.Volume {
		b := decomp.Box{Lo: [3]int{0, 0, lo}, Hi: [3]int{e.N[0], e.N[1], hi}}
		v, err := caster.NewVolume(device.VolumeBox{Block: render.Block{Lo: b.Lo, N: b.Size()}, Local: b.Lo, Domain: e.N, Rays: render.Rays([2]int{80, 60})}, shown)
		if err != nil {
			t.Fatal(err)
		}
		// The rank has the cells of the margin along z, too.
		within := b
		within.Lo[2], within.Hi[2] = max(lo-render.Margin, 0), min(hi+render.Margin, e.N[2])
		if err = v.Evaluate(p.state[0], within, e.Params); err == nil {
			err = v.Extend(within)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := volume(0, e.N[2])
	defer v.Close()
	fields := s.fields(t)
	var block render.Block
	block.N = e.N
	for i := range of {
		values := make([]float32, decomp.Box{Hi: e.N}.Cells())
		if err := v.Sample(p.state[0], i, decomp.Box{Hi: e.N}, values, e.Params); err != nil {
			t.Fatal(err)
		}
		s.compareQuantity(t, of[i], fields, values)
		put := &block.Shape
		if i == 1 {
			put = &block.Colour
		}
		for z := -render.Margin; z < e.N[2]+render.Margin; z++ {
			for y := -render.Margin; y < e.N[1]+render.Margin; y++ {
				for x := -render.Margin; x < e.N[0]+render.Margin; x++ {
					at := [3]int{x, y, z}
					for a := range at {
						at[a] = min(max(at[a], 0), e.N[a]-1)
					}
					*put = append(*put, values[(at[2]*e.N[1]+at[1])*e.N[0]+at[0]])
				}
			}
		}
	}

	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	var all []float32
	block.Each(func(v float32) { least, most, all = min(least, v), max(most, v), append(all, v) })
	lo, hi, ok, err := v.Extremes()
	if err != nil || !ok || lo != least || hi != most {
		t.Errorf("%s: values from %v to %v, not %v to %v (%v, %v)", e.Spec, lo, hi, least, most, ok, err)
	}
	counts, counted := make([]int64, device.VolumeBins), int64(0)
	if err := v.Count(device.Bins{Hi: int64(math.Float32bits(most))}, counts); err != nil {
		t.Fatal(err)
	}
	for _, n := range counts {
		counted += n
	}
	if counted != int64(len(all)) {
		t.Errorf("%s: %d values counted, not %d", e.Spec, counted, len(all))
	}

	slices.Sort(all)
	scene.Level = float64(all[len(all)*7/10])
	oracle := render.NewCaster(scene, []render.Block{block})
	var want []render.Hit
	for y := range scene.Rows() {
		want = append(want, oracle.Row(y)...)
	}
	if len(want) < 2000 {
		t.Errorf("%s: %d hits", e.Spec, len(want))
	}
	low, high := volume(0, e.N[2]/2), volume(e.N[2]/2, e.N[2])
	defer low.Close()
	defer high.Close()
	var first []render.Hit
	for _, list := range [][]device.Volume{{v}, {high, low}} {
		seen, err := list[0].Cast(scene, list[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := seen.Hits()
		if err != nil {
			t.Fatal(err)
		}
		if n := different(got, want); n > len(want)/500 {
			t.Errorf("%s: %d of %d rays hit something else in %d volumes", e.Spec, n, len(want), len(list))
		}
		if first != nil && !slices.Equal(got, first) {
			t.Errorf("%s: two volumes have other hits than one", e.Spec)
		}
		first = got
	}
}

// different returns the number of rays of two lists of hits that differ in more than rounding.
func different(got, want []render.Hit) (n int) {
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-4*(1+math.Abs(float64(b))) }
	for len(got) > 0 && len(want) > 0 {
		g, w := got[0], want[0]
		if g.Ray == w.Ray && near(g.Depth, w.Depth) && near(g.Value, w.Value) && near(g.Light, w.Light) && near(g.Gloss, w.Gloss) {
			got, want = got[1:], want[1:]
			continue
		}
		n++
		if g.Ray <= w.Ray {
			got = got[1:]
		}
		if w.Ray <= g.Ray {
			want = want[1:]
		}
	}
	return n + len(got) + len(want)
}

// compareQuantity compares values of all cells with the formula of a quantity.
func (s *Slabs) compareQuantity(t *testing.T, q device.Quantity, fields []float64, values []float32) {
	t.Helper()
	e, n := s.e, s.e.N
	solid := func(x [3]int) bool { return e.Cells.At(x[0], x[1], x[2]) != 0 }
	velocity := func(x [3]int, c int) float64 {
		for a := range x {
			x[a] = (x[a] + n[a]) % n[a]
		}
		v := fields[((x[2]*n[1]+x[1])*e.Spec.FieldValues()+c)*n[0]+x[0]]
		if e.Spec.Precision != model.Float64 {
			v = float64(float32(v))
		}
		return v
	}
	var worst, largest float64
	eachCell(n, 0, func(x [3]int) {
		got := float64(values[(x[2]*n[1]+x[1])*n[0]+x[0]])
		if solid(x) {
			if got == got {
				t.Errorf("%s: a solid cell has the value %v", e.Spec, got)
			}
			return
		}
		var g [3][3]float64
		for a := range 3 {
			lo, hi := x, x
			lo[a], hi[a] = x[a]-1, x[a]+1
			for c := range 3 {
				here := velocity(x, 1+c)
				switch {
				case !solid(lo) && !solid(hi):
					g[c][a] = (velocity(hi, 1+c) - velocity(lo, 1+c)) / 2
				case !solid(hi):
					g[c][a] = velocity(hi, 1+c) - here
				case !solid(lo):
					g[c][a] = here - velocity(lo, 1+c)
				}
			}
		}
		w2, s2, u2 := 0.0, 0.0, 0.0
		for a := range 3 {
			u2 += velocity(x, 1+a) * velocity(x, 1+a)
			for b := range 3 {
				w2 += (g[a][b] - g[b][a]) * (g[a][b] - g[b][a]) / 2
				s2 += (g[a][b] + g[b][a]) * (g[a][b] + g[b][a]) / 2
			}
		}
		want := map[device.Quantity]float64{device.Excess: velocity(x, 0), device.Speed: math.Sqrt(u2), device.Vorticity: math.Sqrt(w2), device.StrainRate: math.Sqrt(s2), device.Invariant: (w2 - s2) / 4}[q]
		want = 0.5 + 3*want
		if off := math.Abs(got - want); !(off <= worst) {
			worst = off
		}
		largest = max(largest, math.Abs(want))
	})
	if !(worst <= 2e-7*largest) {
		t.Errorf("%s: quantity %d is off by %.3g of %.3g", e.Spec, q, worst, largest)
	}
}
