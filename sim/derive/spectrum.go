package derive

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"lbmsim/decomp"
	"lbmsim/sim/domain"
)

// Spectra adds the spectra of lines of cells up that run along an axis through a global box one cell thick, on rank 0:
// [value][n-1], n from 1 to half the cells of a line. Values are numbers of the source, in lattice units. Lines with solid
// cells are left out; lines reports how many there are. Collective.
//
// All cells of the box come to rank 0 before they are transformed, and sums go from line to line: no cut changes them.
func (v View) Spectra(from Source[float64], values []int, along int, box decomp.Box) (sums []float64, lines int, err error) {
	all, err := v.values(from, values, box)
	if err != nil || !v.Root {
		return nil, 0, err
	}
	n, each, size := box.Hi[along], 1+len(values), box.Size()
	stride := [3]int{each, each * size[0], each * size[0] * size[1]}[along]
	var whole []int // where lines begin that are all fluid
	for at := 0; at < len(all); at += each {
		if at/stride%n != 0 {
			continue
		}
		solid := 0.0
		for i := range n {
			solid += all[at+i*stride]
		}
		if solid == 0 {
			whole = append(whole, at)
		}
	}
	waves := n / 2
	parts := make([]float64, len(whole)*len(values)*waves)
	err = v.Share(len(whole), func(lo, hi int) error {
		t, line := newTransform(n), make([]float64, n)
		for k := lo; k < hi; k++ {
			for value := range values {
				for i := range line {
					line[i] = all[whole[k]+1+value+i*stride]
				}
				t.spectrum(parts[(k*len(values)+value)*waves:][:waves], line)
			}
		}
		return nil
	})
	sums = make([]float64, len(values)*waves)
	for ; len(parts) > 0; parts = parts[len(sums):] {
		for i := range sums {
			sums[i] += parts[i]
		}
	}
	return sums, len(whole), err
}

// values brings numbers of the source to rank 0, behind one that is not 0 of solid cells: [z][y][x][1 + value]. Collective.
func (v View) values(from Source[float64], values []int, box decomp.Box) ([]float64, error) {
	part, stored := domain.Intersect(box, v.Box), v.Case.Spec.FieldValues()
	var mine []float64
	if part.Cells() > 0 {
		part = v.Local(part)
		fields, err := from(part, nil)
		if err != nil {
			return nil, fmt.Errorf("rank %d: cells of the box %v: %w", v.Rank, box, err)
		}
		width := part.Hi[0] - part.Lo[0]
		for z := part.Lo[2]; z < part.Hi[2]; z++ {
			for y := part.Lo[1]; y < part.Hi[1]; y++ {
				types := v.Cells.Type[v.Cells.Index(part.Lo[0], y, z):][:width]
				for x, t := range types {
					mine = append(mine, float64(t))
					for _, k := range values {
						mine = append(mine, fields[k*width+x])
					}
				}
				fields = fields[stored*width:]
			}
		}
	}
	return v.gather(box, 1+len(values), mine)
}

// transform makes spectra of lines of one length. One goroutine at a time.
type transform struct {
	fft *fourier.FFT
	c   []complex128
}

func newTransform(n int) *transform { return &transform{fourier.NewFFT(n), make([]complex128, n/2+1)} }

// spectrum is the one-sided spectrum of a periodic line of N cells over the wave numbers k = 2 pi n/N, n from 1 to N/2. The sum of
// E dk, dk = 2 pi/N, is the mean square of the deviations from the line's mean (Pope, Turbulent Flows (2000), section 6.5). Of real
// numbers, waves n and N-n are one. With an even N the shortest, of two cells, is its own other half, and counts once.
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
