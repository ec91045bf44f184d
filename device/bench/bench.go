// Package bench measures the kernels beside the machine's rooflines: everything is
// verified first, then timed in turns within one run, because the speed of shared
// memory drifts; only ratios within a turn are compared.
package bench

import (
	"fmt"
	"slices"
	"time"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// Speed is one measured row.
type Speed struct {
	Name   string
	MLUPS  float64 // median
	Low    float64 // the slowest and the fastest turn
	High   float64
	GBps   float64 // unavoidable traffic at the median speed
	Ratio  float64 // median over the turns of the ratio to the first row
	Bytes  float64 // state and flags, bytes a cell; 0 for rooflines
	Oracle float64 // largest difference from the oracle
}

// contender is something that takes part in every turn.
type contender struct {
	name    string
	bytes   int // traffic a cell and pass
	memory  float64
	oracle  float64
	pass    func() error // one step or one pass over the memory
	done    func() error // verifies the outcome
	close   func()
	seconds []float64
}

// Specs are the given collision models on D3Q19.
func Specs(p model.Precision, names ...string) []model.Spec {
	lattice, _ := model.FindLattice("D3Q19")
	var specs []model.Spec
	for _, name := range names {
		c, ok := model.FindCollision(name)
		if !ok {
			panic("no collision model " + name)
		}
		specs = append(specs, model.Spec{Lattice: lattice, Collision: c, Precision: p})
	}
	return specs
}

// Measure times models in a closed box of size^3 cells with a moving lid, in turns
// with the first of them or, if asked for, with the rooflines of populations: 19
// float32 values updated in place, and copied past the caches. rounds turns of
// passes passes each.
func Measure(dev device.Device, specs []model.Spec, rooflines bool, size, rounds, passes int) ([]Speed, error) {
	cells := size * size * size
	var all []*contender
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	add := func(c *contender, err error) error {
		if err == nil {
			all = append(all, c)
		}
		return err
	}
	if rooflines {
		roof, ok := dev.(device.Roofline)
		if !ok {
			return nil, fmt.Errorf("%s shows no rooflines", dev.Info().Name)
		}
		flat := decomp.NewLayout([3]int{size, size, size}, [3]int{}, 19)
		if err := add(inPlace(dev, roof, flat, model.Float32)); err != nil {
			return nil, err
		}
		if err := add(copyPast(dev, roof, flat, model.Float32)); err != nil {
			return nil, err
		}
	}
	for _, spec := range specs {
		if err := add(steps(dev, newBox(spec, [3]int{size, size, size}))); err != nil {
			return nil, err
		}
	}
	for turn := -1; turn < rounds; turn++ { // the first warms up
		for _, c := range all {
			start := time.Now()
			for range passes {
				if err := c.pass(); err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
			}
			if turn >= 0 {
				c.seconds = append(c.seconds, time.Since(start).Seconds()/float64(passes))
			}
		}
	}
	var speeds []Speed
	for _, c := range all {
		if err := c.done(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		var ratios []float64
		for i, s := range c.seconds {
			ratios = append(ratios, all[0].seconds[i]/s)
		}
		mlups := float64(cells) / Median(c.seconds) / 1e6
		speeds = append(speeds, Speed{
			Name: c.name, MLUPS: mlups, Low: float64(cells) / slices.Max(c.seconds) / 1e6, High: float64(cells) / slices.Min(c.seconds) / 1e6,
			GBps: mlups * float64(c.bytes) / 1e3, Ratio: Median(ratios), Bytes: c.memory, Oracle: c.oracle,
		})
	}
	return speeds, nil
}

// Median of some numbers; the mean of the two in the middle.
func Median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func inPlace(dev device.Device, roof device.Roofline, l decomp.Layout, p model.Precision) (*contender, error) {
	data, err := dev.Alloc(l.Len() * p.Bytes())
	if err != nil {
		return nil, err
	}
	s, passes := dev.NewStream(false), 0
	return &contender{
		name: fmt.Sprintf("roofline: %d %s in place", l.Components, p), bytes: 2 * l.Components * p.Bytes(), close: data.Free,
		pass: func() error {
			passes++
			roof.Update(s, data, l.Components, l.Pitch, p)
			return s.Sync()
		},
		done: func() error { return holds(data, p, float64(passes%2)) },
	}, nil
}

// holds looks at values all over the buffer.
func holds(b device.Buffer, p model.Precision, want float64) error {
	one := encode(want, p)
	got := make([]byte, len(one))
	for i := range 1000 {
		at := (b.Bytes()/len(one) - 1) / 999 * i * len(one)
		if err := b.Read(got, at); err != nil {
			return err
		}
		if !slices.Equal(got, one) {
			return fmt.Errorf("wrong value at byte %d", at)
		}
	}
	return nil
}

func copyPast(dev device.Device, roof device.Roofline, l decomp.Layout, p model.Precision) (*contender, error) {
	src, err := dev.Alloc(l.Len() * p.Bytes())
	if err != nil {
		return nil, err
	}
	dst, err := dev.Alloc(src.Bytes())
	if err != nil {
		src.Free()
		return nil, err
	}
	s := dev.NewStream(false)
	roof.Update(s, src, l.Components, l.Pitch, p) // ones
	if err := s.Sync(); err != nil {
		return nil, err
	}
	return &contender{
		name: fmt.Sprintf("copy past the caches, %d %s", l.Components, p), bytes: 2 * l.Components * p.Bytes(),
		close: func() { src.Free(); dst.Free() },
		pass: func() error {
			roof.CopyPast(s, dst, src)
			return s.Sync()
		},
		done: func() error { return holds(dst, p, 1) },
	}, nil
}

// steps takes part with real time steps; the oracle has to agree first.
func steps(dev device.Device, b box) (*contender, error) {
	difference, err := Verify(dev, b.spec)
	if err != nil {
		return nil, err
	}
	program, err := dev.Load(b.spec, b.layout, [3]bool{}, b.cells)
	if err != nil {
		return nil, err
	}
	c := &contender{name: b.spec.String(), bytes: program.BytesPerCell(), oracle: difference}
	var state [2]device.Buffer
	c.close = func() {
		program.Close()
		for _, s := range state {
			if s != nil {
				s.Free()
			}
		}
	}
	total := program.Bytes() + len(b.cells.Type)
	for i := range state {
		if state[i], err = dev.Alloc(b.layout.Len() * b.spec.Precision.Bytes()); err != nil {
			c.close()
			return nil, err
		}
		total += state[i].Bytes()
	}
	all := decomp.Box{Hi: b.layout.N}
	c.memory = float64(total) / float64(all.Cells())
	s := dev.NewStream(false)
	c.pass = func() error {
		program.Step(s, state[0], state[1], all, b.params)
		state[0], state[1] = state[1], state[0]
		return s.Sync()
	}
	c.done = func() error { // the fluid, at rest at first, follows the lid; mass stays
		planes, err := program.Planes(state[0], b.params)
		if err != nil {
			return err
		}
		mass, speed, bad := 0.0, 0.0, 0
		for _, p := range planes {
			mass, speed, bad = mass+p.Mass, max(speed, p.MaxSpeed), bad+p.Bad
		}
		if bad > 0 || !(speed > 1e-3 && speed < 0.06) || !(mass < 1e-4*float64(all.Cells()) && mass > -1e-4*float64(all.Cells())) {
			return fmt.Errorf("the timed run went wrong: %d bad cells, largest speed %g, mass %+g", bad, speed, mass)
		}
		return nil
	}
	return c, nil
}
