// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"fmt"
	"math"
	"sort"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/internal/render"
)

// Memory of a rank.

// Layout of the state of the largest part when the domain is cut for so many ranks,
// a number that Cut takes.
func Layout(c *config.Case, ranks int) decomp.Layout {
	p, err := c.Cut(ranks)
	if err != nil {
		panic(err) // callers have asked Cut
	}
	return decomp.NewLayout(p.Largest(), p.Ghost(), c.Spec.Components())
}

// StateBytes of the rank with the largest part: two copies of the state, and eddy viscosity; of refined grids on all levels, with buffers
// between them.
func StateBytes(c *config.Case, ranks int) int64 {
	if len(c.Refine) > 0 {
		s := largestOfAll(c, ranks)
		return s.state + s.between
	}
	l := Layout(c, ranks)
	return 2*int64(l.Len())*int64(c.Spec.Precision.Bytes()) + eddyBytes(c, l)
}

// eddyBytes returns the bytes of the eddy viscosity that a law which reads neighbours stores for the cells.
func eddyBytes(c *config.Case, l decomp.Layout) int64 {
	return int64(l.N[1]) * int64(l.N[2]) * int64(l.Pitch) * int64(c.Spec.EddyComponents()*c.Spec.Precision.Bytes())
}

// SnapshotBytes returns the size of one copy of the inner state of the largest part, which a
// checkpoint keeps while the run continues.
func SnapshotBytes(c *config.Case, ranks int) int64 {
	if len(c.Refine) > 0 {
		return largestOfAll(c, ranks).kept
	}
	l := Layout(c, ranks)
	return int64(l.N[1])*int64(l.N[2])*int64(l.RowLen())*int64(c.Spec.Precision.Bytes()) + eddyBytes(c, l)
}

// FieldsSnapshotBytes returns the size of the fields of the largest part, which an output keeps while
// the run continues.
func FieldsSnapshotBytes(c *config.Case, ranks int) int64 {
	bytes := c.Fields.Bytes([3]int{1, 1, 1}) // of a cell
	if len(c.Refine) > 0 {
		return bytes * largestOfAll(c, ranks).stored
	}
	n := Layout(c, ranks).N
	return bytes * int64(n[0]) * int64(n[1]) * int64(n[2])
}

// AverageBytes returns the size of the sums of the largest part, and the memory that an output of
// them holds while it is written.
func AverageBytes(c *config.Case, ranks int) (sums, snapshot int64) {
	n := Layout(c, ranks).N
	cells := int64(n[0]) * int64(n[1]) * int64(n[2])
	if len(c.Refine) > 0 {
		cells = largestOfAll(c, ranks).stored
	}
	written := cells
	if c.Averages.Over {
		written /= int64(n[c.Averages.Axis])
	}
	for _, f := range c.Averages.Fields {
		snapshot += written * int64(f.Components*c.Averages.Type.Bytes())
	}
	// Means at walls are put beside the sums of all cells, and sums of overlap cells are left out.
	if kept := c.Averages.Kept(c.Dims()); kept > c.AveragedValues() || len(c.Refine) > 0 {
		snapshot += 8 * cells * int64(kept)
	}
	return 8 * cells * int64(c.AveragedValues()), snapshot
}

// ViewBytes returns the memory that the largest part takes while views are written, one after the other.
func ViewBytes(c *config.Case, ranks int) (most int64) {
	n := Layout(c, ranks).N
	cells := int64(n[0]+2*render.Margin) * int64(n[1]+2*render.Margin) * int64(n[2]+2*render.Margin)
	if len(c.Refine) > 0 {
		cells = largestOfAll(c, ranks).stored
	}
	for _, v := range c.Views {
		most = max(most, render.Bytes(cells, v.Surface.Components+v.Colour.Components, v.Size[0]*v.Size[1]))
	}
	return most
}

// BaseBytes is the approximate base memory of a process: lbmsim, MPI
// and HDF5, the CPU device's tiles.
const BaseBytes = 44 << 20

// FlagBytes of the largest part: one byte per cell, with a layer around it.
func FlagBytes(c *config.Case, ranks int) int64 {
	if len(c.Refine) > 0 {
		return largestOfAll(c, ranks).flags
	}
	n := Layout(c, ranks).N
	return int64(n[0]+2) * int64(n[1]+2) * int64(n[2]+2)
}

// gpuReserve is the approximate GPU memory that does not grow with the number of
// cells: the driver's context, kernels, cells beside walls, pieces on their way to the
// host.
const gpuReserve = 3 << 29

// gpuCellsPerByte is the number of cells that share a byte of the list of walls: 8 bytes
// for 32 cells (device/cuda). With 16-bit storage the list of a whole GPU would fill the
// reserve.
const gpuCellsPerByte = 4

// LargestCube returns the edge of the largest cube (in 2D square) of cells whose state this
// case's model and precision can keep in that much memory of a GPU; 0 when it is too
// little for any cell.
func LargestCube(c *config.Case, memory int64) int {
	fits := func(n int) bool {
		box, ghost := [3]int{n, n, n}, [3]int{}
		if c.Dims() == 2 {
			box[2] = 1
		}
		ghost[c.Dims()-1] = 1
		if math.Pow(float64(n), float64(c.Dims())) > float64(memory) { // nor count to it
			return false
		}
		l := decomp.NewLayout(box, ghost, c.Spec.Components())
		state := 2*int64(l.Len())*int64(c.Spec.Precision.Bytes()) + eddyBytes(c, l)
		if c.Averages.On { // their sums; samples that wait for them take the rest
			state += 8 * int64(c.AveragedValues()) * int64(box[0]) * int64(box[1]) * int64(box[2])
		}
		return state+int64(l.Len()/l.Components)/gpuCellsPerByte+gpuReserve <= memory
	}
	return sort.Search(config.MaxAxis, func(n int) bool { return !fits(n + 1) })
}

// CheckpointBytes returns the size of one checkpoint file without its header.
func CheckpointBytes(c *config.Case) int64 {
	bytes := int64(0)
	for _, b := range config.Patches(c) {
		l := decomp.NewLayout(b.Size(), [3]int{}, c.Spec.Components())
		bytes += int64(l.N[1])*int64(l.N[2])*int64(l.RowLen())*int64(c.Spec.Precision.Bytes()) + eddyBytes(c, l)
	}
	return bytes
}

// Table lists memory and output volume for a number of ranks that Cut takes.
// Lattice holds the numbers, SI the bytes for people. Memory is the need of the rank
// with the largest part, as if it were rank 0, which gathers planes and pictures. sizes are
// the sizes of bodies from files, as far as they have been read.
func Table(c *config.Case, ranks int, sizes ...config.SolidSize) []config.Row {
	rows, total := memory(c, ranks, sizes)
	rows = append(rows,
		row("lbmsim and libraries", "", "about "+Bytes(BaseBytes)),
		row("memory per rank", "", Bytes(total)))
	return append(rows, volumeRows(c)...)
}

// OnHost returns the memory per rank of Table, in bytes; onGPU: without what lies on a GPU.
func OnHost(c *config.Case, ranks int, onGPU bool, sizes ...config.SolidSize) int64 {
	_, total := memory(c, ranks, sizes)
	if onGPU {
		total -= StateBytes(c, ranks)
	}
	return total
}

// OnGPU returns the memory of a GPU that a rank takes, in bytes.
func OnGPU(c *config.Case, ranks int, sizes ...config.SolidSize) int64 {
	sums := int64(0)
	if c.Averages.On {
		sums, _ = AverageBytes(c, ranks)
	}
	return StateBytes(c, ranks) + FlagBytes(c, ranks) + ListBytes(c, ranks, sizes...) + sums + gpuReserve
}

// memory returns the rows of a rank's memory, and their sum with BaseBytes.
func memory(c *config.Case, ranks int, sizes []config.SolidSize) (rows []config.Row, total int64) {
	l := Layout(c, ranks)
	part := float64(l.N[0]) * float64(l.N[1]) * float64(l.N[2])
	state, flags := StateBytes(c, ranks), FlagBytes(c, ranks)
	total = state + flags
	parts := ""
	if p, err := c.Cut(ranks); err == nil && ranks > 1 {
		n := p.Parts()
		parts = fmt.Sprintf("%d x %d x %d parts", n[0], n[1], n[2])
	}
	cells, values := "cells per rank", fmt.Sprintf("2 x %d values%s", l.Len(), map[bool]string{true: " and eddies"}[eddyBytes(c, l) > 0])
	if len(c.Refine) > 0 {
		cells, values, part = "cells of level 0 per rank", "all levels, and what passes between them", float64(largestOfAll(c, ranks).stored)
	}
	rows = []config.Row{
		row(cells, fmt.Sprintf("%d x %d x %d", l.N[0], l.N[1], l.N[2]), parts),
		row("state per rank", values, Bytes(state)),
		row("cell types per rank", "", Bytes(flags)),
		row("both", fmt.Sprintf("%.1f bytes per cell", float64(total)/part), Bytes(total)),
	}
	add := func(what, how string, bytes int64) {
		total += bytes
		rows = append(rows, row(what, how, Bytes(bytes)))
	}
	if c.Dims() == 3 { // a plane of it at a time, for the device and by it
		add("initial state per rank", "a plane", 2*8*int64(c.Spec.InitValues()*l.N[0]*l.N[1]))
	}
	if n := ListBytes(c, ranks, sizes...); n > 0 {
		add("lists of links and ghost cells per rank", "at most", n)
	}
	for _, s := range sizes {
		add("file of body "+s.Body, "", s.Memory)
	}
	if c.Checkpoint.On {
		add("checkpoint snapshot per rank", "", SnapshotBytes(c, ranks))
	}
	if c.Fields.On {
		add("fields snapshot per rank", "", FieldsSnapshotBytes(c, ranks))
	}
	if c.Averages.On {
		sums, snap := AverageBytes(c, ranks)
		if sums > 0 {
			add("sums of averages per rank", fmt.Sprintf("%d values per cell, in GPU memory", c.AveragedValues()), sums)
		}
		add("averages snapshot per rank", "", snap)
	}
	if c.ShowsField("wall_distance") {
		add("wall distance per rank", "", 4*int64(part))
	}
	if n := ViewBytes(c, ranks); n > 0 {
		add("views per rank", "", n)
	}
	if n := GatheredBytes(c); n > 0 {
		add("planes, pictures, lines and spectra on rank 0", "", n)
	}
	return rows, total + BaseBytes
}

// Bytes for people, in powers of 1024.
func Bytes(n int64) string {
	v, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}

func row(name, lattice, si string) config.Row {
	return config.Row{Name: name, Lattice: lattice, SI: si}
}
