// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"fmt"
	"strconv"
	"strings"

	"lbmsim/config/language"
)

// Case returns the case file of a plan, as a user would write it.
func (p *Plan) Case() string {
	w := &text{}
	w.line("# Written by %s", p.Command)
	for _, d := range p.Decision {
		why := ""
		if d.Why != "" {
			why = "   (" + d.Why + ")"
		}
		w.line("# %-16s %s%s", d.What, d.Value, why)
	}
	w.line("")
	w.line("title = %s", language.Quote(p.Title()))
	p.domain(w)
	p.faces(w)
	for _, s := range p.Parts {
		p.part(w, s)
	}
	patches := p.patches()
	for _, b := range patches {
		w.table("body." + b.Name)
		w.line(`type = "wall_model"   # at rest, between wheel and road`)
		w.line(`shape = "box"`)
		w.line("from = %s", lengths(b.Lo))
		w.line("to = %s", lengths(b.Hi))
	}
	for _, b := range p.Boxes {
		w.table("refine." + b.Name)
		w.line("level = %d", b.Level)
		w.line("from = %s", lengths(b.Lo))
		w.line("to = %s", lengths(b.Hi))
	}
	p.outputs(w, patches)
	return w.String()
}

func (p *Plan) domain(w *text) {
	w.table("domain")
	w.line("cells = [%d, %d, %d]", p.Cells[0], p.Cells[1], p.Cells[2])
	comment := ""
	if p.Levels > 0 {
		comment = "   # level 0; the finest level has " + metres(p.Finest())
	}
	w.line("spacing = %s%s", amount(p.Spacing, "m"), comment)
	w.line("origin = %s", lengths(p.Lo))
	w.line(`lattice = "D3Q27"`)
	w.table("fluid")
	w.line("density = %s   # %s", amount(p.Fluid.Density, "kg/m3"), p.Fluid.Name)
	w.line("viscosity = %s", amount(p.Fluid.Viscosity, "m2/s"))
	w.line("velocity = %s", amount(p.Speed, "m/s"))
	w.line("length = %s", amount(p.Length, "m"))
	w.table("scaling")
	w.line("lattice_velocity = %g", lattice)
	w.table("turbulence")
	w.line(`model = "smagorinsky"`)
	w.table("initial")
	w.line("velocity = [%s, 0, 0]", amount(p.Speed, "m/s"))
}

func (p *Plan) faces(w *text) {
	stream := fmt.Sprintf("velocity = [%s, 0, 0]", amount(p.Speed, "m/s"))
	w.table("boundary.inlet")
	w.line(`type = "velocity"`)
	w.line(`faces = ["x-"]`)
	w.line("%s", stream)
	w.table("boundary.outlet")
	w.line(`type = "outflow"`)
	w.line(`faces = ["x+"]`)
	w.table("boundary.sides")
	w.line(`type = "slip"`)
	switch p.Ground {
	case Free:
		w.line(`faces = ["y-", "y+", "z-", "z+"]`)
		return
	case Moving:
		w.line(`faces = ["y-", "y+", "z+"]`)
		w.table("boundary.road")
		w.line(`type = "moving_wall"`)
		w.line(`faces = ["z-"]`)
		w.line("%s", stream)
	case Fixed:
		w.line(`faces = ["y-", "y+", "z+"]`)
		w.table("boundary.floor")
		w.line(`type = "wall_model"`)
		w.line(`faces = ["z-"]`)
	}
}

func (p *Plan) part(w *text, s Part) {
	w.table("body." + s.Name)
	w.line(`type = "wall_model"`)
	w.line(`shape = "stl"`)
	w.line("file = %s", language.Quote(s.File))
	w.line("unit = %s", language.Quote(s.Unit))
	if s.Repair {
		w.line("repair = true")
	}
	if s.Rotate != [3]float64{} {
		w.line("rotate = [%g, %g, %g]", s.Rotate[0], s.Rotate[1], s.Rotate[2])
		w.line("about = [0, 0, 0]")
	}
	if s.Shift != [3]float64{} {
		w.line("translate = %s", lengths(s.Shift))
	}
	if s.Spins { // the lowest point, at -R z, has the speed of the road: omega x r = (U, 0, 0)
		w.line("angular_velocity = %s   # rolls on the road", amount(p.Speed/s.Radius, "1/s"))
		w.line("spin_axis = [%g, %g, %g]", s.Axis[0], s.Axis[1], s.Axis[2])
		w.line("spin_centre = %s", lengths(s.Centre))
	}
}

// Force is the name of the table of forces.
const Force = "total"

func (p *Plan) outputs(w *text, patches []Box) {
	flow := p.Length / p.Speed // s that the flow takes along the reference length
	w.table("run")
	w.line("time = %s", amount(p.End, "s"))
	w.line("stop_when = %s   # the 95 %% interval of the mean", language.Quote(fmt.Sprintf("drag.%s +-%g %%", Force, 100*share)))
	w.table("output.force." + Force)
	w.line("velocity = %s", amount(p.Speed, "m/s"))
	w.line("area = %s", amount(p.Area, "m2"))
	w.line("length = %s", amount(p.Length, "m"))
	w.line("lift_direction = [0, 0, 1]")
	var names []string
	for _, s := range p.Parts {
		names = append(names, language.Quote(s.Name))
	}
	for _, b := range patches {
		names = append(names, language.Quote(b.Name))
	}
	w.line("of = [%s]", strings.Join(names, ", "))
	b := p.Body
	w.line("about = %s", lengths([3]float64{(b.Lo[0] + b.Hi[0]) / 2, (b.Lo[1] + b.Hi[1]) / 2, p.ground()}))
	w.line("every = %s", amount(flow/50, "s"))
	w.line("start = %s", amount(p.Passage, "s"))
	cut := func(name, normal string, at float64) {
		w.table("output.picture." + name)
		w.line(`field = "speed"`)
		w.line("range = [0, %s]", amount(1.5*p.Speed, "m/s"))
		w.line("normal = %s", language.Quote(normal))
		w.line("at = %s", amount(at, "m"))
		w.line("every = %s", amount(p.End/20, "s"))
	}
	cut("side", "y", (b.Lo[1]+b.Hi[1])/2)
	cut("top", "z", (b.Lo[2]+b.Hi[2])/2)
	cut("wake", "x", min(b.Hi[0]+b.Height()/2, p.Hi[0]))
	for _, s := range p.Parts {
		w.table("output.surface." + s.Name)
		w.line("velocity = %s   # for ParaView and the report, at the end", amount(p.Speed, "m/s"))
		w.line("means = true")
		w.line("start = %s", amount(p.Passage, "s"))
		w.line("sample_every = %s", amount(flow/10, "s"))
	}
	w.table("checkpoint")
	w.line("every = %s", amount(p.End/4, "s"))
}

// Pictures are the names of the pictures.
func Pictures() []string { return []string{"side", "top", "wake"} }

// ground returns the height that torques are about.
func (p *Plan) ground() float64 {
	if p.Ground == Free {
		return (p.Body.Lo[2] + p.Body.Hi[2]) / 2
	}
	return 0
}

// text is a TOML file that grows.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }
func (t *text) table(name string)               { t.line("\n[%s]", name) }

// amount writes a number with its unit.
func amount(v float64, unit string) string { return language.Quote(short(v) + " " + unit) }

// short writes a number with as many digits as lengths of a case need.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// lengths writes a place.
func lengths(v [3]float64) string {
	return fmt.Sprintf("[%s, %s, %s]", amount(v[0], "m"), amount(v[1], "m"), amount(v[2], "m"))
}
