// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"sync"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// Specs returns the specs of the named collision models on a lattice; it panics on an unknown name.
func Specs(lattice string, p model.Precision, names ...string) []model.Spec {
	l, ok := model.FindLattice(lattice)
	if !ok {
		panic("no lattice " + lattice)
	}
	var specs []model.Spec
	for _, name := range names {
		c, ok := model.FindCollision(name)
		if !ok {
			panic("no collision model " + name)
		}
		specs = append(specs, model.Spec{Lattice: l, Collision: c, Precision: p})
	}
	return specs
}

// Closed measures steps in a closed box with a moving lid.
func Closed(spec model.Spec, n [3]int) Job {
	return func(dev device.Device) (*contender, error) {
		return driven(dev, newBox(spec, n), spec.String(), verifying(dev, sample(spec, n)), nil)
	}
}

// Packed measures Closed with spheres that fill a share of the box; only fluid cells are
// counted.
func Packed(spec model.Spec, n [3]int, share float64) Job {
	return func(dev device.Device) (*contender, error) {
		b := newBox(spec, n)
		b.pack(share, float64(min(n[0], n[1], n[2]))/16)
		return driven(dev, b, fmt.Sprintf("%s, %.1f %% solid spheres", spec, 100*(1-float64(b.fluid())/float64(b.all().Cells()))), verifying(dev, sample(spec, n)), nil)
	}
}

// pack places spheres of a radius at random without overlap until a share of the cells is solid.
// Random sequential addition ends at 38 % (Widom, J. Chem. Phys. 44 (1966) 3888), so a quarter is
// reached soon.
func (b *box) pack(share, radius float64) {
	const gap = 2 // cells to the walls, for the lid drives the flow
	r := rand.New(rand.NewSource(7))
	n, dims := b.layout.N, b.spec.Lattice.Dims
	var centres [][3]float64
	for solid, tries := 0, 0; float64(solid) < share*float64(b.all().Cells()) && tries < 1000000; tries++ {
		c := [3]float64{2: 0.5}
		for a := range dims {
			c[a] = radius + gap + r.Float64()*(float64(n[a])-2*(radius+gap))
		}
		free := true
		for _, o := range centres {
			free = free && math.Hypot(math.Hypot(c[0]-o[0], c[1]-o[1]), c[2]-o[2]) > 2*radius
		}
		if !free {
			continue
		}
		centres = append(centres, c)
		var lo, hi, x [3]int
		for a := range lo {
			lo[a], hi[a] = max(0, int(c[a]-radius)), min(n[a], int(c[a]+radius)+1)
		}
		for x[2] = lo[2]; x[2] < hi[2]; x[2]++ {
			for x[1] = lo[1]; x[1] < hi[1]; x[1]++ {
				for x[0] = lo[0]; x[0] < hi[0]; x[0]++ {
					if math.Hypot(math.Hypot(float64(x[0])+0.5-c[0], float64(x[1])+0.5-c[1]), float64(x[2])+0.5-c[2]) <= radius {
						b.cells.Type[b.cells.Index(x[0], x[1], x[2])] = 1
						solid++
					}
				}
			}
		}
	}
}

// driven measures steps of a box with a lid: the fluid, at rest at first, follows it; mass is conserved.
func driven(dev device.Device, b box, name string, verified check, host *flow) (*contender, error) {
	return steps(dev, b, name, verified, host, func(f *flow) error {
		return f.look(func(mass, speed float64) bool {
			return speed > 1e-3 && speed < 0.06 && math.Abs(mass) < 1e-4*float64(b.all().Cells())
		})
	})
}

// check compares kernels with the oracle and returns the largest difference.
type check func() (float64, error)

func verifying(dev device.Device, small box) check {
	return func() (float64, error) { return verify(dev, small, new(sync.Mutex)) }
}

// steps is a contender with real time steps; first the oracle has to agree in a small box of the
// same kind, and done checks the result of the large one. A host flow, if any, shares its state.
func steps(dev device.Device, b box, name string, verified check, host *flow, done func(*flow) error) (*contender, error) {
	difference, err := verified()
	if err != nil {
		return nil, err
	}
	f, err := newFlow(dev, b, host)
	if err != nil {
		return nil, err
	}
	c := f.contender(name)
	c.oracle = difference
	if m := device.InPieces(f.program, recorded[0]); m != nil {
		c.several = f.several
		c.bytes /= m.Stride() // which share one read and write of memory
	}
	c.done = func() error { return done(f) }
	if err := c.record(dev, f.stream); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// flow is a box on a device.
type flow struct {
	box
	program device.Program
	state   [2]device.Buffer
	shared  bool // the state is another flow's
	stream  device.Stream
	bytes   int
	wrapped func(device.Buffer) // completes a step of a box that is its own neighbour; nil: not needed
}

func newFlow(dev device.Device, b box, host *flow) (f *flow, err error) {
	f = &flow{box: b, stream: dev.NewStream(false)}
	if f.program, err = dev.Load(b.spec, b.layout, b.periodic, b.cells); err != nil {
		return nil, err
	}
	f.bytes = f.program.Bytes() + len(b.cells.Type)
	if host != nil {
		f.shared, f.state = true, host.state
	}
	for i := range f.state {
		if f.state[i] == nil {
			if f.state[i], err = dev.Alloc(b.layout.Len() * b.spec.Precision.Bytes()); err != nil {
				f.close()
				return nil, err
			}
		}
		f.bytes += f.state[i].Bytes()
	}
	return f, nil
}

func (f *flow) close() {
	f.program.Close()
	for _, s := range f.state {
		if s != nil && !f.shared {
			s.Free()
		}
	}
}

func (f *flow) step() {
	f.stepBy(func(in, out device.Buffer, box decomp.Box) { f.program.Step(f.stream, in, out, box, f.params) })
}

// stepBy advances one step, whose kernels queue launches.
func (f *flow) stepBy(queue func(in, out device.Buffer, box decomp.Box)) {
	f.program.FillFaces(f.stream, f.state[0], false)
	queue(f.state[0], f.state[1], f.all())
	f.state[0], f.state[1] = f.state[1], f.state[0]
	if f.wrapped != nil {
		f.wrapped(f.state[0])
	}
}

// several queues n steps in pieces of several, if the device supports it.
func (f *flow) several(n int) bool {
	m := device.InPieces(f.program, n)
	if m == nil {
		return false
	}
	for range n / m.Stride() {
		m.Steps(f.stream, f.state[0], f.state[1], f.params)
		f.state[0], f.state[1] = f.state[1], f.state[0]
	}
	return true
}

func (f *flow) contender(name string) *contender {
	return &contender{
		name: name, cells: f.fluid(), bytes: f.program.BytesPerCell(), memory: float64(f.bytes) / float64(f.all().Cells()),
		queue: f.step, wait: f.stream.Sync, close: f.close, flow: f,
	}
}

// look checks the whole box by its excess mass and its largest speed.
func (f *flow) look(fine func(mass, speed float64) bool) error {
	planes, err := f.program.Planes(f.state[0], f.params)
	if err != nil {
		return err
	}
	mass, speed, bad := 0.0, 0.0, 0
	for _, p := range planes {
		mass, speed, bad = mass+p.Mass, max(speed, p.MaxSpeed), bad+p.Bad
	}
	if bad > 0 || !fine(mass, speed) {
		return fmt.Errorf("the timed run went wrong: %d bad cells, largest speed %g, mass %+g", bad, speed, mass)
	}
	return nil
}

// Pulse measures steps of a periodic box with a spreading density pulse, with density and velocity
// written to the device's memory after every step (WithFields).
func Pulse(spec model.Spec, n [3]int, again bool) Job {
	return WithFields(func(dev device.Device) (*contender, error) {
		difference, err := Verify(dev, spec, n[0])
		if err != nil {
			return nil, err
		}
		b := periodicBox(spec, n)
		f, err := newFlow(dev, b, nil)
		if err != nil {
			return nil, err
		}
		c := f.contender(spec.String())
		c.oracle = difference
		if err := f.pulse(dev, c); err != nil {
			c.close()
			return nil, err
		}
		return c, nil
	}, again)
}

// startPulse writes the pulse to the state and returns its mass.
func (f *flow) startPulse() (mass float64, err error) {
	for y := range f.layout.N[1] { // row by row: the host may have less memory
		row := f.all()
		row.Lo[1], row.Hi[1] = y, y+1
		fields := f.pulseRow(y)
		for _, v := range fields[:f.layout.N[0]] {
			mass += v
		}
		if err := f.program.Init(f.state[0], row, fields, f.params); err != nil {
			return 0, err
		}
	}
	return mass, nil
}

// pulse starts the pulse.
func (f *flow) pulse(dev device.Device, c *contender) error {
	if f.spec.Lattice.Dims != 2 {
		return errors.New("the pulse is one of two dimensions")
	}
	plan, err := decomp.Slabs(f.layout.N, f.periodic, f.spec.Lattice.Dims, 1)
	if err != nil {
		return err
	}
	if w, ok := dev.(device.Wrapper); ok {
		plan.Wraps = w.Wraps()
	}
	mass, err := f.startPulse()
	if err != nil {
		return err
	}
	f.wrapped = f.wrap(plan)
	f.wrapped(f.state[0])
	if err := f.stream.Sync(); err != nil {
		return err
	}
	c.done = func() error {
		return f.look(func(m, speed float64) bool {
			return speed > 0 && speed < 1e-2 && math.Abs(m-mass) < 1e-3*mass+1e-6*float64(f.all().Cells())
		})
	}
	return nil
}

// WithFields lets each step of a job write density and velocity in the device's memory: in the step
// itself if the device supports it, or otherwise by a second pass over the state. They are part of the
// counted traffic.
func WithFields(job Job, again bool) Job {
	return func(dev device.Device) (*contender, error) {
		c, err := job(dev)
		if err != nil {
			return nil, err
		}
		for _, g := range c.graphs {
			g.close()
		}
		c.graphs, c.several = nil, nil
		if err = c.flow.writeFields(dev, c, again); err == nil {
			err = c.record(dev, c.flow.stream)
		}
		if err != nil {
			c.close()
			return nil, err
		}
		return c, nil
	}
}

// writeFields lets each step write its fields.
func (f *flow) writeFields(dev device.Device, c *contender, again bool) error {
	components, value := f.spec.FieldValues(), max(4, f.spec.Precision.Bytes())
	step, name, err := f.fieldStep(again)
	if err != nil {
		return err
	}
	out, err := dev.Alloc(f.all().Cells() * components * value)
	if err != nil {
		return err
	}
	end, done := c.close, c.done
	c.close = func() { end(); out.Free() }
	c.name += ", " + name
	c.bytes += components * value
	c.queue = func() { step(out) }
	c.done = func() error { return errors.Join(f.same(out, components, value), done()) }
	return nil
}

// fieldStep returns a step that writes fields to a buffer, and a name for the method.
func (f *flow) fieldStep(again bool) (step func(device.Buffer), name string, err error) {
	fielder, able := f.program.(device.StepFielder)
	if able && !again {
		able, err = fielder.PrepareStepFields()
	}
	if able && !again {
		return func(out device.Buffer) {
			f.stepBy(func(in, next device.Buffer, box decomp.Box) {
				fielder.StepFields(f.stream, in, next, box, out, box, f.params)
			})
		}, "fields each step", err
	}
	writer, ok := f.program.(device.FieldsWriter)
	if !ok && err == nil {
		err = errors.New("the device leaves no fields in its memory")
	}
	return func(out device.Buffer) {
		f.step()
		writer.FieldsTo(f.stream, f.state[0], f.all(), out, f.params)
	}, "fields by a second pass", err
}

// wrap copies the ghost planes of a rank that is its own neighbour.
func (f *flow) wrap(plan decomp.Plan) func(device.Buffer) {
	b, links := f.spec.Precision.Bytes(), plan.Links(0)
	return func(state device.Buffer) {
		for _, from := range links {
			for _, to := range links {
				if to.RecvTag != from.SendTag {
					continue
				}
				lands := f.layout.Ranges(to.Recv)
				for i, r := range f.layout.Ranges(from.Send) {
					f.stream.Copy(state, lands[i].Lo*b, state, r.Lo*b, (r.Hi-r.Lo)*b)
				}
			}
		}
	}
}

// same compares the fields written by the last step with the fields of the state, row by row.
func (f *flow) same(out device.Buffer, components, value int) error {
	n := f.layout.N
	row := components * n[0]
	got, want := make([]byte, row*value), make([]float64, row)
	for k := 0; k < n[1]*n[2]; k += max(1, n[1]*n[2]/64) {
		box, y, z := f.all(), k%n[1], k/n[1]
		box.Lo[1], box.Hi[1], box.Lo[2], box.Hi[2] = y, y+1, z, z+1
		if err := f.program.Fields(f.state[0], box, want, f.params); err != nil {
			return err
		}
		if err := out.Read(got, k*row*value); err != nil {
			return err
		}
		for i, w := range want {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(got[i*value:])))
			if value == 8 {
				v = math.Float64frombits(binary.LittleEndian.Uint64(got[i*value:]))
			}
			if !(math.Abs(v-w) <= 1e-9+1e-6*math.Abs(w)) {
				return fmt.Errorf("value %d of row %d was written as %g, the state has %g", i, k, v, w)
			}
		}
	}
	return nil
}
