// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/kernels"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// state reads the planes of a checkpoint: moments or populations as they are stored (kernels/cpu/state.h), with the
// deviation of the density from 1 and the momentum after the collision, which has all of the body force.
type state struct {
	file      *checkpoint.Reader
	spec      model.Spec
	force     [3]float64 // body force
	buoyancy  [3]float64 // its part for each unit of the temperature
	speed     float64    // a cell per step in the units of the case
	reference float64    // of the temperature
	scales    []float64  // of components in 16 bits
	buffer    []byte
	// inside reports whether a point is in a body; nil where that is not known without files.
	inside func(x, y, z float64) bool
	early  bool // disturbances may not have reached all of the fluid: they travel by one cell per step
}

func newState(f *checkpoint.Reader, c *config.Case) (*state, error) {
	h, s := f.Header, c.Spec
	if h.Spec != s.String() || h.N != c.Cells || h.Components != s.Components()+s.EddyComponents() || h.Bytes != s.Precision.Bytes() ||
		h.Planes != c.Cells[s.Lattice.Dims-1] || h.Planes*h.Rows != c.Cells[1]*c.Cells[2] || h.Pitch < c.Cells[0] {
		return nil, fmt.Errorf("%s stores %s, %d numbers per cell for %v cells; this version stores %s, %d numbers per cell for %v: start from fields of that run, or resume it with the version that wrote it (%s)",
			f.Path(), model.SpecInWords(h.Spec), h.Components, h.N, model.SpecInWords(s.String()), s.Components()+s.EddyComponents(), c.Cells, h.Version)
	}
	r := &state{file: f, spec: s, force: c.Force.Density, speed: c.Units.Length / c.Units.Time, reference: c.Temperature.Reference, inside: c.Inside(), early: h.Step < int64(max(h.N[0], h.N[1], h.N[2]))}
	if c.Force.At != nil {
		r.force = c.Force.At(float64(h.Step))
	}
	if s.Scalar {
		r.buoyancy = c.Temperature.Buoyancy
	}
	m, err := Memory(f)
	if err != nil {
		return nil, err
	}
	if m.Drive != nil {
		r.force = m.Drive.Force
	}
	for i := range h.Components {
		r.scales = append(r.scales, scale(s, i))
	}
	return r, nil
}

// Memory returns the checkpoint's data besides the state.
func Memory(f *checkpoint.Reader) (m output.Memory, err error) {
	if err = json.Unmarshal(f.Header.Extra, &m); err != nil {
		err = fmt.Errorf("%s: the data stored beside the state cannot be read: %w", f.Path(), err)
	}
	return m, err
}

// scale returns the factor that takes a component from storage back, as kernels/scale16.h has it; a test compares them.
func scale(s model.Spec, component int) float64 {
	if s.Precision != model.Float16 {
		return 1
	}
	exponent, moments := 15, s.Collision.Scheme == model.Moments
	switch behind := component - s.FlowComponents(); {
	case behind == 0:
		exponent = 11
	case behind > s.Lattice.Dims:
		exponent = 14
	case behind > 0:
		exponent = 12
	case moments && component <= s.Lattice.Dims:
		exponent = 14
	case moments:
		exponent = 16
	}
	return math.Ldexp(1, -exponent)
}

func (r *state) close() { r.file.Close() }

func (r *state) read(k int, share share, to *slab) error {
	h := r.file.Header
	if r.buffer == nil {
		r.buffer = make([]byte, h.PlaneBytes())
	}
	if err := r.file.ReadPlanes(k, k+1, r.buffer); err != nil {
		return err
	}
	return share(h.Rows, func(lo, hi int) error {
		for row := lo; row < hi; row++ {
			r.row(k, row, to)
		}
		return nil
	})
}

// number returns component c of cell x in a row that begins at an offset.
func (r *state) number(at, c, x int) float64 {
	h := r.file.Header
	b := r.buffer[at+(c*h.Pitch+x)*h.Bytes:]
	switch h.Bytes {
	case 8:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	case 4:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	}
	return float64(kernels.HalfNumber(binary.NativeEndian.Uint16(b))) * r.scales[c]
}

func (r *state) row(plane, row int, to *slab) {
	h, l := r.file.Header, r.spec.Lattice
	nx, at := h.N[0], row*h.PlaneBytes()/h.Rows
	square := r.speed * r.speed * model.CS2
	for x := range nx {
		i := row*nx + x
		density, momentum, rest := r.moments(at, x)
		theta := 0.0
		if t := velocity + l.Dims; t < len(to.values) {
			theta = r.number(at, r.spec.FlowComponents(), x)
			to.values[t][i] = r.reference + theta
		}
		to.kind[i] = isFluid | isWarm
		to.values[pressure][i] = square * density
		for a := range l.Dims {
			force := r.force[a] + r.buoyancy[a]*theta
			to.values[velocity+a][i] = r.speed * (momentum[a] - force/2) / (1 + density)
		}
		if rest && r.maySolid(x, row, plane) { // to the last bit, as solid cells are
			to.kind[i] = 0
			if theta != 0 {
				to.kind[i] = isWarm
			}
		}
	}
}

// maySolid reports whether a cell of a plane's row may be solid: undisturbed fluid is at rest, too. Where that is possible
// and the bodies are not known, all cells count as fluid.
func (r *state) maySolid(x, row, plane int) bool {
	y, z := row, plane
	if r.spec.Lattice.Dims == 2 {
		y, z = plane, 0
	}
	if r.inside == nil {
		return !r.early
	}
	return r.inside(float64(x)+0.5, float64(y)+0.5, float64(z)+0.5)
}

// moments returns the deviation of the density and the momentum of a cell; rest reports whether all that is stored of
// the flow is zero.
func (r *state) moments(at, x int) (density float64, momentum [3]float64, rest bool) {
	rest = true
	if r.spec.Collision.Scheme == model.Moments {
		density = r.number(at, 0, x)
		for a := range r.spec.Lattice.Dims {
			momentum[a] = r.number(at, 1+a, x)
		}
		for c := 0; c < r.spec.FlowComponents() && rest; c++ {
			rest = r.number(at, c, x) == 0
		}
		return density, momentum, rest
	}
	for i, c := range r.spec.Lattice.Velocities {
		f := r.number(at, i, x)
		density += f
		for a := range c {
			momentum[a] += float64(c[a]) * f
		}
		rest = rest && f == 0
	}
	return density, momentum, rest
}
