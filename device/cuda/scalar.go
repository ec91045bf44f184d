// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// scalar is a program's support of a scalar: the functions of kernels/gpu/scalar.h and
// lists of walls.
type scalar struct {
	*core
	modelled           *modelled // what its ghost cells send
	module             module
	lost               cu.Function
	correct, recompute cu.Function // of cells beside walls and faces
	walls              *buffer     // scalarABI
	sums               *buffer     // by type
	links              int         // to measured walls
	// Cells that correct and recompute change.
	plain, mixed boundary.ScalarPlaces
}

// place loads the kernels and makes the lists of a spec with a scalar.
func (s *scalar) place(in *placing) error {
	if !s.spec.Scalar {
		return nil
	}
	found := in.walls.found
	laws := raw.Bytes(boundary.ScalarLaws[float32](found))
	if s.spec.Precision == model.Float64 {
		laws = raw.Bytes(boundary.ScalarLaws[float64](found))
	}
	links := found.ScalarLinks()
	s.links = len(links)
	s.plain, s.mixed = found.ScalarPlaces(in.walls.special, s.spec.Viscosity == model.Smagorinsky)
	var abi scalarABI
	if s.modelled.populations != nil {
		abi.sent, abi.heat = uint64(s.modelled.populations.at), uint64(s.modelled.heat.at)
	}
	for to, data := range map[*uint64][]byte{&abi.types: found.ScalarTypes(), &abi.laws: laws, &abi.links: raw.Bytes(links), &abi.corrected: raw.Bytes(s.plain.Cells), &abi.recomputed: raw.Bytes(s.mixed.Cells), &abi.distances: raw.Bytes(s.mixed.Distances)} {
		b, err := s.putList(data)
		if err != nil {
			return fmt.Errorf("walls of the scalar: %w", err)
		}
		*to = uint64(b.at)
	}
	var err error
	if s.walls, err = s.putList(raw.Bytes([]scalarABI{abi})); err == nil {
		s.sums, err = s.putList(make([]byte, 8*s.types))
	}
	if err != nil {
		return fmt.Errorf("walls of the scalar: %w", err)
	}
	return s.load(&s.module, "loading the kernels for the scalar of "+s.spec.String(), scalarFile, functions{"lbm_lost": &s.lost, "lbm_correct": &s.correct, "lbm_recompute": &s.recompute}, nil)
}

func (s *scalar) free() { s.module.unload(s.d) }

// queue adds the effect of walls and faces on the scalar in a step, after all of the flow's kernels of the box.
func (s *scalar) queue(to *stream, in, out *buffer, box decomp.Box) {
	if !s.spec.Scalar {
		return
	}
	s.stepPlaces(to, s.correct, &s.plain, in, out, box)
	s.stepPlaces(to, s.recompute, &s.mixed, in, out, box)
}

// changed lists the cells beside walls and faces.
func (s *scalar) changed() (list []changedCell) {
	for _, places := range [...][]boundary.ScalarPlace{s.plain.Cells, s.mixed.Cells} {
		for _, c := range places {
			list = append(list, changedCell{c.X, c.Row})
		}
	}
	return list
}

// stepPlaces queues the places of a list that lie in the box.
func (s *scalar) stepPlaces(to *stream, fn cu.Function, list *boundary.ScalarPlaces, in, out *buffer, box decomp.Box) {
	first, last := s.cellsOf(list.Rows, box)
	if first == last {
		return
	}
	to.queue("scalar", func() error {
		return launch(fn, [3]int{raw.Ceil(int(last-first), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, to.s,
			uint64(s.box.at), uint64(in.at), uint64(out.at), uint64(s.walls.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last)
	})
}

// add adds the scalar's flux through measured walls, with a given lane.
func (s *scalar) add(l *lane, state *buffer, loads []device.Load) error {
	if !s.spec.Scalar || s.links == 0 {
		return nil
	}
	sums := make([]int64, s.types)
	err := s.d.call("what leaves of a scalar", func() error {
		if err := cu.MemsetD8Async(s.sums.at, 0, int64(s.sums.bytes), l.stream); err != nil {
			return err
		}
		return launch(s.lost, [3]int{raw.Ceil(s.links, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
			uint64(s.box.at), uint64(state.at), uint64(s.walls.at), uint64(s.sums.at), uint64(s.links))
	})
	if err == nil {
		err = l.read(raw.Bytes(sums), s.sums.at)
	}
	for k, v := range sums {
		loads[k].Scalar = v
	}
	return err
}
