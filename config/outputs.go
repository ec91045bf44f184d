// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Common parts of all kinds of output.

// outputs reads [output.*] and [checkpoint], after all that they show: output_kinds.go has the list.
type outputs struct {
	*timing
	*Flow
	*Solids
	*Outputs
	forces *forces
}

// shown returns the fields of a file for ParaView. Where there are bodies the default includes the field
// solid: averages and integrals in ParaView should leave those cells out.
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
		r.Continue = e.Text == continueOnError
	}
	if e := s.Get("dir"); e != nil {
		r.OutputDir = e.Text
		if e.Text == "" {
			r.Add(e.At, "", "dir is empty; the working folder is \".\"")
		}
	}
}

// HasAverages reports whether an output has averages over time.
func HasAverages(c *Case) bool {
	return c.Averages.On || len(c.Forces)+len(c.Profiles)+len(c.Spectra) > 0 || slices.ContainsFunc(c.Surfaces, func(s Surface) bool { return s.Means })
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
	for _, v := range c.Views {
		if is(v.Surface) || is(v.Colour) {
			return true
		}
	}
	return slices.ContainsFunc(c.Fields.Fields, is) || slices.ContainsFunc(c.Pictures, func(p PictureOutput) bool { return is(p.Field) })
}

// walled refuses the distance to walls in a case without walls, and the stress at walls that have a model: cells beside them do
// not resolve it.
func (r *outputs) walled() {
	if !r.Modelled() {
		refuse := func(fields []model.Field, hint string) {
			for _, f := range fields {
				if f.OfModel() {
					r.refuse(f.Name, hint, f.Name+": no wall has type wall_model")
				}
			}
		}
		refuse(model.Fields, "give a wall type = \"wall_model\", or use wall_shear_stress, the friction of resolved walls")
		refuse(model.AverageFields(), "give a wall type = \"wall_model\", or write wall_shear_stress by [output.fields], the friction of resolved walls")
	}
	switch {
	case len(r.Boundaries)+len(r.Bodies) == 0:
		r.refuse("wall_distance", "", "wall_distance: the case has no walls")
	case r.Modelled():
		r.refuse("wall_shear_stress", "use wall_shear, the traction by the law of the wall (docs/turbulence.md)", "wall_shear_stress follows from the flow in the cells, which do not resolve a wall of type wall_model")
	}
}

// refuse reports each output of a field of cells.
func (r *outputs) refuse(field, hint, text string) {
	for _, s := range r.Sections {
		if s.Table.Path == "output.surface.*" { // surfaces have values of their walls
			continue
		}
		for _, key := range []string{"field", "fields", "surface", "colour"} {
			if !s.Knows(key) {
				continue
			}
			if e := s.Get(key); e != nil && (e.Text == field || slices.Contains(e.Words, field)) {
				r.Add(e.At, hint, "%s", text)
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

// cell returns the cell that a position lies in; positions on the line between two cells
// belong to the upper one. fluid: it must not lie in a body, except in one that conducts.
func (r *outputs) cell(s *language.Section, key string, fluid bool) (c [3]int, within [3]float64) {
	within = [3]float64{0.5, 0.5, 0.5}
	v := r.vector(s, key)
	if v == nil || !r.haveBox {
		return c, within
	}
	p := r.position(v)
	for a := 0; a < r.dims; a++ {
		i, ok := r.index(p[a], a)
		if !ok {
			r.Add(v[a].At, fmt.Sprintf("the domain spans %s = %s to %s", axes()[a], r.si(r.Origin[a], model.Length), r.si(r.Origin[a]+r.size[a], model.Length)),
				"%s of %s lies outside the domain", axes()[a], s.Head())
			return c, within
		}
		c[a] = i
	}
	for a := range r.dims { // within the cell, as rounding has it
		p[a] = math.Min(math.Max(p[a], float64(c[a])), math.Nextafter(float64(c[a]+1), 0))
		within[a] = p[a] - float64(c[a])
	}
	centre := finest{r.finer}.centre(p)
	r.onCentre(s, p, centre, []int{0, 1, 2}[:r.dims]...)
	for _, b := range r.Bodies {
		r.once(func() {
			if fluid && !b.Conducts() && r.shape(b).Contains(centre[0], centre[1], centre[2]) {
				r.Add(s.Get(key).At, "", "%s lies inside [body.%s]", s.Head(), b.Name)
			}
		}, b)
	}
	return c, within
}

// reserved matches the names of other files and folders that runs write to the output folder.
var reserved = regexp.MustCompile(`^(checkpoints|planes|surfaces|inputs|blowup|blowup\.(txt|json)(\.part)?|status\.json|(stop|checkpoint|picture|averages)\.now|` +
	`\..+\.part|\.lbmsim\.lock|[a-z_]+_[0-9]{10}\.png|.+\.(mp4|webm|webp|apng)|(probe|line|profile|force|series|spectrum|surface|development|parts)_.+\.csv)$`)

// relative paths stay below the output folder.
func (r *outputs) relative(e *language.Entry) {
	if !filepath.IsLocal(e.Text) {
		r.Add(e.At, "", "%s = %s must be a folder inside the output folder", e.Key.Name, language.ShortQuote(e.Text))
	} else if first, _, _ := strings.Cut(filepath.Clean(e.Text), string(filepath.Separator)); reserved.MatchString(first) {
		r.Add(e.At, "", "%s = %s: the run itself uses the name %s in the output folder", e.Key.Name, language.ShortQuote(e.Text), language.ShortQuote(first))
	}
}

// continueOnError is the on_error of a run that does not end when a file cannot be written.
const continueOnError = "go_on"
