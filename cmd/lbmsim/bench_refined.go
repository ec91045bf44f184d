// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// Each box has half the edges of the box around it, in cells of half the width: the same number of cells as the domain, of
// which the next box covers an eighth.
const refinedLevels = 3

// refinedBoxes returns the tables of boxes around the place of the ball, of a domain of n x n/2 x n/2 cells of level 0.
func refinedBoxes(n int) (text string) {
	x, y := float64(n)/4, float64(n)/4
	for l := 1; l <= refinedLevels; l++ {
		half := float64(n) / float64(int(4)<<l)
		text += fmt.Sprintf("[refine.box%[1]d]\nlevel = %[1]d\nfrom = [%[2]g, %[3]g, %[3]g]\nto = [%[4]g, %[5]g, %[5]g]\n", l, x-half, y-half, x+3*half, y+half)
	}
	return text
}

// refinedShare returns the cells and the updates in a step of level 0, as multiples of the domain's cells.
func refinedShare() (cells, updates float64) {
	last := float64(int(1) << refinedLevels)
	return 7.0/8*refinedLevels + 1, 7.0/8*(last-1) + last
}

// shearWave decays to 0.84 of its start in 40 steps of 64 cells. It is oblique to all axes and an exact solution without pressure. The bound
// was set after seeing 8e-4.
const shearWave = `periodic = ["x", "y", "z"]
%s[initial]
velocity = ["0.02*sin(2*pi*(x/Lx + y/Ly + z/Lz))", "0.01*sin(2*pi*(x/Lx + y/Ly + z/Lz))", "-0.02*sin(2*pi*(x/Lx + y/Ly + z/Lz))"]
[expect.velocity]
l2 = 2e-3
reference = [
  "0.02*exp(-0.05*9*(pi/Ly)^2*t)*sin(2*pi*(x/Lx + y/Ly + z/Lz))",
  "0.01*exp(-0.05*9*(pi/Ly)^2*t)*sin(2*pi*(x/Lx + y/Ly + z/Lz))",
  "-0.02*exp(-0.05*9*(pi/Ly)^2*t)*sin(2*pi*(x/Lx + y/Ly + z/Lz))",
]
`

// refined measures three levels of boxes around a ball in a tunnel compared with a uniform tunnel with the same number
// of cells.
func (b *benchmark) refined(onCPU bool) error {
	usual := 416
	if onCPU {
		usual = 160
	}
	n := max(32, cmp.Or(b.edge, usual)/16*16) // boxes end between cells of all levels, and the ball fits
	cells, updates := refinedShare()
	same := 2 * int(math.Round(float64(n)*math.Cbrt(cells)/2)) // edge of as many cells of one size
	for _, spec := range slices.Concat(bench.Specs("D3Q19", model.Float32, "regularized"), bench.Specs("D3Q27", model.Float32, "cumulant")) {
		if err := b.verifyRefined(spec); err != nil {
			return err
		}
		volume := float64(n * n * n / 4)
		steps := b.steps(onCPU, updates*volume)
		tunnel := func(n int) string {
			return fmt.Sprintf(throughTunnel, float64(n)/4, float64(n)/4, float64(n)/64)
		}
		levels, uniform := [3]int{n, n / 2, n / 2}, [3]int{same, same / 2, same / 2}
		err := b.contest(fmt.Sprintf("%.3g million cells, %s", cells*volume/1e6, spec), spec, []contender{
			{name: "uniform tunnel with a ball", size: uniform, text: whole(spec, uniform, tunnel(same), 0.01, b.steps(onCPU, cells*volume))},
			{name: "three levels around the ball", size: levels, text: whole(spec, levels, tunnel(n)+refinedBoxes(n), 0.01, steps)},
		}, "uniform")
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyRefined compares a small flow on the same levels with its exact solution.
func (b *benchmark) verifyRefined(spec model.Spec) error {
	work, err := os.MkdirTemp("", "lbmsim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	const n = 64
	command, err := b.program(work, "wave", whole(spec, [3]int{n, n / 2, n / 2}, fmt.Sprintf(shearWave, refinedBoxes(n)), 0.05, 40))
	if err == nil {
		_, _, err = speedOf(command)
	}
	if err != nil {
		return fmt.Errorf("%s on three levels is wrong, or does not run; no speed is shown: %w", spec, err)
	}
	return nil
}
