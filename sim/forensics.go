package sim

import (
	"fmt"
	"math"
	"syscall"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ram"
	"lbmsim/sim/derive"
)

// What ends an unstable run is found by the watch, many steps and cells after it began. So
// a run keeps a copy of a good state in the host's memory, and goes back to it: a step is a
// pure function of the state, and so the same trouble comes again, watched at every step.

// snapshot is a state that was good, and what its steps need besides.
type snapshot struct {
	wanted bool   // [run] forensics
	room   bool   // on every rank there is memory for image
	image  []byte // of this rank's own cells
	at     int    // its step, -1: there is none
	taken  time.Time
	cost   time.Duration
	drive  drive
	force  [3]float64
}

const (
	// A copy is made so seldom that it takes less than a hundredth of the time.
	snapshotShare = 100
	snapshotEvery = 5 * time.Second
	// firstCopy is bytes a second at which the first copy is presumed to be made: the system
	// clears the memory on the way (5.4 GB from an H200 took 1.2 s).
	firstCopy = 4 << 30
	// replayLimit is how long a run without a copy may have computed to be computed anew.
	replayLimit = 5 * time.Minute
)

// findRoom decides on all ranks whether copies are kept: where the ranks of a machine
// take no more than half of what it has left for that. Collective.
func (r *run) findRoom() error {
	s := &r.snapshot
	*s = snapshot{wanted: r.Case.Run.Forensics, at: -1, taken: time.Now(), cost: time.Duration(r.Bytes()) * time.Second / firstCopy}
	if !s.wanted {
		return nil
	}
	_, neighbours := comm.LocalRank(r.Comm)
	left := ram.Available() / int64(neighbours)
	if limit := ram.Limit(); limit > 0 {
		left = min(left, limit/int64(neighbours)-resident())
	}
	lack := []int64{0}
	if 2*int64(r.Bytes()) > left {
		lack[0] = 1
	}
	err := comm.Max(r.Comm, lack)
	s.room = lack[0] == 0
	return err
}

// resident is the most memory that this process has had so far.
func resident() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}

// due tells whether it is time for another copy, from what all ranks know: the largest
// numbers of nanoseconds since the last one and that it took.
func (s *snapshot) due(since, cost int64) bool {
	return s.room && since >= max(int64(snapshotEvery), snapshotShare*cost)
}

// keep copies the current state.
func (r *run) keep() error {
	s, began := &r.snapshot, time.Now()
	if s.image == nil {
		s.image = make([]byte, r.Bytes())
	}
	s.at = -1
	if err := r.all("copying the state", r.imaged(s.image, r.read)); err != nil {
		return err
	}
	s.at, s.drive, s.force = r.n, r.drive, r.params.Force
	s.taken, s.cost = time.Now(), time.Since(began)
	return nil
}

// replayable tells whether there is a state to go back to.
func (r *run) replayable(elapsed time.Duration) bool {
	s := &r.snapshot
	return s.wanted && (s.at >= 0 || r.first == 0 && elapsed <= replayLimit)
}

// back makes the state that was kept the current one, or the initial one where none was.
// Collective.
func (r *run) back() error {
	s := &r.snapshot
	// States take turns in exchanges: the other one comes next.
	r.state[0], r.state[1] = r.state[1], r.state[0]
	var err error
	if s.at < 0 {
		r.n, r.drive, r.params.Force = 0, drive{}, r.Case.Params().Force
		err = r.initialize()
	} else {
		r.n, r.drive, r.params.Force = s.at, s.drive, s.force
		err = r.imaged(s.image, func(piece []byte, offset int) error { return r.state[0].Write(piece, offset) })
	}
	r.watch.at = -1
	if err := r.all("going back", err); err != nil {
		return err
	}
	return r.fillGhosts()
}

// again computes one step as it was computed, and writes nothing.
func (r *run) again() error {
	r.Pulse.Computing(r.n)
	if err := r.steer(); err != nil {
		return err
	}
	if err := r.advance(1); err != nil {
		return fmt.Errorf("rank %d, step %d: %w", r.Rank, r.n+1, err)
	}
	return nil
}

// firstBad is the first cell of the domain, in the order z, y, x, with a value that is not
// finite or too high a speed, the same on all ranks; false: there is none. Collective.
func (r *run) firstBad() (cell [3]int, found, interrupted bool, err error) {
	c := r.Case.Cells
	table := []int64{0, 0} // cells from the first bad one to the end; a signal or the end of the job's time
	planes, err := r.program.Planes(r.state[0], r.params)
	for k := 0; k < len(planes) && err == nil && table[0] == 0; k++ {
		if r.bad(planes[k]) {
			var at [3]int
			at, err = r.firstOf(k, planes[k])
			at = r.Global(at)
			table[0] = int64(c[0]*c[1]*c[2] - (at[2]*c[1]+at[1])*c[0] - at[0])
		}
	}
	if err := r.all("looking for the first bad cell", err); err != nil {
		return cell, false, false, err
	}
	table[1] = r.hears()
	if err := comm.Max(r.Comm, table); err != nil || table[0] == 0 {
		return cell, false, table[1] > 0, err
	}
	i := c[0]*c[1]*c[2] - int(table[0])
	return [3]int{i % c[0], i / c[0] % c[1], i / c[0] / c[1]}, true, false, nil
}

// hears is more than 0 when this rank has got a signal, or knows that the job's time is over.
func (r *run) hears() int64 {
	r.control.listen(r)
	if r.Root && r.jobTimeOver(time.Now()) {
		return byLauncher
	}
	return r.control.signal
}

// halted tells all ranks whether one of them hears something. Collective.
func (r *run) halted() (bool, error) {
	table := []int64{r.hears()}
	err := comm.Max(r.Comm, table)
	return table[0] > 0, err
}

// bad says that a plane is in trouble.
func (r *run) bad(p device.Plane) bool { return p.Bad > 0 || p.MaxSpeed > r.maxSpeed() }

// maxSpeed is [run] max_mach as a speed in lattice units.
func (r *run) maxSpeed() float64 { return r.Case.Run.MaxMach * soundSpeed }

// firstOf is the first bad cell of one of this rank's planes, local.
func (r *run) firstOf(k int, p device.Plane) ([3]int, error) {
	box := decomp.Box{Hi: r.Layout.N}
	box.Lo[r.Layout.Axis()], box.Hi[r.Layout.Axis()] = k, k+1
	values, err := r.view().Present()(box, nil)
	nx, stored, dims := r.Layout.N[0], r.Case.Spec.FieldValues(), r.Case.Dims()
	for row := 0; err == nil && row < len(values)/(nx*stored); row++ {
		for x := range nx {
			sum, speed := 0.0, 0.0
			for c := range stored {
				v := values[(row*stored+c)*nx+x]
				if sum += v; 1 <= c && c <= dims {
					speed += v * v
				}
			}
			if derive.Finite(sum) != sum || math.Sqrt(speed) > r.maxSpeed() {
				at := box.Lo
				at[0] = x
				if r.Layout.Axis() == 2 {
					at[1] = row
				}
				return at, nil
			}
		}
	}
	if p.Bad > 0 { // in what the fields do not show
		return p.BadAt, err
	}
	return p.MaxAt, err
}
