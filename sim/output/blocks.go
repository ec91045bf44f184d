package output

import (
	"fmt"

	"lbmsim/config"
)

// blocks is a CSV file with a block of rows for each output of what statistics are by then.
type blocks struct {
	rows
	head   string // of the table in the case
	start  int    // the first step that may be sampled
	warned bool   // that there are no samples
}

func newBlocks(r *Run, when config.Schedule, kind, name string, start int) blocks {
	return blocks{rows: newRows(r, when, kind, name, kind+"/"+name), head: "[output." + kind + "." + name + "]", start: start}
}

// write adds the block of so many samples. A failure of the file comes out at the next sync, as of probes.
func (b *blocks) write(r *Run, samples int64, block func() []float64) {
	b.at = r.Step()
	switch {
	case !r.Root || int64(r.Step()) <= b.file.Step(): // the table has the block
	case samples > 0:
		_ = b.file.Add(int64(r.Step()), r.Time(), block()...)
	case !b.warned:
		b.warned = true
		r.Warn(fmt.Sprintf("step %d: %s has no samples yet: they begin at step %d", r.Step(), b.head, b.start))
	}
}
