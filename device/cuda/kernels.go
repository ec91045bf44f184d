// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

/*
#include <cuda.h>

// lbm_follow launches a kernel that itself waits for the work queued before it.
static CUresult lbm_follow(CUfunction f, const unsigned* shape, CUstream s, unsigned long long* args, int count) {
	void* list[8];
	for (int i = 0; i < count; i++) list[i] = args + i;
	CUlaunchAttribute overlaps = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	overlaps.value.programmaticStreamSerializationAllowed = 1;
	CUlaunchConfig c = {.gridDimX = shape[0], .gridDimY = shape[1], .gridDimZ = shape[2], .blockDimX = shape[3], .blockDimY = shape[4], .blockDimZ = 1,
		.sharedMemBytes = shape[5], .hStream = s, .attrs = &overlaps, .numAttrs = 1};
	return cuLaunchKernelEx(&c, f, list, 0);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/model"
)

// stepKernel is a kernel that computes a step of a box of cells, and how it is launched.
type stepKernel struct {
	step    cu.Function
	threads [2]int
	tile    [3]int // cells that a block computes
	shared  int    // bytes
	slots   int    // blocks that the GPU runs at once
	follows bool   // it waits itself for the work queued before it
}

// kernelSet is the functions of one compiled instance; its step is lbm_step.
type kernelSet struct {
	module
	stepKernel
	init, fields, fields32, rows, planes, update, copy cu.Function

	ends int // of lbm_step_shape: see servesEnds
}

// recordsFollow is the first driver whose graphs keep that launches may overlap.
const recordsFollow = 12030

// stepShape is lbm_step_shape of kernels/gpu/instance.h.
type stepShape [8]int32

// shaped takes the part of a shape that all kernels of a step have.
func (k *stepKernel) shaped(shape stepShape) {
	k.threads = [2]int{int(shape[0]), int(shape[1])}
	k.tile = [3]int{int(shape[2]), int(shape[3]), int(shape[4])}
	k.shared = int(shape[5])
}

// kernels compiles the kernels of spec for this GPU, or finds them in the cache, and
// loads them. They are for rows of this pitch, or of any for 0; more are options of the compiler.
func (d *Device) kernels(spec model.Spec, pitch int, more ...string) (k kernelSet, err error) {
	var shape stepShape
	err = k.load(d, "loading the kernels of "+spec.String(), fileOf(instanceFile, spec, pitch, more...), functions{
		"lbm_step": &k.step, "lbm_init": &k.init, "lbm_fields": &k.fields, "lbm_fields32": &k.fields32,
		"lbm_rows": &k.rows, "lbm_planes": &k.planes, "lbm_update": &k.update, "lbm_copy": &k.copy,
	}, func() (err error) {
		if err = k.numbers("lbm_step_shape", shape[:]); err != nil {
			return err
		}
		k.shaped(shape)
		k.ends, k.follows = int(shape[6]), shape[7] != 0 && cu.Version() >= recordsFollow
		k.slots, err = d.room(k.step, k.threads, k.shared)
		return err
	})
	if err == nil && min(k.threads[0], k.threads[1], k.tile[0], k.tile[1], k.tile[2]) < 1 {
		k.unload(d)
		err = fmt.Errorf("the kernels of %s have the impossible shape %v", spec, shape)
	}
	return k, err
}

// room requests the shared memory of a function's blocks, and returns the number of blocks that the GPU runs at once.
func (d *Device) room(fn cu.Function, threads [2]int, shared int) (slots int, err error) {
	if shared > 48<<10 {
		// Above the size of every GPU, a function has to request it.
		if err := check(C.cuFuncSetAttribute(functionOf(fn), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(shared))); err != nil {
			return 0, fmt.Errorf("asking for %d bytes of shared memory a block: %w", shared, err)
		}
	}
	processors, err := d.processors()
	if err != nil || d.slots > 0 {
		return processors, err
	}
	perProcessor, err := fn.MaxActiveBlocksPerMultiProcessor(threads[0]*threads[1], int64(shared))
	return max(1, processors*perProcessor), err
}

// processors returns the number of blocks that the GPU runs at once if each needs a multiprocessor for itself.
func (d *Device) processors() (int, error) {
	if d.slots > 0 {
		return d.slots, nil
	}
	return d.gpu.Attribute(cu.MultiprocessorCount)
}

// servesEnds reports on which sides of rows of nx cells the kernels heed boxABI.mirror, or rowEnds.
func (k *kernelSet) servesEnds(nx int) [2]bool {
	return [2]bool{k.ends > 0, k.ends > 0 && nx%k.ends == 0}
}

// launch queues a kernel, all of whose arguments have 8 bytes.
func launch(fn cu.Function, grid [3]int, threads [2]int, shared int, s cu.Stream, args ...uint64) error {
	list := make([]unsafe.Pointer, len(args))
	for i := range args {
		list[i] = unsafe.Pointer(&args[i])
	}
	return fn.Launch(grid[0], grid[1], grid[2], threads[0], threads[1], 1, shared, s, list)
}

// follow launches a kernel that itself waits for the work queued before it: its blocks may be resident meanwhile.
func follow(fn cu.Function, grid [3]int, threads [2]int, shared int, s cu.Stream, args ...uint64) error {
	shape := [6]C.uint{C.uint(grid[0]), C.uint(grid[1]), C.uint(grid[2]), C.uint(threads[0]), C.uint(threads[1]), C.uint(shared)}
	return check(C.lbm_follow(functionOf(fn), &shape[0], streamOf(s), (*C.ulonglong)(&args[0]), C.int(len(args))))
}

// functionOf returns the driver's handle of a function, for which cu has no method.
func functionOf(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
