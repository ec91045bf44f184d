//go:build cuda

package cuda

/*
#include <cuda.h>

// lbm_follow launches a kernel that waits itself for what is queued before it.
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

// kernelSet is the functions of one compiled instance.
type kernelSet struct {
	module                                                   cu.Module
	loaded                                                   bool
	step, init, fields, fields32, rows, planes, update, copy cu.Function

	// How lbm_step is launched (lbm_step_shape).
	threads [2]int
	tile    [3]int // cells that a block computes
	shared  int    // bytes
	ends    int    // of lbm_step_shape: see servesEnds
	slots   int    // blocks that the GPU runs at once
	follows bool   // lbm_step waits itself for what is queued before it
}

// recordsFollow is the first driver whose graphs keep that launches may overlap.
const recordsFollow = 12030

// stepShape is lbm_step_shape of kernels/gpu/instance.h.
type stepShape [8]int32

// kernels compiles the kernels of spec for this GPU, or finds them in the cache, and
// loads them. They are for rows of this pitch, or of any for 0; more are options of the compiler.
func (d *Device) kernels(spec model.Spec, pitch int, more ...string) (k kernelSet, err error) {
	code, err := d.codeOf(instanceFile, spec, pitch, more...)
	if err != nil {
		return k, err
	}
	var shape stepShape
	err = d.call("loading the kernels of "+spec.String(), func() error {
		var err error
		if k.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		k.loaded = true
		for name, f := range map[string]*cu.Function{
			"lbm_step": &k.step, "lbm_init": &k.init, "lbm_fields": &k.fields, "lbm_fields32": &k.fields32,
			"lbm_rows": &k.rows, "lbm_planes": &k.planes, "lbm_update": &k.update, "lbm_copy": &k.copy,
		} {
			if *f, err = k.module.Function(name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if err = numbersIn(k.module, "lbm_step_shape", shape[:]); err != nil {
			return err
		}
		k.threads = [2]int{int(shape[0]), int(shape[1])}
		k.tile = [3]int{int(shape[2]), int(shape[3]), int(shape[4])}
		k.shared, k.ends, k.follows = int(shape[5]), int(shape[6]), shape[7] != 0 && cu.Version() >= recordsFollow
		k.slots, err = d.room(k.step, k.threads, k.shared)
		return err
	})
	if err == nil && min(k.threads[0], k.threads[1], k.tile[0], k.tile[1], k.tile[2]) < 1 {
		err = fmt.Errorf("the kernels of %s have the impossible shape %v", spec, shape)
	}
	if err != nil {
		k.unload(d)
	}
	return k, err
}

// room asks for the shared memory of a function's blocks, and is how many of them the GPU runs at once.
func (d *Device) room(fn cu.Function, threads [2]int, shared int) (slots int, err error) {
	if shared > 48<<10 {
		// Above what every GPU has, a function has to ask.
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

// processors is how many blocks the GPU runs at once if each needs a multiprocessor for itself.
func (d *Device) processors() (int, error) {
	if d.slots > 0 {
		return d.slots, nil
	}
	return d.gpu.Attribute(cu.MultiprocessorCount)
}

// numbersIn fills list with the constant of that name. Go lets C write to list only if what it was allocated with has no Go
// pointers: it has to be a variable of its own, no part of a structure.
func numbersIn(m cu.Module, name string, list []int32) error {
	at, bytes, err := m.Global(name)
	if err == nil && bytes != int64(4*len(list)) {
		err = fmt.Errorf("%d bytes, not %d", bytes, 4*len(list)) // a bug
	}
	if err == nil {
		err = cu.MemcpyDtoH(unsafe.Pointer(&list[0]), at, bytes)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// servesEnds tells on which sides of rows of nx cells the kernels heed boxABI.mirror, or rims.
func (k *kernelSet) servesEnds(nx int) [2]bool {
	return [2]bool{k.ends > 0, k.ends > 0 && nx%k.ends == 0}
}

// codeOf is the machine code of a file of kernels for this GPU.
func (d *Device) codeOf(file string, spec model.Spec, pitch int, more ...string) ([]byte, error) {
	c, err := d.openedCompiler()
	if err != nil {
		return nil, err
	}
	j, err := newJobOf(c, file, spec, pitch, d.arch(), more...)
	if err != nil {
		return nil, err
	}
	return cached(d.cache, j.key(), j.compile)
}

// openedCompiler is this machine's NVRTC.
func (d *Device) openedCompiler() (c *compiler, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.compiler == nil {
		d.compiler, err = openCompiler(driverMajor(), d.arch())
	}
	return d.compiler, err
}

// arch is the compute capability as one number: 90 for sm_90.
func (d *Device) arch() int { return 10*d.info.Major + d.info.Minor }

func (k *kernelSet) unload(d *Device) {
	if k.loaded {
		_ = d.call("unloading kernels", k.module.Unload)
		k.loaded = false
	}
}

// launch queues a kernel, all of whose arguments have 8 bytes.
func launch(fn cu.Function, grid [3]int, threads [2]int, shared int, s cu.Stream, args ...uint64) error {
	list := make([]unsafe.Pointer, len(args))
	for i := range args {
		list[i] = unsafe.Pointer(&args[i])
	}
	return fn.Launch(grid[0], grid[1], grid[2], threads[0], threads[1], 1, shared, s, list)
}

// follow is launch for a kernel that waits itself for what is queued before it: it may take its places meanwhile.
func follow(fn cu.Function, grid [3]int, threads [2]int, shared int, s cu.Stream, args ...uint64) error {
	shape := [6]C.uint{C.uint(grid[0]), C.uint(grid[1]), C.uint(grid[2]), C.uint(threads[0]), C.uint(threads[1]), C.uint(shared)}
	return check(C.lbm_follow(functionOf(fn), &shape[0], streamOf(s), (*C.ulonglong)(&args[0]), C.int(len(args))))
}

// functionOf is the driver's handle of a function, for which cu has no method.
func functionOf(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
