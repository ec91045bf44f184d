// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// Info describes a GPU that this process may use.
type Info struct {
	Number       int // as CUDA counts, CUDA_VISIBLE_DEVICES respected
	Name         string
	PCI          string // domain:bus:device.function
	UUID         string // of the GPU, or of its visible part (MIG)
	Memory       int64  // bytes
	Major, Minor int    // compute capability
}

// Devices lists the GPUs. Without one it returns an error with the reason.
func Devices() ([]Info, error) {
	if err := load(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, failure("counting the GPUs", err)
	}
	if n == 0 {
		return nil, fmt.Errorf("the NVIDIA driver sees no GPU; CUDA_VISIBLE_DEVICES may hide them")
	}
	list := make([]Info, n)
	for i := range list {
		if list[i], err = describe(i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func describe(number int) (info Info, err error) {
	doing := fmt.Sprintf("asking GPU %d what it is", number)
	d, err := cu.GetDevice(number)
	if err != nil {
		return info, failure(doing, err)
	}
	info.Number = number
	if info.Name, err = d.Name(); err != nil {
		return info, failure(doing, err)
	}
	if info.Memory, err = d.TotalMem(); err != nil {
		return info, failure(doing, err)
	}
	if info.Major, info.Minor, err = d.ComputeCapability(); err != nil {
		return info, failure(doing, err)
	}
	id, err := d.UUID()
	if err != nil {
		return info, failure(doing, err)
	}
	// Parts of one GPU (MIG) have the number of the whole GPU there, and ranks on two parts would
	// seem to share one. Drivers before CUDA 11.4 report no more.
	err = failure(doing, check(C.cuDeviceGetUuid_v2((*C.CUuuid)(unsafe.Pointer(&id)), C.CUdevice(d))))
	if err != nil && !isCode(err, C.CUDA_ERROR_NOT_FOUND) {
		return info, err
	}
	info.UUID = "GPU-" + id.String()
	var pci [32]C.char
	if err := check(C.cuDeviceGetPCIBusId(&pci[0], C.int(len(pci)), C.CUdevice(d))); err != nil {
		return info, failure(doing, err)
	}
	info.PCI = C.GoString(&pci[0])
	return info, nil
}

// Version reports which driver and which run-time compiler are found.
func Version() string {
	driver := "no driver"
	if err := load(); err == nil {
		v := cu.Version()
		driver = fmt.Sprintf("driver for CUDA %d.%d", v/1000, v%1000/10)
	}
	compiler := "no NVRTC"
	if c, err := openCompiler(driverMajor(), 0); err == nil {
		compiler = c.String()
		c.close()
	}
	return driver + ", " + compiler
}

// driverMajor returns the major CUDA version that the driver supports, 0 without a driver.
func driverMajor() int {
	if load() != nil {
		return 0
	}
	return cu.Version() / 1000
}
