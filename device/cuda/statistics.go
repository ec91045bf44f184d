// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"math"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// statistics holds the kernels of kernels/gpu/statistics.h, once used.
type statistics struct {
	*core
	module                   module
	sample, average, profile cu.Function
	waited                   *stream // of the awaited sums
	sums                     *buffer // of planes
}

// statisticsWait is the number of samples that may wait for the sums, as in statistics.h: sums take 16 bytes per number to
// read and write, a waiting number 8 in float32. One less than a power of two: NewAverages halves it.
const statisticsWait = 31

// prepare compiles the kernels.
func (s *statistics) prepare() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.module.loaded {
		return nil
	}
	if s.waited == nil {
		s.waited = s.d.newStream(false)
	}
	err := s.load(&s.module, "loading the kernels", statisticsFile, functions{"lbm_sample": &s.sample, "lbm_average": &s.average, "lbm_profile": &s.profile}, func() error {
		var numbers [2]int32
		err := s.module.numbers("lbm_statistics_numbers", numbers[:])
		if want := [2]int32{int32(device.ProfileValues(s.spec.Lattice.Dims, s.spec.Scalar)), statisticsWait}; err == nil && numbers != want {
			err = fmt.Errorf("the kernels have %v numbers, not %v", numbers, want) // a bug: they would write past their memory
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("statistics of %s: %w", s.spec, err)
	}
	return nil
}

func (s *statistics) free() {
	s.sums.Free()
	s.sums = nil
	s.module.unload(s.d)
}

// averages is device.Averages.
type averages struct {
	s             *statistics
	of            model.AverageSums
	sums, waiting *buffer
	most          int     // samples that may wait
	count         int     // that do
	first         int64   // number of the first of them
	last          *stream // of the last Take; nil: there was none
}

// NewAverages takes the memory of the sums, and of as many samples that wait as fit into a quarter of the remaining memory.
func (s *statistics) NewAverages(of model.AverageSums) (device.Averages, error) {
	if err := s.prepare(); err != nil {
		return nil, err
	}
	a := &averages{s: s, of: of}
	if n := s.layout.N; max(n[1], n[2]) > maxGrid {
		return nil, fmt.Errorf("averages of %s: a grid of blocks has at most %d rows along an axis", s.spec, maxGrid)
	}
	var err error
	if a.sums, err = s.d.alloc(a.cells() * of.Values(s.spec.Lattice.Dims) * 8); err != nil {
		return nil, fmt.Errorf("averages of %s: %w", s.spec, err)
	}
	free, err := s.d.FreeMemory()
	if err != nil {
		a.Close()
		return nil, err
	}
	for a.most = statisticsWait; a.most > 0; a.most /= 2 {
		if bytes := a.most * a.sampleBytes(); int64(bytes) <= free/4 {
			if a.waiting, err = s.d.reserve(bytes); err == nil {
				break
			}
		}
	}
	return a, nil
}

func (a *averages) cells() int {
	n := a.s.layout.N
	return n[0] * n[1] * n[2]
}

// sampleBytes returns the size of a waiting sample.
func (a *averages) sampleBytes() int {
	n := 0
	if a.of.Density {
		n++
	}
	if a.of.Velocity {
		n += a.s.spec.Lattice.Dims
	}
	return n * a.cells() * a.s.valueBytes()
}

// which returns the bits of the sums, as kernels/gpu/statistics.h numbers them.
func (a *averages) which() (bits uint64) {
	for i, on := range []bool{a.of.Density, a.of.DensitySquares, a.of.Velocity, a.of.VelocityProducts} {
		if on {
			bits |= 1 << i
		}
	}
	return bits
}

// Take stores a sample as pending, or adds it and the pending ones to the sums.
func (a *averages) Take(s device.Stream, state device.Buffer, n int64, q model.Params) {
	own := a.s.stream(s)
	a.last = own
	from, err := a.s.state(state)
	if err == nil {
		err = a.s.upload(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("averages of %s: %w", a.s.spec, err))
		return
	}
	if a.count == 0 {
		a.first = n
	}
	if a.count == a.most {
		a.add(own, from.at)
		return
	}
	to := a.waiting.at + cu.DevicePtr(a.count*a.sampleBytes())
	own.queue("a sample of averages", func() error {
		return launch(a.s.sample, a.grid(), [2]int{rowThreads, 1}, 0, own.s, uint64(a.s.box.at), uint64(from.at), uint64(to), a.which())
	})
	a.count++
}

func (a *averages) grid() [3]int {
	n := a.s.layout.N
	return [3]int{raw.Ceil(n[0], rowThreads), n[1], n[2]}
}

// add queues the samples that wait, and the sample of a state, if it is not 0.
func (a *averages) add(own *stream, state cu.DevicePtr) {
	var waiting cu.DevicePtr
	if a.waiting != nil {
		waiting = a.waiting.at
	}
	own.queue("averages", func() error {
		return launch(a.s.average, a.grid(), [2]int{rowThreads, 1}, 0, own.s, uint64(a.s.box.at), uint64(state), uint64(waiting), uint64(a.count), uint64(a.sums.at), uint64(a.first), a.which())
	})
	a.count = 0
}

// Read adds the pending samples first: the bits do not depend on when this happens.
func (a *averages) Read(sums []float64) error {
	if a.count > 0 {
		a.add(a.last, 0)
	}
	if err := a.rest(); err != nil {
		return err
	}
	if err := a.holds(sums); err != nil {
		return err
	}
	return a.sums.Read(raw.Bytes(sums), 0)
}

// Write drops the pending samples.
func (a *averages) Write(sums []float64) error {
	a.count = 0
	if err := a.rest(); err != nil {
		return err
	}
	if err := a.holds(sums); err != nil {
		return err
	}
	return a.sums.Write(raw.Bytes(sums), 0)
}

// rest waits for the samples that are queued.
func (a *averages) rest() error {
	if a.last == nil {
		return nil
	}
	return a.last.Sync()
}

func (a *averages) holds(sums []float64) error {
	if 8*len(sums) != a.sums.bytes {
		return fmt.Errorf("averages of %s: %d sums instead of %d", a.s.spec, len(sums), a.sums.bytes/8)
	}
	return nil
}

func (a *averages) Close() {
	a.sums.Free()
	a.waiting.Free()
}

// PrepareProfile compiles the kernels.
func (s *statistics) PrepareProfile() error { return s.prepare() }

// profileRows is the number of rows that a block sums.
const profileRows = 32

// Profile sums planes.
func (s *statistics) Profile(state device.Buffer, axis int, unit, warmth float64, q model.Params) ([]int64, error) {
	from, err := s.state(state)
	if err == nil {
		err = s.prepare()
	}
	if err == nil {
		err = s.upload(q)
	}
	if err != nil {
		return nil, fmt.Errorf("profile of %s: %w", s.spec, err)
	}
	n := s.layout.N
	sums := make([]int64, n[axis]*device.ProfileValues(s.spec.Lattice.Dims, s.spec.Scalar))
	if s.sums == nil || s.sums.bytes < 8*len(sums) {
		s.sums.Free()
		if s.sums, err = s.d.reserve(8 * len(sums)); err != nil {
			return nil, fmt.Errorf("profile of %s: %w", s.spec, err)
		}
	}
	planes, rows := n[2], n[1]
	if axis == 1 {
		planes, rows = n[1], n[2]
	}
	s.waited.queue("sums of planes", func() error {
		return errors.Join(
			cu.MemsetD32Async(s.sums.at, 0, int64(2*len(sums)), s.waited.s),
			launch(s.profile, [3]int{planes, raw.Ceil(n[0], rowThreads), raw.Ceil(rows, profileRows)}, [2]int{rowThreads, 1}, 0, s.waited.s,
				uint64(s.box.at), uint64(from.at), uint64(s.sums.at), uint64(axis), profileRows, math.Float64bits(unit), math.Float64bits(warmth)))
	})
	if err := s.waited.Sync(); err != nil {
		return nil, err
	}
	return sums, s.sums.Read(raw.Bytes(sums), 0)
}
