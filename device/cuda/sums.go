// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// sums are the sums of rows and planes.
type sums struct {
	*core
	rows *buffer // sumsABI of each row, then of each plane
}

// place allocates their memory.
func (s *sums) place(*placing) (err error) {
	n := s.layout.N
	s.rows, err = s.d.alloc((n[1]*n[2] + n[s.layout.Axis()]) * int(unsafe.Sizeof(sumsABI{})))
	return err
}

func (s *sums) free() { s.rows.Free() }

// Planes sums the rows, then the rows of each plane, in their order.
func (s *sums) Planes(state device.Buffer, q model.Params) ([]device.Plane, error) {
	return s.add(state, q, s.layout.N[s.layout.Axis()])
}

// Rows sums the rows.
func (s *sums) Rows(state device.Buffer, q model.Params) ([]device.Plane, error) {
	return s.add(state, q, 0)
}

// add sums so many planes, or, where it is 0, the rows.
func (s *sums) add(state device.Buffer, q model.Params, planes int) ([]device.Plane, error) {
	own, err := s.state(state)
	if err == nil {
		err = s.upload(q)
	}
	rows := s.layout.N[1] * s.layout.N[2]
	count := planes
	if planes == 0 {
		count = rows
	}
	sums := make([]sumsABI, count)
	size := int(unsafe.Sizeof(sums[0]))
	if err == nil {
		l := <-s.d.lanes
		defer func() { s.d.lanes <- l }()
		from := s.rows.at
		if err = l.open(); err == nil {
			err = s.d.call("sums", func() error {
				err := launch(s.kernels.rows, [3]int{rows, 1, 1}, [2]int{rowThreads, 1}, 0, l.stream, uint64(s.box.at), uint64(own.at), uint64(from))
				if err != nil || planes == 0 {
					return err
				}
				of := from
				from += cu.DevicePtr(rows * size)
				return launch(s.kernels.planes, [3]int{planes, 1, 1}, [2]int{rowThreads, 1}, 0, l.stream, uint64(s.box.at), uint64(of), uint64(from), uint64(rows/planes))
			})
		}
		// The lane's copy follows on the same stream.
		if err == nil {
			err = l.read(raw.Bytes(sums), from)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sums of %s: %w", s.spec, err)
	}
	list := make([]device.Plane, len(sums))
	for i, sum := range sums {
		list[i] = device.Plane{Cells: int(sum.cells), Mass: sum.mass, Momentum: sum.momentum, Energy: sum.energy, Bad: int(sum.bad)}
		if sum.speed2 >= 0 {
			list[i].MaxSpeed, list[i].MaxAt = math.Sqrt(sum.speed2), s.cell(sum.at)
		}
		if sum.bad > 0 {
			list[i].BadAt = s.cell(sum.badAt)
		}
	}
	return list, nil
}

// cell returns the place of the cell that a kernel numbered x + nx (y + ny z).
func (s *sums) cell(number int64) [3]int {
	n := s.layout.N
	k := int(number)
	return [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}
}
