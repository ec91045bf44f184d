// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/sim/output"
)

// Orders is a source of orders to a run in progress. Rank 0 polls it about once per second, between
// two steps, and all ranks obey at the same step. It must not block.
type Orders interface {
	// Take returns the orders received since the last call. Each is obeyed once.
	Take() Order
}

// Order is a request to a run.
type Order struct {
	Stop bool // end with a checkpoint, as after a signal
	Save bool // write a checkpoint and continue
	Draw bool // write the pictures of the case and continue
	Mean bool // discard the samples of averages so far and continue
}

// And returns the union of two orders.
func (o Order) And(p Order) Order {
	return Order{o.Stop || p.Stop, o.Save || p.Save, o.Draw || p.Draw, o.Mean || p.Mean}
}

// Files in the output folder of a run that give it an order.
const (
	StopFile = "stop.now"
	SaveFile = "checkpoint.now"
	DrawFile = "picture.now"
	MeanFile = "averages.now"
)

// folderOrders takes orders from files in the output folder.
type folderOrders struct{ *output.Set }

// Take implements Orders. An order counts once its file is removed, so that a file that cannot be
// removed is not obeyed repeatedly.
func (f folderOrders) Take() Order {
	if !f.Holds() {
		return Order{}
	}
	given := func(name string) bool { return os.Remove(f.Path(name)) == nil }
	return Order{Stop: given(StopFile), Save: given(SaveFile), Draw: given(DrawFile), Mean: given(MeanFile)}
}

// forget removes orders left over from an earlier run. On rank 0, which owns the folder.
func (f folderOrders) forget() {
	for _, order := range []string{StopFile, SaveFile, DrawFile, MeanFile} {
		if os.Remove(f.Path(order)) == nil {
			f.Rank.Warn(finding.StaleOrder.Says("%s was in %s before the start: removed and ignored", order, f.Path()))
		}
	}
}

// orders polls all sources, once per second. On rank 0.
func (r *run) orders(now time.Time) (all Order) {
	if now.Sub(r.control.asked) < time.Second {
		return Order{}
	}
	r.control.asked = now
	for _, source := range append([]Orders{folderOrders{r.outputs}}, r.options.Orders...) {
		all = all.And(source.Take())
	}
	if all.Save && !r.Case.Checkpoint.On {
		r.outputs.Rank.Warn(finding.NoCheckpoint.Says("checkpoint requested, but the case has no [checkpoint]"))
	}
	if all.Draw && len(r.Case.Pictures)+len(r.Case.Views) == 0 {
		r.outputs.Rank.Warn(finding.NoPicture.Says("picture requested, but the case has no [output.picture] and no [output.view.NAME]"))
	}
	if all.Mean && !config.HasAverages(r.Case) {
		r.outputs.Rank.Warn(finding.NoAverages.Says("restart of averages requested, but no output of the case has averages"))
	}
	return all
}
