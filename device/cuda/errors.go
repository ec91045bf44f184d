// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #include <cuda.h>
// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"
)

// Error is a failed call of NVIDIA's driver.
type Error struct {
	Doing string // what was attempted
	Code  int    // CUresult
	Text  string // the driver's name and words for it
}

func (e *Error) Error() string { return e.Doing + ": " + e.Text }

// status is a number of the driver as an error.
type status C.CUresult

func (s status) Error() string { return text(C.CUresult(s)) }

// check turns a number of the driver into an error, success into nil.
func check(code C.CUresult) error {
	if code == C.CUDA_SUCCESS {
		return nil
	}
	return status(code)
}

// failure turns what check or gorgonia.org/cu returned into an Error; nil stays nil.
func failure(doing string, err error) error {
	if err == nil {
		return nil
	}
	code, ok := codeOf(status(0), err)
	if !ok {
		code, ok = codeOf(cu.Success, err)
	}
	if !ok {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return &Error{Doing: doing, Code: code, Text: text(C.CUresult(code))}
}

// codeOf finds a number of the driver in an error of type T. The type that cu has
// for it has no exported name, but a constant of it will do.
func codeOf[T interface {
	~int | ~uint32
	error
}](_ T, err error) (int, bool) {
	var code T
	ok := errors.As(err, &code)
	return int(code), ok
}

// text returns the driver's name of an error code, its explanation, and a remedy where one is known.
func text(code C.CUresult) string {
	var name, words *C.char
	s := fmt.Sprintf("CUDA error %d", int(code))
	if C.cuGetErrorName(code, &name) == C.CUDA_SUCCESS && name != nil {
		s = C.GoString(name)
	}
	if C.cuGetErrorString(code, &words) == C.CUDA_SUCCESS && words != nil {
		s += " (" + C.GoString(words) + ")"
	}
	switch code {
	case C.CUDA_ERROR_NOT_FOUND:
		s += "; if it is a function of the driver that is not found, a newer driver has it"
	case C.CUDA_ERROR_ILLEGAL_ADDRESS, C.CUDA_ERROR_LAUNCH_FAILED, C.CUDA_ERROR_MISALIGNED_ADDRESS, C.CUDA_ERROR_ILLEGAL_INSTRUCTION:
		s += "; a kernel that was queued earlier broke, and this GPU's work is lost; compute-sanitizer shows the line"
	case C.CUDA_ERROR_ECC_UNCORRECTABLE:
		s += "; the GPU's memory is failing: nvidia-smi -q -d ECC"
	}
	return s
}

func isCode(err error, code C.CUresult) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == int(code)
}

// load starts the driver, once per process.
func load() error {
	var code C.int
	why := C.lbm_driver_load(&code)
	switch {
	case why == nil:
		return nil
	case code == 0:
		return fmt.Errorf("no NVIDIA driver on this machine (%s)", C.GoString(why))
	case code == C.CUDA_ERROR_NO_DEVICE:
		return fmt.Errorf("the NVIDIA driver sees no GPU: %s; CUDA_VISIBLE_DEVICES may hide them", text(C.CUresult(code)))
	}
	return fmt.Errorf("the NVIDIA driver does not start: %s", text(C.CUresult(code)))
}
