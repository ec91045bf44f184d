package sim

import (
	"os"
	"time"

	"lbmsim/internal/finding"
	"lbmsim/sim/output"
)

// Orders is a source of orders to a run in progress. Rank 0 asks it about once a second,
// between two steps, and all ranks obey at the same step. It must not block.
type Orders interface {
	// Take returns the orders that came since the last call: to end with a checkpoint, as
	// after a signal, and to write a checkpoint and continue. Each is obeyed once.
	Take() (stop, save bool)
}

// Files that ask a run for something when they are put into its output folder.
const (
	stopOrder = "stop.now"
	saveOrder = "checkpoint.now"
)

// folderOrders takes orders from files in the output folder.
type folderOrders struct{ *output.Set }

// Take implements Orders. An order counts when its file is gone, so that one that cannot be
// removed is not obeyed indefinitely.
func (f folderOrders) Take() (stop, save bool) {
	if !f.Holds() {
		return false, false
	}
	return os.Remove(f.Path(stopOrder)) == nil, os.Remove(f.Path(saveOrder)) == nil
}

// forget removes orders that an earlier run did not live to see. On rank 0, which holds the
// folder.
func (f folderOrders) forget() {
	for _, order := range []string{stopOrder, saveOrder} {
		if os.Remove(f.Path(order)) == nil {
			f.Rank.Warn(finding.StaleOrder.Says("%s was in %s before the start: removed and ignored", order, f.Path()))
		}
	}
}

// orders asks all sources, once a second. On rank 0.
func (r *run) orders(now time.Time) (stop, save bool) {
	if now.Sub(r.control.asked) < time.Second {
		return false, false
	}
	r.control.asked = now
	for _, source := range append([]Orders{folderOrders{r.outputs}}, r.options.Orders...) {
		ends, saves := source.Take()
		stop, save = stop || ends, save || saves
	}
	if save && !r.Case.Checkpoint.On {
		r.outputs.Rank.Warn(finding.NoCheckpoint.Says("checkpoint requested, but the case has no [checkpoint]"))
	}
	return stop, save
}
