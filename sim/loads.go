// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/binary"
	"fmt"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/sim/derive"
)

// loads computes the loads of the fluid on all walls at a step, on rank 0, once for all outputs that use them.
type loads struct {
	*stepper
	known bool
	at    int
	all   []device.Load // number of steps added up
	steps int
	past  stepLoads
	walls stepWalls
}

// stepWalls is the flow at modelled walls at a step, once known.
type stepWalls struct {
	known bool
	at    int
	sums  []derive.WallSum
}

// stepLoads holds the loads of the step that led to step at; checkpoints keep them. nil: not known.
type stepLoads struct {
	at  int
	all []device.Load
}

// Present returns the sum of the loads in the previous and in the coming step, and the number of these steps: 1 if the
// previous one is unknown. nil on other ranks than 0. Collective.
//
// Links pass between two steps, so the force at a step is the mean of the forces in the step before and in the coming one (Ladd,
// J. Fluid Mech. 271 (1994) 285, section 3). This is not only a matter of accuracy: close to tau = 1/2 wall stresses change
// sign every step and hardly decay, and samples an even number of steps apart would see only one of the two.
func (l *loads) Present() ([]device.Load, int, error) {
	if l.known && l.at == l.Step() {
		return l.all, l.steps, nil
	}
	past, err := l.Past()
	if err != nil {
		return nil, 0, err
	}
	all, err := l.sum(l.comingForces())
	if err != nil {
		return nil, 0, err
	}
	l.known, l.at, l.all, l.steps = true, l.Step(), all, 1
	if past != nil {
		l.steps++
	}
	for k := range past {
		all[k].Add(past[k])
	}
	return all, l.steps, nil
}

// Walls returns the flow of the current state at walls with a model, on all ranks. After Present the ghost cells are already
// known. Collective.
func (l *loads) Walls() ([]derive.WallSum, error) {
	if w := &l.walls; !w.known || w.at != l.Step() {
		sums, err := l.view().WallSums()
		if err != nil {
			return nil, err
		}
		*w = stepWalls{true, l.Step(), sums}
	}
	return l.walls.sums, nil
}

// Past returns the loads of the previous step, on rank 0; nil before the first step, and after a restart from
// a checkpoint without them. Collective.
func (l *loads) Past() ([]device.Load, error) {
	if p := &l.past; l.Step() > l.first && p.at != l.Step() {
		all, err := l.sum(l.pastForces())
		if err != nil {
			return nil, err
		}
		*p = stepLoads{l.Step(), all}
	}
	if l.past.at != l.Step() {
		return nil, nil
	}
	return l.past.all, nil
}

// sum adds the loads of all ranks for a step: integers, so the sums do not depend on the decomposition. On
// rank 0. Collective.
func (l *loads) sum(mine []device.Load, err error) ([]device.Load, error) {
	if err != nil {
		return nil, fmt.Errorf("rank %d: forces at step %d: %w", l.Rank.ID, l.Step(), err)
	}
	const numbers = 7 // of a load
	b := make([]byte, 0, 8*numbers*len(mine))
	for _, load := range mine {
		for _, v := range append(append(load.Force[:], load.Torque[:]...), load.Scalar) {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	parts, err := comm.Gather(l.Rank.Comm, b)
	if err != nil {
		return nil, err
	}
	// A neighbour that continues may write its edges into the state that the step started from
	// (halo.Exchange).
	if err := comm.Barrier(l.Rank.Comm); err != nil || !l.Rank.Root {
		return nil, err
	}
	all := make([]device.Load, len(mine))
	for _, part := range parts {
		for k := range all {
			var load device.Load
			for a := range 3 {
				load.Force[a] = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+a):]))
				load.Torque[a] = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+3+a):]))
			}
			load.Scalar = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+6):]))
			all[k].Add(load)
		}
	}
	return l.together(all), nil
}

// recall continues with the loads of a checkpoint, if they cover all types that are measured now.
func (l *loads) recall(kept map[int]device.Load) {
	l.past = stepLoads{at: l.Step()}
	if !l.Rank.Root || kept == nil {
		return
	}
	types := len(l.Case.Boundaries) + len(l.Case.Bodies) // as together has them: parts of refined grids have one more
	all := make([]device.Load, types)
	for k, w := range l.level.Part.Cells.Walls[:types] {
		load, known := kept[k]
		if w.Measured && !known {
			return
		}
		all[k] = load
	}
	l.past.all = all
}
