// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package watch

import "lbmsim/internal/finding"

// Kinds of the watch's warnings: the keys of Health.Warned.
const (
	Drifting = "density drift"
	Starting = "mass of the start"
	Speeding = "speed"
	Noisy    = "grid scale"
	Beyond   = "temperature"
	// Fluid enters through a face without a temperature; obliquely through a pressure face without a direction.
	Untempered = "inflow temperature"
	Slanting   = "inflow direction"
)

// warn warns on the first occurrence, and counts all.
func (w *Watch) warn(kind *finding.Kind, key, format string, args ...any) {
	if w.warned == nil {
		w.warned = map[string]int{}
	}
	w.warned[key]++
	if w.warned[key] == 1 {
		w.view.Rank.Warn(kind.Says("step %d: "+format+" (further occurrences are counted, not printed)", append([]any{w.view.Step()}, args...)...))
	}
}
