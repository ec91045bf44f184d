package config

import (
	"path/filepath"
	"regexp"
	"strings"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Averages is [output.averages].
type Averages struct {
	On       bool
	Schedule Schedule // of the files
	Sample   Schedule
	Start    int    // the first step that may be sampled
	Over     bool   // the averages are also over an axis, and the file has one layer of cells along it
	Axis     int    // which
	Dir      string // folder, relative to the output folder
	Fields   []model.Field
	Type     model.Precision // of the file
}

// AveragedValues is how many numbers a cell the averages over time add up.
func (c *Case) AveragedValues() int { return model.SumsOf(c.Averages.Fields).Values(c.Dims()) }

func (r *outputs) averages(s *language.Section) {
	o := &r.Averages
	o.On, o.Schedule = true, r.schedule(s)
	o.Start = r.beginning(s)
	o.Sample = Schedule{Period: r.period(s, "sample_every"), From: o.Start}
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
	r.over(s)
	if e := s.Get("dir"); e != nil {
		o.Dir = e.Text
		r.relative(e)
		if f := r.Section("output.fields").Get("dir"); f != nil && filepath.Clean(f.Text) == filepath.Clean(e.Text) {
			r.Add(e.At, "", "[output.fields] and %s write into the same folder %s", s.Head(), language.ShortQuote(e.Text))
		}
	}
}

// Grid is the cells of the file.
func (a Averages) Grid(cells [3]int) [3]int {
	if a.Over {
		cells[a.Axis] = 1
	}
	return cells
}

// over reads the axis that averages are over.
func (r *outputs) over(s *language.Section) {
	e := s.Get("over")
	if e == nil || r.dims == 0 {
		return
	}
	o := &r.Averages
	o.Over, o.Axis = true, axisOf(e.Text)
	switch {
	case r.dims == 2:
		r.Add(e.At, "in 2D an [output.profile.NAME] along the other axis has these averages", "over is for cases in 3D")
	case !r.Section("domain").Broken("periodic") && !r.Periodic[o.Axis]:
		r.Add(e.At, "only there may a flow be alike everywhere along it: [domain] periodic names such axes", "over = %s: the domain is not periodic along %s", language.Quote(e.Text), e.Text)
	}
}

// mostProfileRows is how many planes all profiles may have: their statistics are some KiB a plane, in the header of
// each checkpoint (io/checkpoint has its limit).
const mostProfileRows = 6_000

// profile reads [output.profile.NAME].
func (r *outputs) profile(s *language.Section) {
	p := Profile{Name: s.Name(), Schedule: r.schedule(s), Start: r.beginning(s)}
	p.Sample = Schedule{Period: r.period(s, "sample_every"), From: p.Start}
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be averaged")
		}
		for _, w := range e.Words {
			f := of(model.FindProfileField(w))
			if model.OfTemperature(f) && !r.Spec.Scalar && !strings.Contains(w, "temperature") { // of those the temperature's own reader tells
				r.Add(e.At, "[temperature] with a diffusivity adds a temperature to the flow", "%s: the case has no [temperature]", w)
			}
			p.Fields = append(p.Fields, f)
		}
	}
	if !r.need(s, "along", `along = "x", "y" or "z": the axis that the profile is along`) {
		return
	}
	e := s.Get("along")
	if e == nil {
		return
	}
	if p.Axis = axisOf(e.Text); r.dims == 2 && p.Axis == 2 {
		r.Add(e.At, "along = \"x\" or \"y\"", "%s: in 2D there is no profile along z", s.Head())
		return
	}
	r.Profiles = append(r.Profiles, p)
	rows := 0
	for _, p := range r.Profiles {
		rows += r.Cells[p.Axis]
	}
	if r.haveBox && rows > mostProfileRows {
		r.Add(e.At, "", "the profiles have %s planes of cells, and checkpoints have room for the statistics of %s", language.Grouped(rows), language.Grouped(mostProfileRows))
	}
}

// reserved matches names in the output folder that runs use for files and folders beside those of fields and averages.
var reserved = regexp.MustCompile(`^(checkpoints|planes|inputs|blowup|blowup\.(txt|json)(\.part)?|status\.json|stop\.now|checkpoint\.now|` +
	`\..+\.part|\.lbmsim\.lock|[a-z_]+_[0-9]{10}\.png|(probe|line|profile|force|series|spectrum)_.+\.csv)$`)

// relative paths stay below the output folder.
func (r *outputs) relative(e *language.Entry) {
	if !filepath.IsLocal(e.Text) {
		r.Add(e.At, "", "%s = %s must be a folder inside the output folder", e.Key.Name, language.ShortQuote(e.Text))
	} else if first, _, _ := strings.Cut(filepath.Clean(e.Text), string(filepath.Separator)); reserved.MatchString(first) {
		r.Add(e.At, "", "%s = %s: the run itself uses the name %s in the output folder", e.Key.Name, language.ShortQuote(e.Text), language.ShortQuote(first))
	}
}
