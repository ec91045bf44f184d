// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"lbmsim/internal/raw"
	"lbmsim/model"
)

// boxLists is the box of a program with its lists of walls, and the lists of other parts.
type boxLists struct{ *core }

// place uploads the box and its lists to the GPU.
func (b *boxLists) place(in *placing) error {
	w := in.walls
	list := w.momentum
	if b.spec.Collision.Scheme == model.Moments {
		list = momentsOf(b.spec.Lattice, list)
	}
	momentum := raw.Bytes(list)
	if b.spec.Precision != model.Float64 {
		single := make([]float32, len(list))
		for i, k := range list {
			single[i] = float32(k)
		}
		momentum = raw.Bytes(single)
	}
	var words, sets [][]byte
	for _, part := range w.words {
		words = append(words, raw.Bytes(part))
	}
	for _, part := range w.sets {
		sets = append(sets, raw.Bytes(part))
	}
	uncounted := raw.Bytes(in.cells.Patch.Uncounted(b.layout.N, in.cells.Origin, b.layout.Pitch))
	box := boxABI{pitch: int32(b.layout.Pitch), eddies: in.eddies}
	for a := range b.layout.N {
		box.n[a], box.ghost[a] = int32(b.layout.N[a]), int32(b.layout.Ghost[a])
		if b.wraps[a] {
			box.periodic[a] = 1
		}
	}
	for side, mirror := range w.mirror {
		if mirror {
			box.mirror[side] = 1
		}
	}
	for _, list := range []struct {
		at    *uint64
		bytes int
		parts [][]byte
	}{
		{&box.blocks, len(w.blocks) * int(unsafe.Sizeof(block{})), [][]byte{raw.Bytes(w.blocks)}},
		{&box.words, 4 * w.count, words},
		{&box.sets, 4 * w.count * min(1, len(sets)), sets},
		{&box.wallMomentum, len(momentum), [][]byte{momentum}},
		{&box.uncounted, len(uncounted), [][]byte{uncounted}},
	} {
		to, err := b.put(list.bytes, list.parts...)
		if err != nil {
			return fmt.Errorf("lists of walls: %w", err)
		}
		*list.at = uint64(to.at)
	}
	var err error
	if b.box, err = b.d.alloc(int(unsafe.Sizeof(box))); err != nil {
		return err
	}
	return b.box.Write(raw.Bytes([]boxABI{box}), 0)
}

func (b *boxLists) free() {
	for _, b := range append(b.lists, b.box) {
		b.Free()
	}
}
