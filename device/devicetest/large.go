// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"bytes"
	"fmt"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// largeOffsets: a state beyond 2^31 bytes or values is addressed correctly. The box repeats a small
// periodic one along its slowest axis, walls and all, so each of its planes must have the bits of
// the small box's plane.
func largeOffsets(t *testing.T, d device.Device, o Options) {
	// Besides two states the device stores flags, and the host one byte per cell.
	need := func(limit int) int64 { return 2*int64(limit) + int64(limit)/4 }
	if need(1<<31) > o.Memory {
		t.Skipf("needs %.1f GB of memory, this test may fill %.1f GB", float64(need(1<<31))/1e9, float64(o.Memory)/1e9)
	}
	tried := map[string]bool{}
	o.each(t, func(t *testing.T, spec model.Spec) {
		// Collision models of one scheme address memory with the same code.
		kind := fmt.Sprint(spec.Lattice.Name, spec.Collision.Scheme, spec.Precision)
		if tried[kind] {
			return
		}
		tried[kind] = true
		period := 5
		n := [3]int{480, 480, period}
		if spec.Lattice.Dims == 2 {
			n = [3]int{8000, period, 1}
		}
		e := NewExample(spec, n, [3]bool{true, true, true}, 21)
		// Walls at one end of each row suffice, and their lists are built quickly.
		eachCell(e.N, 1, func(x [3]int) {
			if home := (x[0] + n[0]) % n[0]; home >= 32 {
				e.Cells.Type[e.Cells.Index(x[0], x[1], x[2])] = 0
			}
		})
		small := Start(t, d, e)
		l, axis, b := e.layout(e.N), e.axis(), spec.Precision.Bytes()
		lo, hi := l.Plane(0)
		plane := b * (hi - lo)

		limit := b << 31 // as many values, or at least as many bytes
		if need(limit) > o.Memory {
			limit = 1 << 31
		}
		repeats := limit/plane/period + 2
		big := e
		big.N[axis] = repeats * period
		big.Cells = boundary.NewCells(big.N)
		big.Cells.Walls = e.Cells.Walls
		repeatCells(big.Cells, e.Cells, axis)
		bl := big.layout(big.N)
		p := load(t, d, spec, bl, e.Periodic, big.Cells)
		defer p.Close()
		now, next := alloc(t, d, stateBytes(spec, bl)), alloc(t, d, stateBytes(spec, bl))
		defer now.Free()
		defer next.Free()

		s := small.stream
		small.exchange(0)
		at := func(l decomp.Layout, k int) int { lo, _ := l.Plane(k); return b * lo }
		for k := -1; k <= big.N[axis]; k++ {
			s.Copy(now, at(bl, k), small.parts[0].state[0], at(l, (k+period)%period), plane)
		}
		const steps = 2
		for range steps {
			s.Copy(now, at(bl, -1), now, at(bl, big.N[axis]-1), plane)
			s.Copy(now, at(bl, big.N[axis]), now, at(bl, 0), plane)
			p.Step(s, now, next, decomp.Box{Hi: big.N}, e.Params)
			now, next = next, now
		}
		small.Step(t, steps)

		// Rows are whole multiples of the padding, so that every byte belongs to a cell.
		want, got := make([]byte, period*plane), make([]byte, period*plane)
		if err := small.parts[0].state[0].Read(want, at(l, 0)); err != nil {
			t.Fatal(err)
		}
		for k := 0; k < big.N[axis]; k += period {
			if err := now.Read(got, at(bl, k)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s of %v: planes %d to %d, at byte %d of the state, differ from the small box's", spec, big.N, k, k+period, at(bl, k))
			}
		}
		sums, err := small.parts[0].program.Planes(small.parts[0].state[0], e.Params)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Planes(now, e.Params)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range all {
			want := sums[k%period]
			want.MaxAt[axis] = k
			want.BadAt = got.BadAt // meaningless if no cell is bad
			if got != want {
				t.Fatalf("%s of %v: sums of plane %d are %+v, want %+v", spec, big.N, k, got, want)
			}
		}
		row := func(p device.Program, b device.Buffer, k int) []float64 {
			box := decomp.Box{Hi: [3]int{e.N[0], 1, 1}}
			box.Lo[axis], box.Hi[axis] = k, k+1
			fields := make([]float64, box.Cells()*(1+spec.Lattice.Dims))
			if err := p.Fields(b, box, fields, e.Params); err != nil {
				t.Fatal(err)
			}
			return fields
		}
		first := row(small.parts[0].program, small.parts[0].state[0], period-1)
		for i, v := range row(p, now, big.N[axis]-1) {
			if v != first[i] {
				t.Fatalf("%s of %v: value %d of the last plane's first row is %g, want %g", spec, big.N, i, v, first[i])
			}
		}
	})
}

// repeatCells fills big with the planes of small, again and again along the axis.
func repeatCells(big, small boundary.Cells, axis int) {
	layer := small.N[0] + 2
	if axis == 2 {
		layer *= small.N[1] + 2
	}
	// In 2D the three layer of z are one and the same.
	for z := -1; z <= big.N[2]; z++ {
		if axis == 2 {
			from := (z + small.N[2]) % small.N[2]
			copy(big.Type[(z+1)*layer:][:layer], small.Type[(from+1)*layer:])
			continue
		}
		for y := -1; y <= big.N[1]; y++ {
			from := (y + small.N[1]) % small.N[1]
			copy(big.Type[big.Index(-1, y, z):][:layer], small.Type[small.Index(-1, from, z):])
		}
	}
}
