// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// SetSlots makes d cut marches as if this number of blocks ran at once. A large GPU gives each plane of
// a small box its own block; with one slot a block marches through all of them, as in large boxes.
func (d *Device) SetSlots(n int) { d.slots = n }
