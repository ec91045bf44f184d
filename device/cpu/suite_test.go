// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"os"
	"testing"

	"lbmsim/device"
	"lbmsim/device/devicetest"
	"lbmsim/internal/brief"
	"lbmsim/kernels"
	"lbmsim/model"
)

func newDevice(t testing.TB, threads int, isa string) *Device {
	t.Helper()
	d, err := New(threads, WithISA(isa))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The suite of all devices, with the best instruction set and three threads.
func TestDevice(t *testing.T) {
	options := devicetest.Options{}
	if os.Getenv("LBMSIM_HUGE_TESTS") == "1" {
		options.Memory = 6e9
	}
	devicetest.Run(t, func(t testing.TB) device.Device {
		return newDevice(t, 3, kernels.ISAs()[0].String())
	}, options)
}

// Every instruction set and number of threads computes equal numbers.
func TestInstructionSets(t *testing.T) {
	isas := kernels.ISAs()
	for _, want := range []string{"avx2", "avx512"} {
		found := false
		for _, i := range isas {
			found = found || i.String() == want
		}
		switch {
		case found:
		case os.Getenv("LBMSIM_REQUIRE_ISAS") == "1" && kernels.LeftOut() != "":
			t.Errorf("%s is not tested: this build lacks a set that the processor has", want)
		default:
			t.Logf("%s is not tested: this processor or this build lacks it", want)
		}
	}
	var devices []device.Device
	for i, isa := range isas {
		d := newDevice(t, 1+2*(i%2), isa.String())
		t.Cleanup(func() { d.Close() })
		devices = append(devices, d)
	}
	devices = append(devices, newDevice(t, 2, isas[0].String()))
	t.Cleanup(func() { devices[len(devices)-1].Close() })
	devicetest.Same(t, devices, devicetest.Options{})
}

// Refined flows have the same bits on 1, 2 and 3 threads and with every instruction set.
func TestRefinedThreads(t *testing.T) {
	brief.Fewer(t, "precisions and pairs")
	var devices []device.Device
	for threads := 1; threads <= 3; threads++ {
		for k, isa := range kernels.ISAs() {
			if testing.Short() && k > 0 && k != threads-1 {
				continue // each number of threads with the best set, each set with one of them
			}
			d := newDevice(t, threads, isa.String())
			t.Cleanup(func() { d.Close() })
			devices = append(devices, d)
		}
	}
	for _, name := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for _, precision := range []model.Precision{model.Float32, model.Float64} {
			spec := model.Spec{Precision: precision}
			spec.Lattice, _ = model.FindLattice(name)
			spec.Collision, _ = model.FindCollision("cumulant")
			if precision == model.Float64 && testing.Short() {
				continue
			}
			devicetest.SameRefined(t, devices, spec, []int{2})
		}
	}
}
