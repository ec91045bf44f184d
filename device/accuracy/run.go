// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package accuracy

import (
	"math"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// Moment is a flow after some steps.
type Moment struct {
	flow *Flow
	Step int
	Mass float64 // the mean of rho-1
	// Values are rho-1 and the velocity, as device.Program.Fields gives them.
	Values []float64
}

// batch is the number of steps queued between two waits: enough to hide the latency with little
// memory for the queue.
const batch = 256

// Run computes a flow on a device and returns its state after the given steps, in ascending order.
func (f Flow) Run(dev device.Device, c model.Collision, p model.Precision, steps ...int) ([]Moment, error) {
	spec := model.Spec{Lattice: f.Lattice, Collision: c, Precision: p}
	ghost := [3]int{0, 0, 1}
	if f.Lattice.Dims == 2 {
		ghost = [3]int{0, 1, 0}
	}
	l := decomp.NewLayout(f.N, ghost, spec.Components())
	program, err := dev.Load(spec, l, f.Periodic, f.Cells)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	var state [2]device.Buffer
	for i := range state {
		if state[i], err = dev.Alloc(l.Len() * p.Bytes()); err != nil {
			return nil, err
		}
		defer state[i].Free()
	}
	var values []float64
	for _, q := range c.Params {
		values = append(values, q.Default)
	}
	params, all := model.NewParams(c, f.Tau, values, f.Force), decomp.Box{Hi: f.N}
	if err := program.Init(state[0], all, f.Fields, params); err != nil {
		return nil, err
	}
	s, step := dev.NewStream(false), 0
	var moments []Moment
	for _, last := range steps {
		for ; step < last; step++ {
			if f.Periodic[l.Axis()] {
				f.wrap(s, l, state[0], p.Bytes())
			}
			program.Step(s, state[0], state[1], all, params)
			state[0], state[1] = state[1], state[0]
			if step%batch == batch-1 {
				if err := s.Sync(); err != nil {
					return nil, err
				}
			}
		}
		if err := s.Sync(); err != nil {
			return nil, err
		}
		m := Moment{flow: &f, Step: step, Values: make([]float64, all.Cells()*(1+f.Lattice.Dims))}
		if err := program.Fields(state[0], all, m.Values, params); err != nil {
			return nil, err
		}
		f.each(func(x [3]int) { m.Mass += m.value(x, 0) })
		m.Mass /= float64(all.Cells())
		moments = append(moments, m)
	}
	return moments, nil
}

// wrap queues the copies of the box's ends to the ghost planes beyond the other ends.
func (f Flow) wrap(s device.Stream, l decomp.Layout, state device.Buffer, bytes int) {
	n := f.N[l.Axis()]
	for _, planes := range [][2]int{{-1, n - 1}, {n, 0}} {
		to, _ := l.Plane(planes[0])
		from, end := l.Plane(planes[1])
		s.Copy(state, to*bytes, state, from*bytes, (end-from)*bytes)
	}
}

func (m Moment) value(x [3]int, c int) float64 {
	return m.Values[m.flow.at(x, c, 1+m.flow.Lattice.Dims)]
}

func (m Moment) velocity(x [3]int) (u [3]float64) {
	for a := range m.flow.Lattice.Dims {
		u[a] = m.value(x, 1+a)
	}
	return u
}

// Errors of a flow, each relative to the same norm of the reference.
type Errors struct {
	L2, Max  float64 // of the velocity: sqrt(sum |u-v|^2 / sum |v|^2) and max |u-v| / max |v|
	Pressure float64 // sqrt(sum (p-q)^2 / sum q^2), of the pressure's deviation from its mean; NaN if unknown
}

// From compares a flow with another computation of the same flow.
func (m Moment) From(believed Moment) Errors {
	e := m.compare(believed.velocity)
	diff, norm := 0.0, 0.0
	m.flow.each(func(x [3]int) {
		// Minus the means: in a closed or periodic box the mean is mass, not pressure.
		a, b := m.value(x, 0)-m.Mass, believed.value(x, 0)-believed.Mass
		diff, norm = diff+(a-b)*(a-b), norm+b*b
	})
	e.Pressure = math.Sqrt(diff / norm)
	return e
}

// FromExact compares a flow with the exact solution.
func (m Moment) FromExact() Errors {
	e := m.compare(func(x [3]int) [3]float64 { return m.flow.Exact(x, m.Step) })
	e.Pressure = math.NaN()
	return e
}

// Viscosity returns the ratio of effective to nominal viscosity of a decaying flow, from its
// remaining amplitude.
func (m Moment) Viscosity() float64 {
	dot, norm := 0.0, 0.0
	m.flow.each(func(x [3]int) {
		u, v := m.velocity(x), m.flow.Exact(x, 0)
		for a := range u {
			dot, norm = dot+u[a]*v[a], norm+v[a]*v[a]
		}
	})
	return -math.Log(dot/norm) * m.flow.Unit / float64(m.Step)
}

func (m Moment) compare(believed func(x [3]int) [3]float64) Errors {
	var diff, norm, worst, most float64
	m.flow.each(func(x [3]int) {
		u, v := m.velocity(x), believed(x)
		d, b := 0.0, 0.0
		for a := range u {
			d += (u[a] - v[a]) * (u[a] - v[a])
			b += v[a] * v[a]
		}
		diff, norm, worst, most = diff+d, norm+b, max(worst, d), max(most, b)
	})
	return Errors{L2: math.Sqrt(diff / norm), Max: math.Sqrt(worst / most)}
}
