package output

import (
	"fmt"
	"math"
	"reflect"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/io/checkpoint"
	"lbmsim/io/probe"
	"lbmsim/model"
)

// spectrumSums adds samples of [output.spectrum.NAME] up: the means over lines of their spectra, in lattice units, on rank 0.
type spectrumSums struct {
	base
	config.Spectrum
	columns []spectrumColumn
	series  stats.Vector // [position][column][n-1]
	told    bool         // of planes without lines
	other   bool         // the means of the checkpoint are others
}

// spectrumColumn is a component of a field.
type spectrumColumn struct {
	field     model.Field
	component int
	value     int     // its number in what the state is read back as
	factor    float64 // of the square, to lattice units of the field
}

// spectrumSumsOutputs are those of [output.spectrum].
func spectrumSumsOutputs(s *Set) (list []Output) {
	dims := s.Case.Dims()
	for _, p := range s.Case.Spectra {
		o := &spectrumSums{base: newBase(p.Sample), Spectrum: p}
		for _, f := range p.Fields {
			for _, c := range components(f, dims) {
				o.columns = append(o.columns, columnOf(f, c, dims))
			}
		}
		list = append(list, o)
	}
	return list
}

func columnOf(f model.Field, c, dims int) spectrumColumn {
	switch f.Name {
	case "velocity_spectrum":
		return spectrumColumn{f, c, 1 + c, 1}
	case "pressure_spectrum":
		return spectrumColumn{f, c, 0, model.CS2 * model.CS2}
	case "temperature_spectrum":
		return spectrumColumn{f, c, 1 + dims, 1}
	}
	panic("no spectrum is called " + f.Name) // a row of model.Spectra without a formula
}

// Write takes a sample.
func (p *spectrumSums) Write(r *Run) error {
	p.at = r.Step()
	if r.Step() < p.Start {
		return nil
	}
	sample, err := p.sample(r)
	if err != nil || !r.Root {
		return err
	}
	p.series.Add(sample)
	return nil
}

// sample is the spectra of the present step, [position][column][n-1]; of planes without whole lines of fluid NaN. Collective.
func (p *spectrumSums) sample(r *Run) (all []float64, err error) {
	var values []int
	for _, c := range p.columns {
		values = append(values, c.value)
	}
	from, empty := r.present(), ""
	for _, planes := range p.positions(r.Case.Cells) {
		var sums []float64
		lines := 0
		for k := planes[0]; k < planes[1]; k++ {
			box := decomp.Box{Hi: r.Case.Cells}
			box.Lo[p.Normal], box.Hi[p.Normal] = k, k+1
			more, n, err := r.Spectra(from, values, p.Along, box)
			if err != nil {
				return nil, err
			}
			if lines += n; sums == nil {
				sums = more
			} else {
				for i, e := range more {
					sums[i] += e
				}
			}
		}
		if lines == 0 && empty == "" {
			empty = "the domain"
			if len(p.At) > 0 {
				empty = fmt.Sprintf("the plane %s = %g", "xyz"[p.Normal:p.Normal+1], p.place(r, planes[0]))
			}
		}
		for _, e := range sums {
			all = append(all, e/float64(lines))
		}
	}
	if r.Root && empty != "" && !p.told {
		p.told = true
		r.Warn(finding.EmptySpectrum.Says("[output.spectrum.%s]: each line of %s along %s has solid cells: its spectrum is NaN", p.Name, empty, "xyz"[p.Along:p.Along+1]))
	}
	return all, nil
}

// positions are the planes, first and last, whose lines have a spectrum together.
func (p *spectrumSums) positions(cells [3]int) (list [][2]int) {
	for _, k := range p.At {
		list = append(list, [2]int{k, k + 1})
	}
	if list == nil {
		list = [][2]int{{0, cells[p.Normal]}}
	}
	return list
}

// place is the middle of a plane of cells, in the outputs' unit.
func (p *spectrumSums) place(r *Run, k int) float64 {
	return r.Case.Origin[p.Normal] + (float64(k)+0.5)*r.Case.Units.Length
}

// spectrumMemory is what a checkpoint keeps of a spectrum.
type spectrumMemory struct {
	Output config.Spectrum // what its numbers are
	Series stats.Vector
	Every  float64 `json:",omitempty"` // steps between its samples
}

// measured is the output without what a restart may change.
func (p *spectrumSums) measured() config.Spectrum {
	m := p.Spectrum
	m.Schedule, m.Sample = config.Schedule{}, config.Schedule{}
	return m
}

func (p *spectrumSums) remember(r *Run, m *Memory) error {
	if r.Root { // without samples, too: its table has those before
		m.Spectra[p.Name] = spectrumMemory{p.measured(), p.series, p.Sample.Period}
	}
	return nil
}

func (p *spectrumSums) beside(*Run, checkpoint.Header, string) (*bool, error) { return nil, nil }

func (p *spectrumSums) recall(r *Run, _ string, m *Memory) error {
	p.series, p.other = stats.Vector{}, false // a newer checkpoint may have been given up halfway
	old, known := m.Spectra[p.Name]
	switch {
	case !known && !p.Anew: // else the last output has taken them
		r.startsLate("[output.spectrum."+p.Name+"]", p.Sample)
	case !known || !r.Root:
	case reflect.DeepEqual(old.Output, p.measured()):
		p.series = old.Series
		if p.series.Samples() > 0 {
			r.mixes("[output.spectrum."+p.Name+"]", old.Every, p.Sample)
		}
	default:
		p.other = true
		r.recalls("[output.spectrum.%s] is another one than that of the checkpoint: its means begin anew", p.Name)
	}
	return nil
}

// spectra writes one [output.spectrum.NAME]: a CSV file with a block of rows for each output, a row for each position and wave
// number, on rank 0.
type spectra struct {
	blocks
	sums *spectrumSums
}

// spectrumOutputs are the files of [output.spectrum].
func spectrumOutputs(s *Set) (list []Output) {
	for _, p := range with[*spectrumSums](s.List) {
		list = append(list, &spectra{sums: p, blocks: newBlocks(s.Run, "spectrum", p.Name, p.Schedule, p.Sample)})
	}
	return list
}

func (p *spectra) isOther() bool { return p.sums.other }

// Write adds a block of rows.
func (p *spectra) Write(r *Run) error {
	p.write(r, p.sums.series.Samples(), func() []float64 { return p.block(r) })
	if p.sums.Anew {
		p.sums.series = stats.Vector{}
	}
	return nil
}

// block is the rows of an output, in the outputs' units.
func (p *spectra) block(r *Run) (table []float64) {
	u, s := r.Case.Units, p.sums
	waves := s.Waves(r.Case.Cells)
	dk := 2 * math.Pi / (float64(r.Case.Cells[s.Along]) * u.Length)
	for position, planes := range s.positions(r.Case.Cells) {
		for n := range waves {
			if len(s.At) > 0 {
				table = append(table, s.place(r, planes[0]))
			}
			table = append(table, float64(n+1)*dk, float64(s.series.Samples()))
			var halves []float64
			for k, c := range s.columns {
				e := s.series.Estimate((position*len(s.columns)+k)*waves + n)
				factor := c.factor * u.Factor(c.field.Dim)
				table, halves = append(table, factor*e.Mean), append(halves, factor*e.Half)
			}
			table = append(table, halves...)
		}
	}
	return table
}

func (p *spectra) header(r *Run) probe.Header {
	u, s := r.Case.Units, p.sums
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	if len(s.At) > 0 {
		h.Columns = append(h.Columns, probe.Column{Name: "xyz"[s.Normal : s.Normal+1], Unit: unitOf(u, model.Length)})
	}
	k := probe.Column{Name: "k"}
	if u.Physical {
		k.Unit = "rad/m"
	}
	h.Columns = append(h.Columns, k, probe.Column{Name: "samples"})
	for _, mark := range []string{"", "+- "} {
		for _, c := range s.columns {
			h.Columns = append(h.Columns, probe.Column{Name: mark + componentName(c.field, c.component), Unit: unitOf(u, c.field.Dim)})
		}
	}
	return h
}
