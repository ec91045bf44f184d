// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"strings"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/parallel"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// timed updates the values that change with time, for kernels/gpu/timed.h.
type timed struct {
	*core
	links   *links
	faces   *faces
	module  module
	advance cu.Function
	walls   []boundary.Wall
	waves   []*boundary.Turbulence // of each of them that numbers of this box depend on; nil: none
	count   int                    // of numbers that change
	head    clockABI               // how the clock begins
	clock   *buffer                // clockABI, and the moments behind it; nil: nothing was scheduled yet
	ahead   []float64              // these moments
}

// place lists the rules and laws that change with time.
func (t *timed) place(in *placing) error {
	cells := in.cells
	t.walls, t.waves = cells.Walls, make([]*boundary.Turbulence, len(cells.Walls))
	if !cells.Timed() {
		return nil
	}
	var list []laterABI
	var terms []termABI
	add := func(of []boundary.Later, numbers *buffer, first, each, offset int, law bool) {
		size := t.valueBytes()
		for n, l := range of {
			later := laterABI{base: l.Base, to: uint64(numbers.at) + uint64(size*(each*(first+n)+offset)), first: uint32(len(terms)), count: uint16(len(l.Terms))}
			if law {
				later.law = 1
			}
			for _, one := range l.Terms {
				term := termABI{at: one.At, gain: one.Gain, share: one.Share, wall: uint32(one.Wall)}
				if one.Timed {
					term.timed = 1
				}
				if m, ok := boundary.Bare(cells.Motion(one.Wall)).(boundary.Turbulent); ok {
					t.waves[one.Wall-1] = m.Waves
				}
				terms = append(terms, term)
			}
			list = append(list, later)
		}
	}
	if f := t.faces.list; f.Timed() {
		add(f.Later(), t.faces.rules, f.Steady, boundary.FaceNumbers, 0, false)
	}
	for _, l := range []*linkLists{t.links.laws, t.links.measures} {
		if l != nil && l.links.Timed() {
			add(t.links.found.Later(l.links), l.laws, l.links.Steady, boundary.LinkNumbers, lawMomentum, true)
		}
	}
	t.count = len(list)
	for to, data := range map[*uint64][]byte{&t.head.later: raw.Bytes(list), &t.head.terms: raw.Bytes(terms)} {
		b, err := t.putList(data)
		if err != nil {
			return fmt.Errorf("lists of what changes with time: %w", err)
		}
		*to = uint64(b.at)
	}
	return t.loadAdvance()
}

// lawMomentum is the place of the first number of a law that changes, K, which its velocity follows.
const lawMomentum = 3

// loadAdvance compiles the kernel with the velocities of the case.
func (t *timed) loadAdvance() error {
	of := func(c *compiler, arch int) (job, error) { return timedJob(c, t.spec, t.walls, arch) }
	return t.module.load(t.d, "loading the kernel of what changes with time", of, functions{"lbm_advance": &t.advance}, nil)
}

// timedJob compiles kernels/gpu/timed.h for the velocities of these walls.
func timedJob(c *compiler, spec model.Spec, walls []boundary.Wall, arch int) (j job, err error) {
	target, real, err := c.target(arch)
	if err != nil {
		return j, err
	}
	var cases, modes strings.Builder
	for k, w := range walls {
		if m := boundary.Bare(w.Motion); m != nil && !m.Steady() {
			fmt.Fprintf(&cases, "case %d: ", k+1)
			if err := writeMotion(&cases, &modes, k+1, m); err != nil {
				return j, err
			}
			cases.WriteString("break; ")
		}
	}
	number := "float"
	if spec.Precision == model.Float64 {
		number = "double"
	}
	j = job{compiler: c, what: "the kernel of what changes with time", file: timedFile, options: []string{target, "--std=c++17", "-lineinfo", "-DLBM_REAL=" + number}, real: real}
	j.text, err = source(kernels.Sources, j.file)
	j.text = "#define LBM_VELOCITIES " + cases.String() + "\n#define LBM_MODES " + modes.String() + "\n" + j.text
	return j, err
}

// writeMotion writes the velocity of a wall as statements of kernels/gpu/timed.h, and the waves that it needs.
func writeMotion(to, modes *strings.Builder, wall int, m boundary.Motion) error {
	switch m := m.(type) {
	case boundary.Formula:
		if m.Code[0] == "" {
			return fmt.Errorf("the velocity of boundary %d changes with time and has no code for a GPU", wall-1)
		}
		for a, code := range m.Code {
			fmt.Fprintf(to, "u[%d] = %s; ", a, code)
		}
	case boundary.Turbulent:
		if err := writeMotion(to, modes, wall, m.Mean); err != nil {
			return err
		}
		f := m.Waves
		writeModes(modes, wall, f)
		fmt.Fprintf(to, "{ const double speed = length(u); (void)speed; addModes(modes%d, %d, %d, level, (%s), at, t, u); } ", wall, len(f.Modes), f.Axis, f.Code)
	default:
		return fmt.Errorf("a GPU cannot compute the velocity of boundary %d, a %T that changes with time", wall-1, m)
	}
	return nil
}

// writeModes writes the waves of a wall as an array of kernels/gpu/timed.h, to the bit.
func writeModes(to *strings.Builder, wall int, f *boundary.Turbulence) {
	fmt.Fprintf(to, "const __device__ Mode modes%d[] = {", wall)
	for _, m := range f.Modes {
		w, a := m.Wave, m.Amplitude
		fmt.Fprintf(to, "{{%x, %x, %x}, %x, %x, {LBM_REAL(%x), LBM_REAL(%x), LBM_REAL(%x)}}, ", w[0], w[1], w[2], m.Rate, m.Phase, a[0], a[1], a[2])
	}
	to.WriteString("}; ")
}

func (t *timed) free() {
	t.module.unload(t.d)
	t.clock.Free()
}

// Schedule writes the moments of the coming steps behind a clock that begins with the first.
func (t *timed) Schedule(steps []device.Moment) error {
	if len(steps) > device.MaxScheduled {
		return fmt.Errorf("%d steps are scheduled at once, and %d are the most", len(steps), device.MaxScheduled)
	}
	if !t.module.loaded { // the force alone changes
		if err := t.loadAdvance(); err != nil {
			return err
		}
	}
	t.ahead = t.ahead[:0]
	levels := t.levels(steps)
	for i, m := range steps {
		t.ahead = append(append(t.ahead, m.Time), m.Force[:]...)
		for k, w := range t.walls {
			t.ahead = append(t.ahead, w.Strength(m.Time), levels[k][i])
		}
	}
	t.head.now, t.head.arrived = 0, 0
	t.head.count, t.head.numbers = uint32(t.count), uint32(1+3+2*len(t.walls))
	head := raw.Bytes([]clockABI{t.head})
	if t.clock == nil { // for good: recordings know its address
		var err error
		if t.clock, err = t.d.alloc(len(head) + 8*int(t.head.numbers)*device.MaxScheduled); err != nil {
			return fmt.Errorf("what steps depend on: %w", err)
		}
	}
	if n := len(steps); n > 0 {
		t.numbers.schedule(steps[n-1].Force)
	}
	return t.clock.Write(append(head, raw.Bytes(t.ahead)...), 0)
}

// levels returns the levels of each wall's turbulence at these moments. A GPU waits for them, and has hundreds of waves.
func (t *timed) levels(steps []device.Moment) [][]float64 {
	levels := make([][]float64, len(t.walls))
	for k, waves := range t.waves {
		levels[k] = make([]float64, len(steps))
		if waves == nil {
			continue
		}
		parallel.Ranges(len(steps), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				levels[k][i] = waves.Level(steps[i].Time)
			}
		})
	}
	return levels
}

// Advance queues the next moment.
func (t *timed) Advance(to device.Stream) {
	s := t.stream(to)
	if t.clock == nil {
		s.fail(fmt.Errorf("no steps of %s were scheduled", t.spec))
		return
	}
	s.queue("what changes with time", func() error {
		return launch(t.advance, [3]int{max(1, raw.Ceil(t.count, rowThreads)), 1, 1}, [2]int{rowThreads, 1}, 0, s.s, uint64(t.box.at), uint64(t.clock.at))
	})
}
