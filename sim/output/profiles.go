package output

import (
	"math"
	"reflect"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/io/checkpoint"
	"lbmsim/io/probe"
	"lbmsim/model"
)

// profileSums adds samples of [output.profile.NAME] up: of each plane across an axis the means of its fluid cells, on rank 0.
//
// Products are kept of the differences from the first sample's means, the reference, so that no digits are lost. The interval
// of a covariance is that of their mean: it is too wide where the first sample is far from the mean flow.
type profileSums struct {
	base
	config.Profile
	dims, values int       // values a plane: device.Profiler's but for the number of cells
	pairs        [][2]int  // of each value the two whose product it is the mean of; -1: it is of no product
	reference    []float64 // means of the first sample
	series       stats.Vector
	other        bool // the means of the checkpoint are others
}

// profileSumsOutputs are those of [output.profile].
func profileSumsOutputs(s *Set) (list []Output) {
	dims := s.Case.Dims()
	for _, p := range s.Case.Profiles {
		list = append(list, &profileSums{base: newBase(p.Sample), Profile: p, dims: dims, values: device.ProfileValues(dims, s.Case.Spec.Scalar) - 1, pairs: profilePairs(dims)})
	}
	return list
}

// prepare compiles kernels before the first step.
func (p *profileSums) prepare(r *Run) error {
	if err := r.State.Statistics().PrepareProfile(); err != nil && r.Root {
		r.Warn(finding.HostSums.Says("[output.profile.%s]: the host sums, which takes longer: %v", p.Name, err))
	}
	return nil
}

// Write takes a sample.
func (p *profileSums) Write(r *Run) error {
	p.at = r.Step()
	if r.Step() < p.Start {
		return nil
	}
	means, err := r.View.Profile(p.Axis)
	if err != nil || !r.Root {
		return err
	}
	p.add(means)
	return nil
}

// add continues with the means of a sample.
func (p *profileSums) add(means []float64) {
	if p.series.Samples() == 0 {
		p.reference = means
	}
	x := make([]float64, len(means))
	for at := 0; at < len(means); at += p.values {
		now, first, to := means[at:][:p.values], p.reference[at:][:p.values], x[at:][:p.values]
		for k, v := range now {
			i, j := p.pairs[k][0], p.pairs[k][1]
			if to[k] = v; i < 0 {
				continue
			}
			to[k] = v - first[i]*now[j] - first[j]*now[i] + first[i]*first[j]
		}
	}
	p.series.Add(x)
}

// profilePairs are those of all values, a temperature's included.
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

// result is a value of a plane and half the width of its 95 % interval, in lattice units: of products the covariance.
func (p *profileSums) result(plane, value int) (v, half float64) {
	at := plane * p.values
	e := p.series.Estimate(at + value)
	v, half = e.Mean, e.Half
	if f := p.pairs[value]; f[0] >= 0 {
		off := func(i int) float64 { return p.series.Levels[0].Mean[at+i] - p.reference[at+i] }
		v -= off(f[0]) * off(f[1])
	}
	return v, half
}

// value is the number of a component of a field among the values of a plane, and the factor that leads to lattice units
// of the field.
func (p *profileSums) value(f model.Field, c int) (value int, factor float64) {
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
	panic("no value of a profile is called " + f.Name) // a row of model.ProfileFields without a formula
}

// profileMemory is what a checkpoint keeps of a profile.
type profileMemory struct {
	Output    config.Profile // what its numbers are
	Reference stats.Floats
	Series    stats.Vector
	Every     float64 `json:",omitempty"` // steps between its samples
}

// measured is the output without what a restart may change.
func (p *profileSums) measured() config.Profile {
	m := p.Profile
	m.Schedule, m.Sample, m.Fields = config.Schedule{}, config.Schedule{}, nil
	return m
}

func (p *profileSums) remember(r *Run, m *Memory) error {
	if r.Root && p.series.Samples() > 0 {
		m.Profiles[p.Name] = profileMemory{p.measured(), p.reference, p.series, p.Sample.Period}
	}
	return nil
}

func (p *profileSums) beside(*Run, checkpoint.Header, string) (*bool, error) { return nil, nil }

func (p *profileSums) recall(r *Run, _ string, m *Memory) error {
	p.reference, p.series, p.other = nil, stats.Vector{}, false // a newer checkpoint may have been given up halfway
	old, known := m.Profiles[p.Name]
	switch {
	case !known:
		r.startsLate("[output.profile."+p.Name+"]", p.Sample)
	case !r.Root:
	case reflect.DeepEqual(old.Output, p.measured()) && len(old.Reference) == p.values*r.Case.Cells[p.Axis]:
		p.reference, p.series = old.Reference, old.Series
		r.mixes("[output.profile."+p.Name+"]", old.Every, p.Sample)
	default:
		p.other = true
		r.recalls("[output.profile.%s] is another one than that of the checkpoint: its means begin anew", p.Name)
	}
	return nil
}

// profiles writes one [output.profile.NAME]: a CSV file with a block of rows for each output, a row for each plane, on rank 0.
type profiles struct {
	blocks
	sums *profileSums
}

// profileOutputs are the files of [output.profile].
func profileOutputs(s *Set) (list []Output) {
	for _, p := range with[*profileSums](s.List) {
		list = append(list, &profiles{sums: p, blocks: newBlocks(s.Run, "profile", p.Name, p.Schedule, p.Sample)})
	}
	return list
}

func (p *profiles) isOther() bool { return p.sums.other }

// Write adds a block of rows.
func (p *profiles) Write(r *Run) error {
	p.write(r, p.sums.series.Samples(), func() []float64 { return p.block(r) })
	return nil
}

// block is the rows of an output, in the outputs' units.
func (p *profiles) block(r *Run) (table []float64) {
	u, s := r.Case.Units, p.sums
	for plane := range r.Case.Cells[s.Axis] {
		table = append(table, r.Case.Origin[s.Axis]+(float64(plane)+0.5)*u.Length, float64(s.series.Samples()))
		var halves []float64
		for _, f := range s.Fields {
			for _, c := range averageComponents(f, s.dims) {
				value, factor := s.value(f, c)
				v, half := s.result(plane, value)
				factor *= u.Factor(f.Dim)
				v *= factor
				if f.Name == "mean_temperature" {
					v += r.Case.Temperature.Reference
				}
				table, halves = append(table, v), append(halves, math.Abs(factor)*half)
			}
		}
		table = append(table, halves...)
	}
	return table
}

func (p *profiles) header(r *Run) probe.Header {
	u, s := r.Case.Units, p.sums
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	h.Columns = []probe.Column{{Name: "xyz"[s.Axis : s.Axis+1], Unit: unitOf(u, model.Length)}, {Name: "samples"}}
	for _, mark := range []string{"", "+- "} {
		for _, f := range s.Fields {
			for _, c := range averageComponents(f, s.dims) {
				h.Columns = append(h.Columns, probe.Column{Name: mark + averageName(f, c), Unit: unitOf(u, f.Dim)})
			}
		}
	}
	return h
}

// averageComponents are those of a field that are not always 0.
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
