// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// sampleCells is the approximate number of cells that a task reads before it adds them: their fields, 40 bytes per cell,
// stay in the caches.
const sampleCells = 2048

// AddSample reads a few rows at a time and adds them to their sums. Cells are independent: the split does not change a
// bit.
func (p *program) AddSample(sums []float64, of model.AverageSums, state device.Buffer, n int64, q model.Params) error {
	from, err := p.state(state)
	dims, size := p.spec.Lattice.Dims, p.layout.N
	kept, stored := of.Values(dims), p.spec.FieldValues()
	if need := kept * size[0] * size[1] * size[2]; err == nil && len(sums) != need {
		err = fmt.Errorf("%d sums instead of %d", len(sums), need)
	}
	if err != nil {
		return fmt.Errorf("averages of %s: %w", p.spec, err)
	}
	how := kernels.Average{
		Number: n, Dims: dims, Stored: stored, Kept: kept,
		Density: of.Density, DensitySquares: of.DensitySquares, Velocity: of.Velocity, VelocityProducts: of.VelocityProducts,
	}
	rows := max(1, sampleCells/size[0])
	var tasks []task
	for z := range size[2] {
		for y := 0; y < size[1]; y += rows {
			part := decomp.Box{Lo: [3]int{0, y, z}, Hi: [3]int{size[0], min(y+rows, size[1]), z + 1}}
			own := sums[(z*size[1]+y)*kept*size[0]:][:part.Cells()*kept]
			tasks = append(tasks, func(w *worker) error {
				sample, err := w.reserve(8 * stored * part.Cells())
				if err == nil {
					p.kernel.Fields(p.box, p.numbers(q), from.pointer(), part, unsafe.Slice((*float64)(sample), stored*part.Cells()))
					p.device.isa.Average(sample, own, part.Size()[1], size[0], how)
				}
				return err
			})
		}
	}
	return p.device.run(tasks)
}

var _ device.HostAverager = (*program)(nil)
