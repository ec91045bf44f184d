// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package sim

import (
	"sync"

	"lbmsim/device"
	"lbmsim/device/cuda"
)

// heldGPU keeps the GPU's context from one test to the next: creating one takes longer than most
// tests.
var heldGPU = sync.OnceValues(func() (device.Device, error) { return cuda.New(0) })

func testGPU() (device.Device, error) {
	if _, err := heldGPU(); err != nil {
		return nil, err
	}
	return cuda.New(0)
}
