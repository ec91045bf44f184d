// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"path/filepath"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// boxSums are the sums of [output.averages] in this rank's cells of a box: of its part of the domain, or of a patch of a refined
// grid. Overlap cells of a patch have sums, too, as the device steps them; no file has these.
type boxSums struct {
	view     derive.View
	level    int
	number   int             // of the patch, counted through all levels; 0 without refinement
	corner   [3]int          // of all its cells but the overlap, in cells of the level
	owned    decomp.Box      // the rank's of these
	own      decomp.Box      // the same, local
	count    int             // sums of all cells, without the means at walls
	onDevice device.Averages // nil: on the host
	onHost   []float64       // [plane][row][sum][x]
	walls    *wallMeans      // nil: none are wanted
	image    []float64       // of own cells, for the checkpoint that is being written
}

// newBoxSums lists the boxes of a view, with so many sums per cell.
func newBoxSums(v derive.View, values int, walls model.WallMeans) (list []*boxSums) {
	number := 0
	_ = eachBox(v, func(level, k, mine int) error {
		if mine >= 0 {
			b := &boxSums{view: v, level: level, number: number, owned: v.Part.Box}
			if v.Refined != nil {
				p := v.Refined.Patches[mine]
				b.view, b.owned, b.corner = p.View, p.Owned, v.Refined.Hierarchy.Levels[level].Patches[k].Owned.Lo
			}
			b.count = b.view.Part.Box.Cells() * values
			if b.owned.Cells() > 0 {
				b.own = b.view.Part.Local(b.owned)
			}
			if walls.Values() > 0 {
				b.walls = newWallMeans(walls, b.view)
			}
			list = append(list, b)
		}
		number++
		return nil
	})
	return list
}

// eachBox calls use for the domain, or for each patch of a refined grid as derive.Refined.Each does.
func eachBox(v derive.View, use func(level, number, mine int) error) error {
	if v.Refined != nil {
		return v.Refined.Each(use)
	}
	return use(0, 0, 0)
}

// sumsFolder returns the folder of a box's files of sums, within the folder of their checkpoints.
func sumsFolder(dir string, level, number int) string {
	if dir = filepath.Join(dir, AverageDir); level > 0 {
		return patchFolder(dir, level, number)
	}
	return dir
}

// SurfaceDir is the folder of the sums of surfaces, within the folder of their checkpoints.
const SurfaceDir = "surfaces"

// surfaceFolder returns the folder of a surface's files of sums, within the folder of their checkpoints.
func surfaceFolder(dir, name string) string { return filepath.Join(dir, SurfaceDir, name) }

// read returns the sums so far of all cells, [plane][row][sum][x], with the means at walls last in each row. Callers must not modify
// them.
func (b *boxSums) read() (sums []float64, err error) {
	sums = b.onHost
	if b.onDevice != nil {
		sums = make([]float64, b.count)
		err = b.onDevice.Read(sums)
	}
	if b.walls == nil || err != nil {
		return sums, err
	}
	return b.walls.join(sums), nil
}

// set replaces the sums of own cells by sums that read has returned and cut has reduced to these cells, and all others by zeros; nil: all
// by zeros.
func (b *boxSums) set(sums []float64) error {
	n := b.view.Part.Layout.N
	values := b.count / b.view.Part.Box.Cells()
	if b.walls != nil {
		values += b.walls.of.Values()
	}
	whole := sums
	if sums == nil || b.own != (decomp.Box{Hi: n}) {
		whole = make([]float64, b.view.Part.Box.Cells()*values)
	}
	if sums != nil && b.own != (decomp.Box{Hi: n}) {
		eachRow(n, b.own, values, func(to, from, nx int) { copy(whole[to:][:nx], sums[from:]) })
	}
	if b.walls != nil {
		whole = b.walls.part(whole)
	}
	if b.onDevice != nil {
		return b.onDevice.Write(whole)
	}
	copy(b.onHost, whole)
	return nil
}

// clear sets the sums to zero.
func (b *boxSums) clear() error {
	if b.walls != nil {
		clear(b.walls.means)
	}
	if clear(b.onHost); b.onDevice != nil {
		return b.onDevice.Write(make([]float64, b.count))
	}
	return nil
}

// extent returns the rank's part of the box's file of sums.
func (b *boxSums) extent() checkpoint.Extent {
	var rows, planes [2]int
	axis := b.view.Part.Layout.Axis()
	for i, at := range [2][3]int{b.owned.Lo, b.owned.Hi} {
		rows[i], planes[i] = at[1]-b.corner[1], at[axis]-b.corner[axis]
	}
	if axis == 1 {
		rows = [2]int{0, 1}
	}
	return checkpoint.Extent{Planes: planes, Rows: rows}
}

// cut returns the sums of a box of n cells, so many per cell, in a part of it.
func cut(sums []float64, n [3]int, part decomp.Box, values int) []float64 {
	if part == (decomp.Box{Hi: n}) {
		return sums
	}
	own := make([]float64, part.Cells()*values)
	eachRow(n, part, values, func(from, to, nx int) { copy(own[to:][:nx], sums[from:]) })
	return own
}

// eachRow calls use for each row of nx numbers, [plane][row][value][x], of a part of a box of n cells, with its place in the box and
// in the part.
func eachRow(n [3]int, part decomp.Box, values int, use func(whole, inPart, nx int)) {
	size := part.Size()
	for i := range size[1] * size[2] {
		row := (part.Lo[2]+i/size[1])*n[1] + part.Lo[1] + i%size[1]
		for k := range values {
			use((row*values+k)*n[0]+part.Lo[0], (i*values+k)*size[0], size[0])
		}
	}
}
