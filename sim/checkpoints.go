package sim

import (
	"encoding/json"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/io/checkpoint"
)

// checkpointDir is the folder of the checkpoints below the output folder.
const checkpointDir = "checkpoints"

// checkpoints writes [checkpoint]: the memory image of the state, one file a time.
type checkpoints struct {
	config.Checkpoint
	dir   string
	at    int
	image []byte // snapshot, kept for the next time
}

func (c *checkpoints) schedule() config.Schedule { return c.Schedule }
func (c *checkpoints) written() int              { return c.at }
func (c *checkpoints) close()                    {}

// memory is what a checkpoint remembers besides the state, so that a restarted
// run ends like one that was never stopped.
type memory struct {
	Start  Totals           // of the initial state: the mass is held against it
	Probes map[string]int64 // length of each probe's file at this step
}

// header describes this run's checkpoint of the present step.
func (r *run) header() checkpoint.Header {
	n := r.layout.N
	h := checkpoint.Header{
		Case: r.Case.Resolved, Spec: r.Case.Spec.String(), Version: r.Version, Step: int64(r.n), Time: r.time(),
		N: r.Case.Cells, Planes: r.Case.Cells[r.layout.Axis()], Rows: 1,
		Components: r.layout.Components, Pitch: r.layout.Pitch, Bytes: r.Case.Spec.Precision.Bytes(),
	}
	if r.layout.Axis() == 2 {
		h.Rows = n[1]
	}
	return h
}

// interior is the range of bytes of a rank's own planes in a state.
func (r *run) interior() (lo, hi int) {
	first, _ := r.layout.Plane(0)
	end, _ := r.layout.Plane(r.layout.N[r.layout.Axis()])
	b := r.Case.Spec.Precision.Bytes()
	return first * b, end * b
}

// write takes a snapshot of the state; a goroutine brings it to the disk.
func (c *checkpoints) write(r *run) error {
	// A broken state must not push good checkpoints out.
	if err := r.lookForTrouble(); err != nil {
		return err
	}
	if err := r.settleInTurn("checkpoint"); err != nil {
		return err
	}
	c.at = r.n
	h := r.header()
	m := memory{Start: r.watch.start, Probes: map[string]int64{}}
	err := func() (err error) {
		for _, o := range r.outputs {
			if p, ok := o.(*probes); ok && r.root {
				if m.Probes[p.Name], err = p.file.Sync(); err != nil {
					return err
				}
			}
		}
		h.Extra, err = json.Marshal(m)
		return err
	}()
	if err := r.all("checkpoint", err); err != nil {
		return err
	}
	axis := r.layout.Axis()
	p, err := checkpoint.Begin(r.Comm, c.dir, h, r.box.Lo[axis], r.box.Hi[axis])
	if err != nil {
		return Agreed(ExitFailure, err)
	}
	lo, hi := r.interior()
	if c.image == nil {
		c.image = make([]byte, hi-lo)
	}
	if err := r.all("reading the state", r.read(c.image, lo)); err != nil {
		p.Abort()
		return err
	}
	path := checkpoint.Path(c.dir, h.Step)
	r.launch(&job{kind: "checkpoint", path: path, finish: func() error { return p.Commit(c.Keep) }}, func() error {
		if err := p.Write(0, c.image); err != nil {
			return err
		}
		return p.Flush()
	})
	return nil
}

// read copies a part of the current state.
func (r *run) read(dst []byte, offset int) error {
	if h, ok := r.state[0].(device.HostVisible); ok {
		copy(dst, h.Host()[offset:])
		return nil
	}
	return r.state[0].Read(dst, offset)
}
