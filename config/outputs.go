package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lbmsim/config/language"
	"lbmsim/model"
)

// [output.*] and [checkpoint]: what a run leaves behind.

// outputs reads [output.*] and [checkpoint], after all that they show.
type outputs struct {
	*timing
	*Flow
	*Solids
	*Outputs
	forces *forces
}

func (r *outputs) read() {
	r.outputDir()
	if s := r.Section("output.fields"); s != nil {
		o := &r.Fields
		o.On, o.Schedule = true, r.begun(s)
		o.Fields = r.shown(s)
		if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be written")
		}
		if e := s.Get("precision"); e != nil {
			o.Type = precisionOf(e.Text)
		}
		if e := s.Get("files"); e != nil {
			o.Files = e.Ints[0]
		}
		if e := s.Get("dir"); e != nil {
			o.Dir = e.Text
			r.relative(e)
		}
	}
	if s := r.Section("output.averages"); s != nil {
		r.averages(s)
	}
	if s := r.Section("output.picture"); s != nil {
		r.Picture.On, r.Picture.Schedule = true, r.begun(s)
		r.picture(s)
	}
	r.walled()
	for _, s := range r.All("output.probe") {
		p := Probe{Name: s.Name(), Schedule: r.begun(s), Fields: fieldsOf(s.Get("fields"))}
		if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be recorded")
		}
		if r.need(s, "at", "at = [x, y] or [x, y, z]") {
			p.Cell = r.cell(s, "at", true)
		}
		r.Probes = append(r.Probes, p)
	}
	for _, s := range r.All("output.line") {
		r.lineOutput(s)
	}
	for _, s := range r.All("output.plane") {
		r.plane(s)
	}
	for _, s := range r.All("output.profile") {
		r.profile(s)
	}
	for _, s := range r.All("output.spectrum") {
		r.spectrum(s)
	}
	for _, s := range r.All("output.force") {
		r.forces.forceOutput(s)
	}
	for _, s := range r.All("output.series") {
		r.series(s)
	}
	r.forces.stopWhen()
	if s := r.Section("checkpoint"); s != nil {
		r.Checkpoint.On, r.Checkpoint.Schedule = true, r.schedule(s)
		if e := s.Get("keep"); e != nil {
			r.Checkpoint.Keep = e.Ints[0]
		}
		if e := s.Get("on_error"); e != nil {
			r.Checkpoint.GoOn = e.Text == goOn
		}
	}
}

// shown is the fields of a file for ParaView. Where there are bodies it tells their cells, by
// default: what is averaged or integrated there should leave them out.
func (r *outputs) shown(s *language.Section) []model.Field {
	switch {
	case s.Has("fields"):
	case len(r.Bodies) > 0:
		r.SetDefault(s, "fields", `["pressure", "velocity", "solid"]`)
	default:
		r.SetDefault(s, "fields", `["pressure", "velocity"]`)
	}
	return fieldsOf(s.Get("fields"))
}

func (r *outputs) plane(s *language.Section) {
	p := Plane{Name: s.Name(), Schedule: r.begun(s), Fields: r.shown(s)}
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: nothing would be recorded")
	}
	if e := s.Get("precision"); e != nil {
		p.Type = precisionOf(e.Text)
	}
	if r.dims == 2 {
		r.Add(s.At, "[output.fields] writes the whole of a case in 2D, [output.line.NAME] a line", "%s is for cases in 3D", s.Head())
		return
	}
	e := s.Get("normal")
	if e == nil || !r.haveBox {
		return
	}
	p.Axis = axisOf(e.Text)
	p.At = r.Cells[p.Axis] / 2
	if e := s.Get("at"); e != nil {
		place := (e.Values[0].Value - r.Origin[p.Axis]) / r.Units.Length
		i, ok := r.index(place, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.Origin[p.Axis], model.Length), r.si(r.Origin[p.Axis]+r.size[p.Axis], model.Length)),
				"%s lies outside of the domain", s.Head())
			return
		}
		r.onLayer(s, place, p.Axis, i)
		p.At = i
	} else if !s.Has("at") {
		mid := r.Origin[p.Axis] + (float64(p.At)+0.5)*r.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
	r.Planes = append(r.Planes, p)
}

func (r *outputs) lineOutput(s *language.Section) {
	l := Line{Name: s.Name(), Schedule: r.begun(s), Fields: fieldsOf(s.Get("fields"))}
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: nothing would be recorded")
	}
	ok := r.need(s, "from", "from = [x, y] or [x, y, z]")
	if ok = r.need(s, "to", "to = [x, y] or [x, y, z]") && ok; !ok || !r.haveBox {
		return
	}
	for _, end := range []struct {
		key string
		p   *[3]float64
	}{{"from", &l.From}, {"to", &l.To}} {
		v := r.vector(s, end.key)
		if v == nil {
			return
		}
		*end.p = r.position(v)
		for a := range v {
			if _, inside := r.index(end.p[a], a); !inside {
				r.Add(v[a].At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.Origin[a], model.Length), r.si(r.Origin[a]+r.size[a], model.Length)),
					"%s of %s lies outside of the domain", end.key, s.Head())
				return
			}
		}
		if r.dims == 2 {
			end.p[2] = 0.5
		}
	}
	length := 0.0
	for a := range l.From {
		length = math.Hypot(length, l.To[a]-l.From[a])
	}
	if length == 0 {
		r.Add(s.Get("to").At, "values at one point are an [output.probe.NAME]", "%s has no length", s.Head())
		return
	}
	if e := s.Get("points"); e != nil {
		l.Points = e.Ints[0]
	} else if !s.Has("points") {
		l.Points = r.SetDefault(s, "points", strconv.Itoa(1+int(math.Ceil(length-1e-9)))).Ints[0]
	}
	r.Lines = append(r.Lines, l)
}

func (r *outputs) outputDir() {
	s := r.Section("output")
	if !s.Has("dir") {
		base := strings.TrimSuffix(filepath.Base(r.Path), ".toml")
		base = strings.Map(func(c rune) rune {
			if c < ' ' || c == 0x7f || c == '\uFFFD' || c == '/' || c == '\\' {
				return '_'
			}
			return c
		}, base)
		if base == "" || base == "." || base == ".." || base == "_" || base == "-" || len(base) > 200 {
			base = "case"
		}
		r.SetDefault(s, "dir", language.Quote("out/"+base))
	}
	if e := s.Get("on_error"); e != nil {
		r.GoOn = e.Text == goOn
	}
	if e := s.Get("dir"); e != nil {
		r.OutputDir = e.Text
		if e.Text == "" {
			r.Add(e.At, "", "dir is empty; the working folder is \".\"")
		}
	}
}

// ShowsField reports whether an output shows a field.
func (c *Case) ShowsField(name string) bool {
	is := func(f model.Field) bool { return f.Name == name }
	for _, l := range c.Lines {
		if slices.ContainsFunc(l.Fields, is) {
			return true
		}
	}
	for _, p := range c.Probes {
		if slices.ContainsFunc(p.Fields, is) {
			return true
		}
	}
	for _, p := range c.Planes {
		if slices.ContainsFunc(p.Fields, is) {
			return true
		}
	}
	return slices.ContainsFunc(c.Fields.Fields, is) || c.Picture.On && is(c.Picture.Field)
}

// walled refuses the distance to walls where there are none.
func (r *outputs) walled() {
	if len(r.Boundaries)+len(r.Bodies) > 0 {
		return
	}
	for _, s := range r.Sections {
		for _, key := range []string{"field", "fields"} {
			if !s.Knows(key) {
				continue
			}
			if e := s.Get(key); e != nil && (e.Text == "wall_distance" || slices.Contains(e.Words, "wall_distance")) {
				r.Add(e.At, "", "wall_distance: the case has no walls")
			}
		}
	}
}

func fieldsOf(e *language.Entry) []model.Field {
	if e == nil {
		return nil
	}
	var f []model.Field
	for _, w := range e.Words {
		f = append(f, of(model.FindField(w)))
	}
	return f
}

// cell is the one that a position lies in; positions on the line between two cells
// belong to the upper one. fluid: it must not lie in a body, but in one that conducts.
func (r *outputs) cell(s *language.Section, key string, fluid bool) [3]int {
	var c [3]int
	v := r.vector(s, key)
	if v == nil || !r.haveBox {
		return c
	}
	p := r.position(v)
	for a := 0; a < r.dims; a++ {
		i, ok := r.index(p[a], a)
		if !ok {
			r.Add(v[a].At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.Origin[a], model.Length), r.si(r.Origin[a]+r.size[a], model.Length)),
				"%s of %s lies outside of the domain", axes()[a], s.Head())
			return c
		}
		c[a] = i
	}
	centre := [3]float64{float64(c[0]) + 0.5, float64(c[1]) + 0.5, float64(c[2]) + 0.5}
	r.onCentre(s, p, centre, []int{0, 1, 2}[:r.dims]...)
	for _, b := range r.Bodies {
		r.once(func() {
			if fluid && !b.Conducts() && r.shape(b).Contains(centre[0], centre[1], centre[2]) {
				r.Add(s.Get(key).At, "", "%s lies inside [body.%s]", s.Head(), b.Name)
			}
		}, b)
	}
	return c
}

// component reads the component of a field: 0 to 2, or -1.
func (r *outputs) component(s *language.Section, f model.Field) int {
	e := s.Get("component")
	if e == nil {
		def := "magnitude"
		if f.Name == "vorticity" && r.dims == 2 {
			def = "z"
		}
		if f.Components == 1 || s.Has("component") {
			return -1
		}
		e = r.SetDefault(s, "component", language.Quote(def))
	}
	if e.Text == "magnitude" {
		return -1
	}
	a := axisOf(e.Text)
	switch {
	case f.Components == 1:
		r.Add(e.At, "", "%s has no components", f.Name)
	case r.dims == 2 && (a == 2) != (f.Name == "vorticity"):
		r.Add(e.At, "", "the %s component of the %s is always 0 in 2D", e.Text, f.Name)
	}
	return a
}

// signedRange refuses colours for values below 0 of a magnitude; of a case without other mistakes, which may hide what is shown.
func (r *outputs) signedRange() {
	p := r.Picture
	if e := r.Section("output.picture").Get("range"); e != nil && r.Count == 0 && p.Min < 0 && p.Field.NeverNegative(p.Component) {
		r.Add(e.At, signedInstead(p.Field), "the range of the picture begins at %s, but the %s is never negative", language.Short(p.Min), shown(p.Field))
	}
}

// shown names what a picture shows of a field without a sign.
func shown(f model.Field) string {
	if f.Components > 1 {
		return "magnitude of the " + f.Name
	}
	return f.Name
}

// signedInstead is what to give for colours of both signs.
func signedInstead(f model.Field) string {
	switch {
	case f.Components > 1:
		return "for both signs give component = \"x\", \"y\" or \"z\", otherwise a range from 0"
	case f.Name == "speed":
		return "for both signs give field = \"velocity\" and component = \"x\", \"y\" or \"z\", otherwise a range from 0"
	}
	return "give a range from 0"
}

// leastRange of a picture's colours, far above the smallest numbers, which lose their digits.
const leastRange = 1e-290

func (r *outputs) picture(s *language.Section) {
	p := &r.Picture
	e := s.Get("field")
	if e == nil {
		return
	}
	p.Field = of(model.FindField(e.Text))
	p.Component = r.component(s, p.Field)
	if e := s.Get("range"); e != nil {
		for _, a := range e.Values {
			if !a.Bare && a.Dim != p.Field.Dim && a.Value != 0 {
				r.Add(a.At, "", "range must be %s, not %s", language.InWords(p.Field.Dim), language.InWords(a.Dim))
			}
		}
		p.Min, p.Max = e.Values[0].Value, e.Values[1].Value
		if p.Min >= p.Max {
			r.Add(e.At, "range = [smallest, largest]", "the range of the picture is empty")
		} else if p.Max-p.Min < leastRange {
			r.Add(e.At, "", "the range of the picture is too small for colours: %g, less than %g", p.Max-p.Min, leastRange)
		}
	}
	p.Axis = 2
	if e := s.Get("normal"); e != nil {
		if p.Axis = axisOf(e.Text); r.dims == 2 && p.Axis != 2 {
			r.Add(e.At, "leave normal out, or give \"z\"", "in 2D the normal of a picture is z")
			return
		}
	}
	if !r.haveBox {
		return
	}
	p.At = r.Cells[p.Axis] / 2
	if e := s.Get("at"); e != nil {
		if r.dims == 2 {
			r.Add(e.KeyAt, "", "a picture in 2D shows the whole domain and has no position")
			return
		}
		place := (e.Values[0].Value - r.Origin[p.Axis]) / r.Units.Length
		i, ok := r.index(place, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.Origin[p.Axis], model.Length), r.si(r.Origin[p.Axis]+r.size[p.Axis], model.Length)),
				"the picture's slice lies outside of the domain")
			return
		}
		r.onLayer(s, place, p.Axis, i)
		p.At = i
	} else if r.dims == 3 && !s.Has("at") {
		mid := r.Origin[p.Axis] + (float64(p.At)+0.5)*r.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
}
