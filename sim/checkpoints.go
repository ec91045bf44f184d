package sim

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/derive"
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
	Start derive.Totals // of the initial state: the mass is held against it
	// GridScale is the share of its kinetic energy at the scale of the grid.
	GridScale float64                `json:",omitempty"`
	Probes    map[string]int64       // length of each file of rows at this step
	Forces    map[string]forceMemory `json:",omitempty"`
	// Loads of the step that led here, of each type that is measured: for the force at this step.
	Loads map[int]device.Load `json:",omitempty"`
	// Drive is the force that keeps a mean velocity.
	Drive *drive `json:",omitempty"`
	// Averages over time, whose sums are in a file beside the checkpoint.
	Averages *averageMemory `json:",omitempty"`
	// Provenance of the state.
	Provenance Provenance
}

// header describes this run's checkpoint of the present step.
func (r *run) header() checkpoint.Header {
	h := checkpoint.Header{
		Case: r.Case.Resolved, Spec: r.Case.Spec.String(), Version: r.options.Version, Step: int64(r.n), Time: r.time(),
		N: r.Case.Cells, Planes: r.Case.Cells[r.Layout.Axis()], Rows: 1,
		Components: r.Layout.Components, Pitch: r.Layout.Pitch, Bytes: r.Case.Spec.Precision.Bytes(),
	}
	if r.Layout.Axis() == 2 {
		h.Rows = r.Case.Cells[1]
	}
	return h
}

// writeBytes is about how much of a checkpoint is written at once.
const writeBytes = 64 << 20

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
	a := r.averages()
	m := memory{Start: r.watch.start, GridScale: r.watch.gridStart, Probes: map[string]int64{}, Forces: r.forceMemories(), Drive: r.driveMemory(), Averages: a.remember(), Provenance: r.provenance}
	loads, err := r.loadsMemory()
	if err != nil {
		return err
	}
	m.Loads = loads
	err = func() (err error) {
		for _, o := range r.tables() {
			if t := o.table(); r.Root {
				if m.Probes[t.key], err = t.file.Sync(); err != nil {
					return err
				}
			}
		}
		h.Extra, err = json.Marshal(m)
		return err
	}()
	if err := r.all("checkpoint", err); err != nil {
		return r.missed(rowsOfCheckpoint, err)
	}
	sums := new(bool)
	if *sums = m.Averages == nil; !*sums {
		var err error
		if sums, err = a.keep(r, h, c.dir); err != nil {
			return r.missed("checkpoint", err)
		}
	}
	p, err := checkpoint.Begin(r.Comm, c.dir, h, r.Extent())
	if err != nil {
		return r.missed("checkpoint", r.agreedAt(r.n, "checkpoint", err))
	}
	runs := r.Interior(0, r.Layout.N[r.Layout.Axis()])
	if c.image == nil {
		size := 0
		for _, run := range runs {
			size += run.Hi - run.Lo
		}
		c.image = make([]byte, size)
	}
	err = nil
	for image := c.image; len(runs) > 0 && err == nil; runs = runs[1:] {
		n := runs[0].Hi - runs[0].Lo
		err = r.read(image[:n], runs[0].Lo)
		image = image[n:]
	}
	if err := r.all("reading the state", err); err != nil {
		p.Abort()
		return err
	}
	path := checkpoint.Path(c.dir, h.Step)
	finish := func() error {
		if !*sums {
			p.Abort()
			return comm.Agree(r.Comm, fmt.Errorf("%s is given up, for the sums of the averages beside it could not be written", path))
		}
		if err := p.Commit(c.Keep); err != nil || m.Averages == nil || !r.Root {
			return err
		}
		checkpoint.Tidy(c.dir, filepath.Join(c.dir, averageDir))
		return nil
	}
	r.launch(&job{kind: "checkpoint", path: path, finish: finish}, func() error {
		// In pieces, so that the watchdog sees a slow disk take them.
		planes := r.Layout.N[r.Layout.Axis()]
		each := len(c.image) / planes
		for k, n := 0, max(1, writeBytes/max(each, 1)); k < planes; k += n {
			if err := p.Write(k, c.image[k*each:min(k+n, planes)*each]); err != nil {
				return err
			}
			r.Pulse.Mark()
		}
		return p.Flush()
	})
	return nil
}
