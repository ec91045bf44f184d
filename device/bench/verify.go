// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// box is a box of cells as one rank.
type box struct {
	spec     model.Spec
	layout   decomp.Layout
	periodic [3]bool
	cells    boundary.Cells
	params   model.Params
}

// eddies is the constant of Smagorinsky's law.
const eddies = 0.17

// emptyBox returns a box without walls.
func emptyBox(spec model.Spec, n [3]int, tau float64) box {
	ghost := [3]int{0, 0, 1}
	if spec.Lattice.Dims == 2 {
		n[2], ghost = 1, [3]int{0, 1, 0}
	}
	var values []float64
	for _, p := range spec.Collision.Params {
		values = append(values, p.Default)
	}
	b := box{
		spec: spec, layout: decomp.NewLayout(n, ghost, spec.Components()), cells: boundary.NewCells(n),
		params: model.NewParams(spec.Collision, tau, values, [3]float64{}),
	}
	if spec.Viscosity == model.Smagorinsky {
		b.params = b.params.WithSmagorinsky(eddies)
	}
	return b
}

func (b box) all() decomp.Box { return decomp.Box{Hi: b.layout.N} }

// fluid returns the number of fluid cells.
func (b box) fluid() int {
	n, count := b.layout.N, 0
	for z := range n[2] {
		for y := range n[1] {
			for _, t := range b.cells.Type[b.cells.Index(0, y, z):][:n[0]] {
				if t == 0 {
					count++
				}
			}
		}
	}
	return count
}

// periodicBox returns a box without walls, with the viscosity of the case gaussian_pulse.
func periodicBox(spec model.Spec, n [3]int) box {
	b := emptyBox(spec, n, 3*0.02+0.5)
	b.periodic = [3]bool{true, true, true}
	return b
}

// pulseRow returns row y of 1 + 1e-3 exp(-100 r^2) on [-1, 1]^2, ends included, at rest, in
// the order of device.Program.Init.
func (b box) pulseRow(y int) []float64 {
	n := b.layout.N
	fields := make([]float64, n[0]*b.spec.Lattice.Moments())
	at := func(i, n int) float64 { return 2*float64(i)/float64(n-1) - 1 }
	for x := range n[0] {
		r2 := at(x, n[0])*at(x, n[0]) + at(y, n[1])*at(y, n[1])
		fields[x] = 1e-3 * math.Exp(-100*r2)
	}
	return fields
}

// newBox returns a closed box: walls on all faces, one of which, the lid, moves. Its edges
// belong to the walls at rest, as in a case (geometry.Scene).
func newBox(spec model.Spec, n [3]int) box {
	b := emptyBox(spec, n, 0.6)
	n, last := b.layout.N, spec.Lattice.Dims-1
	b.cells.Walls = boundary.BounceWalls([3]float64{}, [3]float64{0.05, 0, 0})
	var x [3]int
	for x[2] = -1; x[2] <= n[2]; x[2]++ {
		for x[1] = -1; x[1] <= n[1]; x[1]++ {
			stride := 1
			if x[1] >= 0 && x[1] < n[1] && (last < 2 || x[2] >= 0 && x[2] < n[2]) {
				stride = n[0] + 1 // only the row's ends are outside
			}
			for x[0] = -1; x[0] <= n[0]; x[0] += stride {
				outside := 0
				for a := 0; a <= last; a++ {
					if x[a] < 0 || x[a] >= n[a] {
						outside++
					}
				}
				if at := &b.cells.Type[b.cells.Index(x[0], x[1], x[2])]; outside > 0 {
					if *at = 1; outside == 1 && x[last] == n[last] {
						*at = 2
					}
				}
			}
		}
	}
	b.cells = b.cells.WithRest(false, spec.Lattice.Dims)
	return b
}

// initial returns a smooth flow in the order of device.Program.Init.
func (b box) initial() []float64 {
	n, nm, d := b.layout.N, b.spec.Lattice.Moments(), b.spec.Lattice.Dims
	fields := make([]float64, n[0]*n[1]*n[2]*nm)
	for row := 0; row < n[1]*n[2]; row++ {
		for x := 0; x < n[0]; x++ {
			phase := float64(3*x + 5*(row%n[1]) + 7*(row/n[1]))
			for c := 0; c <= d; c++ {
				fields[(row*nm+c)*n[0]+x] = 0.02 * math.Sin(phase/11+float64(c))
			}
		}
	}
	return fields
}

// sampleSize returns the box to verify for a timed one: flat, but with rows of the same length,
// because a device may have kernels for one row length.
func sampleSize(n [3]int) [3]int { return [3]int{n[0], 18, 9} }

// sample returns a closed box with spheres in it.
func sample(spec model.Spec, n [3]int) box {
	b := newBox(spec, sampleSize(n))
	b.pack(0.05, 1.6)
	return b
}

// Verify compares some steps of the device's kernels with the oracle (internal/ref) in a flat box
// with spheres and returns the largest difference of a velocity component, in lattice units. Its
// rows have the given number of cells.
func Verify(dev device.Device, spec model.Spec, width int) (float64, error) {
	return verify(dev, sample(spec, [3]int{width}), new(sync.Mutex))
}

// verify holds the mutex while it uses the device, except while loading kernels: several can
// compile, and step their oracles, concurrently.
func verify(dev device.Device, b box, mu *sync.Mutex) (float64, error) {
	const steps = 5
	spec, n := b.spec, b.layout.N
	oracle := ref.New(spec.Lattice, spec.Collision.Name, b.params, [3]bool{}, b.cells)
	oracle.Law = spec.Viscosity
	got, err := advance(dev, b, steps, oracle, mu)
	if err != nil {
		return 0, err
	}
	for range steps {
		oracle.Step()
	}
	worst := 0.0
	oracle.Each(func(cell int, x [3]int, solid bool) {
		_, u := oracle.Macroscopic(oracle.F[cell])
		row := (x[2]*n[1] + x[1]) * (1 + spec.Lattice.Dims)
		for a := 0; a < spec.Lattice.Dims; a++ {
			worst = math.Max(worst, math.Abs(got[(row+1+a)*n[0]+x[0]]-u[a]))
		}
	})
	// A half has 11 bits: of a flow of 0.02 one rounding is up to 2e-5, and it is stored five times.
	limit := map[model.Precision]float64{model.Float32: 1e-6, model.Float64: 1e-14, model.Float16: 1e-4}[spec.Precision]
	if !(worst <= limit) {
		return worst, fmt.Errorf("%s is wrong: a velocity differs from the oracle's by %.2g (allowed %.2g); no speed is shown", spec, worst, limit)
	}
	return worst, nil
}

// advance runs some steps on the device and returns the final fields; the oracle gets the initial
// state.
func advance(dev device.Device, b box, steps int, oracle *ref.Flow, mu *sync.Mutex) ([]float64, error) {
	spec := b.spec
	program, err := dev.Load(spec, b.layout, [3]bool{}, b.cells)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	defer program.Close()
	var state [2]device.Buffer
	for i := range state {
		if state[i], err = dev.Alloc(b.layout.Len() * spec.Precision.Bytes()); err != nil {
			return nil, err
		}
		defer state[i].Free()
	}
	if err := program.Init(state[0], b.all(), b.initial(), b.params); err != nil {
		return nil, err
	}
	if err := start(dev, oracle, b, state[0]); err != nil {
		return nil, err
	}
	s := dev.NewStream(false)
	for range steps {
		program.FillFaces(s, state[0], false)
		program.Step(s, state[0], state[1], b.all(), b.params)
		state[0], state[1] = state[1], state[0]
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	got := make([]float64, b.all().Cells()*(1+spec.Lattice.Dims))
	return got, program.Fields(state[0], b.all(), got, b.params)
}

// start gives the oracle the device's initial state. The initial state in a device's own 16-bit
// numbers is taken from the same state in float32.
func start(dev device.Device, oracle *ref.Flow, b box, state device.Buffer) error {
	if b.spec.Precision != model.Float16 {
		return load(oracle, b, state)
	}
	b.spec.Precision = model.Float32
	program, err := dev.Load(b.spec, b.layout, b.periodic, b.cells)
	if err != nil {
		return err
	}
	defer program.Close()
	twin, err := dev.Alloc(b.layout.Len() * b.spec.Precision.Bytes())
	if err != nil {
		return err
	}
	defer twin.Free()
	if err := program.Init(twin, b.all(), b.initial(), b.params); err != nil {
		return err
	}
	return load(oracle, b, twin)
}

// load gives the oracle the device's state as populations.
func load(oracle *ref.Flow, b box, state device.Buffer) error {
	bytes := make([]byte, state.Bytes())
	if err := state.Read(bytes, 0); err != nil {
		return err
	}
	value := func(i int) float64 {
		if b.spec.Precision == model.Float32 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	oracle.Each(func(cell int, x [3]int, solid bool) {
		v := make([]float64, b.layout.Components)
		for c := range v {
			v[c] = value(b.layout.At(x[0], x[1], x[2], c))
		}
		if b.spec.Collision.Scheme == model.Moments {
			oracle.F[cell] = oracle.Close(oracle.Populations(v))
			return
		}
		for i := range v {
			oracle.F[cell][i] = v[i] + b.spec.Lattice.Weights[i]
		}
	})
	return nil
}
