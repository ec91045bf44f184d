// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import "lbmsim/model"

// Roofline is a device that can measure its memory bandwidth: loops that only move the bytes of a
// step, for comparison. Found by type assertion.
type Roofline interface {
	// Update changes every value v of data to 1 - v, in place, cell by cell in rows
	// [component][x] of the given pitch: the traffic of the best population codes.
	// data consists of whole rows. Values 0 and 1 stay exact, so the result can be checked.
	Update(s Stream, data Buffer, components, pitch int, p model.Precision)
	// CopyPast copies all of src into dst past the caches: the traffic of a step
	// between two buffers. The size is a multiple of 64 bytes.
	CopyPast(s Stream, dst, src Buffer)
}
