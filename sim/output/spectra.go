package output

import (
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// spectrum is the statistic of [output.spectrum.NAME]: the means over lines of their spectra, in lattice units, a row for
// each position and wave number. Its numbers are [position][column][n-1].
type spectrum struct {
	config.Spectrum
	list   []statisticColumn
	waves  int
	warned bool // of planes without lines
}

// spectrumOutputs returns the outputs of [output.spectrum].
func spectrumOutputs(s *Set) (list []Output) {
	c := s.Case
	for _, p := range c.Spectra {
		of := &spectrum{Spectrum: p, waves: p.Waves(c.Cells)}
		for _, f := range p.Fields {
			for _, k := range components(f, c.Dims()) {
				of.list = append(of.list, spectrumColumn(f, k, c.Dims()))
			}
		}
		what := p
		what.Schedule, what.Sample = config.Schedule{}, config.Schedule{}
		list = append(list, withTable(s.Run, "spectrum", p.Schedule, &statistic[config.Spectrum]{
			base: newBase(p.Sample), quantity: of, name: p.Name, of: what, size: of.blockRows(c) * len(of.list), start: p.Start, restarted: p.Restarted,
			memory: func(m *Memory) map[string]statisticMemory[config.Spectrum] { return m.Spectra },
		})...)
	}
	return list
}

// spectrumColumn returns the column of a component: its number among the state's values, and the factor of its square.
func spectrumColumn(f model.Field, c, dims int) statisticColumn {
	column := statisticColumn{field: f, name: componentName(f, c), factor: 1}
	switch f.Name {
	case "velocity_spectrum":
		column.number = 1 + c
	case "pressure_spectrum":
		column.factor = model.CS2 * model.CS2
	case "temperature_spectrum":
		column.number = 1 + dims
	default:
		panic("there is no spectrum " + f.Name) // a row of model.Spectra without a formula
	}
	return column
}

func (p *spectrum) prepare(*Run) error { return nil }

// sample returns the spectra of all planes, NaN for planes without whole lines of fluid.
func (p *spectrum) sample(r *Run, _ *sums) (all []float64, err error) {
	var values []int
	for _, c := range p.list {
		values = append(values, c.number)
	}
	from, empty := r.present(), ""
	for _, planes := range p.positions(r.Case.Cells) {
		sums, lines, err := r.View.Spectra(from, values, derive.Lines{Along: p.Along, Normal: p.Normal, Planes: planes})
		if err != nil {
			return nil, err
		}
		if lines == 0 && empty == "" {
			empty = "the domain"
			if len(p.At) > 0 {
				empty = fmt.Sprintf("the plane %s = %g", "xyz"[p.Normal:p.Normal+1], p.middle(r, planes[0]))
			}
		}
		for _, e := range sums {
			all = append(all, e/float64(lines))
		}
	}
	if r.Rank.Root && empty != "" && !p.warned {
		p.warned = true
		r.Rank.Warn(finding.EmptySpectrum.Says("[output.spectrum.%s]: each line of %s along %s has solid cells: its spectrum is NaN", p.Name, empty, "xyz"[p.Along:p.Along+1]))
	}
	return all, nil
}

// positions returns the planes, first and last, whose lines have a spectrum together.
func (p *spectrum) positions(cells [3]int) (list [][2]int) {
	for _, k := range p.At {
		list = append(list, [2]int{k, k + 1})
	}
	if list == nil {
		list = [][2]int{{0, cells[p.Normal]}}
	}
	return list
}

// middle of a plane of cells, in the outputs' unit.
func (p *spectrum) middle(r *Run, k int) float64 {
	return r.Case.Origin[p.Normal] + (float64(k)+0.5)*r.Case.Units.Length
}

func (p *spectrum) columns() []statisticColumn   { return p.list }
func (p *spectrum) blockRows(c *config.Case) int { return len(p.positions(c.Cells)) * p.waves }

func (p *spectrum) value(s *sums, row, column int) (v, half float64) {
	e := s.Series.Estimate((row/p.waves*len(p.list)+column)*p.waves + row%p.waves)
	return e.Mean, e.Half
}

func (p *spectrum) places(r *Run) (list []probe.Column) {
	u := r.Case.Units
	if len(p.At) > 0 {
		list = append(list, probe.Column{Name: "xyz"[p.Normal : p.Normal+1], Unit: unitOf(u, model.Length)})
	}
	k := probe.Column{Name: "k"}
	if u.Physical {
		k.Unit = "rad/m"
	}
	return append(list, k)
}

func (p *spectrum) place(r *Run, row int) (at []float64) {
	if len(p.At) > 0 {
		at = append(at, p.middle(r, p.At[row/p.waves]))
	}
	dk := 2 * math.Pi / (float64(r.Case.Cells[p.Along]) * r.Case.Units.Length)
	return append(at, float64(row%p.waves+1)*dk)
}
