// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/sim/output"
	"lbmsim/sim/watch"
)

// driver adjusts the body force to maintain a mean velocity.
type driver struct {
	*stepper
	watch *watch.Watch
	drive output.Drive // on rank 0
}

// steer sets the force of the coming steps when due. The sums have the order of
// domain.Part.PlaneSums, so the force does not depend on the decomposition. Collective.
func (d *driver) steer() error {
	c := d.Case.Force.Drive
	if c == nil || d.Step()%c.Every != 0 {
		return nil
	}
	t, err := d.watch.Totals()
	if err != nil {
		return fmt.Errorf("rank %d: mean velocity at step %d: %w", d.Rank.ID, d.Step(), err)
	}
	var message []byte
	if d.Rank.Root {
		f := &d.drive
		cells := t.Space()
		mass := cells + t.Mass
		for a, on := range c.On {
			if !on {
				continue
			}
			want := c.Velocity[a]
			if c.FlowRate != 0 {
				want = c.FlowRate * float64(d.Case.Cells[a]) / cells
			}
			// The momentum has changed by the force minus friction and drag since the last
			// adjustment; the force changes only by the amount that corrects the deviation.
			speed, gain := (t.Momentum[a]-t.Impulse(f.Force[a])/2)/mass, 0.0
			if f.Known {
				gain = (speed - f.Speed[a]) / float64(c.Every)
			}
			f.Speed[a] = speed
			f.Force[a] += (want-t.Momentum[a]/mass)/c.Response - gain
		}
		f.Known = true
		message = comm.Float64Bytes(f.Force[:])
	}
	if message, err = comm.Broadcast(d.Rank.Comm, message); err != nil {
		return err
	}
	var force [3]float64
	for a := range force {
		force[a] = comm.Float64At(message, a)
	}
	if d.grid != nil {
		d.grid.Adjust(force)
	} else {
		d.level.Params.Force = force
	}
	return nil
}

// recall resumes with the force of a checkpoint.
func (d *driver) recall(m *output.Drive) {
	if m != nil && d.Case.Force.Drive != nil {
		d.drive = *m
		d.start(m.Force)
	}
}

// start sets the force of the current state.
func (d *driver) start(force [3]float64) {
	if d.grid != nil {
		d.grid.Recall(force)
	} else {
		d.level.Params.Force = force
	}
}

// memory returns the driver's state for a checkpoint.
func (d *driver) memory() *output.Drive {
	if d.Case.Force.Drive == nil {
		return nil
	}
	return &d.drive
}
