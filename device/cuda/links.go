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

// links is the special cells and the measured walls of a program: the functions of kernels/gpu/special.h, loaded only
// where a case has some, and their lists.
type links struct {
	*core
	module         module
	special, force cu.Function
	found          *boundary.Walls
	origin         [3]int     // of the box in the domain
	laws, measures *linkLists // may be nil
	modelled       *modelled  // populations of its ghost cells
	scalar         *scalar    // its flux is a part of the loads
}

// linkLists is boundary.Links in the GPU's memory.
type linkLists struct {
	links *boundary.Links
	at    *buffer // linksABI

	list, types *buffer
	laws        *buffer // of the kernels' number type
	sums        *buffer // [type][force, torque]
}

// place builds the lists of special cells and of measured walls.
func (k *links) place(in *placing) error {
	w := in.walls
	k.found, k.origin = w.found, in.cells.Origin
	measured, err := w.found.Measured()
	if err == nil && w.special != nil {
		k.laws, err = k.placeLists(w.special)
	}
	if err == nil && measured != nil {
		k.measures, err = k.placeLists(measured)
	}
	if err != nil {
		return fmt.Errorf("lists of links: %w", err)
	}
	if k.laws == nil && k.measures == nil {
		return nil
	}
	return k.loadShared(&k.module, "loading the kernels for special cells of "+k.spec.String(), specialFile, functions{"lbm_special": &k.special, "lbm_forces": &k.force})
}

func (k *links) free() { k.module.unload(k.d) }

func (k *links) placeLists(l *boundary.Links) (*linkLists, error) {
	lists := &linkLists{links: l}
	var cells *buffer
	for to, data := range map[**buffer][]byte{&cells: raw.Bytes(l.Cells), &lists.laws: k.lawBytes(l), &lists.list: raw.Bytes(l.List), &lists.types: l.Types, &lists.sums: make([]byte, 48*k.types)} {
		var err error
		if *to, err = k.putList(data); err != nil {
			return nil, err
		}
	}
	var err error
	links := linksABI{cells: uint64(cells.at), list: uint64(lists.list.at), types: uint64(lists.types.at), laws: uint64(lists.laws.at)}
	if l.Ghosts != nil && k.modelled.populations != nil {
		ghosts, err := k.putList(raw.Bytes(l.Ghosts))
		if err != nil {
			return nil, err
		}
		links.ghosts, links.sent = uint64(ghosts.at), uint64(k.modelled.populations.at)
	}
	lists.at, err = k.putList(raw.Bytes([]linksABI{links}))
	return lists, err
}

// lawBytes returns the numbers of the laws as the kernels read them.
func (k *links) lawBytes(l *boundary.Links) []byte {
	if k.spec.Precision == model.Float64 {
		return raw.Bytes(boundary.LawNumbers[float64](l, 0))
	}
	return raw.Bytes(boundary.LawNumbers[float32](l, 0))
}

// specialCells and specialLanes are the cells of a block and its threads per cell: CELLS and LANES of kernels/gpu/special.h.
const specialCells, specialLanes = 32, 8

// queue adds the special cells, which a step omits.
func (k *links) queue(s *stream, in, out *buffer, box decomp.Box) {
	if k.laws == nil {
		return
	}
	if first, last := k.cellsOf(k.laws.links.Rows, box); first < last {
		s.queue("special cells", func() error {
			return launch(k.special, [3]int{raw.Ceil(int(last-first), specialCells), 1, 1}, [2]int{specialCells * specialLanes, 1}, 0, s.s,
				uint64(k.box.at), uint64(in.at), uint64(out.at), uint64(k.laws.at.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last)
		})
	}
}

// changed lists the special cells.
func (k *links) changed() (list []changedCell) {
	if k.laws == nil {
		return nil
	}
	for _, c := range k.laws.links.Cells {
		list = append(list, changedCell{c.X, c.Row})
	}
	return list
}

// Forces adds up the links of measured walls.
func (k *links) Forces(state device.Buffer, q model.Params) ([]device.Load, error) {
	loads := make([]device.Load, k.types)
	if k.measures == nil {
		return loads, nil
	}
	own, err := k.state(state)
	if err == nil {
		err = k.uploadStep(q)
	}
	sums := make([]int64, 6*k.types)
	if err == nil {
		l := <-k.d.lanes
		defer func() { k.d.lanes <- l }()
		cells := k.measures.links.Rows[len(k.measures.links.Rows)-1]
		if err = l.open(); err == nil {
			err = k.d.call("forces", func() error {
				to := k.measures.sums
				if err := k.modelled.all(l.stream, own); err != nil { // ghost cells of another state may be there
					return err
				}
				if err := cu.MemsetD8Async(to.at, 0, int64(to.bytes), l.stream); err != nil || cells == 0 {
					return err
				}
				return launch(k.force, [3]int{raw.Ceil(int(cells), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
					uint64(k.box.at), uint64(own.at), uint64(k.measures.at.at), uint64(to.at),
					uint64(k.origin[0]), uint64(k.origin[1]), uint64(k.origin[2]), uint64(cells))
			})
		}
		if err == nil {
			err = l.read(raw.Bytes(sums), k.measures.sums.at)
		}
		if err == nil {
			err = k.scalar.add(l, own, loads)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("forces of %s: %w", k.spec, err)
	}
	for i := range loads {
		for a := range 3 {
			loads[i].Force[a], loads[i].Torque[a] = sums[6*i+a], sums[6*i+3+a]
		}
	}
	return loads, nil
}
