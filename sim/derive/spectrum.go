package derive

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"lbmsim/comm"
	"lbmsim/sim/domain"
)

// Lines holds the lines of cells along an axis in some planes across another one: from the first plane up to, not including, the
// last.
type Lines struct {
	Along, Normal int
	Planes        [2]int
}

// Spectra adds up the spectra of lines, on rank 0: [value][n-1], n from 1 to half the cells of a line. Values are numbers of the
// source, in lattice units. Lines with solid cells are left out; whole reports how many there are. Collective.
//
// Lines are transformed where they lie; of those that ranks share each rank gets a part to be transformed. Sums go from line to line of
// a plane, and from plane to plane: no cut changes them. What travels besides are the sums of each plane.
func (v View) Spectra(from Source[float64], values []int, l Lines) (sums []float64, whole int, err error) {
	waves := v.Case.Cells[l.Along] / 2
	size := 1 + len(values)*waves // the first number counts the lines
	owners := v.lineOwners(l)
	var planes []float64 // those whose last lines are this rank's
	for k := max(l.Planes[0], v.Part.Box.Lo[l.Normal]); k < min(l.Planes[1], v.Part.Box.Hi[l.Normal]); k++ {
		parts, err := v.spectraOf(from, values, l, k)
		if err != nil {
			return nil, 0, fmt.Errorf("rank %d: spectra of plane %d: %w", v.Rank.ID, k, err)
		}
		plane, err := domain.Through(v.Rank, owners, make([]float64, size), func(plane []float64) {
			for ; len(parts) > 0; parts = parts[size:] {
				for i, e := range parts[:size] {
					plane[i] += e
				}
			}
		})
		if err != nil {
			return nil, 0, err
		}
		planes = append(planes, plane...)
	}
	all, err := comm.Gather(v.Rank.Comm, comm.Float64Bytes(planes))
	if err != nil || !v.Rank.Root {
		return nil, 0, err
	}
	sums = make([]float64, size)
	for _, planes := range all { // ranks are in the order of their planes
		for i := range len(planes) / 8 {
			sums[i%size] += comm.Float64At(planes, i)
		}
	}
	return sums[1:], int(sums[0]), nil
}

// lineOwners returns the ranks of the lines of a plane, in the order of the lines: WholeLines gives each rank a part of
// the lines that ranks share.
func (v View) lineOwners(l Lines) (ranks []int) {
	for _, rank := range v.Part.Plan.Line(v.Part.Box.Lo, 3-l.Along-l.Normal) {
		ranks = append(ranks, v.Part.Plan.Line(v.Part.Plan.Box(rank).Lo, l.Along)...)
	}
	return ranks
}

// spectraOf returns the spectra of the lines of a plane that this rank has to transform, [line][1 + value*waves]: a 1 and the
// spectra, or zeros for a line with solid cells.
func (v View) spectraOf(from Source[float64], values []int, l Lines, k int) ([]float64, error) {
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

// pieces returns this rank's share of the lines of plane k, [line][1 + value][cell]: first the types of the cells, 0 for fluid.
func (v View) pieces(from Source[float64], values []int, l Lines, k int) ([]float64, error) {
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
		types := v.Part.Cells.Type[v.Part.Cells.Index(box.Lo[0], box.Lo[1]+at[1], box.Lo[2]+at[2]):][:width]
		for x, t := range types {
			at[0] = x
			to := pieces[at[across]*each*n+at[l.Along]:]
			to[0] = float64(t)
			for i, value := range values {
				to[(1+i)*n] = fields[(row*stored+value)*width+x]
			}
		}
	}
	return pieces, nil
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
