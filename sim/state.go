package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
)

// build makes the device's part: cells, kernels, memory and the exchange.
func (s *stepper) build() (err error) {
	c := s.Case
	if w, ok := s.device.(device.Wrapper); ok {
		s.Plan.Wraps = w.Wraps()
	}
	s.Layout = s.Plan.Layout(s.Rank, c.Spec.Components())
	s.edges, s.inner = s.Plan.Edges(s.Rank)
	domain := s.Geometry()
	s.Cells = domain.Sample(s.Box)
	if err = s.BalanceInflows(); err != nil {
		return err
	}
	if s.program, err = s.device.Load(c.Spec, s.Layout, c.Periodic, s.Cells); err != nil {
		return fmt.Errorf("building the kernels of %s on %s: %w", c.Spec, s.device.Info().Name, err)
	}
	if s.Cells.Timed() || c.Force.At != nil || c.Force.Drive != nil {
		var ok bool
		if s.timed, ok = s.program.(device.Timed); !ok {
			return fmt.Errorf("%s has no walls, faces and forces that change with time", s.device.Info().Name)
		}
		if err = s.foresee(1); err != nil { // what that takes is taken now
			return fmt.Errorf("what changes with time: %w", err)
		}
	}
	s.passes = s.passesOf()
	for i := range s.state {
		if s.state[i], err = halo.AllocState(s.device, s.Layout.Len()*c.Spec.Precision.Bytes()); err != nil {
			return fmt.Errorf("%d MiB for the state: %w", s.Layout.Len()*c.Spec.Precision.Bytes()>>20, err)
		}
	}
	s.edge, s.bulk, s.reader = s.device.NewStream(true), s.device.NewStream(false), s.device.NewStream(false)
	return nil
}

// connect makes the exchange with the neighbours. Collective.
func (s *stepper) connect() (err error) {
	d := s.Case.Device
	s.halo, err = halo.New(halo.Setup{
		Comm: s.Comm, Plan: s.Plan, Layout: s.Layout, ValueBytes: s.Case.Spec.Precision.Bytes(), Device: s.device, States: s.state,
		Want:  d.Transport,
		Aware: d.GPUAware,
	})
	if err != nil && d.Transport != config.AutoTransport { // what was asked for cannot be had
		return Agreed(ExitUsage, err)
	}
	s.queued, _ = s.halo.(halo.Queued)
	return Agreed(ExitFailure, err)
}

// initial gives the initial values of this rank's cells.
type initial interface {
	// plane is called once for each plane, in their order.
	plane(k int) error
	// row fills in row j of the plane as [component][x], in the order of device.Program.Init. Several threads call it.
	row(j, k int, fields []float64)
}

// formulas are the expressions of the case. The strain rate, by central differences of the expressions themselves,
// gives the non-equilibrium part, so that the first steps carry no start-up error.
type formulas struct{ *stepper }

func (formulas) plane(int) error { return nil }

func (s formulas) row(j, k int, fields []float64) { s.initialRow(j, k, fields) }

// initialize writes the initial state to the device.
func (s *stepper) initialize(in initial) error {
	rows, row := s.RowsOfPlane(), s.Case.Spec.InitValues()*s.Layout.N[0]
	fields := make([]float64, rows*row)
	for k := range s.Planes() {
		if k == 0 || !s.Case.Initial.Uniform || s.Case.Spec.Scalar { // solids have none
			if err := in.plane(k); err != nil {
				return err
			}
			err := s.Share(rows, func(lo, hi int) error {
				for j := lo; j < hi; j++ {
					in.row(j, k, fields[j*row:(j+1)*row])
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := s.program.Init(s.state[0], s.Plane(k), fields, s.params); err != nil {
			return err
		}
	}
	return nil
}

// initialRow is one row of plane k as [component][x].
func (s *stepper) initialRow(row, k int, fields []float64) {
	y, z := row, k
	if s.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n := s.Layout.N[0]
	for x := range n {
		p := s.centre(x, y, z)
		cell, count := initialCell(s.Case.Initial, p, s.Case.Dims())
		for c, v := range cell[:count] {
			fields[c*n+x] = v
		}
		if s.Case.Spec.Scalar {
			if fields[count*n+x] = 0; s.Warm(x, y, z) {
				fields[count*n+x] = s.Case.Temperature.Initial(p[0], p[1], p[2])
			}
		}
	}
}

// centre of a local cell, in cells of the domain.
func (s *stepper) centre(x, y, z int) [3]float64 {
	return [3]float64{float64(x+s.Box.Lo[0]) + 0.5, float64(y+s.Box.Lo[1]) + 0.5, float64(z+s.Box.Lo[2]) + 0.5}
}

// fillGhosts exchanges the ghost planes of the first state.
func (s *stepper) fillGhosts() error {
	ready := s.edge.Record()
	if err := ready.Wait(); err != nil {
		return err
	}
	if err := s.halo.Start(s.state[0], ready); err != nil {
		return fmt.Errorf("rank %d: first exchange: %w", s.Rank, err)
	}
	if err := s.halo.Finish(); err != nil {
		return fmt.Errorf("rank %d: first exchange: %w", s.Rank, err)
	}
	return nil
}

// routes is this rank's links, those alike together.
func (s *stepper) routes() (list []Routes) {
	for _, l := range s.halo.Routes() {
		list = addRoutes(list, Routes{Transport: l.Transport.String(), Why: l.Why, Links: 1, Example: [2]int{s.Rank, l.Rank}})
	}
	return list
}

// initialCell is rho-1, the velocity and the strain rate at a point, in the order
// of device.Program.Init, and their number.
func initialCell(in config.Initial, p [3]float64, dims int) (values [10]float64, n int) {
	put := func(v float64) {
		values[n] = v
		n++
	}
	put(in.Density(p[0], p[1], p[2]) - 1)
	for c := range dims {
		put(in.Velocity[c](p[0], p[1], p[2]))
	}
	var slope [3][3]float64 // d u_c / d x_axis
	if !in.Uniform {
		const h = config.StrainStep
		for axis := range dims {
			lo, hi := p, p
			lo[axis] -= h
			hi[axis] += h
			for c := range dims {
				u := in.Velocity[c]
				slope[c][axis] = (u(hi[0], hi[1], hi[2]) - u(lo[0], lo[1], lo[2])) / (2 * h)
			}
		}
	}
	for a := range dims {
		put(slope[a][a])
	}
	for a := range dims {
		for b := a + 1; b < dims; b++ {
			put((slope[a][b] + slope[b][a]) / 2)
		}
	}
	return values, n
}

// free gives the parts of the device back, the device itself excepted.
func (s *stepper) free() {
	for _, g := range s.graphs {
		if g.Graph != nil {
			g.Close()
		}
	}
	if s.halo != nil {
		s.halo.Close()
	}
	if s.program != nil {
		s.program.Close()
	}
	for _, b := range append(s.state[:], s.leave.fields) {
		if b != nil {
			b.Free()
		}
	}
}

func (s *stepper) hash() (uint64, error) {
	l, n := s.Layout, s.Layout.N
	value, sum := s.Case.Spec.Precision.Bytes(), uint64(0)
	var block []byte
	for z := range n[2] {
		plane := decomp.Box{Lo: [3]int{0, 0, z}, Hi: [3]int{n[0], n[1], z + 1}}
		rows := l.Ranges(plane)
		if len(rows) != 1 {
			return 0, errors.New("the rows of a plane do not lie together") // a bug in decomp
		}
		lo, hi := rows[0].Lo*value, rows[0].Hi*value
		if block == nil {
			block = make([]byte, hi-lo)
		}
		if err := s.state[0].Read(block, lo); err != nil {
			return 0, fmt.Errorf("plane %d: %w", z, err)
		}
		hashes := make([]uint64, n[1])
		err := s.Share(n[1], func(from, to int) error {
			for y := from; y < to; y++ {
				h := sha256.New()
				var place [8]byte
				binary.LittleEndian.PutUint64(place[:], uint64((s.Box.Lo[2]+z)*s.Case.Cells[1]+s.Box.Lo[1]+y))
				h.Write(place[:])
				for c := range l.Components { // without the padding
					at := (y*l.RowLen() + c*l.Pitch) * value
					h.Write(block[at : at+n[0]*value])
				}
				hashes[y] = binary.LittleEndian.Uint64(h.Sum(nil))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		for _, h := range hashes {
			sum += h
		}
	}
	return sum, nil
}

func addRoutes(list []Routes, more Routes) []Routes {
	for i, l := range list {
		if l.Transport == more.Transport && l.Why == more.Why {
			list[i].Links += more.Links
			return list
		}
	}
	return append(list, more)
}
