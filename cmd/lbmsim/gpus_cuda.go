// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package main

import (
	"fmt"

	"lbmsim/device"
	"lbmsim/device/cuda"
)

// gpus of this machine that this process may use.
func gpus() gpuSource { return cudaGPUs{} }

type cudaGPUs struct{}

func (cudaGPUs) list() ([]gpu, error) {
	found, err := cuda.Devices()
	var list []gpu
	for _, i := range found {
		list = append(list, gpu{
			Number: i.Number, Name: i.Name, PCI: i.PCI, UUID: i.UUID, Memory: i.Memory,
			Capability: fmt.Sprintf("%d.%d", i.Major, i.Minor),
		})
	}
	return list, err
}

func (cudaGPUs) open(n int) (device.Device, error) { return cuda.New(n) }

func (cudaGPUs) versions() string { return cuda.Version() }

// missed reports whether the machine has a GPU, though this process cannot use it.
func (cudaGPUs) missed() bool { return nvidiaHere() }
