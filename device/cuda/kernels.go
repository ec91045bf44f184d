//go:build cuda

package cuda

// #include <cuda.h>
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
}

// stepShape is lbm_step_shape of kernels/gpu/instance.h.
type stepShape [7]int32

// kernels compiles the kernels of spec for this GPU, or finds them in the cache, and
// loads them. They are for rows of this pitch, or of any for 0.
func (d *Device) kernels(spec model.Spec, pitch int) (k kernelSet, err error) {
	code, err := d.code(spec, pitch)
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
		if shape, err = shapeIn(k.module, "lbm_step_shape"); err != nil {
			return err
		}
		k.threads = [2]int{int(shape[0]), int(shape[1])}
		k.tile = [3]int{int(shape[2]), int(shape[3]), int(shape[4])}
		k.shared, k.ends = int(shape[5]), int(shape[6])
		if k.shared > 48<<10 {
			// Above what every GPU has, a function has to ask.
			if err := check(C.cuFuncSetAttribute(functionOf(k.step), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(k.shared))); err != nil {
				return fmt.Errorf("asking for %d bytes of shared memory a block: %w", k.shared, err)
			}
		}
		processors, err := d.gpu.Attribute(cu.MultiprocessorCount)
		if err != nil {
			return err
		}
		perProcessor, err := k.step.MaxActiveBlocksPerMultiProcessor(k.threads[0]*k.threads[1], int64(k.shared))
		k.slots = max(1, processors*perProcessor)
		if d.slots > 0 {
			k.slots = d.slots
		}
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

// shapeIn reads the shape of that name.
func shapeIn(m cu.Module, name string) (shape stepShape, err error) {
	at, bytes, err := m.Global(name)
	if err != nil {
		return shape, fmt.Errorf("%s: %w", name, err)
	}
	if bytes != int64(unsafe.Sizeof(shape)) {
		return shape, fmt.Errorf("%s has %d bytes, not %d", name, bytes, unsafe.Sizeof(shape))
	}
	return shape, cu.MemcpyDtoH(unsafe.Pointer(&shape[0]), at, bytes)
}

// servesEnds tells on which sides of rows of nx cells the kernels heed boxABI.mirror, or rims.
func (k *kernelSet) servesEnds(nx int) [2]bool {
	return [2]bool{k.ends > 0, k.ends > 0 && nx%k.ends == 0}
}

// code is the machine code of spec for this GPU.
func (d *Device) code(spec model.Spec, pitch int) ([]byte, error) {
	return d.codeOf(instanceFile, spec, pitch)
}

// codeOf is that of a file of kernels.
func (d *Device) codeOf(file string, spec model.Spec, pitch int) ([]byte, error) {
	c, err := d.openedCompiler()
	if err != nil {
		return nil, err
	}
	j, err := newJobOf(c, file, spec, pitch, d.arch())
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

// functionOf is the driver's handle of a function, for which cu has no method.
func functionOf(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }
