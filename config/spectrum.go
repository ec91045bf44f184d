package config

import (
	"lbmsim/config/language"
	"lbmsim/model"
)

// mostSpectrumNumbers is how many numbers all spectra may have: their statistics are half a KiB each, in the header of each
// checkpoint (io/checkpoint has its limit).
const mostSpectrumNumbers = 90_000

// Waves is how many wave numbers a spectrum has.
func (p Spectrum) Waves(cells [3]int) int { return cells[p.Along] / 2 }

// Numbers is how many a spectrum follows over time.
func (p Spectrum) Numbers(cells [3]int, dims int) int {
	each := 0
	for _, f := range p.Fields {
		each += min(f.Components, dims)
	}
	return max(1, len(p.At)) * p.Waves(cells) * each
}

// spectrum reads [output.spectrum.NAME].
func (r *outputs) spectrum(s *language.Section) {
	p := Spectrum{Name: s.Name(), Schedule: r.schedule(s), Start: r.beginning(s)}
	p.Sample = Schedule{Period: r.period(s, "sample_every"), From: p.Start}
	if e := s.Get("cumulative"); e != nil {
		p.Anew = !e.Flag
	}
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be recorded")
		}
		for _, w := range e.Words {
			f := of(model.FindSpectrum(w))
			if model.OfTemperature(f) && !r.Spec.Scalar {
				r.Add(e.At, "[temperature] with a diffusivity adds a temperature to the flow", "%s: the case has no [temperature]", w)
			}
			p.Fields = append(p.Fields, f)
		}
	}
	if !r.need(s, "along", `along = "x", "y" or "z": the periodic axis that the lines run along`) || !r.haveBox {
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
		r.Add(e.At, "waves fit into lines whose ends meet: [domain] periodic names such axes", "%s: the domain is not periodic along %s", s.Head(), e.Text)
		return
	case p.Waves(r.Cells) == 0:
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
		r.Add(s.At, "fewer positions or fields make it less", "the spectra have %s numbers, and checkpoints have room for the statistics of %s", language.Grouped(numbers), language.Grouped(mostSpectrumNumbers))
	}
}

// across finds out in which planes the lines of a spectrum lie.
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
			r.Add(e.At, "normal is an axis across the lines", "%s: the normal of lines along %s cannot be %s", s.Head(), axes()[p.Along], e.Text)
			return false
		}
	case s.Has("normal"):
		return false
	case !s.Has("at") && len(walled) == 0:
		return true // all lines
	case len(walled) == 1 || len(others) == 1:
		if len(walled) == 1 {
			p.Normal = walled[0]
		}
		r.SetDefault(s, "normal", language.Quote(axes()[p.Normal]))
	default:
		r.need(s, "normal", "the axis across the planes that the lines lie in; the mean is over the lines of a plane")
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
	planes := map[int]bool{}
	for _, a := range e.Values {
		place := (a.Value - r.Origin[p.Normal]) / r.Units.Length
		i, ok := r.index(place, p.Normal)
		switch axis := axes()[p.Normal]; {
		case !ok:
			r.Add(a.At, "the domain's "+axis+" runs from "+r.si(r.Origin[p.Normal], model.Length)+" to "+r.si(r.Origin[p.Normal]+r.size[p.Normal], model.Length),
				"a position of %s lies outside of the domain", s.Head())
			return false
		case planes[i]:
			r.Add(a.At, "", "two positions of %s lie in the same cells along %s", s.Head(), axis)
			return false
		default:
			planes[i] = true
			r.onLayer(s, place, p.Normal, i)
			p.At = append(p.At, i)
		}
	}
	return true
}
