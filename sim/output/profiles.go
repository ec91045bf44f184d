// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// profile is the statistic of [output.profile.NAME]: the means of the fluid cells of planes across an axis, a row for each plane.
//
// Products are of the differences from the first sample's means, the reference, so that no digits are lost. The interval
// of a covariance is the interval of their mean: it is too wide where the first sample is far from the mean flow.
type profile struct {
	config.Profile
	dims, values int      // values per plane: device.Profiler's without the number of cells
	pairs        [][2]int // of each value the two whose product it is the mean of; -1: it is of no product
	list         []statisticColumn
	sheets       []decomp.Sheet // one row per plane
}

// profileOutputs returns the outputs of [output.profile].
func profileOutputs(s *Set) (list []Output) {
	c := s.Case
	for _, p := range c.Profiles {
		of := newProfile(p, c.Dims(), c.Spec.Scalar, c.Temperature.Reference)
		of.sheets = derive.SheetsOf(s.Run.View, p.Axis)
		what := p
		what.Schedule, what.Sample, what.Fields = config.Schedule{}, config.Schedule{}, nil
		list = append(list, withTable(s.Run, "profile", p.Schedule, &statistic[config.Profile]{
			base: newBase(p.Sample), quantity: of, name: p.Name, of: what, size: of.values * len(of.sheets), relative: true, start: p.Start,
			memory: func(m *Memory) map[string]statisticMemory[config.Profile] { return m.Profiles },
		})...)
	}
	return list
}

func newProfile(p config.Profile, dims int, scalar bool, reference float64) *profile {
	of := &profile{Profile: p, dims: dims, values: device.ProfileValues(dims, scalar) - 1, pairs: profilePairs(dims)}
	for _, f := range p.Fields {
		for _, c := range averageComponents(f, dims) {
			number, factor := of.number(f, c)
			column := statisticColumn{field: f, name: averageName(f, c), number: number, factor: factor}
			if f.Name == "mean_temperature" {
				column.zero = reference
			}
			of.list = append(of.list, column)
		}
	}
	return of
}

// prepare compiles kernels before the first step.
func (p *profile) prepare(r *Run) error {
	if r.View.Refined != nil { // a device sums whole planes
		return nil
	}
	if err := r.State.Statistics(0).PrepareProfile(); err != nil && r.Rank.Root {
		r.Rank.Warn(finding.HostSums.Says("[output.profile.%s]: summed on the host, which is slower: %v", p.Name, err))
	}
	return nil
}

func (p *profile) sample(r *Run, s *sums) ([]float64, error) {
	means, err := r.View.Profile(p.Axis)
	if err != nil || !r.Rank.Root {
		return nil, err
	}
	return p.about(s, means), nil
}

// about returns the means of a sample with the products about the reference, which the first sample becomes.
func (p *profile) about(s *sums, means []float64) []float64 {
	if s.Series.Samples() == 0 {
		s.Reference = means
	}
	x := make([]float64, len(means))
	for at := 0; at < len(means); at += p.values {
		now, first, to := means[at:][:p.values], s.Reference[at:][:p.values], x[at:][:p.values]
		for k, v := range now {
			i, j := p.pairs[k][0], p.pairs[k][1]
			if to[k] = v; i < 0 {
				continue
			}
			to[k] = v - first[i]*now[j] - first[j]*now[i] + first[i]*first[j]
		}
	}
	return x
}

// profilePairs returns the pairs of all values, a temperature included.
func profilePairs(dims int) (pairs [][2]int) {
	const density, velocity = device.ProfileDensity - 1, device.ProfileVelocity - 1
	add := func(i, j int) { pairs = append(pairs, [2]int{i, j}) }
	add(-1, -1)
	add(density, density)
	for range dims {
		add(-1, -1)
	}
	for i := range dims {
		for j := i; j < dims; j++ {
			add(velocity+i, velocity+j)
		}
	}
	scalar := len(pairs)
	add(-1, -1)
	add(scalar, scalar)
	for i := range dims {
		add(scalar, velocity+i)
	}
	return pairs
}

// value of a plane: of products the covariance.
func (p *profile) value(s *sums, plane, column int) (v, half float64) {
	at, number := plane*p.values, p.list[column].number
	e := s.Series.Estimate(at + number)
	v, half = e.Mean, e.Half
	if f := p.pairs[number]; f[0] >= 0 {
		off := func(i int) float64 { return s.Series.Levels[0].Mean[at+i] - s.Reference[at+i] }
		v -= off(f[0]) * off(f[1])
	}
	return v, half
}

// number of a component of a field among the values of a plane, and the factor that leads to lattice units of the field.
func (p *profile) number(f model.Field, c int) (number int, factor float64) {
	velocity, d := device.ProfileVelocity-1, p.dims
	scalar := velocity + d + d*(d+1)/2
	switch f.Name {
	case "mean_pressure":
		return device.ProfileDensity - 1, model.CS2
	case "pressure_variance":
		return device.ProfileDensitySquares - 1, model.CS2 * model.CS2
	case "mean_velocity":
		return velocity + c, 1
	case "reynolds_stress":
		if d == 2 {
			return velocity + d + [6]int{0, 2, -1, 1, -1, -1}[c], 1
		}
		return velocity + d + [6]int{0, 3, 5, 1, 4, 2}[c], 1
	case "mean_temperature":
		return scalar, 1
	case "temperature_variance":
		return scalar + 1, 1
	case "turbulent_heat_flux":
		return scalar + 2 + c, 1
	}
	panic("there is no value of a profile " + f.Name) // a row of model.ProfileFields without a formula
}

func (p *profile) columns() []statisticColumn { return p.list }
func (p *profile) blockRows(*config.Case) int { return len(p.sheets) }

func (p *profile) places(r *Run) []probe.Column {
	return []probe.Column{{Name: "xyz"[p.Axis : p.Axis+1], Unit: unitOf(r.Case.Units, model.Length)}}
}

func (p *profile) place(r *Run, plane int) []float64 {
	at := p.sheets[plane]
	return []float64{r.Case.Origin[p.Axis] + (float64(at.At)+0.5)*r.spacing(at.Level)}
}

// averageComponents returns the components of a field that are not always 0.
func averageComponents(f model.Field, dims int) []int {
	if f.Components != 6 {
		return components(f, dims)
	}
	if dims == 2 {
		return []int{0, 1, 3}
	}
	return []int{0, 1, 2, 3, 4, 5}
}

func averageName(f model.Field, c int) string {
	if f.Components != 6 {
		return componentName(f, c)
	}
	return f.Name + " " + [6]string{"xx", "yy", "zz", "xy", "yz", "xz"}[c]
}
