// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// tunnels returns the cells of the boxes around a ball that `bench --only tunnel` measures.
func (b *benchmark) tunnels(onCPU bool) (list [][3]int) {
	lengths := []int{128, 256, 512, 1024}
	switch {
	case b.edge > 0:
		lengths = []int{b.edge}
	case onCPU:
		lengths = []int{256}
	}
	for _, n := range lengths {
		list = append(list, [3]int{n, max(8, n/2), max(8, n/2)})
	}
	return list
}

// The tunnel and its references: the same box without its faces and its ball, and with walls and a
// lid.
const (
	throughTunnel = `periodic = ["y", "z"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [%[1]g, %[2]g, %[2]g]
radius = %[3]g
`
	periodicBox = `periodic = ["x", "y", "z"]
`
	lidBox = `[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
`
)

// tunnel runs a ball in a tunnel and the plain boxes of its size, alternately.
func (b *benchmark) tunnel(onCPU bool) error {
	specs := slices.Concat(bench.Specs("D3Q19", model.Float32, "regularized"), bench.Specs("D3Q27", model.Float32, "cumulant"))
	if onCPU { // populations have separate code beyond the ends of rows
		specs = append(specs, bench.Specs("D3Q19", model.Float32, "trt")...)
	}
	for _, spec := range specs {
		for _, n := range b.tunnels(onCPU) {
			steps := b.steps(onCPU, float64(n[0]*n[1]*n[2]))
			ball := fmt.Sprintf(throughTunnel, float64(n[0])/4, float64(n[1])/2, float64(n[1])/5)
			err := b.contest(fmt.Sprintf("%d x %d x %d, %s, %d steps", n[0], n[1], n[2], spec, steps), spec, []contender{
				{name: "periodic", size: n, text: whole(spec, n, periodicBox, 0.01, steps)},
				{name: "walls and a lid", size: n, text: whole(spec, n, lidBox, 0.01, steps)},
				{name: "tunnel with a ball", size: n, text: whole(spec, n, ball, 0.01, steps)},
			}, "periodic", "walls")
			if err != nil {
				return err
			}
		}
	}
	return nil
}
