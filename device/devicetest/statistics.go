// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"encoding/binary"
	"math"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// statistics: averages on the device have the bits of the recurrence, for any choice of sums and any time of reading, and
// sums of planes the bits of a loop over the cells.
func statistics(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, draw := range []func(model.Spec, [3]int, [3]bool, int64) Example{NewExample, newScalarExample} {
			for i, n := range [][3]int{{37, 9, 8}, {256, 4, 3}} {
				e := draw(spec, n, periodic(3*k+i), int64(700+2*k+i))
				sameHostAverages(t, d, e)
				if !sameAverages(t, d, e) {
					return // an ability that a device need not have
				}
				sameProfiles(t, d, e)
			}
		}
	})
}

// averageKinds are choices of sums.
var averageKinds = []model.AverageSums{
	{Density: true}, {Density: true, DensitySquares: true}, {Velocity: true}, {Velocity: true, VelocityProducts: true},
	{Density: true, DensitySquares: true, Velocity: true, VelocityProducts: true}, {Density: true, Velocity: true, VelocityProducts: true},
}

// sameHostAverages compares averages in the host's memory with the recurrence, if the device adds samples to them.
func sameHostAverages(t *testing.T, d device.Device, e Example) {
	s := Start(t, d, e)
	p := s.parts[0]
	program, ok := p.program.(device.HostAverager)
	if !ok {
		return
	}
	cells := decomp.Box{Hi: p.layout.N}
	fields, dims := make([]float64, cells.Cells()*e.Spec.FieldValues()), e.Spec.Lattice.Dims
	got, want := make([][]float64, len(averageKinds)), make([][]float64, len(averageKinds))
	for i, of := range averageKinds {
		got[i], want[i] = make([]float64, cells.Cells()*of.Values(dims)), make([]float64, cells.Cells()*of.Values(dims))
	}
	for n := int64(1); n <= 5; n++ {
		s.Step(t, 1)
		p = s.parts[0]
		if err := p.program.Fields(p.state[0], cells, fields, e.Params); err != nil {
			t.Fatal(err)
		}
		for i, of := range averageKinds {
			if err := program.AddSample(got[i], of, p.state[0], n, e.Params); err != nil {
				t.Fatal(err)
			}
			welford(want[i], fields, cells.Hi[0], 1+dims, e.Spec.FieldValues(), of, float64(n))
			sameSums(t, e, of, got[i], want[i])
		}
	}
	if err := program.AddSample(make([]float64, 1), averageKinds[0], p.state[0], 1, e.Params); err == nil {
		t.Error("a sample was added to sums of another size")
	}
}

// sameAverages compares the averages with the recurrence, and returns false if the device does not support averages.
func sameAverages(t *testing.T, d device.Device, e Example) bool {
	const samples = 40 // more than can be pending
	s := Start(t, d, e)
	p := s.parts[0]
	dims := e.Spec.Lattice.Dims
	program, ok := p.program.(device.Averager)
	if !ok {
		return false
	}
	kinds := averageKinds
	var kept, looked []device.Averages // looked: they are read in between
	var want [][]float64
	for _, of := range kinds {
		for _, list := range []*[]device.Averages{&kept, &looked} {
			a, err := program.NewAverages(of)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(a.Close)
			*list = append(*list, a)
		}
		want = append(want, make([]float64, p.layout.N[0]*p.layout.N[1]*p.layout.N[2]*of.Values(dims)))
	}
	for n := int64(1); n <= samples; n++ {
		s.Step(t, 1)
		p = s.parts[0]
		fields := s.rounded(t)
		for i, of := range kinds {
			kept[i].Take(s.stream, p.state[0], n, e.Params)
			looked[i].Take(s.stream, p.state[0], n, e.Params)
			welford(want[i], fields, p.layout.N[0], 1+dims, e.Spec.FieldValues(), of, float64(n))
		}
		for i := range kinds { // no wait here: Read waits
			if got := make([]float64, len(want[i])); n == 3 || n == 5 {
				if err := looked[i].Read(got); err != nil {
					t.Fatal(err)
				}
				sameSums(t, e, kinds[i], got, want[i])
				if err := looked[i].Write(got); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for i := range kinds {
		for _, a := range []device.Averages{kept[i], looked[i]} {
			got := make([]float64, len(want[i]))
			if err := a.Read(got); err != nil {
				t.Fatal(err)
			}
			sameSums(t, e, kinds[i], got, want[i])
		}
		if err := kept[i].Read(make([]float64, 1)); err == nil {
			t.Error("sums of another size were read")
		}
	}
	return true
}

func sameSums(t *testing.T, e Example, of model.AverageSums, got, want []float64) {
	t.Helper()
	for i := range want {
		// Some drawn examples become unstable within the samples: the bits of a NaN differ between processors.
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Fatalf("%s of %v, averages %+v: sum %d is %v instead of %v", e.Spec, e.N, of, i, got[i], want[i])
		}
	}
}

// rounded returns the fields as returned by the device, [z][y][value][x].
func (s *Slabs) rounded(t *testing.T) (values []float64) {
	t.Helper()
	p, all := s.parts[0], decomp.Box{Hi: s.parts[0].layout.N}
	size := fieldBytes(s.e.Spec)
	b := alloc(t, s.device, all.Cells()*s.e.Spec.FieldValues()*size)
	defer b.Free()
	p.program.(device.FieldsWriter).FieldsTo(s.stream, p.state[0], all, b, s.e.Params)
	s.sync(t)
	for raw := read(t, b, b.Bytes(), 0); len(raw) > 0; raw = raw[size:] {
		if size == 8 {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		} else {
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	}
	return values
}

// welford applies the recurrence of device.Averages, value by value.
func welford(sums, fields []float64, nx, flow, stored int, of model.AverageSums, n float64) {
	inverse := 1 / n
	share := (n - 1) * inverse
	width := of.Values(flow-1) * nx
	for ; len(fields) > 0; fields, sums = fields[stored*nx:], sums[width:] {
		for x := range nx {
			at, deviations := x, [4]float64{}
			take := func(c int) {
				d := fields[c*nx+x] - sums[at]
				sums[at] = math.FMA(d, inverse, sums[at])
				deviations[c] = d
				at += nx
			}
			product := func(i, j int) {
				sums[at] = math.FMA(share*deviations[i], deviations[j], sums[at])
				at += nx
			}
			if of.Density {
				take(0)
			}
			if of.DensitySquares {
				product(0, 0)
			}
			if of.Velocity {
				for c := 1; c < flow; c++ {
					take(c)
				}
			}
			if of.VelocityProducts {
				for i := 1; i < flow; i++ {
					for j := i; j < flow; j++ {
						product(i, j)
					}
				}
			}
		}
	}
}

// sameProfiles compares sums of planes with a loop over the cells.
func sameProfiles(t *testing.T, d device.Device, e Example) {
	s := Start(t, d, e)
	s.Step(t, 2)
	p, dims := s.parts[0], e.Spec.Lattice.Dims
	program, ok := p.program.(device.Profiler)
	if !ok {
		t.Fatal("a device with averages has no profiles")
	}
	n, stored := p.layout.N, e.Spec.FieldValues()
	values := device.ProfileValues(dims, e.Spec.Scalar)
	fields := make([]float64, n[0]*n[1]*n[2]*stored)
	if err := p.program.Fields(p.state[0], decomp.Box{Hi: n}, fields, e.Params); err != nil {
		t.Fatal(err)
	}
	const unit, warmth = 1 << 40, 0.125
	for axis := range dims {
		got, err := program.Profile(p.state[0], axis, unit, warmth, e.Params)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, n[axis]*values)
		for i := range n[0] * n[1] * n[2] {
			at := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
			if e.Cells.At(at[0], at[1], at[2]) != 0 {
				continue
			}
			to := want[at[axis]*values:][:0:values]
			value := func(c int) float64 { return fields[(i/n[0]*stored+c)*n[0]+at[0]] }
			k := 0
			put := func(v float64) {
				to = to[:k+1]
				to[k] += int64(math.RoundToEven(v * unit))
				k++
			}
			to = to[:1]
			to[0]++
			k++
			put(value(0))
			put(value(0) * value(0))
			for a := range dims {
				put(value(1 + a))
			}
			for a := range dims {
				for b := a; b < dims; b++ {
					put(value(1+a) * value(1+b))
				}
			}
			if e.Spec.Scalar {
				w := value(1+dims) * warmth
				put(w)
				put(w * w)
				for a := range dims {
					put(w * value(1+a))
				}
			}
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%s of %v, sums across axis %d: value %d of plane %d is %d instead of %d", e.Spec, e.N, axis, k%values, k/values, got[k], want[k])
			}
		}
	}
}
