package sim

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/sim/domain"
)

// drive adjusts the body force so that a mean velocity is kept.
type drive struct {
	Force [3]float64 // of the last adjustment
	Speed [3]float64 // then: sum(j)/sum(rho), without the half of the force that belongs to the velocity
	Known bool
}

// steer sets the force of the coming steps where that is due. The sums have the order of
// planeSums, so that no cut changes the force. Collective.
func (r *run) steer() error {
	c := r.Case.Force.Drive
	if c == nil || r.n%c.Every != 0 {
		return nil
	}
	t := r.watch.totals
	if r.watch.at != r.n {
		var err error
		if _, t, err = r.view().Census(); err != nil {
			return fmt.Errorf("rank %d: mean velocity at step %d: %w", r.Rank, r.n, err)
		}
	}
	var message []byte
	if r.Root {
		d := &r.drive
		mass, cells := float64(t.Cells)+t.Mass, float64(t.Cells)
		for a, on := range c.On {
			if !on {
				continue
			}
			want := c.Velocity[a]
			if c.FlowRate != 0 {
				want = c.FlowRate * float64(r.Case.Cells[a]) / cells
			}
			// What friction and bodies leave of the force shows in the momentum since the last
			// adjustment; only that much more is asked for as mends the deviation.
			speed, gain := (t.Momentum[a]-cells*d.Force[a]/2)/mass, 0.0
			if d.Known {
				gain = (speed - d.Speed[a]) / float64(c.Every)
			}
			d.Speed[a] = speed
			d.Force[a] += (want-t.Momentum[a]/mass)/c.Response - gain
		}
		d.Known = true
		message = domain.Float64Bytes(d.Force[:])
	}
	message, err := comm.Broadcast(r.Comm, message)
	if err != nil {
		return err
	}
	for a := range r.params.Force {
		r.params.Force[a] = domain.Float64At(message, a)
	}
	return nil
}

// recallDrive goes on with the force of a checkpoint.
func (r *run) recallDrive(d *drive) {
	if d != nil && r.Case.Force.Drive != nil {
		r.drive, r.params.Force = *d, d.Force
	}
}

// driveMemory is what a checkpoint keeps of it.
func (r *run) driveMemory() *drive {
	if r.Case.Force.Drive == nil {
		return nil
	}
	return &r.drive
}
