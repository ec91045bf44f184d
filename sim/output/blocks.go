package output

import (
	"lbmsim/config"
	"lbmsim/internal/finding"
)

// blocks is a CSV file with a block of rows for each output of what statistics are by then.
type blocks struct {
	rows
	head   string // of the table in the case
	sample config.Schedule
	warned bool // that there are no samples
}

func newBlocks(r *Run, kind, name string, when, sample config.Schedule) blocks {
	return blocks{rows: newRows(r, when, kind, name, kind+"/"+name), head: "[output." + kind + "." + name + "]", sample: sample}
}

// write adds the block of so many samples. A failure of the file comes out at the next sync, as of probes.
func (b *blocks) write(r *Run, samples int64, block func() []float64) {
	b.at = r.Step()
	switch {
	case !r.Root || int64(r.Step()) <= b.file.Step(): // the table has the block
	case samples > 0:
		_ = b.file.Add(int64(r.Step()), r.Time(), block()...)
	case !b.warned && b.file.Step() < 0: // else there are none since the last block, of those that start over
		b.warned = true
		r.Warn(finding.NoSamples.Says("step %d: %s has no samples yet: the first is at step %d", r.Step(), b.head, b.sample.Next(r.Step())))
	}
}
