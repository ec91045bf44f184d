package sim

import (
	"math"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// source gives rho-1 and the velocity of the cells of a box, as device.Program.Fields
// does: from the state, or from a snapshot of it.
type source interface {
	fields(box decomp.Box, into []float64) error
}

// present is a state of the device as a source.
type present struct {
	program device.Program
	state   device.Buffer
	params  model.Params
}

func (p present) fields(box decomp.Box, into []float64) error {
	return p.program.Fields(p.state, box, into, p.params)
}

// sampler reads the state back as physical fields, one plane of the slowest
// axis at a time, so that its memory does not grow with the box. Neighbouring
// planes, ghosts included, are at hand for derivatives.
type sampler struct {
	source
	layout decomp.Layout
	cells  model.Cells
	units  config.Units
	dims   int
	faces  int // boundaries of faces come before those of bodies in cells.Velocity
	// neighbours says that the fields at hand need derivatives.
	neighbours bool
	region     decomp.Box   // what is read of a plane: x and, in 3D, y range
	first      int          // plane that window[1] holds
	window     [3][]float64 // planes first-1, first, first+1 as [row][component][x]
}

// noPlane marks an empty window.
const noPlane = math.MinInt

func (s *sampler) axis() int { return s.layout.Axis() }

// rows of one plane, and cells of a row.
func (s *sampler) rows() int {
	if s.axis() == 2 {
		return s.region.Hi[1] - s.region.Lo[1]
	}
	return 1
}

func (s *sampler) width() int { return s.region.Hi[0] - s.region.Lo[0] }

// load reads plane k, from -1 to N, of rho-1 and the velocity.
func (s *sampler) load(k int, into []float64) ([]float64, error) {
	nc := 1 + s.dims
	if into == nil {
		into = make([]float64, s.rows()*nc*s.width())
	}
	box := s.region
	box.Lo[s.axis()], box.Hi[s.axis()] = k, k+1
	return into, s.fields(box, into)
}

// move puts plane k in the middle of the window, reading what is not there yet.
func (s *sampler) move(k int) (err error) {
	from := -1
	if !s.neighbours {
		s.window[1], err = s.load(k, s.window[1])
		s.first = k
		return err
	}
	if s.first == k-1 {
		s.window[0], s.window[1], s.window[2] = s.window[1], s.window[2], s.window[0]
		from = 1
	}
	s.first = noPlane
	for d := from; d <= 1 && err == nil; d++ {
		s.window[1+d], err = s.load(k+d, s.window[1+d])
	}
	if err == nil {
		s.first = k
	}
	return err
}

// sample returns field f on plane k in the case's output unit, as [row][x] for
// scalars and [row][x][3] for vectors.
func (s *sampler) sample(f model.Field, k int, out []float64) ([]float64, error) {
	if s.first != k {
		if err := s.move(k); err != nil {
			return nil, err
		}
	}
	nx := s.width()
	if n := s.rows() * nx * f.Components; cap(out) < n {
		out = make([]float64, n)
	} else {
		out = out[:n]
	}
	factor := s.units.Factor(f.Dim)
	for row := 0; row < s.rows(); row++ {
		base := s.window[1][row*(1+s.dims)*nx:]
		at := func(c, x int) float64 { return base[c*nx+x] }
		o := out[row*nx*f.Components:]
		switch f.Name {
		case "density":
			for x := 0; x < nx; x++ {
				o[x] = factor * (1 + at(0, x))
			}
		case "pressure":
			for x := 0; x < nx; x++ {
				o[x] = factor * model.CS2 * at(0, x)
			}
		case "velocity":
			for x := 0; x < nx; x++ {
				for c := 0; c < 3; c++ {
					o[3*x+c] = 0
					if c < s.dims {
						o[3*x+c] = factor * at(1+c, x)
					}
				}
			}
		case "speed":
			for x := 0; x < nx; x++ {
				sum := 0.0
				for c := 0; c < s.dims; c++ {
					sum += at(1+c, x) * at(1+c, x)
				}
				o[x] = factor * math.Sqrt(sum)
			}
		case "vorticity":
			y, z := s.position(row, k)
			for x := 0; x < nx; x++ {
				w := s.curl(x, y, z)
				for c := range w {
					o[3*x+c] = factor * w[c]
				}
			}
		case "solid":
			y, z := s.position(row, k)
			for x := 0; x < nx; x++ {
				o[x] = math.Max(0, float64(int(s.cells.At(s.region.Lo[0]+x, y, z))-s.faces))
			}
		}
	}
	return out, nil
}

// position of row `row` of plane k in local cells.
func (s *sampler) position(row, k int) (y, z int) {
	if s.axis() == 2 {
		return s.region.Lo[1] + row, k
	}
	return k, 0
}

// curl of the velocity at a cell by central differences over two cells; beside
// a wall, where there is no fluid neighbour on one side, one-sided.
func (s *sampler) curl(x, y, z int) [3]float64 {
	if s.cells.At(x, y, z) != 0 {
		return [3]float64{}
	}
	d := func(axis, c int) float64 { // d u_c / d x_axis
		if axis >= s.dims || c >= s.dims {
			return 0
		}
		lo, okLo := s.velocity(x, y, z, axis, -1, c)
		hi, okHi := s.velocity(x, y, z, axis, +1, c)
		mid, _ := s.velocity(x, y, z, axis, 0, c)
		switch {
		case okLo && okHi:
			return (hi - lo) / 2
		case okHi:
			return hi - mid
		case okLo:
			return mid - lo
		}
		return 0
	}
	return [3]float64{d(1, 2) - d(2, 1), d(2, 0) - d(0, 2), d(0, 1) - d(1, 0)}
}

// velocity component c of the cell `step` cells along axis; false when it is
// solid or outside the domain.
func (s *sampler) velocity(x, y, z, axis, step, c int) (float64, bool) {
	p := [3]int{x, y, z}
	p[axis] += step
	if s.cells.At(p[0], p[1], p[2]) != 0 {
		return 0, false
	}
	slow := s.axis()
	plane := s.window[1+p[slow]-s.first]
	// Fluid cells beyond the ends of the uncut axes are periodic images.
	for a := 0; a < slow; a++ {
		p[a] = (p[a] + s.layout.N[a]) % s.layout.N[a]
	}
	row := 0
	if slow == 2 {
		row = p[1]
	}
	return plane[(row*(1+s.dims)+1+c)*s.layout.N[0]+p[0]], true
}
