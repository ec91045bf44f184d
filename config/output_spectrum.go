// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/model"
)

// spectrumOutput describes [output.spectrum.NAME].
func spectrumOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.spectrum.*", Keys: []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "the axis of the lines, along which the domain must be periodic"},
			{Name: "normal", Kind: language.Word, Choices: axes(), DefaultDoc: "the other non-periodic axis; in 2D the other axis", Doc: "axis across the planes of cells that contain the lines; the mean is over the lines of a plane"},
			{Name: "at", Kind: language.Quantities, Dim: model.Length, DefaultDoc: "the middle; without normal in a fully periodic domain, all lines together", Doc: "positions of the planes along the normal, each with a separate spectrum, from the cells that contain it"},
			{Name: "fields", Kind: language.Words, Choices: names(model.Spectra(), func(f model.Field) string { return f.Name }), Default: `["velocity_spectrum"]`, Doc: "fields to write, see the table of spectra"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the initial transient"},
			{Name: "sample_every", Kind: language.Period, Default: "100", Doc: "steps, or simulated time, between two samples. For each the CPUs of the ranks transform the lines"},
			{Name: "cumulative", Kind: language.Flag, Default: "true", Doc: "each output has all samples since start; `false`: the samples since the previous output, for example in a decaying flow"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of the spectrum so far"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "One-dimensional spectra of lines of cells along a periodic axis, averaged over lines and time, as CSV, `spectrum_NAME.csv` ([how](turbulence.md#spectra)). Each output has a block of rows, one per position and wave number. After step, time, position and wave number follow the number of samples, the fields, and half-widths of their 95 % confidence intervals, as for [output.force.NAME]. Lines with solid cells are omitted, in a refined grid also lines [with cells of several levels](refine.md#values-between-cells). The bits depend neither on the number of ranks nor on restarts."},
		read: func(r *outputs, s *language.Section) { r.spectrum(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, p := range c.Spectra {
				list = append(list, tableFootprint("[output.spectrum."+p.Name+"]", p.Schedule, p.Rows(c.Cells), p.columns(c)))
			}
			return list
		},
	}
}

// Spectrum is [output.spectrum.NAME]: spectra of lines of cells along a periodic axis, averaged over lines and time, as CSV.
type Spectrum struct {
	Name      string
	Schedule  Schedule // of the file
	Sample    Schedule
	Start     int   // the first step that may be sampled
	Restarted bool  `json:"Anew"` // each output has the samples since the previous one; checkpoints keep the name
	Along     int   // axis of the lines
	Normal    int   // axis across the planes that they lie in
	At        []int // these planes' cells along it; none: all lines of the domain together
	Levels    []int `json:",omitempty"` // of a refined grid: of the cells of each position
	Fields    []model.Field
}

// Rows returns the number of rows of a block: of all positions' wave numbers.
func (p Spectrum) Rows(cells [3]int) (rows int) {
	for k := range p.Positions() {
		rows += p.Waves(cells, k)
	}
	return rows
}

// Positions returns how many spectra a block has.
func (p Spectrum) Positions() int { return max(1, len(p.At)) }

// Level returns the level of the cells of a position.
func (p Spectrum) Level(position int) int {
	if p.Levels == nil {
		return 0
	}
	return p.Levels[position]
}

// columns behind step and time: wave number, samples, position.
func (p Spectrum) columns(c *Case) int {
	return 2 + min(1, len(p.At)) + 2*p.Numbers(c.Cells, c.Dims())/p.Rows(c.Cells)
}

// mostSpectrumNumbers is the largest number of values in all spectra: their statistics are half a KiB each, in the header of
// each checkpoint (io/checkpoint has its limit).
const mostSpectrumNumbers = 90_000

// Waves returns the number of wave numbers of a position's spectrum.
func (p Spectrum) Waves(cells [3]int, position int) int {
	return cells[p.Along] << p.Level(position) / 2
}

// Numbers returns the number of values that a spectrum follows over time.
func (p Spectrum) Numbers(cells [3]int, dims int) int {
	each := 0
	for _, f := range p.Fields {
		each += min(f.Components, dims)
	}
	return p.Rows(cells) * each
}

// spectrum reads [output.spectrum.NAME].
func (r *outputs) spectrum(s *language.Section) {
	p := Spectrum{Name: s.Name(), Schedule: r.schedule(s), Start: r.beginning(s)}
	p.Sample = Schedule{Period: r.period(s, "sample_every"), From: p.Start}
	if e := s.Get("cumulative"); e != nil {
		p.Restarted = !e.Flag
	}
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: there is nothing to record")
		}
		for _, w := range e.Words {
			f := of(model.FindSpectrum(w))
			if model.OfTemperature(f) && !r.Spec.Scalar {
				r.Add(e.At, "[temperature] with a diffusivity adds a temperature to the flow", "%s: the case has no [temperature]", w)
			}
			p.Fields = append(p.Fields, f)
		}
	}
	if !r.need(s, "along", `along = "x", "y" or "z": the periodic axis of the lines`) || !r.haveBox {
		return
	}
	e := s.Get("along")
	if e == nil {
		return
	}
	switch p.Along = axisOf(e.Text); {
	case p.Along >= r.dims:
		r.Add(e.At, "along = \"x\" or \"y\"", "%s: in 2D there are no lines along z", s.Head())
		return
	case r.Section("domain").Broken("periodic"):
		return
	case !r.Periodic[p.Along]:
		r.Add(e.At, "spectra need periodic lines: [domain] periodic lists such axes", "%s: the domain is not periodic along %s", s.Head(), e.Text)
		return
	case p.Waves(r.Cells, 0) == 0:
		r.Add(e.At, "", "%s: a line of one cell along %s has no waves", s.Head(), e.Text)
		return
	}
	if !r.across(s, &p) {
		return
	}
	r.Spectra = append(r.Spectra, p)
	numbers := 0
	for _, p := range r.Spectra {
		numbers += p.Numbers(r.Cells, r.dims)
	}
	if numbers > mostSpectrumNumbers {
		r.Add(s.At, "use fewer positions or fields", "the spectra have %s numbers; checkpoints hold statistics of at most %s", language.Grouped(numbers), language.Grouped(mostSpectrumNumbers))
	}
}

// across finds the planes of the lines of a spectrum.
func (r *outputs) across(s *language.Section, p *Spectrum) bool {
	var others, walled []int // axes across the lines; those that are not periodic
	for a := range r.dims {
		if a == p.Along {
			continue
		}
		if others = append(others, a); !r.Periodic[a] {
			walled = append(walled, a)
		}
	}
	p.Normal = others[len(others)-1]
	e := s.Get("normal")
	switch {
	case e != nil:
		if p.Normal = axisOf(e.Text); p.Normal == p.Along || p.Normal >= r.dims {
			r.Add(e.At, "normal is an axis perpendicular to the lines", "%s: the normal of lines along %s cannot be %s", s.Head(), axes()[p.Along], e.Text)
			return false
		}
	case s.Has("normal"):
		return false
	case !s.Has("at") && len(walled) == 0:
		return r.allLines(s, p)
	case len(walled) == 1 || len(others) == 1:
		if len(walled) == 1 {
			p.Normal = walled[0]
		}
		r.SetDefault(s, "normal", language.Quote(axes()[p.Normal]))
	default:
		r.need(s, "normal", "the axis normal to the planes of the lines; the mean is over the lines of a plane")
		return false
	}
	return r.planesAt(s, p)
}

// planesAt reads the positions of a spectrum's planes.
func (r *outputs) planesAt(s *language.Section, p *Spectrum) bool {
	e := s.Get("at")
	if e == nil {
		if s.Has("at") {
			return false
		}
		mid := r.Origin[p.Normal] + (float64(r.Cells[p.Normal]/2)+0.5)*r.Units.Length
		e = r.SetDefault(s, "at", "["+language.Amount{Value: mid, Bare: !r.Units.Physical, Dim: model.Length}.TOML()+"]")
	}
	planes := map[[2]int]bool{}
	for _, a := range e.Values {
		place := (a.Value - r.Origin[p.Normal]) / r.Units.Length
		i, ok := r.index(place, p.Normal)
		level, found := 0, true
		if ok && r.finer != nil {
			level, i, found = r.lineLevel(p, place)
		}
		switch axis := axes()[p.Normal]; {
		case !ok:
			r.Add(a.At, "the domain's "+axis+" runs from "+r.si(r.Origin[p.Normal], model.Length)+" to "+r.si(r.Origin[p.Normal]+r.size[p.Normal], model.Length),
				"a position of %s lies outside the domain", s.Head())
			return false
		case !found:
			r.crossed(s, a.At, p)
			return false
		case planes[[2]int{level, i}]:
			r.Add(a.At, "", "two positions of %s fall into the same cells along %s", s.Head(), axis)
			return false
		default:
			planes[[2]int{level, i}] = true
			r.onLayer(s, place, p.Normal, i)
			p.At = append(p.At, i)
			if r.finer != nil {
				p.Levels = append(p.Levels, level)
			}
		}
	}
	return true
}

// allLines finds the cells of a spectrum of all lines.
func (r *outputs) allLines(s *language.Section, p *Spectrum) bool {
	if r.finer == nil {
		return true
	}
	for l := len(r.finer.Levels) - 1; l >= 0; l-- {
		if decomp.WholeLines(r.finer, l, p.Along, p.Normal, 0, r.finer.Levels[l].N[p.Normal]) {
			p.Levels = []int{l}
			return true
		}
	}
	r.crossed(s, s.At, p)
	return false
}

// lineLevel returns the finest level that has whole lines in a plane, and the plane's cell there; false: no level has.
func (r *outputs) lineLevel(p *Spectrum, place float64) (level, cell int, ok bool) {
	for level = len(r.finer.Levels) - 1; level >= 0; level-- {
		n := r.finer.Levels[level].N[p.Normal]
		cell = min(int(place*float64(n)/float64(r.Cells[p.Normal])), n-1)
		if decomp.WholeLines(r.finer, level, p.Along, p.Normal, cell, cell+1) {
			return level, cell, true
		}
	}
	return 0, 0, false
}

// crossed reports lines that all have cells of several levels.
func (r *outputs) crossed(s *language.Section, at language.Mark, p *Spectrum) {
	along := axes()[p.Along]
	r.Add(at, "extend a box [refine.NAME] across "+along+", or choose another position", "%s: each line along %s crosses ends of boxes, so it has cells of several sizes", s.Head(), along)
}
