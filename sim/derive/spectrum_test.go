// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"
	"math/rand"
	"slices"
	"sync/atomic"
	"testing"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// Each wave has half the square of its amplitude, at its wave number alone. The shortest of an even number of cells has the whole square:
// its sine vanishes at all cells.
func TestSpectrumOfKnownWaves(t *testing.T) {
	for _, n := range []int{2, 3, 16, 25, 30} {
		amplitude, dk := make([]float64, n/2), 2*math.Pi/float64(n)
		line := make([]float64, n)
		for i := range line {
			line[i] = 7 // the mean does not contribute
		}
		for k := range amplitude {
			amplitude[k] = 1 / float64(k+1)
			phase := float64(3 * k)
			if 2*(k+1) == n {
				phase = 0
			}
			for i := range line {
				line[i] += amplitude[k] * math.Cos(dk*float64((k+1)*i)+phase)
			}
		}
		got := make([]float64, n/2)
		newTransform(n).spectrum(got, line)
		for k, a := range amplitude {
			want := a * a / 2 / dk
			if 2*(k+1) == n {
				want *= 2
			}
			if math.Abs(got[k]-want) > 1e-12 {
				t.Errorf("%d cells, wave %d: %v instead of %v", n, k+1, got[k], want)
			}
		}
	}
}

// The sum of a spectrum is the variance (Parseval), of lines of even and odd lengths.
func TestSpectrumSumsUpToTheVariance(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for _, n := range []int{2, 3, 8, 27, 100, 121} {
		line, mean, variance, sum := make([]float64, n), 0.0, 0.0, 0.0
		for i := range line {
			line[i] = 3 + random.NormFloat64()
			mean += line[i] / float64(n)
		}
		for _, v := range line {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		e := make([]float64, n/2)
		newTransform(n).spectrum(e, line)
		for _, v := range e {
			sum += v * 2 * math.Pi / float64(n)
		}
		if math.Abs(sum-variance) > 1e-13*variance*float64(n) {
			t.Errorf("%d cells: %v instead of %v", n, sum, variance)
		}
	}
}

// hashed is a state whose fields depend on the cell of the domain alone.
type hashed struct {
	State
	lo     [3]int
	stored int
}

func (hashed) Step() int { return 0 }

func (h hashed) at(cell [3]int, value int) float64 {
	return math.Sin(float64(((cell[2]*31+cell[1])*37+cell[0])*5 + value))
}

func (h hashed) Fields(box decomp.Box, values []float64) error {
	n := box.Size()
	for i := range values {
		row := i / n[0] / h.stored
		cell := [3]int{h.lo[0] + box.Lo[0] + i%n[0], h.lo[1] + box.Lo[1] + row%n[1], h.lo[2] + box.Lo[2] + row/n[1]}
		values[i] = h.at(cell, i/n[0]%h.stored)
	}
	return nil
}

// gathering counts the bytes that come to rank 0 together.
type gathering struct {
	comm.Comm
	comm.Collective
	bytes *atomic.Int64
}

func (g gathering) Gather(data []byte, root int) ([][]byte, error) {
	g.bytes.Add(int64(len(data)))
	return g.Collective.Gather(data, root)
}

// Spectra of lines along each axis, in planes across each other one, have the bits of their definition for any cut, and rank 0 gets
// the sums of planes alone.
func TestSpectraAreTransformedWhereTheyLie(t *testing.T) {
	n, values := [3]int{8, 7, 6}, []int{0, 2}
	c, err := config.Load("t.toml", []byte("[domain]\ncells = [8, 7, 6]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	solid := func(cell [3]int) bool { return cell[0] == 2 && cell[1] > 3 && cell[2] == 5 }
	for _, parts := range [][2]int{{1, 1}, {1, 3}, {3, 1}, {2, 2}, {4, 3}} {
		plan, err := decomp.Pencils(n, c.Periodic, parts[0], parts[1])
		if err != nil {
			t.Fatal(err)
		}
		for along := range 3 {
			for normal := range 3 {
				if along == normal {
					continue
				}
				l, bytes := Lines{along, normal, 0, [2]int{1, n[normal] - 1}}, &atomic.Int64{}
				want, lines := definition(n, values, l, hashed{}, solid)
				err := comm.RunLocal(plan.Ranks(), func(ranks comm.Comm) error {
					on := rank.New(gathering{ranks, ranks.(comm.Collective), bytes}, 1, nil)
					p := &domain.Part{Case: c, Plan: plan, Box: plan.Box(on.ID), Layout: plan.Layout(on.ID, 1)}
					p.Cells = boundary.NewCells(p.Box.Size())
					for i := range p.Box.Cells() {
						at := [3]int{i % n[0], i / n[0] % p.Cells.N[1], i / n[0] / p.Cells.N[1]}
						if solid(p.Global(at)) {
							p.Cells.Type[p.Cells.Index(at[0], at[1], at[2])] = 1
						}
					}
					v := View{Rank: on, Case: c, Part: p, State: hashed{lo: p.Box.Lo, stored: c.Spec.FieldValues()}}
					got, whole, err := v.Spectra(View.Present, values, l)
					if on.Root && err == nil && (whole != lines || !slices.Equal(got, want)) {
						t.Errorf("%v parts, along %d across %d: %d lines instead of %d, %v instead of %v", parts, along, normal, whole, lines, got, want)
					}
					return err
				})
				if want := int64(8 * (n[normal] - 2) * (1 + len(values)*(n[along]/2))); err != nil || bytes.Load() != want {
					t.Errorf("%v parts, along %d across %d: %d bytes come to rank 0 instead of %d (%v)", parts, along, normal, bytes.Load(), want, err)
				}
			}
		}
	}
}

// definition computes the spectra of lines one after the other.
func definition(n [3]int, values []int, l Lines, of hashed, solid func([3]int) bool) (sums []float64, lines int) {
	across, transform := 3-l.Along-l.Normal, newTransform(n[l.Along])
	waves := n[l.Along] / 2
	sums = make([]float64, len(values)*waves)
	for k := l.Planes[0]; k < l.Planes[1]; k++ {
		plane := make([]float64, len(sums))
		for j := range n[across] {
			whole := true
			for i, value := range values {
				line, spectrum := make([]float64, n[l.Along]), make([]float64, waves)
				for x := range line {
					var cell [3]int
					cell[l.Normal], cell[across], cell[l.Along] = k, j, x
					line[x], whole = of.at(cell, value), whole && !solid(cell)
				}
				transform.spectrum(spectrum, line)
				for w, e := range spectrum {
					if whole {
						plane[i*waves+w] += e
					}
				}
			}
			if whole {
				lines++
			}
		}
		for i, e := range plane {
			sums[i] += e
		}
	}
	return sums, lines
}
