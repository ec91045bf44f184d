// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// sizes are deliberately irregular: rows around the widths of vectors, warps and padding, planes
// and columns around the tiles that kernels march through. The first ones are small enough for all
// combinations of periodic axes.
var sizes = [][3]int{
	{7, 5, 6}, {33, 4, 3}, {20, 9, 5}, {1, 3, 4}, {16, 1, 3}, {2, 7, 9}, {31, 8, 1}, {1, 1, 1},
	{37, 17, 7}, {64, 7, 8}, {65, 33, 2}, {130, 9, 8}, {33, 8, 17}, {2, 9, 33}, {300, 3, 4},
}

const small = 8 // of sizes

// masks of the periodic axes that size k is tested with: all of them, or two opposite ones,
// alternately. In 2D the third axis has no walls.
func masks(k, dims int) []int {
	switch all := 1 << dims; {
	case k < small && !testing.Short():
		list := make([]int, all)
		for i := range list {
			list[i] = i
		}
		return list
	default:
		return []int{k % all, all - 1 - k%all}
	}
}

func periodic(mask int) [3]bool { return [3]bool{mask&1 != 0, mask&2 != 0, mask&4 != 0} }

// drawn identifies a flow of a test, which an oracle computes once for all precisions.
type drawn struct {
	lattice, collision string
	size, mask         int
}

// oracle compares every instance with the reference: random states, solids, moving walls, a force,
// irregular sizes, all combinations of periodic axes.
func oracle(t *testing.T, d device.Device, o Options) {
	const steps = 3
	known := map[drawn][]float64{} // the same for every precision
	o.all(t, func(t *testing.T, spec model.Spec) {
		for k, n := range sizes {
			for j, mask := range masks(k, spec.Lattice.Dims) {
				if leaves(spec, k+j) {
					continue
				}
				e := NewExample(spec, n, periodic(mask), int64(8*k+mask))
				at := drawn{spec.Lattice.Name, spec.Collision.Name, k, mask}
				want := known[at]
				if want == nil {
					want = e.Oracle(steps)
					known[at] = want
				}
				s := Start(t, d, e)
				s.Step(t, steps)
				e.check(t, s.Values(t), want)
			}
		}
	})
}

// viscosities: per-cell rates, by each viscosity law and with a bulk viscosity, agree with the
// reference. In float64 every model has every law; the other precisions, whose arithmetic is the
// same source, alternate.
func viscosities(t *testing.T, d device.Device, o Options) {
	const steps = 3
	turn := 0
	o.all(t, func(t *testing.T, spec model.Spec) {
		for k := range 2 * len(model.ViscosityLaws) {
			spec.Viscosity, spec.Bulk = model.ViscosityLaw(k/2), k%2 == 1
			if turn++; !spec.Local() || spec.Precision != model.Float64 && turn%7 != 0 || testing.Short() && turn%3 != 0 {
				continue
			}
			for i, n := range [][3]int{{37, 6, 4}, {16, 3, 5}} {
				e := NewExample(spec, n, periodic(3+i), int64(500+k))
				s := Start(t, d, e)
				s.Step(t, steps)
				e.check(t, s.Values(t), e.Oracle(steps))
			}
		}
	})
}

// restingFaces: walls at rest on the faces at the ends of rows, edges and corners included, which
// kernels may treat separately, beside solids in the first and last cells. Sizes are multiples of
// tiles and not; the states agree with the reference, and slabs give the bits of one box.
func restingFaces(t *testing.T, d device.Device, o Options) {
	const steps = 3
	known := map[drawn][]float64{}
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{64, 16, 5}, {128, 5, 4}, {256, 4, 3}, {65, 15, 4}, {1, 14, 3}, {2, 3, 5}} {
			for _, mask := range []int{2 * (k % 4), 6 - 2*(k%4)} { // periodic along z, y, both or none
				e := NewExample(spec, n, periodic(mask), int64(300+8*k+mask))
				e.restFaces()
				at := drawn{spec.Lattice.Name, spec.Collision.Name, k, mask}
				if known[at] == nil {
					known[at] = e.Oracle(steps)
				}
				whole := Start(t, d, e)
				whole.Step(t, steps)
				e.check(t, whole.Values(t), known[at])
				parts := Start(t, d, e, 1)
				parts.Step(t, steps)
				sameBits(t, e, "in slabs", parts.Bits(t), whole.Bits(t))
			}
		}
	})
}

// cuts: a box in slabs of any thickness gives the bits of one box, and so do the sums
// over its planes.
func cuts(t *testing.T, d device.Device, o Options) {
	const steps = 3
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 9, 8}, {130, 7, 3}, {5, 18, 17}, {64, 4, 5}} {
			for _, mask := range []int{k, 7 - k} {
				e := NewExample(spec, n, periodic(mask), int64(100+8*k+mask))
				whole := Start(t, d, e)
				whole.Step(t, steps)
				want, sums, fields := whole.Bits(t), whole.planes(t), whole.fields(t)
				m := e.N[e.axis()]
				every := make([]int, m-1)
				for i := range every {
					every[i] = i + 1
				}
				for _, at := range [][]int{{m / 2}, {1, m - 1}, every} {
					s := Start(t, d, e, at...)
					s.Step(t, steps)
					sameBits(t, e, fmt.Sprint("cut before planes ", at), s.Bits(t), want)
					if got := s.planes(t); !reflect.DeepEqual(got, sums) {
						t.Fatalf("%s of %v cut before planes %v: sums of planes are\n%+v, uncut\n%+v", spec, e.N, at, got, sums)
					}
					if got := s.fields(t); !reflect.DeepEqual(got, fields) {
						t.Fatalf("%s of %v cut before planes %v: the fields differ from the whole box's", spec, e.N, at)
					}
				}
			}
		}
	})
}

// ranges: a step in ranges, edges first, gives the bits of the whole step and changes no other
// cell.
func ranges(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{50, 9, 11}, {33, 17, 9}, {130, 4, 4}} {
			e := NewExample(spec, n, [3]bool{true, k != 1, k == 1}, int64(200+k))
			whole, parts := Start(t, d, e), Start(t, d, e)
			whole.Step(t, 1)
			parts.exchange(0)
			p := &parts.parts[0]
			axis := e.axis()
			n := e.N[axis]
			for _, r := range [][2]int{{n - 1, n}, {0, 1}, {1, 2}, {2, n - 1}, {3, 3}} {
				b := decomp.Box{Hi: e.N}
				b.Lo[axis], b.Hi[axis] = r[0], r[1]
				p.program.Step(parts.stream, p.state[0], p.state[1], b, e.Params)
			}
			parts.sync(t)
			p.state[0], p.state[1] = p.state[1], p.state[0]
			sameBits(t, e, "stepped in ranges", parts.Bits(t), whole.Bits(t))

			// One more plane: only this plane of the old state may change.
			before := parts.Bits(t)
			keep := alloc(t, d, stateBytes(spec, p.layout))
			defer keep.Free()
			parts.stream.Copy(keep, 0, p.state[0], 0, stateBytes(spec, p.layout))
			parts.exchange(0)
			b := decomp.Box{Hi: e.N}
			b.Lo[axis], b.Hi[axis] = 2, 3
			p.program.Step(parts.stream, p.state[0], keep, b, e.Params)
			parts.sync(t)
			after := bits(t, spec, p.layout, keep)
			plane := len(before) / n
			sameBits(t, e, "the planes beside a range", append(append(after[:2*plane:2*plane], before[2*plane:3*plane]...), after[3*plane:]...), before)
		}
	})
}

// pencil: a box with ghosts along y as well gives the bits of one without, whole and in the parts
// computed by a rank amid others: edge planes, edge rows, bulk.
func pencil(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		if spec.Lattice.Dims == 2 {
			return // 2D boxes have no third axis to cut
		}
		for k, n := range [][3]int{{40, 6, 5}, {33, 1, 4}, {130, 9, 1}, {64, 2, 2}, {65, 19, 17}} {
			e := NewExample(spec, n, [3]bool{true, true, true}, int64(9+k))
			s := Start(t, d, e)
			s.Step(t, 1)
			l := decomp.NewLayout(e.N, [3]int{0, 1, 1}, spec.Components())
			p := load(t, d, spec, l, e.Periodic, e.Cells)
			defer p.Close()
			var state [3]device.Buffer
			for i := range state {
				state[i] = alloc(t, d, stateBytes(spec, l))
				defer state[i].Free()
			}
			in := state[0]
			if err := p.Init(in, decomp.Box{Hi: e.N}, e.Fields, e.Params); err != nil {
				t.Fatal(err)
			}
			row := spec.Precision.Bytes() * l.RowLen()
			wrap := func(k, n int) int { return (k + n) % n }
			for z := -1; z <= e.N[2]; z++ {
				for y := -1; y <= e.N[1]; y++ {
					if from, to := l.Row(wrap(y, e.N[1]), wrap(z, e.N[2])), l.Row(y, z); from != to {
						s.stream.Copy(in, to*row, in, from*row, row)
					}
				}
			}
			p.Step(s.stream, in, state[1], decomp.Box{Hi: e.N}, e.Params)
			// The box amid others: rank 4 of nine, all with the same number of cells.
			plan, err := decomp.Pencils([3]int{n[0], 3 * n[1], 3 * n[2]}, e.Periodic, 3, 3)
			if err != nil {
				t.Fatal(err)
			}
			edges, bulk := plan.Edges(4, 1)
			for _, b := range append(edges, bulk) {
				p.Step(s.stream, in, state[2], b, e.Params)
			}
			s.sync(t)
			sameBits(t, e, "as a pencil", bits(t, spec, l, state[1]), s.Bits(t))
			sameBits(t, e, "as a pencil in parts", bits(t, spec, l, state[2]), s.Bits(t))
			fieldsOfGhosts(t, d, e, p, l, in)
		}
	})
}

// fieldsOfGhosts reads the fields of a pencil with its ghost cells, which are images of cells
// inside, as outputs of derivatives do: synchronously and concurrently with the steps.
func fieldsOfGhosts(t *testing.T, d device.Device, e Example, p device.Program, l decomp.Layout, state device.Buffer) {
	t.Helper()
	const components = 4 // rho-1 and the velocity of three dimensions
	box := decomp.Box{Lo: [3]int{0, -1, -1}, Hi: [3]int{e.N[0], e.N[1] + 1, e.N[2] + 1}}
	inner, whole := make([]float64, components*e.N[0]*e.N[1]*e.N[2]), make([]float64, components*box.Cells())
	if err := errors.Join(p.Fields(state, decomp.Box{Hi: e.N}, inner, e.Params), p.Fields(state, box, whole, e.Params)); err != nil {
		t.Fatal(err)
	}
	check := func(what string, got []float64, rounded bool) {
		row := components * e.N[0]
		for z := range e.N[2] + 2 {
			for y := range e.N[1] + 2 {
				iy, iz := (y-1+e.N[1])%e.N[1], (z-1+e.N[2])%e.N[2]
				for i, v := range got[(z*(e.N[1]+2)+y)*row:][:row] {
					want := inner[(iz*e.N[1]+iy)*row+i]
					if rounded {
						want = float64(float32(want))
					}
					if v != want && e.Cells.At(i%e.N[0], iy, iz) == 0 { // solid ghosts are meaningless
						t.Fatalf("%s of %v, %s of row (%d, %d), value %d: %g, want %g", e.Spec, e.N, what, y-1, z-1, i, v, want)
					}
				}
			}
		}
	}
	check("fields", whole, false)
	taker, ok := p.(device.SnapshotTaker)
	if !ok {
		return
	}
	shot, err := taker.FieldsAsync(d.NewStream(false), state, box, e.Params)
	if err != nil {
		t.Fatal(err)
	}
	defer shot.Close()
	single, double, err := shot.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range single {
		double = append(double, float64(v))
	}
	check("a snapshot", double, single != nil)
}

// repeat: the same run again gives the same bits, in a box large enough for the whole device. Work
// out of order shows here.
func repeat(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		n := [3]int{130, 17, 20}
		if spec.Lattice.Dims == 2 {
			n = [3]int{260, 170, 1}
		}
		e := NewExample(spec, n, [3]bool{true, false, true}, 77)
		s := Start(t, d, e)
		p := s.parts[0]
		keep := alloc(t, d, stateBytes(spec, p.layout))
		defer keep.Free()
		s.stream.Copy(keep, 0, p.state[0], 0, stateBytes(spec, p.layout))
		var want []byte
		for range 4 {
			s.stream.Copy(s.parts[0].state[0], 0, keep, 0, stateBytes(spec, p.layout))
			s.Step(t, 10)
			if got := s.Bits(t); want == nil {
				want = got
			} else {
				sameBits(t, e, "once more", got, want)
			}
		}
	})
}

// initFields: Fields returns the values given to Init, and zeros in solid cells; both work on parts
// of the box, and Fields on ghost planes.
func initFields(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		e := NewExample(spec, [3]int{37, 6, 5}, [3]bool{true, false, true}, 1)
		s := Start(t, d, e)
		got := s.fields(t)
		dims, m := spec.Lattice.Dims, spec.Lattice.Moments()
		// In 16 bits one rounding of 0.02 is 7.6e-6; of populations several add up, to 8.4e-6 at
		// most when this bound was set.
		limit := map[int]float64{8: 1e-15, 4: 1e-7, 2: 1.6e-5}[spec.Precision.Bytes()]
		eachCell(e.N, 0, func(x [3]int) {
			for c := 0; c <= dims; c++ {
				want := e.Fields[e.at(x, c, m)]
				solid := e.Cells.At(x[0], x[1], x[2]) != 0
				if solid {
					want = 0
				}
				v := got[e.at(x, c, 1+dims)]
				if diff := math.Abs(v - want); !(diff <= limit) || solid && v != 0 {
					t.Fatalf("%s: component %d of cell %v is %g, want %g", spec, c, x, v, want)
				}
			}
		})

		fieldsInParts(t, d, s, e, got)
		fieldsAtOnce(t, s, e, got)
		fieldsOfRows(t, s, e, got)
		fieldsOfOtherEnd(t, s, e, got)
	})
}

// fieldsInParts: the same state, initialized and read part by part.
func fieldsInParts(t *testing.T, d device.Device, s *Slabs, e Example, got []float64) {
	spec := e.Spec
	p := s.parts[0]
	want := s.Bits(t)
	other := alloc(t, d, stateBytes(spec, p.layout))
	defer other.Free()
	axis := e.axis()
	n := e.N[axis]
	for _, r := range [][2]int{{2, n}, {0, 1}, {1, 2}} {
		b := decomp.Box{Hi: e.N}
		b.Lo[axis], b.Hi[axis] = r[0], r[1]
		plane := len(e.Fields) / n
		if err := p.program.Init(other, b, e.Fields[r[0]*plane:r[1]*plane], e.Params); err != nil {
			t.Fatal(err)
		}
		part, whole := make([]float64, len(got)/n*(r[1]-r[0])), got[len(got)/n*r[0]:]
		if err := p.program.Fields(other, b, part, e.Params); err != nil {
			t.Fatal(err)
		}
		for i := range part {
			if part[i] != whole[i] {
				t.Fatalf("%s: planes %v read alone differ: %g, not %g", spec, r, part[i], whole[i])
			}
		}
	}
	sameBits(t, e, "made in parts", bits(t, spec, p.layout, other), want)
}

// fieldsAtOnce: several goroutines may read at once.
func fieldsAtOnce(t *testing.T, s *Slabs, e Example, got []float64) {
	p := s.parts[0]
	var readers sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		readers.Add(1)
		go func() {
			defer readers.Done()
			again := make([]float64, len(got))
			for range 5 {
				if err := p.program.Fields(p.state[0], decomp.Box{Hi: e.N}, again, e.Params); err != nil {
					errs[i] = err
				} else if !slices.Equal(again, got) {
					errs[i] = errors.New("other values than alone")
				}
			}
		}()
	}
	readers.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%s: Fields from four goroutines: %v", e.Spec, err)
	}
}

// fieldsOfRows: a part of the rows, too: columns 3 to 36 of one row.
func fieldsOfRows(t *testing.T, s *Slabs, e Example, got []float64) {
	p, dims := s.parts[0], e.Spec.Lattice.Dims
	b := decomp.Box{Lo: [3]int{3, 2, 0}, Hi: [3]int{36, 3, 1}}
	row := make([]float64, 33*(1+dims))
	if err := p.program.Fields(p.state[0], b, row, e.Params); err != nil {
		t.Fatal(err)
	}
	for i, v := range row {
		if want := got[e.at([3]int{3 + i%33, 2, 0}, i/33, 1+dims)]; v != want {
			t.Fatalf("%s: %v read alone: value %d is %g, not %g", e.Spec, b, i, v, want)
		}
	}
}

// fieldsOfOtherEnd: ghost planes hold the other end of a periodic axis, once exchanged.
func fieldsOfOtherEnd(t *testing.T, s *Slabs, e Example, got []float64) {
	axis, dims := e.axis(), e.Spec.Lattice.Dims
	p, n := s.parts[0], e.N[axis]
	if !e.Periodic[axis] {
		return
	}
	s.exchange(0)
	s.sync(t)
	b := decomp.Box{Hi: e.N}
	b.Lo[axis], b.Hi[axis] = -1, 0
	ghost, last := make([]float64, len(got)/n), got[len(got)/n*(n-1):]
	if err := p.program.Fields(p.state[0], b, ghost, e.Params); err != nil {
		t.Fatal(err)
	}
	for i := range ghost {
		x := [3]int{i % e.N[0], i / e.N[0] / (1 + dims) % e.N[1], n - 1}
		if e.Cells.At(x[0], x[1], x[2]) == 0 && ghost[i] != last[i] {
			t.Fatalf("%s: value %d of the ghost plane is %g, not %g", e.Spec, i, ghost[i], last[i])
		}
	}
}
