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

// statistics is the kernels of kernels/gpu/statistics.h, once something was asked of them.
type statistics struct {
	module                   cu.Module
	loaded                   bool
	sample, average, profile cu.Function
	stream                   *stream // of what is waited for
	sums                     *buffer // of planes
}

// statisticsWait is how many samples may wait for the sums, as in statistics.h: those take 16 bytes a number to read and write,
// a number that waits 8 in float32. One less than a power of two: NewAverages halves it.
const statisticsWait = 31

// loadStatistics compiles the kernels.
func (p *program) loadStatistics() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.statistics
	if s.loaded {
		return nil
	}
	if s.stream == nil {
		s.stream = p.d.newStream(false)
	}
	code, err := p.d.codeOf(statisticsFile, p.spec, ownPitch(p.layout.Pitch))
	if err == nil {
		err = p.d.call("loading the kernels", func() (err error) {
			if s.module, err = cu.LoadData(string(code)); err != nil {
				return err
			}
			s.loaded = true
			for name, fn := range map[string]*cu.Function{"lbm_sample": &s.sample, "lbm_average": &s.average, "lbm_profile": &s.profile} {
				if *fn, err = s.module.Function(name); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			var numbers [2]int32
			err = numbersIn(s.module, "lbm_statistics_numbers", numbers[:])
			if want := [2]int32{int32(device.ProfileValues(p.spec.Lattice.Dims, p.spec.Scalar)), statisticsWait}; err == nil && numbers != want {
				err = fmt.Errorf("the kernels have %v numbers, not %v", numbers, want) // a bug: they would write past what is theirs
			}
			return err
		})
	}
	if err != nil {
		s.unload(p.d)
		return fmt.Errorf("statistics of %s: %w", p.spec, err)
	}
	return nil
}

func (s *statistics) unload(d *Device) {
	s.sums.Free()
	s.sums = nil
	if s.loaded {
		_ = d.call("unloading the kernels", s.module.Unload)
	}
	s.loaded = false
}

// averages is device.Averages.
type averages struct {
	p             *program
	of            model.AverageSums
	sums, waiting *buffer
	most          int     // samples that may wait
	count         int     // that do
	first         int64   // number of the first of them
	last          *stream // of the last Take; nil: there was none
}

// NewAverages takes the memory of the sums, and of as many samples that wait as fit into a quarter of what is left.
func (p *program) NewAverages(of model.AverageSums) (device.Averages, error) {
	if err := p.loadStatistics(); err != nil {
		return nil, err
	}
	a := &averages{p: p, of: of}
	if n := p.layout.N; max(n[1], n[2]) > maxGrid {
		return nil, fmt.Errorf("averages of %s: a grid of blocks has at most %d rows along an axis", p.spec, maxGrid)
	}
	var err error
	if a.sums, err = p.d.alloc(a.cells() * of.Values(p.spec.Lattice.Dims) * 8); err != nil {
		return nil, fmt.Errorf("averages of %s: %w", p.spec, err)
	}
	free, err := p.d.FreeMemory()
	if err != nil {
		a.Close()
		return nil, err
	}
	for a.most = statisticsWait; a.most > 0; a.most /= 2 {
		if bytes := a.most * a.sampleBytes(); int64(bytes) <= free/4 {
			if a.waiting, err = p.d.reserve(bytes); err == nil {
				break
			}
		}
	}
	return a, nil
}

func (a *averages) cells() int {
	n := a.p.layout.N
	return n[0] * n[1] * n[2]
}

// sampleBytes is the size of a sample that waits.
func (a *averages) sampleBytes() int {
	n := 0
	if a.of.Density {
		n++
	}
	if a.of.Velocity {
		n += a.p.spec.Lattice.Dims
	}
	return n * a.cells() * a.p.valueBytes()
}

// which is that of the kernels.
func (a *averages) which() (bits uint64) {
	for i, on := range []bool{a.of.Density, a.of.DensitySquares, a.of.Velocity, a.of.VelocityProducts} {
		if on {
			bits |= 1 << i
		}
	}
	return bits
}

// Take lets a sample wait, or adds it and those that wait to the sums.
func (a *averages) Take(s device.Stream, state device.Buffer, n int64, q model.Params) {
	own := a.p.stream(s)
	a.last = own
	from, err := a.p.state(state)
	if err == nil {
		err = a.p.tell(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("averages of %s: %w", a.p.spec, err))
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
		return launch(a.p.statistics.sample, a.grid(), [2]int{rowThreads, 1}, 0, own.s, uint64(a.p.box.at), uint64(from.at), uint64(to), a.which())
	})
	a.count++
}

func (a *averages) grid() [3]int {
	n := a.p.layout.N
	return [3]int{raw.Ceil(n[0], rowThreads), n[1], n[2]}
}

// add queues the samples that wait, and that of a state, if it is not 0.
func (a *averages) add(own *stream, state cu.DevicePtr) {
	var waiting cu.DevicePtr
	if a.waiting != nil {
		waiting = a.waiting.at
	}
	own.queue("averages", func() error {
		return launch(a.p.statistics.average, a.grid(), [2]int{rowThreads, 1}, 0, own.s, uint64(a.p.box.at), uint64(state), uint64(waiting), uint64(a.count), uint64(a.sums.at), uint64(a.first), a.which())
	})
	a.count = 0
}

// Read adds the samples that wait first: the bits are the same whenever that is.
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

// Write forgets the samples that wait.
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
		return fmt.Errorf("averages of %s: %d sums instead of %d", a.p.spec, len(sums), a.sums.bytes/8)
	}
	return nil
}

func (a *averages) Close() {
	a.sums.Free()
	a.waiting.Free()
}

// PrepareProfile compiles the kernels.
func (p *program) PrepareProfile() error { return p.loadStatistics() }

// profileRows is how many rows a block sums.
const profileRows = 32

// Profile sums planes.
func (p *program) Profile(state device.Buffer, axis int, unit, warmth float64, q model.Params) ([]int64, error) {
	from, err := p.state(state)
	if err == nil {
		err = p.loadStatistics()
	}
	if err == nil {
		err = p.tell(q)
	}
	if err != nil {
		return nil, fmt.Errorf("profile of %s: %w", p.spec, err)
	}
	n := p.layout.N
	sums := make([]int64, n[axis]*device.ProfileValues(p.spec.Lattice.Dims, p.spec.Scalar))
	s := &p.statistics
	if s.sums == nil || s.sums.bytes < 8*len(sums) {
		s.sums.Free()
		if s.sums, err = p.d.reserve(8 * len(sums)); err != nil {
			return nil, fmt.Errorf("profile of %s: %w", p.spec, err)
		}
	}
	planes, rows := n[2], n[1]
	if axis == 1 {
		planes, rows = n[1], n[2]
	}
	s.stream.queue("sums of planes", func() error {
		return errors.Join(
			cu.MemsetD32Async(s.sums.at, 0, int64(2*len(sums)), s.stream.s),
			launch(s.profile, [3]int{planes, raw.Ceil(n[0], rowThreads), raw.Ceil(rows, profileRows)}, [2]int{rowThreads, 1}, 0, s.stream.s,
				uint64(p.box.at), uint64(from.at), uint64(s.sums.at), uint64(axis), profileRows, math.Float64bits(unit), math.Float64bits(warmth)))
	})
	if err := s.stream.Sync(); err != nil {
		return nil, err
	}
	return sums, s.sums.Read(raw.Bytes(sums), 0)
}

var _ interface {
	device.Averager
	device.Profiler
} = (*program)(nil)
