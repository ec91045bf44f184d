// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build !cuda

package main

import (
	"errors"

	"lbmsim/device"
)

// gpus of a build without CUDA.
func gpus() gpuSource { return noGPUs{} }

type noGPUs struct{}

func (noGPUs) list() ([]gpu, error) {
	return nil, errors.New("this lbmsim was built without CUDA (`make build` finds a toolkit, `make cuda-headers` downloads the headers it needs)")
}

func (n noGPUs) open(int) (device.Device, error) {
	_, err := n.list()
	return nil, err
}

func (noGPUs) versions() string { return "built without CUDA" }

// missed: there is a GPU, which would lie idle unnoticed.
func (noGPUs) missed() bool { return nvidiaHere() }
