// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Lines holds the lines of a level's cells along an axis in some planes across another one: from the first plane up to, not including, the
// last.
type Lines struct {
	Along, Normal, Level int
	Planes               [2]int
}

// lined is a box whose lines have spectra: of the domain, or of a patch that spans the axis of the lines.
type lined struct {
	View
	own     decomp.Box                    // the rank's cells, without the overlap
	counted func(y, z int) []decomp.Range // runs along x of cells that no finer level covers; nil: all
}

// Spectra adds up the spectra of lines, on rank 0: [value][n-1], n from 1 to half the cells of a line. Values are numbers of the
// source of a view, in the level's lattice units. Lines with solid cells, or with cells of several levels, are left out; whole reports how
// many there are. Collective.
//
// Of a refined grid patch follows patch. Lines are transformed where they lie; of those that ranks share each rank gets a part to be
// transformed. Sums go from line to line of a plane, and from plane to plane: no cut changes them. What travels besides are the sums of
// each plane.
func (v View) Spectra(from func(View) Source[float64], values []int, l Lines) (sums []float64, whole int, err error) {
	size := 1 + len(values)*(v.Case.Cells[l.Along]<<l.Level/2) // the first number counts the lines
	if v.Rank.Root {
		sums = make([]float64, size)
	}
	if v.Refined == nil {
		err = gatherPlanes(v.Rank, sums, func() ([]float64, error) { return lined{v, v.Part.Box, nil}.spectra(from, values, l, size) })
	} else {
		err = v.Refined.each(func(level, k int, p *Patch) error {
			owned := v.Refined.Hierarchy.Levels[level].Patches[k].Owned
			if level != l.Level || !decomp.Whole(v.Refined.Hierarchy, level, k, l.Along) || owned.Hi[l.Normal] <= l.Planes[0] || owned.Lo[l.Normal] >= l.Planes[1] {
				return nil // on all ranks
			}
			return gatherPlanes(v.Rank, sums, func() ([]float64, error) {
				if p == nil {
					return nil, nil
				}
				return lined{p.View, p.Owned, p.Counted}.spectra(from, values, l, size)
			})
		})
	}
	if err != nil || !v.Rank.Root {
		return nil, 0, err
	}
	return sums[1:], int(sums[0]), nil
}

// gatherPlanes adds the sums of all planes, which each rank has some of, to sums on rank 0. Collective.
func gatherPlanes(on *rank.Rank, sums []float64, own func() ([]float64, error)) error {
	planes, err := own()
	if err != nil {
		return err
	}
	all, err := comm.Gather(on.Comm, comm.Float64Bytes(planes))
	if err != nil || !on.Root {
		return err
	}
	for _, planes := range all { // ranks are in the order of their planes
		for i := range len(planes) / 8 {
			sums[i%len(sums)] += comm.Float64At(planes, i)
		}
	}
	return nil
}

// spectra returns the sums of the planes whose last lines are this rank's. Collective among the ranks that share planes.
func (v lined) spectra(from func(View) Source[float64], values []int, l Lines, size int) (planes []float64, err error) {
	owners, source := v.lineOwners(l), from(v.View)
	for k := max(l.Planes[0], v.own.Lo[l.Normal]); k < min(l.Planes[1], v.own.Hi[l.Normal]); k++ {
		parts, err := v.spectraOf(source, values, l, k)
		if err != nil {
			return nil, fmt.Errorf("rank %d: spectra of plane %d: %w", v.Rank.ID, k, err)
		}
		plane, err := domain.Through(v.Rank, owners, make([]float64, size), func(plane []float64) {
			for ; len(parts) > 0; parts = parts[size:] {
				for i, e := range parts[:size] {
					plane[i] += e
				}
			}
		})
		if err != nil {
			return nil, err
		}
		planes = append(planes, plane...)
	}
	return planes, nil
}

// lineOwners returns the ranks of the lines of a plane, in the order of the lines: WholeLines gives each rank a part of
// the lines that ranks share.
func (v lined) lineOwners(l Lines) (ranks []int) {
	plan := v.Part.Plan
	for _, rank := range plan.Line(plan.Box(v.Rank.ID).Lo, 3-l.Along-l.Normal) {
		ranks = append(ranks, plan.Line(plan.Box(rank).Lo, l.Along)...)
	}
	return ranks
}

// spectraOf returns the spectra of the lines of a plane that this rank has to transform, [line][1 + value*waves]: a 1 and the
// spectra, or zeros for a line with solid cells.
func (v lined) spectraOf(from Source[float64], values []int, l Lines, k int) ([]float64, error) {
	pieces, err := v.pieces(from, values, l, k)
	if err != nil {
		return nil, err
	}
	each := 1 + len(values)
	lines, err := v.Part.WholeLines(v.Rank, l.Along, each, pieces)
	if err != nil {
		return nil, err
	}
	n := v.Case.Cells[l.Along]
	waves, count := n/2, len(lines)/(each*n)
	size := 1 + len(values)*waves
	parts := make([]float64, count*size)
	return parts, v.Rank.Share(count, func(lo, hi int) error {
		t := newTransform(n)
		for k := lo; k < hi; k++ {
			line, part := lines[k*each*n:][:each*n], parts[k*size:][:size]
			if slices.ContainsFunc(line[:n], func(solid float64) bool { return solid != 0 }) {
				continue
			}
			part[0] = 1
			for i := range values {
				t.spectrum(part[1+i*waves:][:waves], line[(1+i)*n:][:n])
			}
		}
		return nil
	})
}

// pieces returns this rank's share of the lines of plane k, [line][1 + value][cell]: first 0 for the finest cells of the fluid.
func (v lined) pieces(from Source[float64], values []int, l Lines, k int) ([]float64, error) {
	box := v.Part.Box
	box.Lo[l.Normal], box.Hi[l.Normal] = k, k+1
	box = v.Part.Local(box)
	fields, err := from(box, nil)
	if err != nil {
		return nil, err
	}
	size, width, stored := box.Size(), box.Size()[0], v.Case.Spec.FieldValues()
	n, each, across := size[l.Along], 1+len(values), 3-l.Along-l.Normal
	pieces := make([]float64, each*box.Cells())
	for row := range size[1] * size[2] {
		at := [3]int{0, row % size[1], row / size[1]}
		first := [3]int{box.Lo[0], box.Lo[1] + at[1], box.Lo[2] + at[2]}
		types := v.Part.Cells.Type[v.Part.Cells.Index(first[0], first[1], first[2]):][:width]
		counts := v.counts(first, width)
		for x, t := range types {
			at[0] = x
			to := pieces[at[across]*each*n+at[l.Along]:]
			if t != 0 || !counts(x) {
				to[0] = 1
			}
			for i, value := range values {
				to[(1+i)*n] = fields[(row*stored+value)*width+x]
			}
		}
	}
	return pieces, nil
}

// counts returns whether cells of a row from a local one on are the finest in their places.
func (v lined) counts(first [3]int, width int) func(x int) bool {
	if v.counted == nil {
		return func(int) bool { return true }
	}
	finest := make([]bool, width)
	at := v.Part.Global(first)
	for _, run := range v.counted(at[1], at[2]) {
		for x := max(run.Lo, at[0]); x < min(run.Hi, at[0]+width); x++ {
			finest[x-at[0]] = true
		}
	}
	return func(x int) bool { return finest[x] }
}

// transform makes spectra of lines of one length. One goroutine at a time.
type transform struct {
	fft *fourier.FFT
	c   []complex128
}

func newTransform(n int) *transform { return &transform{fourier.NewFFT(n), make([]complex128, n/2+1)} }

// spectrum computes the one-sided spectrum of a periodic line of N cells over the wave numbers k = 2 pi n/N, n from 1 to
// N/2. The sum of E dk, dk = 2 pi/N, is the mean square of the deviations from the line's mean (Pope, Turbulent Flows
// (2000), section 6.5). Of real numbers, waves n and N-n are one. With an even N the shortest, of two cells, is its own
// other half, and counts once.
func (t *transform) spectrum(to, line []float64) {
	n := len(line)
	t.c = t.fft.Coefficients(t.c, line)
	for i := range to {
		c, factor := t.c[i+1], 2.0
		if 2*(i+1) == n {
			factor = 1
		}
		to[i] = factor * (real(c)*real(c) + imag(c)*imag(c)) / (2 * math.Pi * float64(n))
	}
}
