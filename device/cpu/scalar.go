package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// scalar is what a program has for a scalar.
type scalar struct {
	kernels kernels.Scalar
	memory  *memory              // nil where there is no scalar
	walls   *kernels.ScalarWalls // in memory
}

// placeScalar makes the lists of a spec with a scalar.
func (p *program) placeScalar(found *boundary.Walls) (err error) {
	if !p.spec.Scalar {
		return nil
	}
	s := &p.scalar
	s.kernels = p.device.isa.Scalar(p.index)
	align := func(bytes int) int { return ceil(bytes, 64) * 64 }
	types, links := found.ScalarTypes(), found.ScalarLinks()
	laws := align(int(unsafe.Sizeof(kernels.ScalarWalls{})))
	at := laws + align(16*256)
	of := at + align(len(links)*int(unsafe.Sizeof(boundary.ScalarLink{})))
	if s.memory, err = newMemory(of + align(len(types))); err != nil {
		return fmt.Errorf("walls of the scalar: %w", err)
	}
	w := kernels.ScalarWalls{Links: place(s.memory, at, links), Types: place(s.memory, of, types), Count: int64(len(links))}
	if p.spec.Precision == model.Float64 {
		w.Laws = place(s.memory, laws, boundary.ScalarLaws[float64](found))
	} else {
		w.Laws = place(s.memory, laws, boundary.ScalarLaws[float32](found))
	}
	s.walls = (*kernels.ScalarWalls)(place(s.memory, 0, []kernels.ScalarWalls{w}))
	return nil
}

// addScalar adds what of a scalar leaves through measured walls.
func (p *program) addScalar(state device.Buffer, loads []device.Load) error {
	if !p.spec.Scalar || p.scalar.walls.Count == 0 {
		return nil
	}
	sums := make([]int64, len(loads))
	err := p.sums(state, 1, func(m *memory, _ int) { p.scalar.kernels.Lost(p.box, p.scalar.walls, m.pointer(), sums) })
	for k, v := range sums {
		loads[k].Scalar = v
	}
	return err
}

func (s *scalar) bytes() int {
	if s.memory == nil {
		return 0
	}
	return s.memory.Bytes()
}

func (s *scalar) free() {
	if s.memory != nil {
		s.memory.Free()
	}
}
