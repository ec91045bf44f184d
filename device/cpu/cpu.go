// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package cpu is the CPU as a device: worker threads locked to OS threads, queues as streams, and
// the kernels of the best instruction set that the processor supports. Results do not depend on the
// number of threads, on the ranges of a step, or on the instruction set, except for the sign of a
// zero.
package cpu

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"lbmsim/device"
	"lbmsim/kernels"
)

// Device is the processor.
type Device struct {
	threads int
	isa     kernels.ISA
	pool    *pool
	direct  *stream // for calls that return when done
	directs sync.Mutex
}

// Option configures New.
type Option func(*Device) error

// WithISA selects an instruction set by name ("baseline", "avx2", "avx512") instead of the best
// one.
func WithISA(name string) Option {
	return func(d *Device) error {
		var names []string
		for _, i := range kernels.ISAs() {
			if i.String() == name {
				d.isa = i
				return nil
			}
			names = append(names, i.String())
		}
		return fmt.Errorf("no kernels for the instruction set %q: this processor, or this build, has %s (make build ISA=all builds every set)", name, strings.Join(names, ", "))
	}
}

// mostThreads: more than the cores of any node, fewer than the limit of the Go runtime.
const mostThreads = 4096

// New returns the device. With threads = 0 it uses as many as the process may use: the processors
// of its affinity mask (an MPI launcher sets it for each rank), or GOMAXPROCS if that is less.
func New(threads int, options ...Option) (*Device, error) {
	if threads < 0 || threads > mostThreads {
		return nil, fmt.Errorf("%d threads: give a number from 1 to %d, or 0 for all", threads, mostThreads)
	}
	if threads == 0 {
		threads = min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	}
	d := &Device{threads: threads, isa: kernels.ISAs()[0]}
	for _, o := range options {
		if err := o(d); err != nil {
			return nil, err
		}
	}
	d.pool = newPool(threads)
	d.direct = d.pool.addStream(true)
	return d, nil
}

// Info describes the device.
func (d *Device) Info() device.Info {
	plural := "s"
	if d.threads == 1 {
		plural = ""
	}
	detail := fmt.Sprintf("%d thread%s, %s", d.threads, plural, d.isa)
	if better := kernels.LeftOut(); better != "" && d.isa == kernels.ISAs()[0] {
		detail += fmt.Sprintf(" (built without kernels for %s, which this processor has: make build ISA=all)", better)
	}
	return device.Info{Name: "cpu", Model: processor(), Threads: d.threads, Detail: detail}
}

// processor returns the product's name from /proc/cpuinfo, or the architecture.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for _, line := range strings.Split(string(text), "\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// Alloc returns zeroed memory.
func (d *Device) Alloc(bytes int) (device.Buffer, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("cannot allocate %d bytes", bytes)
	}
	m, err := newMemory(bytes)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NewStream makes a queue.
func (d *Device) NewStream(urgent bool) device.Stream { return d.pool.addStream(urgent) }

// run executes tasks on the workers and returns when they are done.
func (d *Device) run(tasks []task) error {
	d.directs.Lock()
	defer d.directs.Unlock()
	d.direct.err = nil
	d.pool.push(d.direct, &operation{tasks: tasks})
	return d.direct.Sync()
}

// Close ends the worker threads. Buffers remain valid until freed.
func (d *Device) Close() error {
	d.pool.close()
	return nil
}
