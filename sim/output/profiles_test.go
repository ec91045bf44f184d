// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"math/rand"
	"testing"

	"lbmsim/config"
	"lbmsim/model"
)

// A profile equals the definition of its fields over all cells and samples at once: the fluctuations are small beside the mean.
func TestProfilesAreTheirDefinitions(t *testing.T) {
	for _, dims := range []int{2, 3} {
		const planes, cells, samples = 2, 5, 40
		p, s := newProfile(config.Profile{Fields: model.ProfileFields()}, dims, true, 0), &sums{}
		random := rand.New(rand.NewSource(3))
		var all [planes][][]float64 // [plane][cell and sample]: rho-1, velocity, temperature
		for range samples {
			means := make([]float64, planes*p.values)
			for plane := range planes {
				for range cells {
					v := []float64{100 + 1e-2*random.NormFloat64()}
					for a := range dims {
						v = append(v, 10*float64(a+1)+1e-2*random.NormFloat64()+0.5*(v[0]-100))
					}
					v = append(v, 300+float64(plane)+2*(v[1]-10)+1e-2*random.NormFloat64())
					all[plane] = append(all[plane], v)
					list := []float64{v[0], v[0] * v[0]}
					list = append(list, v[1:1+dims]...)
					for i := 1; i <= dims; i++ {
						for j := i; j <= dims; j++ {
							list = append(list, v[i]*v[j])
						}
					}
					temperature := v[1+dims]
					list = append(list, temperature, temperature*temperature)
					for i := 1; i <= dims; i++ {
						list = append(list, temperature*v[i])
					}
					for k, x := range list {
						means[plane*p.values+k] += x / cells
					}
				}
			}
			s.Series.Add(p.about(s, means))
		}
		for plane := range planes {
			mean := func(of func(v []float64) float64) (m float64) {
				for _, v := range all[plane] {
					m += of(v) / float64(len(all[plane]))
				}
				return m
			}
			at := func(i int) func([]float64) float64 { return func(v []float64) float64 { return v[i] } }
			product := func(i, j int) float64 {
				mi, mj := mean(at(i)), mean(at(j))
				return mean(func(v []float64) float64 { return (v[i] - mi) * (v[j] - mj) })
			}
			column := 0
			for _, f := range p.Fields {
				for _, c := range averageComponents(f, dims) {
					var want float64
					switch pair := [6][2]int{{1, 1}, {2, 2}, {3, 3}, {1, 2}, {2, 3}, {1, 3}}[c]; f.Name {
					case "mean_pressure":
						want = mean(at(0)) / 3
					case "pressure_variance":
						want = product(0, 0) / 9
					case "mean_velocity":
						want = mean(at(1 + c))
					case "reynolds_stress":
						want = product(pair[0], pair[1])
					case "mean_temperature":
						want = mean(at(1 + dims))
					case "temperature_variance":
						want = product(1+dims, 1+dims)
					case "turbulent_heat_flux":
						want = product(1+dims, 1+c)
					default:
						t.Fatalf("no definition of %s", f.Name)
					}
					got, half := p.value(s, plane, column)
					factor := p.columns()[column].factor
					column++
					if got *= factor; math.Abs(got-want) > 1e-9*math.Abs(want)+1e-11 {
						t.Errorf("%dD, plane %d: %s is %v instead of %v", dims, plane, averageName(f, c), got, want)
					}
					if !(half > 0) || half > 1 {
						t.Errorf("%dD, plane %d: %s is known to +- %v", dims, plane, averageName(f, c), half)
					}
				}
			}
		}
	}
}
