//go:build cuda

package cuda

import (
	"fmt"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// stepping is the step of a box of cells, and what follows it.
type stepping struct {
	*core
	behind []behind   // in the order in which they are queued
	hidden decomp.Box // cells that the march leaves out

	cuts map[decomp.Box]int // of ranges beside hidden cells
}

// place finds the largest box of hidden cells.
func (t *stepping) place(in *placing) error {
	p := in.cells.Patch
	if p == nil || t.spec.Lattice.Dims == 2 || t.spec.Collision.Scheme != model.Moments {
		return nil
	}
	for _, of := range p.Hidden {
		for a := range of.Lo {
			of.Lo[a], of.Hi[a] = max(0, of.Lo[a]-in.cells.Origin[a]), min(t.layout.N[a], of.Hi[a]-in.cells.Origin[a])
		}
		if of.Cells() > t.hidden.Cells() {
			t.hidden = of
		}
	}
	in.hidden = t.hidden
	return nil
}

// cut returns the number of marches along z through rows y to yhi and planes z to zhi.
func (t *stepping) cut(k *stepKernel, tiles [2]int, y, yhi, z, zhi int) int {
	if t.hidden.Cells() == 0 {
		return marches(zhi-z, k.tile[2], tiles[0]*tiles[1], k.slots)
	}
	box := decomp.Box{Lo: [3]int{0, y, z}, Hi: [3]int{t.layout.N[0], yhi, zhi}}
	n, ok := t.cuts[box]
	if !ok {
		n = marchesBeside(shadowOf(t.hidden, k.tile, y), tiles, z, zhi, k.tile[2], k.slots)
		if t.cuts == nil {
			t.cuts = map[decomp.Box]int{}
		}
		t.cuts[box] = n
	}
	return n
}

// Step queues one step of the cells of box.
func (t *stepping) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	t.stepBy(&t.kernels.stepKernel, s, in, out, box, q)
}

// stepBy queues Step by the step of k, which may take more arguments than lbm_step.
func (t *stepping) stepBy(k *stepKernel, s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params, more ...uint64) {
	own := t.stream(s)
	from, to, err := t.between(in, out, box, q)
	if err != nil {
		own.fail(fmt.Errorf("step of %s: %w", t.spec, err))
		return
	}
	if box.Cells() == 0 {
		return
	}
	queue := launch
	if k.follows && box == (decomp.Box{Hi: t.layout.N}) {
		queue = follow
	}
	// A grid has at most 65535 blocks along y and z.
	for z := box.Lo[2]; z < box.Hi[2]; z += maxGrid * k.tile[2] {
		zhi := min(z+maxGrid*k.tile[2], box.Hi[2])
		for y := box.Lo[1]; y < box.Hi[1]; y += maxGrid * k.tile[1] {
			yhi := min(y+maxGrid*k.tile[1], box.Hi[1])
			grid := [3]int{raw.Ceil(t.layout.N[0], k.tile[0]), raw.Ceil(yhi-y, k.tile[1]), raw.Ceil(zhi-z, k.tile[2])}
			if t.spec.Lattice.Dims == 3 && k.tile[2] > 1 {
				grid[2] = t.cut(k, [2]int{grid[0], grid[1]}, y, yhi, z, zhi)
			} else if t.spec.Lattice.Dims == 2 && k.tile[1] > 1 {
				grid[1] = marches(yhi-y, k.tile[1], grid[0], k.slots)
			}
			own.queue("step", func() error {
				args := []uint64{uint64(t.box.at), uint64(from.at), uint64(to.at), uint64(y), uint64(yhi), uint64(z), uint64(zhi)}
				return queue(k.step, grid, k.threads, k.shared, own.s, append(args, more...)...)
			})
		}
	}
	for _, b := range t.behind {
		b.queue(own, from, to, box)
	}
}

// maxGrid is the largest number of blocks along y or z.
const maxGrid = 65535
