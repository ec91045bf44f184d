// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda_test

import (
	"os"
	"testing"

	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/device/cuda"
	"lbmsim/device/devicetest"
)

// gpu opens the first GPU. Without one the test is skipped with a message; LBMSIM_REQUIRE_GPU=1
// makes that a failure.
func gpu(t testing.TB) device.Device {
	t.Helper()
	if _, err := cuda.Devices(); err != nil {
		if os.Getenv("LBMSIM_REQUIRE_GPU") == "1" {
			t.Fatalf("no GPU: %v", err)
		}
		t.Skipf("no GPU: %v", err)
	}
	d, err := cuda.New(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// closed closes a device at the end of its test.
func closed(t testing.TB, d device.Device) device.Device {
	t.Helper()
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

// The suite of all devices. A state beyond 2^31 bytes always, beyond 2^31 values with
// LBMSIM_HUGE_TESTS=1, which takes minutes.
func TestDevice(t *testing.T) {
	options := devicetest.Options{Memory: 6e9}
	if os.Getenv("LBMSIM_HUGE_TESTS") == "1" {
		options.Memory = 60e9
	}
	devicetest.Run(t, gpu, options)
}

// Blocks that march through many planes, as in large boxes: data that one warp passes to the others
// must remain valid until they need it.
func TestLongMarches(t *testing.T) {
	d := closed(t, gpu(t))
	d.(*cuda.Device).SetSlots(1)
	devicetest.Laws(t, d, devicetest.Options{})
}

// A hundred steps agree with the CPU's to rounding.
func TestAgainstCPU(t *testing.T) {
	d := closed(t, gpu(t))
	c, err := cpu.New(0)
	if err != nil {
		t.Fatal(err)
	}
	devicetest.Compare(t, closed(t, c), d, devicetest.Options{})
}

// TestSmall runs the small cases for compute-sanitizer, which checks each memory access:
// `make test-gpu` runs it under memcheck, racecheck and initcheck.
func TestSmall(t *testing.T) {
	devicetest.Small(t, closed(t, gpu(t)), devicetest.Options{})
}
