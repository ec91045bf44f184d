// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/exit"
)

// CheckpointDir is the folder of the checkpoints below the output folder.
const CheckpointDir = "checkpoints"

// aCheckpoint is the kind of these files.
const aCheckpoint = "checkpoint"

// checkpoints writes [checkpoint]: the memory image of the state, one file per time.
type checkpoints struct {
	base
	config.Checkpoint
	dir     string
	set     *Set     // whose outputs it remembers
	image   []byte   // snapshot, kept for the next time
	levels  [][]byte // of the patches of a refined grid
	resumed string   // path of the checkpoint that the run resumes from
}

// checkpointOutputs returns the output of [checkpoint].
func checkpointOutputs(s *Set) []Output {
	if !s.Case.Checkpoint.On {
		return nil
	}
	return []Output{&checkpoints{base: newBase(s.Case.Checkpoint.Schedule), Checkpoint: s.Case.Checkpoint, dir: s.Path(CheckpointDir), set: s}}
}

// DueOn reports true also at the end of a run that later runs may resume, and on an order.
func (c *checkpoints) DueOn(o Occasion) bool {
	return o == EndsEarly || o == SaveOrder || c.base.DueOn(o)
}

func (c *checkpoints) folder() string {
	if c.set.Case.Averages.On {
		return filepath.Join(c.dir, AverageDir)
	}
	for _, p := range c.set.Case.Surfaces {
		if p.Means {
			return surfaceFolder(c.dir, p.Name)
		}
	}
	return c.dir
}

// Header describes this run's checkpoint of the present step.
func (r *Run) Header() checkpoint.Header {
	h := checkpoint.Header{
		Case: r.Case.Resolved, Spec: r.Case.Spec.String(), Version: r.Version, Step: int64(r.Step()), Time: r.Time(),
		N: r.Case.Cells, Planes: r.Case.Cells[r.View.Part.Layout.Axis()], Rows: 1,
		Components: r.View.Part.Layout.Components + r.Case.Spec.EddyComponents(), Pitch: r.View.Part.Layout.Pitch, Bytes: r.Case.Spec.Precision.Bytes(),
	}
	if r.View.Part.Layout.Axis() == 2 {
		h.Rows = r.Case.Cells[1]
	}
	return h
}

// Write takes a snapshot of the state; a goroutine brings it to the disk.
func (c *checkpoints) Write(r *Run) error {
	// A broken state must not push good checkpoints out.
	if err := r.Look(); err != nil {
		return err
	}
	if err := r.Files.CommitThrough(aCheckpoint); err != nil {
		return err
	}
	c.at = r.Step()
	h := r.Header()
	m, err := c.memory(r)
	if err != nil {
		return err
	}
	if err := r.All(aCheckpoint, c.fill(&h, &m)); err != nil {
		return r.Files.Missed(rowsOfCheckpoint, err)
	}
	var beside []*bool // files without which the checkpoint is useless: whether they are written
	for _, o := range with[remembered](c.set.List) {
		written, err := o.beside(r, h, c.dir)
		if err != nil {
			return r.Files.Missed(aCheckpoint, err)
		}
		beside = append(beside, written...)
	}
	patches, err := c.patches(r, h)
	if err != nil {
		return r.Files.Missed(aCheckpoint, err)
	}
	beside = append(beside, patches...)
	p, err := checkpoint.Begin(r.Rank.Comm, c.dir, h, r.View.Part.Extent())
	if err != nil {
		return r.Files.Missed(aCheckpoint, exit.AtStep(r.Step(), aCheckpoint, err))
	}
	if err := r.All("reading the state", c.copyState(r)); err != nil {
		p.Abort()
		return err
	}
	path := checkpoint.Path(c.dir, h.Step)
	r.Files.Launch(aCheckpoint, path, func(failed error) error { return c.commit(r, p, failed, path, beside) }, func() error { return bring(r, p, c.image, r.View.Part.Planes()) })
	return nil
}

// memory returns the record of the checkpoint of the present step, without the rows. Collective.
func (c *checkpoints) memory(r *Run) (Memory, error) {
	m := Memory{
		AveragesFrom: r.averagesFrom, Probes: map[string]int64{}, Forces: map[string]forceMemory{}, Provenance: r.Provenance,
		Profiles: map[string]statisticMemory[config.Profile]{}, Spectra: map[string]statisticMemory[config.Spectrum]{}, Surfaces: map[string]surfaceMemory{},
	}
	r.Remember(&m)
	for _, o := range with[remembered](c.set.List) {
		if err := o.remember(r, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

// fill flushes the rows to disk, on rank 0, counts them, and puts the memory into the header.
func (c *checkpoints) fill(h *checkpoint.Header, m *Memory) (err error) {
	for _, o := range with[tabular](c.set.List) {
		if t := o.table(); c.set.Rank.Root {
			if m.Probes[t.key], err = t.file.Sync(); err != nil {
				return err
			}
		}
	}
	h.Extra, err = json.Marshal(m)
	return err
}

// copyState takes the image of this rank's own cells.
func (c *checkpoints) copyState(r *Run) error {
	if c.image == nil {
		c.image = make([]byte, r.View.Part.Bytes())
	}
	return r.State.ReadImage(c.image)
}

// commit makes the checkpoint valid, where the files beside it are. Collective.
func (c *checkpoints) commit(r *Run, p *checkpoint.Pending, failed error, path string, beside []*bool) error {
	for _, written := range beside {
		if !*written {
			p.Abort()
			return comm.Agree(r.Rank.Comm, fmt.Errorf("%s is dropped, because a file beside it could not be written: the sums of its averages or of a surface, or a level of its grid", path))
		}
	}
	if err := p.Commit(c.Keep, failed); err != nil || len(beside) == 0 || !r.Rank.Root {
		return err
	}
	checkpoint.Tidy(c.dir, filepath.Join(c.dir, AverageDir))
	for _, p := range c.set.Case.Surfaces {
		checkpoint.Tidy(c.dir, surfaceFolder(c.dir, p.Name))
	}
	c.tidyPatches(r, c.dir)
	c.tidyPatches(r, filepath.Join(c.dir, AverageDir))
	return nil
}
