// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/model"
)

// module is one compiled file of kernels in the GPU's memory.
type module struct {
	handle cu.Module
	loaded bool
}

// functions are kernels by name, to be found in a module.
type functions map[string]*cu.Function

// compilation returns the job that compiles a file of kernels for GPUs of an architecture.
type compilation func(c *compiler, arch int) (job, error)

// fileOf returns the compilation of a file of kernels for a spec and rows of this pitch, or of any for 0; more are
// options of the compiler.
func fileOf(file string, spec model.Spec, pitch int, more ...string) compilation {
	return func(c *compiler, arch int) (job, error) { return newJobOf(c, file, spec, pitch, arch, more...) }
}

// load compiles a file of kernels, or takes the result from the cache, loads it and finds its functions. Then rest reads
// other contents of the module; nil: none. A module that fails is unloaded.
func (m *module) load(d *Device, doing string, of compilation, found functions, rest func() error) error {
	code, err := d.code(of)
	if err != nil {
		return err
	}
	err = d.call(doing, func() (err error) {
		if m.handle, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		m.loaded = true
		for name, f := range found {
			if *f, err = m.function(name); err != nil {
				return err
			}
		}
		if rest == nil {
			return nil
		}
		return rest()
	})
	if err != nil {
		m.unload(d)
	}
	return err
}

// unload frees the GPU's memory of the kernels; a second call does nothing.
func (m *module) unload(d *Device) {
	if m.loaded {
		_ = d.call("unloading kernels", m.handle.Unload)
		m.loaded = false
	}
}

// function finds a kernel.
func (m *module) function(name string) (cu.Function, error) {
	f, err := m.handle.Function(name)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return f, err
}

// numbers fills list with the constant of that name. Go lets C write to list only if the allocation that it belongs to
// has no Go pointers: it has to be a variable of its own, no part of a structure.
func (m *module) numbers(name string, list []int32) error {
	at, bytes, err := m.handle.Global(name)
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

// compilations are a device's compiled kernels.
type compilations struct {
	mu       sync.Mutex // of what follows
	compiler *compiler  // opened at the first use
	made     map[string]func() ([]byte, error)
	slots    chan struct{} // of compilations at a time

	running sync.WaitGroup
}

// mostAtOnce bounds the compilations at a time, which take some hundred MB each: a grid may have many patches.
const mostAtOnce = 8

// once returns a function that does the work for a key at its first call, of all that get the same key, and waits for it at the others.
func (k *compilations) once(key string, work func() ([]byte, error)) func() ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made == nil {
		k.made, k.slots = map[string]func() ([]byte, error){}, make(chan struct{}, min(mostAtOnce, runtime.GOMAXPROCS(0)))
	}
	if k.made[key] == nil {
		k.made[key] = sync.OnceValues(func() ([]byte, error) {
			k.slots <- struct{}{}
			defer func() { <-k.slots }()
			return work()
		})
	}
	return k.made[key]
}

// begin does work in the background.
func (k *compilations) begin(work func()) {
	k.running.Add(1)
	go func() {
		defer k.running.Done()
		work()
	}()
}

// close waits for the work in the background.
func (k *compilations) close() {
	k.running.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.compiler != nil {
		k.compiler.close()
		k.compiler = nil
	}
}

// begin compiles files in the background: load waits for the results and reports their errors.
func begin(d *Device, files ...compilation) {
	for _, of := range files {
		d.kept.begin(func() { _, _ = d.code(of) })
	}
}

// code returns the machine code of a file of kernels for this GPU, compiled once.
func (d *Device) code(of compilation) ([]byte, error) {
	c, err := d.kept.opened(d.arch())
	if err != nil {
		return nil, err
	}
	j, err := of(c, d.arch())
	if err != nil {
		return nil, err
	}
	key := j.key()
	return d.kept.once(key, func() ([]byte, error) { return cached(d.cache, key, j.compile) })()
}

// opened returns this machine's NVRTC, opened at the first call.
func (k *compilations) opened(arch int) (c *compiler, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.compiler == nil {
		k.compiler, err = openCompiler(driverMajor(), arch)
	}
	return k.compiler, err
}

// arch returns the compute capability as one number: 90 for sm_90.
func (d *Device) arch() int { return 10*d.info.Major + d.info.Minor }
