// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"os"

	"lbmsim/device"
	"lbmsim/device/cpu"
)

// testDevice opens a device for a rank of a test: the CPU with this many threads (0: all), or, with
// LBMSIM_TEST_DEVICE=cuda, the first GPU, which the ranks of a test then share.
func testDevice(threads int) (device.Device, error) {
	switch name := os.Getenv("LBMSIM_TEST_DEVICE"); name {
	case "", "cpu":
		return cpu.New(threads)
	case "cuda":
		return testGPU()
	default:
		return nil, fmt.Errorf("LBMSIM_TEST_DEVICE=%s: give cpu or cuda", name)
	}
}
