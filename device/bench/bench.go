// Package bench measures a device: first it checks that the device computes right,
// against the oracle, then it times steps, interleaved with loops that only move
// memory, so that their ratio holds on a machine whose speed comes and goes.
package bench

import (
	"fmt"
	"math"
	"math/rand"
	"sort"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// Result is the speed of one spec, in million cell updates a second, medians.
type Result struct {
	Spec  model.Spec
	N     [3]int
	MLUPS float64 // of the step, in a closed box with a moving lid
	Best  float64 // its fastest round
	// InPlace is how many cells a second a loop reaches that updates as many values
	// in place as the lattice has populations: the roofline of population codes.
	// Copy is the same for a copy of the state past the caches, the roofline of a
	// step between two buffers. Both are 0 if the device has no such loops.
	InPlace, Copy float64
	Ratio         float64 // median of step over InPlace, round by round
	Bandwidth     float64 // GB/s: MLUPS times the bytes that a step must move
	BytesPerCell  float64 // memory held: two states, flags and lists
}

func (r Result) String() string {
	s := fmt.Sprintf("%s %dx%dx%d: %.0f MLUPS, %.1f GB/s", r.Spec, r.N[0], r.N[1], r.N[2], r.MLUPS, r.Bandwidth)
	if r.InPlace > 0 {
		s += fmt.Sprintf(", %.2f of the in-place roofline (%.0f), %.2f of the copy (%.0f)", r.Ratio, r.InPlace, r.MLUPS/r.Copy, r.Copy)
	}
	return s
}

// box is a closed box with a lid that moves along x, on a device.
type box struct {
	dev    device.Device
	spec   model.Spec
	layout decomp.Layout
	cells  model.Cells
	params model.Params
	p      device.Program
	state  [2]device.Buffer
	stream device.Stream
}

// lid is the speed of the moving wall.
const lid = 0.05

func open(dev device.Device, spec model.Spec, n [3]int) (*box, error) {
	ghost, axis := [3]int{0, 0, 1}, 2
	if spec.Lattice.Dims == 2 {
		ghost, axis, n[2] = [3]int{0, 1, 0}, 1, 1
	}
	b := &box{dev: dev, spec: spec, layout: decomp.NewLayout(n, ghost, spec.Components()), cells: model.NewCells(n), stream: dev.NewStream(false)}
	b.cells.Velocity = [][3]float64{{}, {lid, 0, 0}}
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			for x := -1; x <= n[0]; x++ {
				at := [3]int{x, y, z}
				for a := 0; a < spec.Lattice.Dims; a++ {
					if at[a] < 0 || at[a] >= n[a] {
						b.cells.Type[b.cells.Index(x, y, z)] = 1
					}
				}
				if at[axis] == n[axis] {
					b.cells.Type[b.cells.Index(x, y, z)] = 2
				}
			}
		}
	}
	var values []float64
	for _, p := range spec.Collision.Params {
		values = append(values, p.Default)
	}
	b.params = model.NewParams(spec.Collision, 0.6, values, [3]float64{})
	var err error
	if b.p, err = dev.Load(spec, b.layout, [3]bool{}, b.cells); err != nil {
		return nil, err
	}
	for k := range b.state {
		if b.state[k], err = dev.Alloc(b.layout.Len() * spec.Precision.Bytes()); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

func (b *box) close() {
	b.p.Close()
	for _, s := range b.state {
		if s != nil {
			s.Free()
		}
	}
}

// init starts from a small random flow, which leaves no number tiny.
func (b *box) init() ([]float64, error) {
	r := rand.New(rand.NewSource(1))
	n, m := b.layout.N, b.spec.Lattice.Moments()
	plane := make([]float64, m*n[0]*n[1])
	var all []float64
	for z := 0; z < n[2]; z++ {
		for i := range plane {
			if i/n[0]%m <= b.spec.Lattice.Dims { // no strain: it would be far from the velocity's
				plane[i] = 0.02 * (r.Float64() - 0.5)
			}
		}
		if err := b.p.Init(b.state[0], decomp.Box{Lo: [3]int{0, 0, z}, Hi: [3]int{n[0], n[1], z + 1}}, plane, b.params); err != nil {
			return nil, err
		}
		if n[0]*n[1]*n[2] <= 1<<15 {
			all = append(all, plane...)
		}
	}
	return all, nil
}

func (b *box) step() {
	b.p.Step(b.stream, b.state[0], b.state[1], decomp.Box{Hi: b.layout.N}, b.params)
	b.state[0], b.state[1] = b.state[1], b.state[0]
}

// Verify compares a few steps of a small closed box with the oracle.
func Verify(dev device.Device, spec model.Spec) error {
	const steps = 4
	b, err := open(dev, spec, [3]int{37, 10, 9})
	if err != nil {
		return err
	}
	defer b.close()
	start, err := b.init()
	if err != nil {
		return err
	}
	l, n := spec.Lattice, b.layout.N
	f := ref.New(l, spec.Collision.Name, b.params, [3]bool{}, b.cells)
	f.Each(func(cell int, x [3]int, _ bool) {
		var u [3]float64
		at := func(c int) float64 { return start[((x[2]*n[1]+x[1])*l.Moments()+c)*n[0]+x[0]] }
		for a := 0; a < l.Dims; a++ {
			u[a] = at(1 + a)
		}
		f.F[cell] = f.Equilibrium(1+at(0), u)
	})
	for range steps {
		f.Step()
		b.step()
	}
	if err := b.stream.Sync(); err != nil {
		return err
	}
	got := make([]float64, (1+l.Dims)*n[0]*n[1]*n[2])
	if err := b.p.Fields(b.state[0], decomp.Box{Hi: n}, got, b.params); err != nil {
		return err
	}
	tolerance := 1e-13
	if spec.Precision == model.Float32 {
		tolerance = 1e-6
	}
	f.Each(func(cell int, x [3]int, _ bool) {
		rho, u := f.Macroscopic(f.F[cell])
		want := append([]float64{rho - 1}, u[:l.Dims]...)
		for c := range want {
			if v := got[((x[2]*n[1]+x[1])*(1+l.Dims)+c)*n[0]+x[0]]; !(math.Abs(v-want[c]) <= tolerance) && err == nil {
				err = fmt.Errorf("%s computes wrong: after %d steps component %d of cell %v is %g, the oracle has %g", spec, steps, c, x, v, want[c])
			}
		}
	})
	return err
}

// Step verifies spec on the device, then times it on a closed box of n cells.
func Step(dev device.Device, spec model.Spec, n [3]int, rounds int) (Result, error) {
	if err := Verify(dev, spec); err != nil {
		return Result{}, err
	}
	b, err := open(dev, spec, n)
	if err != nil {
		return Result{}, err
	}
	defer b.close()
	if _, err := b.init(); err != nil {
		return Result{}, err
	}
	loops, err := newLoops(b)
	if err != nil {
		return Result{}, err
	}
	defer loops.close()
	cells := float64(decomp.Box{Hi: b.layout.N}.Cells()) / 1e6
	r := Result{Spec: spec, N: b.layout.N}
	var steps, inPlace, copies, ratios []float64
	for k := -1; k < rounds; k++ { // the first round only warms up
		i, c, err := loops.time()
		if err != nil {
			return r, err
		}
		before := b.stream.Record()
		b.step()
		b.step()
		after := b.stream.Record()
		if err := after.Wait(); err != nil {
			return r, err
		}
		if s := (after.Seconds() - before.Seconds()) / 2; k >= 0 {
			steps, inPlace, copies = append(steps, cells/s), append(inPlace, cells/i), append(copies, cells/c)
			ratios = append(ratios, i/s)
		}
	}
	if err := b.check(); err != nil {
		return r, err
	}
	if len(steps) == 0 {
		return r, fmt.Errorf("no rounds to time")
	}
	r.MLUPS, r.Best = median(steps), steps[len(steps)-1]
	if loops.device != nil {
		r.InPlace, r.Copy, r.Ratio = median(inPlace), median(copies), median(ratios)
	}
	r.Bandwidth = r.MLUPS * float64(b.p.BytesPerCell()) / 1e3
	r.BytesPerCell = float64(b.state[0].Bytes()+b.state[1].Bytes()+b.p.Bytes()) / (cells * 1e6)
	return r, nil
}

// check makes sure that the timed run was a flow: finite, slow, of unchanged mass.
func (b *box) check() error {
	planes, err := b.p.Planes(b.state[0], b.params)
	if err != nil {
		return err
	}
	mass, cells := 0.0, 0
	for _, p := range planes {
		if p.Bad > 0 || p.MaxSpeed > 2*lid {
			return fmt.Errorf("%s: the timed run went wrong: %d values not finite, speed %g", b.spec, p.Bad, p.MaxSpeed)
		}
		mass, cells = mass+p.Mass, cells+p.Cells
	}
	if drift := math.Abs(mass) / float64(cells); drift > 1e-3 {
		return fmt.Errorf("%s: the timed run lost mass: %g a cell", b.spec, drift)
	}
	return nil
}

// loops are the device's loops that only move memory, on buffers of their own.
type loops struct {
	device     device.Roofline
	stream     device.Stream
	all, a, b  device.Buffer
	spec       model.Spec
	components int
	pitch      int
	updates    int
}

func newLoops(b *box) (*loops, error) {
	l := &loops{stream: b.stream, spec: b.spec, components: b.spec.Lattice.Q(), pitch: b.layout.Pitch}
	var ok bool
	if l.device, ok = b.dev.(device.Roofline); !ok {
		return l, nil
	}
	var err error
	rows := b.layout.N[1] * b.layout.N[2]
	if l.all, err = b.dev.Alloc(rows * l.components * l.pitch * b.spec.Precision.Bytes()); err != nil {
		return nil, err
	}
	size := rows * b.layout.RowLen() * b.spec.Precision.Bytes()
	if l.a, err = b.dev.Alloc(size); err == nil {
		l.b, err = b.dev.Alloc(size)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	// Memory that was never written may all be one page of zeros, in the cache.
	l.device.Update(l.stream, l.a, b.layout.Components, l.pitch, b.spec.Precision)
	l.device.Update(l.stream, l.b, b.layout.Components, l.pitch, b.spec.Precision)
	return l, nil
}

func (l *loops) close() {
	for _, b := range []device.Buffer{l.all, l.a, l.b} {
		if b != nil {
			b.Free()
		}
	}
}

// time gives the seconds of one update and of one copy, each checked.
func (l *loops) time() (update, copy float64, err error) {
	if l.device == nil {
		return 1, 1, nil
	}
	start := l.stream.Record()
	l.device.Update(l.stream, l.all, l.components, l.pitch, l.spec.Precision)
	l.updates++
	mid := l.stream.Record()
	l.device.CopyPast(l.stream, l.b, l.a)
	end := l.stream.Record()
	if err := end.Wait(); err != nil {
		return 0, 0, err
	}
	// 0 and 1 alternate: look at the last value.
	last, one := make([]byte, l.spec.Precision.Bytes()), []byte{0x80, 0x3f}
	if l.spec.Precision == model.Float64 {
		one = []byte{0xf0, 0x3f}
	}
	if err := l.all.Read(last, l.all.Bytes()-len(last)); err != nil {
		return 0, 0, err
	}
	if is := string(last[len(last)-2:]) == string(one); is != (l.updates%2 == 1) {
		return 0, 0, fmt.Errorf("the in-place loop left % x after %d updates", last, l.updates)
	}
	return mid.Seconds() - start.Seconds(), end.Seconds() - mid.Seconds(), nil
}

// median sorts x.
func median(x []float64) float64 {
	sort.Float64s(x)
	return x[len(x)/2]
}
