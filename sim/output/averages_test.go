// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Averages equal the results of two passes over all samples, up to the last few bits,
// though the fluctuations are small beside the mean.
func TestAveragesAreTheirDefinitions(t *testing.T) {
	for _, dims := range []int{2, 3} {
		const nx, rows, samples = 3, 2, 500
		for _, list := range [][]model.Field{model.Averages, model.Averages[:1], model.Averages[1:3], {model.Averages[3], model.Averages[1]}} {
			c := &config.Case{Outputs: config.Outputs{Averages: config.Averages{Fields: list}}, Flow: config.Flow{Spec: model.Spec{Lattice: model.Lattice{Dims: dims}}}}
			a := &averager{Averages: c.Averages, of: model.SumsOf(list), dims: dims, stored: 1 + dims}
			onHost := make([]float64, rows*nx*c.AveragedValues())
			random := rand.New(rand.NewSource(2))
			var all [][]float64
			for range samples {
				plane := make([]float64, rows*(1+dims)*nx)
				for i := range plane {
					plane[i] = 1000 + float64(i) + 1e-3*random.NormFloat64()
				}
				plane[nx] = 1000 + plane[0]*float64(dims-1)/2 // correlated with the pressure, to be distinguishable
				all = append(all, plane)
				a.samples++
				a.add(onHost, slices.Clone(plane), nx, float64(a.samples))
			}
			mean := func(value func(plane []float64) float64) (m float64) {
				for _, p := range all {
					m += value(p) / samples
				}
				return m
			}
			units := config.Units{Length: 0.5, Time: 0.25, Density: 3, Physical: true}
			for _, f := range list {
				for row := range rows {
					for x := range nx {
						at := func(c int) func([]float64) float64 {
							return func(p []float64) float64 { return p[(row*(1+dims)+c)*nx+x] }
						}
						product := func(i, j int) float64 {
							mi, mj := mean(at(i)), mean(at(j))
							return mean(func(p []float64) float64 { return (at(i)(p) - mi) * (at(j)(p) - mj) })
						}
						for c := range f.Components {
							var want float64
							pair := [6][2]int{{1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}, {1, 3}}[c]
							switch {
							case f.Name == "mean_pressure":
								want = mean(at(0)) / 3
							case f.Name == "pressure_variance":
								want = product(0, 0) / 9
							case f.Name == "mean_velocity" && c < dims:
								want = mean(at(1 + c))
							case f.Name == "reynolds_stress" && max(pair[0], pair[1]) <= dims:
								want = product(pair[0], pair[1])
							}
							want *= units.Factor(f.Dim)
							got := 0.0
							if column, factor, ok := a.column(f, c, units); ok {
								got = factor * onHost[row*len(onHost)/rows+column*nx+x]
							}
							scale := math.Abs(want)
							if f.Name == "reynolds_stress" || f.Name == "pressure_variance" {
								scale = 1e-6 * units.Factor(f.Dim)
							}
							if math.Abs(got-want) > 1e-9*scale {
								t.Fatalf("%dD, %s component %d: %v instead of %v", dims, f.Name, c, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// A failure while averages are copied, or joined over an axis, is the file's error: otherwise the file would have zeros.
func TestAveragesThatCannotBeCopied(t *testing.T) {
	r := (&reports{}).run()
	r.Case = &config.Case{}
	a := &averager{of: model.AverageSums{Density: true}, dims: 2, Averages: config.Averages{Fields: []model.Field{{Name: "unheard_of", Components: 1}}}}
	part := averagePart{box: decomp.Box{Hi: [3]int{3, 1, 1}}, sums: make([]float64, 3)}
	if err := averagesInto[float32](r, a, part, nil)(); err == nil || !strings.Contains(err.Error(), "there is no average unheard_of") {
		t.Errorf("averages of an unknown field: %v", err)
	}
	a.Over, r.View.Part.Layout.N, r.View.Part.Box.Hi = true, [3]int{3, 2, 1}, [3]int{3, 2, 1} // and no cells to sample
	plan, err := decomp.Slabs([3]int{3, 2, 1}, [3]bool{}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	r.View.Part.Plan = plan
	a.boxes = []*boxSums{{view: r.View, owned: r.View.Part.Box, own: r.View.Part.Box, onHost: make([]float64, 6)}}
	if _, err := a.parts(r); err == nil || !strings.Contains(err.Error(), "averages over an axis") {
		t.Errorf("averages over x without cells: %v", err)
	}
}
