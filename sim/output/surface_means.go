// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/internal/raw"
	"lbmsim/internal/stats"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/exit"
)

// surfaceMeans takes the samples of an [output.surface.NAME] with means. Checkpoints store the sums.
type surfaceMeans struct {
	base
	*surfaceSums
	surface     *surfaces
	start       int
	first, last int       // steps of samples
	image       []float64 // of sums, for the checkpoint that is being written
	resumed     string    // path of the checkpoint that the sums continue from
	count       int       // of triangles, from the first call of triangles on
	sum         string    // over them
}

// surfaceMemory is a checkpoint's record of the sums beside it.
type surfaceMemory struct {
	Samples     int64
	First, Last int
	Start       int
	Every       float64 // steps between the samples
	Triangles   string  // that the sums are of
	Forces      stats.Vector
}

// besideSurface is the kind of the files that keep them.
const besideSurface = "means of a surface beside a checkpoint"

func (m *surfaceMeans) head() string { return "[output.surface." + m.surface.Name + "]" }

// Write takes a sample.
func (m *surfaceMeans) Write(r *Run) error {
	m.at = r.Step()
	if r.Step() < m.start {
		return nil
	}
	values, err := m.surface.present(r)
	if err != nil {
		return err
	}
	if m.samples++; m.samples == 1 {
		m.first = r.Step()
	}
	m.last = r.Step()
	if r.Rank.Root {
		m.take(values)
		m.forces.Add(m.surface.forces(values, r.Case.Units))
	}
	return nil
}

// header returns the header of the file of sums beside the checkpoint with this header.
func (m *surfaceMeans) header(h checkpoint.Header, triangles int) checkpoint.Header {
	h.Planes, h.Rows, h.Components, h.Pitch, h.Bytes = 2*m.values(), 1, 1, triangles, 8
	h.N = [3]int{triangles, 1, h.Planes}
	return h
}

// triangles returns their number and a sum over them, on all ranks. Collective.
func (m *surfaceMeans) triangles(r *Run) (n int, sum string, err error) {
	if m.count > 0 {
		return m.count, m.sum, nil
	}
	if err := m.surface.read(r); err != nil {
		return 0, "", err
	}
	var b []byte
	if r.Rank.Root {
		of := sha256.New()
		of.Write(raw.Bytes(m.surface.mesh.Points))
		of.Write(raw.Bytes(m.surface.mesh.Corners))
		b = of.Sum(comm.Float64Bytes([]float64{float64(len(m.surface.mesh.Corners) / 3)}))
	}
	if b, err = comm.Broadcast(r.Rank.Comm, b); err != nil {
		return 0, "", err
	}
	m.count, m.sum = int(comm.Float64At(b, 0)), hex.EncodeToString(b[8:])
	return m.count, m.sum, nil
}

// remember records the sums, as long as there are any, and copies them for beside.
func (m *surfaceMeans) remember(r *Run, all *Memory) error {
	if m.samples == 0 {
		return nil
	}
	_, sum, err := m.triangles(r)
	if err != nil {
		return err
	}
	all.Surfaces[m.surface.Name] = surfaceMemory{Samples: m.samples, First: m.first, Last: m.last, Start: m.start, Every: m.when.Period, Triangles: sum, Forces: m.forces}
	m.image = slices.Clone(m.sums)
	return nil
}

// beside begins the file of the sums, which rank 0 has. It precedes the checkpoint, which is usable only with it, and is removed with
// its checkpoint.
func (m *surfaceMeans) beside(r *Run, h checkpoint.Header, dir string) (written []*bool, err error) {
	if m.samples == 0 {
		return nil, nil
	}
	r.vacate(checkpoint.Path(dir, h.Step), m.resumed)
	n, _, err := m.triangles(r)
	if err != nil {
		return nil, err
	}
	h = m.header(h, n)
	p, err := checkpoint.Begin(r.Rank.Comm, surfaceFolder(dir, m.surface.Name), h, m.extent(r, h))
	if err != nil {
		return nil, exit.AtStep(r.Step(), besideSurface, err)
	}
	sums, done := m.image, new(bool)
	m.image = nil
	commit := func(failed error) error {
		err := p.Commit(0, failed)
		*done = err == nil
		return err
	}
	r.Files.Launch(besideSurface, checkpoint.Path(surfaceFolder(dir, m.surface.Name), h.Step), commit, func() error {
		if len(sums) > 0 {
			if err := p.Write(0, raw.Bytes(sums)); err != nil {
				return err
			}
		}
		return p.Flush()
	})
	return []*bool{done}, nil
}

// extent returns the rank's part of the file: rank 0 has all of it.
func (m *surfaceMeans) extent(r *Run, h checkpoint.Header) checkpoint.Extent {
	if !r.Rank.Root {
		return NoExtent(h)
	}
	return checkpoint.Extent{Planes: [2]int{0, h.Planes}, Rows: [2]int{0, h.Rows}}
}

// recall reads the sums beside a checkpoint.
func (m *surfaceMeans) recall(r *Run, path string, all *Memory) error {
	// Reading a newer checkpoint may have been abandoned halfway.
	m.surfaceSums.reset()
	m.first, m.last, m.resumed = 0, 0, ""
	old, known := all.Surfaces[m.surface.Name]
	if !known {
		r.startsLate(m.head(), m.when)
		return nil
	}
	n, sum, err := m.triangles(r)
	switch {
	case err != nil:
		return err
	case old.Triangles != sum:
		r.recalls("%s: the means in the checkpoint are of other triangles; restarting them", m.head())
		return nil
	case old.Start != m.start:
		r.recalls("%s: the means in the checkpoint have another start, step %d; restarting them", m.head(), old.Start)
		return nil
	}
	beside := filepath.Join(surfaceFolder(filepath.Dir(path), m.surface.Name), filepath.Base(path))
	f, err := checkpoint.Open(beside)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the means of %s that belong to the checkpoint %s are missing: there is no file %s; a case with means = false can resume from the checkpoint", m.head(), path, beside)
	}
	if f != nil {
		defer f.Close()
	}
	h := m.header(r.Header(), n)
	if err == nil && (f.Header.Planes != h.Planes || f.Header.PlaneBytes() != h.PlaneBytes() || f.Header.Bytes != h.Bytes) {
		err = fmt.Errorf("%s does not contain the means of %s", beside, m.head())
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return err
	}
	if r.Rank.Root {
		m.sums = make([]float64, h.Planes*n)
	}
	err = f.Load(r.Rank.Comm, m.extent(r, h), func(first int, data []byte) error {
		copy(raw.Bytes(m.sums[first*n:]), data)
		return nil
	})
	if err == nil {
		m.samples, m.first, m.last, m.forces, m.resumed = old.Samples, old.First, old.Last, old.Forces, path
		r.mixes(m.head(), old.Every, m.when)
	}
	return err
}
