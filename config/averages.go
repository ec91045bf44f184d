package config

import (
	"path/filepath"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Averages is [output.averages].
type Averages struct {
	On       bool
	Schedule Schedule // of the files
	Sample   Schedule
	Start    int    // the first step that may be sampled
	Dir      string // folder, relative to the output folder
	Fields   []model.Field
	Type     model.Precision // of the file
}

// Needs tells which sums the averages take: means and squares of the deviations of the
// pressure, and of the velocity.
func (a Averages) Needs() (p, pp, u, uu bool) {
	for _, f := range a.Fields {
		p = p || f.Name == "mean_pressure" || f.Name == "pressure_variance"
		pp = pp || f.Name == "pressure_variance"
		u = u || f.Name == "mean_velocity" || f.Name == "reynolds_stress"
		uu = uu || f.Name == "reynolds_stress"
	}
	return p, pp, u, uu
}

// AveragedValues is how many numbers a cell the averages over time add up.
func (c *Case) AveragedValues() int {
	p, pp, u, uu := c.Averages.Needs()
	n, d := 0, c.Dims()
	for _, part := range []struct {
		on bool
		n  int
	}{{p, 1}, {pp, 1}, {u, d}, {uu, d * (d + 1) / 2}} {
		if part.on {
			n += part.n
		}
	}
	return n
}

func (r *outputs) averages(s *language.Section) {
	o := &r.Averages
	o.On, o.Schedule = true, r.schedule(s)
	o.Sample = Schedule{Period: r.period(s, "sample_every")}
	o.Start = r.beginning(s)
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be averaged")
		}
		for _, w := range e.Words {
			o.Fields = append(o.Fields, of(model.FindAverage(w)))
		}
	}
	if e := s.Get("precision"); e != nil {
		o.Type = precisionOf(e.Text)
	}
	if e := s.Get("dir"); e != nil {
		o.Dir = e.Text
		r.relative(e)
		if f := r.Section("output.fields").Get("dir"); f != nil && filepath.Clean(f.Text) == filepath.Clean(e.Text) {
			r.Add(e.At, "", "[output.fields] and %s write into the same folder %s", s.Head(), language.ShortQuote(e.Text))
		}
	}
}

// relative paths stay below the output folder.
func (r *outputs) relative(e *language.Entry) {
	if !filepath.IsLocal(e.Text) {
		r.Add(e.At, "", "%s = %s must be a folder inside the output folder", e.Key.Name, language.ShortQuote(e.Text))
	}
}
