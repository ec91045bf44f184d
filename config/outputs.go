package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lbmsim/model"
)

// [run], [device], [output.*] and [checkpoint]: when a run ends and what it leaves behind.

// shortestStall is what a busy machine may keep a rank waiting.
const shortestStall = 5 * time.Second

func (r *resolver) run() {
	s := r.section("run")
	run := &r.c.Run
	r.exclusive(s, "the length of a run is a number of steps or a simulated time", "steps", "time")
	if e := s.get("steps"); e != nil {
		run.Steps = r.inSteps(e.ints[0])
	} else if e := s.get("time"); e != nil && r.haveTime {
		n := e.vals[0].v / r.c.Units.Time
		if n > maxSteps {
			r.add(e.at, "", "%s are %s steps, too many to count", r.si(e.vals[0].v, model.Time), short(n))
			return
		}
		// A whole number of steps is often meant: rounding must not add one.
		run.Steps = max(1, int(math.Ceil(n-1e-9*math.Max(n, 1))))
	} else if !s.has("steps") && !s.has("time") {
		r.missing(s, "steps = 1000, or time = \"10 s\"", "[run] needs steps or time")
	}
	if e := s.get("wall_time"); e != nil {
		run.WallTime = e.dur
	}
	if e := s.get("stall_limit"); e != nil {
		if run.StallLimit = e.dur; e.dur > 0 && e.dur < shortestStall {
			r.add(e.at, "", "stall_limit = %v is shorter than %v: a busy machine would be taken for one that is stuck (\"0 s\" turns the limit off)", e.dur, shortestStall)
		}
	}
	if e := s.get("end_margin"); e != nil {
		run.EndMargin = e.dur
		if e.text == "off" {
			run.EndMargin = -1
		}
	}
	if e := s.get("watch_every"); e != nil {
		run.WatchEvery = e.ints[0]
	}
	if e := s.get("max_mach"); e != nil {
		run.MaxMach = e.vals[0].v
	}
	for _, k := range []struct {
		name string
		to   *float64
	}{{"warn_density_drift", &run.WarnDrift}, {"max_density_drift", &run.MaxDrift}, {"warn_speed", &run.WarnSpeed}, {"warn_grid_scale", &run.WarnGridScale}} {
		if e := s.get(k.name); e != nil {
			*k.to = e.vals[0].v
		}
	}
	if e := s.get("grid_scale_every"); e != nil {
		run.GridScaleEvery = e.ints[0]
	}
	if e := s.get("forensics"); e != nil {
		run.Forensics = e.flag
	}
	if e := s.get("threads"); e != nil {
		run.Threads = e.ints[0]
	}
	r.parts(s)
}

// parts that the case wants the domain cut into.
func (r *resolver) parts(s *section) {
	e := s.get("ranks")
	if e == nil || r.dims == 0 || !r.haveBox {
		return
	}
	if len(e.ints) != r.dims {
		r.add(e.at, "", "ranks has %d values in a case of %d dimensions", len(e.ints), r.dims)
		return
	}
	for a, n := range e.ints {
		if n > r.c.Cells[a] {
			r.add(e.at, "every part needs at least one row of cells", "ranks cuts %[2]s into %[1]d parts, but %[2]s has %[3]d cells", n, axes()[a], r.c.Cells[a])
			return
		}
		r.c.Run.Ranks[a] = n
	}
	if e.ints[0] > 1 {
		r.add(e.at, "rows along x lie together in memory", "x is never cut: the first number of ranks must be 1, or 0")
	}
}

func (r *resolver) device() {
	s := r.section("device")
	if e := s.get("kind"); e != nil {
		r.c.Device.Kind = DeviceKind(slices.Index(deviceKinds(), e.text))
	}
	if e := s.get("share"); e != nil {
		r.c.Device.Share = e.flag
	}
	if e := s.get("transport"); e != nil {
		r.c.Device.Transport = Transport(slices.Index(transports(), e.text))
	}
	if e := s.get("gpu_aware_mpi"); e != nil {
		r.c.Device.GPUAware = Word(slices.Index(words(), e.text))
	}
}

// schedule reads the keys of a schedule; onlyEnd warns when nothing but the end is
// due and the table said otherwise.
func (r *resolver) schedule(s *section) Schedule {
	var c Schedule
	if e := s.get("every"); e != nil {
		if e.steps {
			c.Period = float64(r.inSteps(e.ints[0]))
		} else if r.haveTime {
			c.Period = e.vals[0].v / r.c.Units.Time
			if c.Period < 1 {
				r.warn("%s: every = %s is less than one step (%s): it is due at every step", s.head(), r.si(e.vals[0].v, model.Time), r.si(r.c.Units.Time, model.Time))
			}
			if c.Period > 1e15 {
				c.Period = 1e15
			}
		}
	}
	if e := s.get("every_wall"); e != nil {
		c.WallTime = e.dur
	}
	if e := s.get("at_start"); e != nil {
		c.Start = e.flag
	}
	if e := s.get("at_end"); e != nil {
		c.End = e.flag
	}
	if n := r.c.Run.Steps; n > 0 && r.haveTime {
		switch {
		case c.Period > float64(n) && s.has("every"):
			r.warn("%s: every is %s steps, but the run has only %s: %s", s.head(), short(c.Period), grouped(n), c.remains())
		case c.Period == 0 && c.WallTime == 0 && !c.Start && !c.End:
			r.warn("%s: nothing is ever written: give every, every_wall, at_start or at_end", s.head())
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
	if s := r.section("output.fields"); s != nil {
		o := &r.c.Fields
		o.On, o.Schedule = true, r.schedule(s)
		o.Fields = r.shown(s)
		if e := s.get("fields"); e != nil && len(e.words) == 0 {
			r.add(e.at, "", "fields is empty: nothing would be written")
		}
		if e := s.get("precision"); e != nil {
			o.Type = precisionOf(e.text)
		}
		if e := s.get("files"); e != nil {
			o.Files = e.ints[0]
		}
		if e := s.get("dir"); e != nil {
			o.Dir = e.text
			r.relative(e)
		}
	}
	if s := r.section("output.averages"); s != nil {
		r.averages(s)
	}
	if s := r.section("output.picture"); s != nil {
		r.c.Picture.On, r.c.Picture.Schedule = true, r.schedule(s)
		r.picture(s)
	}
	r.walled()
	for _, s := range r.all("output.probe") {
		p := Probe{Name: s.name(), Schedule: r.schedule(s), Fields: fieldsOf(s.get("fields"))}
		if e := s.get("fields"); e != nil && len(e.words) == 0 {
			r.add(e.at, "", "fields is empty: nothing would be recorded")
		}
		if r.need(s, "at", "at = [x, y] or [x, y, z]") {
			p.Cell = r.cell(s, "at", true)
		}
		r.c.Probes = append(r.c.Probes, p)
	}
	for _, s := range r.all("output.line") {
		r.lineOutput(s)
	}
	for _, s := range r.all("output.plane") {
		r.plane(s)
	}
	for _, s := range r.all("output.force") {
		r.forceOutput(s)
	}
	for _, s := range r.all("output.series") {
		r.series(s)
	}
	r.stopWhen()
	if s := r.section("checkpoint"); s != nil {
		r.c.Checkpoint.On, r.c.Checkpoint.Schedule = true, r.schedule(s)
		if e := s.get("keep"); e != nil {
			r.c.Checkpoint.Keep = e.ints[0]
		}
		if e := s.get("on_error"); e != nil {
			r.c.Checkpoint.GoOn = e.text == goOn
		}
	}
}

func (r *resolver) averages(s *section) {
	o := &r.c.Averages
	o.On, o.Schedule = true, r.schedule(s)
	o.Sample = Schedule{Period: r.period(s, "sample_every")}
	o.Start = r.beginning(s)
	if e := s.get("fields"); e != nil {
		if len(e.words) == 0 {
			r.add(e.at, "", "fields is empty: nothing would be averaged")
		}
		for _, w := range e.words {
			f, _ := model.FindAverage(w)
			o.Fields = append(o.Fields, f)
		}
	}
	if e := s.get("precision"); e != nil {
		o.Type = precisionOf(e.text)
	}
	if e := s.get("dir"); e != nil {
		o.Dir = e.text
		r.relative(e)
		if f := r.section("output.fields").get("dir"); f != nil && filepath.Clean(f.text) == filepath.Clean(e.text) {
			r.add(e.at, "", "[output.fields] and %s write into the same folder %s", s.head(), shortQuote(e.text))
		}
	}
}

// beginning is the step from which samples count.
func (r *resolver) beginning(s *section) int {
	n := int(math.Ceil(r.period(s, "start") * (1 - 1e-12)))
	if last := r.c.Run.Steps; last > 0 && r.haveTime && n > last {
		r.warn("%s: start is step %d, but the run has only %d", s.head(), n, last)
	}
	return n
}

// period is a number of steps, or a time as one; 0 when the key is not there.
func (r *resolver) period(s *section, name string) float64 {
	e := s.get(name)
	switch {
	case e == nil:
		return 0
	case e.steps:
		return float64(e.ints[0])
	case !r.haveTime:
		return 0
	}
	return math.Min(e.vals[0].v/r.c.Units.Time, 1e15)
}

// shown is the fields of a file for ParaView. Where there are bodies it tells their cells, by
// default: what is averaged or integrated there should leave them out.
func (r *resolver) shown(s *section) []model.Field {
	switch {
	case s.has("fields"):
	case len(r.c.Bodies) > 0:
		r.setDefault(s, "fields", `["pressure", "velocity", "solid"]`)
	default:
		r.setDefault(s, "fields", `["pressure", "velocity"]`)
	}
	return fieldsOf(s.get("fields"))
}

func (r *resolver) plane(s *section) {
	p := Plane{Name: s.name(), Schedule: r.schedule(s), Fields: r.shown(s)}
	if e := s.get("fields"); e != nil && len(e.words) == 0 {
		r.add(e.at, "", "fields is empty: nothing would be recorded")
	}
	if e := s.get("precision"); e != nil && e.text == model.Float64.String() {
		p.Type = model.Float64
	}
	if r.dims == 2 {
		r.add(s.at, "[output.fields] writes the whole of a case in 2D, [output.line.NAME] a line", "%s is for cases in 3D", s.head())
		return
	}
	e := s.get("normal")
	if e == nil || !r.haveBox {
		return
	}
	p.Axis = axisOf(e.text)
	p.At = r.c.Cells[p.Axis] / 2
	if e := s.get("at"); e != nil {
		i, ok := r.index((e.vals[0].v-r.origin[p.Axis])/r.c.Units.Length, p.Axis)
		if !ok {
			r.add(e.at, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.origin[p.Axis], model.Length), r.si(r.origin[p.Axis]+r.size[p.Axis], model.Length)),
				"%s lies outside of the domain", s.head())
			return
		}
		p.At = i
	} else if !s.has("at") {
		mid := r.origin[p.Axis] + (float64(p.At)+0.5)*r.c.Units.Length
		r.setDefault(s, "at", amount{v: mid, bare: !r.c.Units.Physical, dim: model.Length}.toml())
	}
	r.c.Planes = append(r.c.Planes, p)
}

func (r *resolver) lineOutput(s *section) {
	l := Line{Name: s.name(), Schedule: r.schedule(s), Fields: fieldsOf(s.get("fields"))}
	if e := s.get("fields"); e != nil && len(e.words) == 0 {
		r.add(e.at, "", "fields is empty: nothing would be recorded")
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
				r.add(v[a].at, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.origin[a], model.Length), r.si(r.origin[a]+r.size[a], model.Length)),
					"%s of %s lies outside of the domain", end.key, s.head())
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
		r.add(s.get("to").at, "values at one point are an [output.probe.NAME]", "%s has no length", s.head())
		return
	}
	if e := s.get("points"); e != nil {
		l.Points = e.ints[0]
	} else if !s.has("points") {
		l.Points = r.setDefault(s, "points", strconv.Itoa(1+int(math.Ceil(length-1e-9)))).ints[0]
	}
	r.c.Lines = append(r.c.Lines, l)
}

func (r *resolver) outputDir() {
	s := r.section("output")
	if !s.has("dir") {
		base := strings.TrimSuffix(filepath.Base(r.path), ".toml")
		base = strings.Map(func(c rune) rune {
			if c < ' ' || c == 0x7f || c == '\uFFFD' || c == '/' || c == '\\' {
				return '_'
			}
			return c
		}, base)
		if base == "" || base == "." || base == ".." || base == "_" || base == "-" || len(base) > 200 {
			base = "case"
		}
		r.setDefault(s, "dir", quote("out/"+base))
	}
	if e := s.get("on_error"); e != nil {
		r.c.GoOn = e.text == goOn
	}
	if e := s.get("dir"); e != nil {
		r.c.OutputDir = e.text
		if e.text == "" {
			r.add(e.at, "", "dir is empty; the working folder is \".\"")
		}
	}
}

// relative paths stay below the output folder.
func (r *resolver) relative(e *entry) {
	if !filepath.IsLocal(e.text) {
		r.add(e.at, "", "%s = %s must be a folder inside the output folder", e.key.name, shortQuote(e.text))
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
	for _, s := range r.sections {
		for _, key := range []string{"field", "fields"} {
			if e := s.get(key); e != nil && (e.text == "wall_distance" || contains(e.words, "wall_distance")) {
				r.add(e.at, "", "wall_distance: the case has no walls")
			}
		}
	}
}

func fieldsOf(e *entry) []model.Field {
	if e == nil {
		return nil
	}
	var f []model.Field
	for _, w := range e.words {
		row, _ := model.FindField(w)
		f = append(f, row)
	}
	return f
}

// cell is the one that a position lies in; positions on the line between two cells
// belong to the upper one. fluid: it must not lie in a body.
func (r *resolver) cell(s *section, key string, fluid bool) [3]int {
	var c [3]int
	v := r.vector(s, key)
	if v == nil || !r.haveBox {
		return c
	}
	p := r.position(v)
	for a := 0; a < r.dims; a++ {
		i, ok := r.index(p[a], a)
		if !ok {
			r.add(v[a].at, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[a], r.si(r.origin[a], model.Length), r.si(r.origin[a]+r.size[a], model.Length)),
				"%s of %s lies outside of the domain", axes()[a], s.head())
			return c
		}
		c[a] = i
	}
	centre := [3]float64{float64(c[0]) + 0.5, float64(c[1]) + 0.5, float64(c[2]) + 0.5}
	for i := range r.c.Bodies {
		b := &r.c.Bodies[i]
		if fluid && b.Whole() && b.Shape(nil).Contains(centre[0], centre[1], centre[2]) {
			r.add(s.get(key).at, "", "%s lies inside [body.%s]", s.head(), b.Name)
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
func (r *resolver) component(s *section, f model.Field) int {
	e := s.get("component")
	if e == nil {
		def := "magnitude"
		if f.Name == "vorticity" && r.dims == 2 {
			def = "z"
		}
		if f.Components == 1 || s.has("component") {
			return -1
		}
		e = r.setDefault(s, "component", quote(def))
	}
	if e.text == "magnitude" {
		return -1
	}
	a := axisOf(e.text)
	switch {
	case f.Components == 1:
		r.add(e.at, "", "%s has no components", f.Name)
	case r.dims == 2 && (a == 2) != (f.Name == "vorticity"):
		r.add(e.at, "", "the %s component of the %s is always 0 in 2D", e.text, f.Name)
	}
	return a
}

func (r *resolver) picture(s *section) {
	p := &r.c.Picture
	e := s.get("field")
	if e == nil {
		return
	}
	p.Field, _ = model.FindField(e.text)
	p.Component = r.component(s, p.Field)
	if e := s.get("range"); e != nil {
		for _, a := range e.vals {
			if !a.bare && a.dim != p.Field.Dim && a.v != 0 {
				r.add(a.at, "", "range must be %s, not %s", inWords(p.Field.Dim), inWords(a.dim))
			}
		}
		p.Min, p.Max = e.vals[0].v, e.vals[1].v
		if p.Min >= p.Max {
			r.add(e.at, "range = [smallest, largest]", "the range of the picture is empty")
		}
	}
	p.Axis = 2
	if e := s.get("normal"); e != nil {
		if p.Axis = axisOf(e.text); r.dims == 2 && p.Axis != 2 {
			r.add(e.at, "leave normal out, or give \"z\"", "in 2D the normal of a picture is z")
			return
		}
	}
	if !r.haveBox {
		return
	}
	p.At = r.c.Cells[p.Axis] / 2
	if e := s.get("at"); e != nil {
		if r.dims == 2 {
			r.add(e.keyAt, "", "a picture in 2D shows the whole domain and has no position")
			return
		}
		i, ok := r.index((e.vals[0].v-r.origin[p.Axis])/r.c.Units.Length, p.Axis)
		if !ok {
			r.add(e.at, fmt.Sprintf("the domain's %s runs from %s to %s", axes()[p.Axis], r.si(r.origin[p.Axis], model.Length), r.si(r.origin[p.Axis]+r.size[p.Axis], model.Length)),
				"the picture's slice lies outside of the domain")
			return
		}
		p.At = i
	} else if r.dims == 3 && !s.has("at") {
		mid := r.origin[p.Axis] + (float64(p.At)+0.5)*r.c.Units.Length
		r.setDefault(s, "at", amount{v: mid, bare: !r.c.Units.Physical, dim: model.Length}.toml())
	}
}
