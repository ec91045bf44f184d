package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lbmsim/config/language"
	"lbmsim/halo/transport"
	"lbmsim/model"
)

// [run], [device], [output.*] and [checkpoint]: when a run ends and what it leaves behind.

// shortestStall is what a busy machine may keep a rank waiting.
const shortestStall = 5 * time.Second

func (r *resolver) run() {
	s := r.Section("run")
	run := &r.c.Run
	r.exclusive(s, "the length of a run is a number of steps or a simulated time", "steps", "time")
	if e := s.Get("steps"); e != nil {
		run.Steps = r.inSteps(e.Ints[0])
	} else if e := s.Get("time"); e != nil && r.haveTime {
		n := e.Values[0].Value / r.c.Units.Time
		if n > maxSteps {
			r.Add(e.At, "", "%s are %s steps, too many to count", r.si(e.Values[0].Value, model.Time), language.Short(n))
			return
		}
		// A whole number of steps is often meant: rounding must not add one.
		run.Steps = max(1, int(math.Ceil(n-1e-9*math.Max(n, 1))))
	} else if !s.Has("steps") && !s.Has("time") {
		r.missing(s, "steps = 1000, or time = \"10 s\"", "[run] needs steps or time")
	}
	if e := s.Get("wall_time"); e != nil {
		run.WallTime = e.Duration
	}
	if e := s.Get("stall_limit"); e != nil {
		if run.StallLimit = e.Duration; e.Duration > 0 && e.Duration < shortestStall {
			r.Add(e.At, "", "stall_limit = %v is shorter than %v: a busy machine would be taken for one that is stuck (\"0 s\" turns the limit off)", e.Duration, shortestStall)
		}
	}
	if e := s.Get("end_margin"); e != nil {
		run.EndMargin = e.Duration
		if e.Text == "off" {
			run.EndMargin = -1
		}
	}
	if e := s.Get("watch_every"); e != nil {
		run.WatchEvery = e.Ints[0]
	}
	if e := s.Get("max_mach"); e != nil {
		run.MaxMach = e.Values[0].Value
	}
	for _, k := range []struct {
		name string
		to   *float64
	}{{"warn_density_drift", &run.WarnDrift}, {"max_density_drift", &run.MaxDrift}, {"warn_speed", &run.WarnSpeed}, {"warn_grid_scale", &run.WarnGridScale}} {
		if e := s.Get(k.name); e != nil {
			*k.to = e.Values[0].Value
		}
	}
	if e := s.Get("grid_scale_every"); e != nil {
		run.GridScaleEvery = e.Ints[0]
	}
	if e := s.Get("forensics"); e != nil {
		run.Forensics = e.Flag
	}
	if e := s.Get("threads"); e != nil {
		run.Threads = e.Ints[0]
	}
	r.parts(s)
}

// parts that the case wants the domain cut into.
func (r *resolver) parts(s *language.Section) {
	e := s.Get("ranks")
	if e == nil || r.dims == 0 || !r.haveBox {
		return
	}
	if len(e.Ints) != r.dims {
		r.Add(e.At, "", "ranks has %d values in a case of %d dimensions", len(e.Ints), r.dims)
		return
	}
	for a, n := range e.Ints {
		if n > r.c.Cells[a] {
			r.Add(e.At, "every part needs at least one row of cells", "ranks cuts %[2]s into %[1]d parts, but %[2]s has %[3]d cells", n, axes()[a], r.c.Cells[a])
			return
		}
		r.c.Run.Ranks[a] = n
	}
	if e.Ints[0] > 1 {
		r.Add(e.At, "rows along x lie together in memory", "x is never cut: the first number of ranks must be 1, or 0")
	}
}

func (r *resolver) device() {
	s := r.Section("device")
	if e := s.Get("kind"); e != nil {
		r.c.Device.Kind = DeviceKind(indexOf(deviceKinds(), e.Text))
	}
	if e := s.Get("share"); e != nil {
		r.c.Device.Share = e.Flag
	}
	if e := s.Get("transport"); e != nil {
		r.c.Device.Transport = Transport(indexOf(transport.Kinds(), e.Text))
	}
	if e := s.Get("gpu_aware_mpi"); e != nil {
		r.c.Device.GPUAware = Word(indexOf(transport.Answers(), e.Text))
	}
}

// schedule reads the keys of a schedule; onlyEnd warns when nothing but the end is
// due and the table said otherwise.
func (r *resolver) schedule(s *language.Section) Schedule {
	var c Schedule
	if e := s.Get("every"); e != nil {
		if e.Steps {
			c.Period = float64(r.inSteps(e.Ints[0]))
		} else if r.haveTime {
			c.Period = e.Values[0].Value / r.c.Units.Time
			if c.Period < 1 {
				r.warn("%s: every = %s is less than one step (%s): it is due at every step", s.Head(), r.si(e.Values[0].Value, model.Time), r.si(r.c.Units.Time, model.Time))
			}
			if c.Period > 1e15 {
				c.Period = 1e15
			}
		}
	}
	if e := s.Get("every_wall"); e != nil {
		c.WallTime = e.Duration
	}
	if s.Knows("at_start") && s.Get("at_start") != nil {
		c.Start = s.Get("at_start").Flag
	}
	if e := s.Get("at_end"); e != nil {
		c.End = e.Flag
	}
	if n := r.c.Run.Steps; n > 0 && r.haveTime {
		switch {
		case c.Period > float64(n) && s.Has("every"):
			r.warn("%s: every is %s steps, but the run has only %s: %s", s.Head(), language.Short(c.Period), language.Grouped(n), c.remains())
		case c.Period == 0 && c.WallTime == 0 && !c.Start && !c.End:
			r.warn("%s: nothing is ever written: give every, every_wall, at_start or at_end", s.Head())
		}
	}
	return c
}

// remains is what a schedule whose period is longer than the run comes to.
func (s Schedule) remains() string {
	switch {
	case s.WallTime > 0:
		return "it is due by the clock alone"
	case s.Start && s.End:
		return "it is due at the start and at the end alone"
	case s.Start:
		return "it is due at the start alone"
	case s.End:
		return "it is due at the end alone"
	}
	return "it is never due"
}

func (r *resolver) outputs() {
	r.outputDir()
	if s := r.Section("output.fields"); s != nil {
		o := &r.c.Fields
		o.On, o.Schedule = true, r.schedule(s)
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
		r.c.Picture.On, r.c.Picture.Schedule = true, r.schedule(s)
		r.picture(s)
	}
	r.walled()
	for _, s := range r.All("output.probe") {
		p := Probe{Name: s.Name(), Schedule: r.schedule(s), Fields: fieldsOf(s.Get("fields"))}
		if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: nothing would be recorded")
		}
		if r.need(s, "at", "at = [x, y] or [x, y, z]") {
			p.Cell = r.cell(s, "at", true)
		}
		r.c.Probes = append(r.c.Probes, p)
	}
	for _, s := range r.All("output.line") {
		r.lineOutput(s)
	}
	for _, s := range r.All("output.plane") {
		r.plane(s)
	}
	for _, s := range r.All("output.force") {
		r.forceOutput(s)
	}
	for _, s := range r.All("output.series") {
		r.series(s)
	}
	r.stopWhen()
	if s := r.Section("checkpoint"); s != nil {
		r.c.Checkpoint.On, r.c.Checkpoint.Schedule = true, r.schedule(s)
		if e := s.Get("keep"); e != nil {
			r.c.Checkpoint.Keep = e.Ints[0]
		}
		if e := s.Get("on_error"); e != nil {
			r.c.Checkpoint.GoOn = e.Text == goOn
		}
	}
}

// period is a number of steps, or a time as one; 0 when the key is not there.
func (r *resolver) period(s *language.Section, name string) float64 {
	e := s.Get(name)
	switch {
	case e == nil:
		return 0
	case e.Steps:
		return float64(e.Ints[0])
	case !r.haveTime:
		return 0
	}
	return math.Min(e.Values[0].Value/r.c.Units.Time, 1e15)
}

// shown is the fields of a file for ParaView. Where there are bodies it tells their cells, by
// default: what is averaged or integrated there should leave them out.
func (r *resolver) shown(s *language.Section) []model.Field {
	switch {
	case s.Has("fields"):
	case len(r.c.Bodies) > 0:
		r.SetDefault(s, "fields", `["pressure", "velocity", "solid"]`)
	default:
		r.SetDefault(s, "fields", `["pressure", "velocity"]`)
	}
	return fieldsOf(s.Get("fields"))
}

func (r *resolver) plane(s *language.Section) {
	p := Plane{Name: s.Name(), Schedule: r.schedule(s), Fields: r.shown(s)}
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
	p.At = r.c.Cells[p.Axis] / 2
	if e := s.Get("at"); e != nil {
		i, ok := r.index((e.Values[0].Value-r.origin[p.Axis])/r.c.Units.Length, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.origin[p.Axis], model.Length), r.si(r.origin[p.Axis]+r.size[p.Axis], model.Length)),
				"%s lies outside of the domain", s.Head())
			return
		}
		p.At = i
	} else if !s.Has("at") {
		mid := r.origin[p.Axis] + (float64(p.At)+0.5)*r.c.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.c.Units.Physical, Dim: model.Length}.TOML())
	}
	r.c.Planes = append(r.c.Planes, p)
}

func (r *resolver) lineOutput(s *language.Section) {
	l := Line{Name: s.Name(), Schedule: r.schedule(s), Fields: fieldsOf(s.Get("fields"))}
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
				r.Add(v[a].At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.origin[a], model.Length), r.si(r.origin[a]+r.size[a], model.Length)),
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
	r.c.Lines = append(r.c.Lines, l)
}

func (r *resolver) outputDir() {
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
		r.c.GoOn = e.Text == goOn
	}
	if e := s.Get("dir"); e != nil {
		r.c.OutputDir = e.Text
		if e.Text == "" {
			r.Add(e.At, "", "dir is empty; the working folder is \".\"")
		}
	}
}

// relative paths stay below the output folder.
func (r *resolver) relative(e *language.Entry) {
	if !filepath.IsLocal(e.Text) {
		r.Add(e.At, "", "%s = %s must be a folder inside the output folder", e.Key.Name, language.ShortQuote(e.Text))
	}
}

// ShowsField tells whether an output shows a field.
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
func (r *resolver) walled() {
	if len(r.c.Boundaries)+len(r.c.Bodies) > 0 {
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
// belong to the upper one. fluid: it must not lie in a body.
func (r *resolver) cell(s *language.Section, key string, fluid bool) [3]int {
	var c [3]int
	v := r.vector(s, key)
	if v == nil || !r.haveBox {
		return c
	}
	p := r.position(v)
	for a := 0; a < r.dims; a++ {
		i, ok := r.index(p[a], a)
		if !ok {
			r.Add(v[a].At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.origin[a], model.Length), r.si(r.origin[a]+r.size[a], model.Length)),
				"%s of %s lies outside of the domain", axes()[a], s.Head())
			return c
		}
		c[a] = i
	}
	centre := [3]float64{float64(c[0]) + 0.5, float64(c[1]) + 0.5, float64(c[2]) + 0.5}
	for i := range r.c.Bodies {
		b := &r.c.Bodies[i]
		if fluid && b.Whole() && b.Shape(nil).Contains(centre[0], centre[1], centre[2]) {
			r.Add(s.Get(key).At, "", "%s lies inside [body.%s]", s.Head(), b.Name)
		}
	}
	return c
}

// index of the cell at a coordinate in cells.
func (r *resolver) index(p float64, axis int) (int, bool) {
	n := float64(r.c.Cells[axis])
	if !(p >= -1e-9*n && p <= n*(1+1e-9)) {
		return 0, false
	}
	return int(math.Min(math.Max(math.Floor(p+1e-9*n), 0), n-1)), true
}

// component reads the component of a field: 0 to 2, or -1.
func (r *resolver) component(s *language.Section, f model.Field) int {
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

func (r *resolver) picture(s *language.Section) {
	p := &r.c.Picture
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
	p.At = r.c.Cells[p.Axis] / 2
	if e := s.Get("at"); e != nil {
		if r.dims == 2 {
			r.Add(e.KeyAt, "", "a picture in 2D shows the whole domain and has no position")
			return
		}
		i, ok := r.index((e.Values[0].Value-r.origin[p.Axis])/r.c.Units.Length, p.Axis)
		if !ok {
			r.Add(e.At, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.origin[p.Axis], model.Length), r.si(r.origin[p.Axis]+r.size[p.Axis], model.Length)),
				"the picture's slice lies outside of the domain")
			return
		}
		p.At = i
	} else if r.dims == 3 && !s.Has("at") {
		mid := r.origin[p.Axis] + (float64(p.At)+0.5)*r.c.Units.Length
		r.SetDefault(s, "at", language.Amount{Value: mid, Bare: !r.c.Units.Physical, Dim: model.Length}.TOML())
	}
}
