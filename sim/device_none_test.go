// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build !cuda

package sim

import (
	"errors"

	"lbmsim/device"
)

func testGPU() (device.Device, error) {
	return nil, errors.New("LBMSIM_TEST_DEVICE=cuda: these tests were built without the tag cuda")
}
