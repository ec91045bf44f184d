// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"encoding/binary"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/model"
)

// eddies: laws that read neighbours agree with the reference, in flows with walls and solids and between open faces, beyond
// the step at which they recompute the eddy viscosity, except in 16 bits. The eddy viscosity agrees, too. Slabs give the
// bits of one box.
func eddies(t *testing.T, d device.Device, o Options) {
	turn := 0
	o.all(t, func(t *testing.T, spec model.Spec) {
		spec.Viscosity = model.Wale
		steps := model.EddySteps + 2
		if spec.Precision == model.Float16 {
			steps = 3 // rounding grows in random states
		}
		if turn++; testing.Short() && spec.Precision != model.Float64 && turn%2 == 0 {
			t.Skip("the same arithmetic in another precision: make test-all runs it")
		}
		for i, n := range [][3]int{{37, 6, 4}, {32, 9, 3}} {
			e := NewExample(spec, n, periodic(3*i), int64(700+i))
			whole := Start(t, d, e)
			whole.Step(t, steps)
			flow := e.oracle(steps)
			e.check(t, whole.Values(t), e.values(flow))
			near(t, e, whole.eddies(t), flow.Eddies)
			parts := Start(t, d, e, 2)
			parts.Step(t, steps)
			sameBits(t, e, "in slabs", parts.Bits(t), whole.Bits(t))
		}
		tunnel(t, d, spec, steps)
	})
}

// tunnel compares a flow between an inlet and an outflow across y with the oracle: the differences read their ghost cells.
func tunnel(t *testing.T, d device.Device, spec model.Spec, steps int) {
	n := [3]int{20, 12, 4}
	if spec.Lattice.Dims == 2 {
		n[2] = 1
	}
	e := channel(spec, 0.55, [3]float64{}, n, [3]float64{0, 0.05})
	e.Cells.Walls = []boundary.Wall{{Law: boundary.VelocityFace}, {Law: boundary.Outflow}}
	e.Params = lawful(spec, e.Params)
	for i := range e.Fields {
		e.Fields[i] = 0.02 * math.Sin(float64(i*i))
	}
	s := Start(t, d, e)
	s.Step(t, steps)
	flow := e.oracle(steps)
	e.check(t, s.Values(t), e.values(flow))
	near(t, e, s.eddies(t), flow.Eddies)
}

// eddies returns 3 nu_t for all cells.
func (s *Slabs) eddies(t *testing.T) (list []float64) {
	bytes := s.e.Spec.EddyBytes()
	for _, p := range s.parts {
		b := p.program.(device.EddyKeeper).Eddies()
		host := make([]byte, p.layout.Pitch*p.layout.N[1]*p.layout.N[2]*bytes)
		if err := b.Read(host, 0); err != nil {
			t.Fatal(err)
		}
		for row := range p.layout.N[1] * p.layout.N[2] {
			for x := range p.layout.N[0] {
				at := host[(row*p.layout.Pitch+x)*bytes:]
				if bytes == 8 {
					list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(at)))
				} else {
					list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(at))))
				}
			}
		}
	}
	return list
}

// near compares the eddy viscosity with the reference's, from which it differs by the digits of the state: the law has
// roots.
func near(t *testing.T, e Example, got, want []float64) {
	t.Helper()
	within := map[int]float64{2: 3e-2, 4: 1e-4, 8: 1e-9}[e.Spec.Precision.Bytes()]
	most := 0.0
	for _, v := range want {
		most = max(most, v)
	}
	if most == 0 {
		t.Fatalf("%s: the example has no eddies", e.Spec)
	}
	for i, v := range want {
		x := [3]int{i % e.N[0], i / e.N[0] % e.N[1], i / e.N[0] / e.N[1]}
		if e.Cells.At(x[0], x[1], x[2]) == 0 && !(math.Abs(got[i]-v) <= within*most) {
			t.Errorf("%s: cell %v has eddies of %g, the reference %g", e.Spec, x, got[i], v)
			return
		}
	}
}
