package sim

import (
	"encoding/binary"
	"fmt"

	"lbmsim/comm"
	"lbmsim/device"
)

// loads is what the fluid does to all walls at a step, on rank 0: several outputs ask.
type loads struct {
	*stepper
	known bool
	at    int
	all   []device.Load // of so many steps, added up
	steps int
	past  stepLoads
}

// stepLoads is those of the step that led to another; checkpoints keep them. nil: not known.
type stepLoads struct {
	at  int
	all []device.Load
}

// Present is the force at this step. nil on other ranks than 0. Collective.
//
// Links pass between two steps, so the force at a step is the mean of those of the step before and
// of the coming one (Ladd, J. Fluid Mech. 271 (1994) 285, section 3). It is more than a matter of
// order: close to tau = 1/2 stresses at walls change their sign with every step and hardly decay,
// and samples an even number of steps apart would take one of the two for the force.
func (l *loads) Present() ([]device.Load, int, error) {
	if l.known && l.at == l.n {
		return l.all, l.steps, nil
	}
	past, err := l.Past()
	if err != nil {
		return nil, 0, err
	}
	all, err := l.coming()
	if err != nil {
		return nil, 0, err
	}
	l.known, l.at, l.all, l.steps = true, l.n, all, 1
	if past != nil {
		l.steps++
	}
	for k := range past {
		all[k].Add(past[k])
	}
	return all, l.steps, nil
}

// Past are those of the step that led here, on rank 0; nil before the first step, and after a restart
// from a checkpoint that lacks them. Collective.
func (l *loads) Past() ([]device.Load, error) {
	if p := &l.past; l.n > l.first && p.at != l.n { // what that step started from is still there, with its ghost cells
		all, err := l.sum(l.state[1])
		if err != nil {
			return nil, err
		}
		*p = stepLoads{l.n, all}
	}
	if l.past.at != l.n {
		return nil, nil
	}
	return l.past.all, nil
}

// coming are those of the coming step, on rank 0. Collective.
func (l *loads) coming() ([]device.Load, error) {
	if l.timed != nil { // the force at this step, which outputs ask for, stays
		if err := l.timed.Foresee([]device.Moment{{Time: float64(l.n) + 0.5, Force: l.params.Force}}); err != nil {
			return nil, l.failed(err)
		}
		l.retime()
	}
	l.fillFaces(l.state[0])
	return l.sum(l.state[0])
}

// sum adds up what the ranks have of the step from a state: integers, so that no cut changes the sums.
func (l *loads) sum(from device.Buffer) ([]device.Load, error) {
	if err := l.sync(); err != nil {
		return nil, l.failed(err)
	}
	mine, err := l.program.Forces(from, l.params)
	if err != nil {
		return nil, l.failed(err)
	}
	const numbers = 7 // of a load
	b := make([]byte, 0, 8*numbers*len(mine))
	for _, load := range mine {
		for _, v := range append(append(load.Force[:], load.Torque[:]...), load.Scalar) {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	parts, err := comm.Gather(l.Comm, b)
	if err != nil {
		return nil, err
	}
	// A neighbour that goes on may write its edges into what that step started from (halo.Exchange).
	if err := comm.Barrier(l.Comm); err != nil || !l.Root {
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
	return all, nil
}

func (l *loads) failed(err error) error {
	return fmt.Errorf("rank %d: forces at step %d: %w", l.Rank, l.n, err)
}

// recall continues with those of a checkpoint, if they are of all types that are measured now.
func (l *loads) recall(kept map[int]device.Load) {
	l.past = stepLoads{at: l.n}
	if !l.Root || kept == nil {
		return
	}
	all := make([]device.Load, len(l.Cells.Walls))
	for k, w := range l.Cells.Walls {
		load, known := kept[k]
		if w.Measured && !known {
			return
		}
		all[k] = load
	}
	l.past.all = all
}
