// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// surfaceOutput describes [output.surface.NAME].
func surfaceOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.surface.*", Keys: append([]language.Key{
			{Name: "of", Kind: language.Name, DefaultDoc: "the name of this table", Doc: "the body: NAME of a [body.NAME] with shape = \"stl\""},
			{Name: "fields", Kind: language.Words, Choices: surfaceFields(), DefaultDoc: "all that the wall and the other keys define", Doc: "values to write ([definitions](results.md#surfaces))"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), Doc: "reference velocity U of the coefficients"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the values in the file"},
			{Name: "means", Kind: language.Flag, Default: "false", Doc: "also write the time averages of all fields from start on, `mean_FIELD`, and the rms of their fluctuations, `rms_FIELD`; the tables get the means of the forces with 95 % intervals. Checkpoints store the sums: a resumed run continues them"},
			{Name: "sample_every", Kind: language.Period, DefaultDoc: "50, with means", Doc: "steps, or simulated time, between two samples of the means. A sample gathers the values at the surface on rank 0"},
		}, begunKeys("", "false", "true")...), Doc: "Values on the surface of a body from an STL file in 3D, as VTKHDF files for ParaView, in `surfaces/NAME`. Its triangles are bisected until no edge is longer than 1.5 cells; each has one value per field, NaN where there is no fluid before it. `surface_NAME.csv` has the integrals: pressure and friction forces; `development_NAME.csv` the x force on the body up to each of 200 positions. For an ASCII file with several solids `parts_NAME.csv` has the integrals of each."},
		read: func(r *outputs, s *language.Section) { r.surface(s) },
		footprint: func(c *Case) (list []Footprint) { // its size follows from the file of the body
			for _, p := range c.Surfaces {
				list = append(list, tableFootprint("tables of [output.surface."+p.Name+"]", p.Schedule, 202, 3))
				list = append(list, Footprint{Head: "[output.surface." + p.Name + "] without its triangles", Schedule: p.Schedule, Files: 1, Each: FileBytes(c, 0)})
			}
			return list
		},
	}
}

func surfaceFields() []string {
	return names(model.SurfaceFields, func(f model.Field) string { return f.Name })
}

// Surface is [output.surface.NAME]: values on the surface of a body, as VTKHDF.
type Surface struct {
	Name     string
	Schedule Schedule
	Body     int // among Case.Bodies
	File     int // its surface, among Case.Files
	Fields   []model.Field
	Type     model.Precision // of the file
	Velocity float64         // of reference, in lattice units; 0: not given
	Means    bool            // over time as well
	Sample   Schedule        // of these
}

// InFile returns the fields of a file.
func (s Surface) InFile() []model.Field {
	list := slices.Clone(s.Fields)
	for _, of := range []string{"mean_", "rms_"} {
		for _, f := range s.Fields {
			if s.Means {
				f.Name = of + f.Name
				list = append(list, f)
			}
		}
	}
	return list
}

func (r *outputs) surface(s *language.Section) {
	p := Surface{Name: s.Name(), Schedule: r.begun(s)}
	if e := s.Get("precision"); e != nil {
		p.Type = precisionOf(e.Text)
	}
	if e := s.Get("velocity"); e != nil && r.haveTime {
		p.Velocity = r.lattice(e.Values[0], model.Velocity)
	}
	r.surfaceMeans(s, &p)
	if r.dims == 2 {
		r.Add(s.At, "[output.line.NAME] along the wall has values of a 2D case", "%s is for 3D cases", s.Head())
		return
	}
	if !s.Has("of") {
		r.SetDefault(s, "of", language.Quote(s.Name()))
	}
	e := s.Get("of")
	if e == nil {
		return
	}
	p.Body = slices.IndexFunc(r.Bodies, func(b Body) bool { return b.Name == e.Text })
	if p.Body < 0 {
		r.noSurface(s, e)
		return
	}
	b := r.Bodies[p.Body]
	if p.File = b.solid.file - 1; p.File < 0 || r.Files[p.File].Image {
		r.Add(e.At, "use an STL file of the body; [output.fields] with wall_shear_stress has values in the cells beside any wall", "%s: [body.%s] is not a surface from an STL file", s.Head(), b.Name)
		return
	}
	if b.Thicken {
		r.Add(e.At, "", "%s: [body.%s] has thicken: the cells of a sheet are on both sides of its triangles", s.Head(), b.Name)
		return
	}
	if r.Temperature.Buoyancy != [3]float64{} {
		r.Add(s.At, "[output.fields] with solid, or a plane, has the pressure in cells", "%s: the pressure on surfaces takes no account of buoyancy yet", s.Head())
		return
	}
	if r.surfaceValues(s, b, &p) {
		r.Surfaces = append(r.Surfaces, p)
	}
}

// surfaceMeans reads which means over time a surface has.
func (r *outputs) surfaceMeans(s *language.Section, p *Surface) {
	if e := s.Get("means"); e != nil {
		p.Means = e.Flag
	}
	switch {
	case !p.Means && s.Has("sample_every"):
		r.Add(s.Get("sample_every").At, "add means = true, or remove sample_every", "%s: sample_every without means", s.Head())
	case p.Means:
		if !s.Has("sample_every") {
			r.SetDefault(s, "sample_every", "50")
		}
		p.Sample = Schedule{Period: r.period(s, "sample_every"), From: p.Schedule.From}
	}
}

// noSurface reports a body that is not in the flow; a body with an error has been reported.
func (r *outputs) noSurface(s *language.Section, e *language.Entry) {
	if r.Named("body", e.Text) != nil {
		if !r.broken {
			r.Add(e.At, "only whole bodies have a surface in the flow", "%s: [body.%s] is a part of another body", s.Head(), e.Text)
		}
		return
	}
	var known []string
	for _, b := range r.Bodies {
		known = append(known, b.Name)
	}
	reason := "the case has no bodies"
	if len(known) > 0 {
		reason = "bodies of the case: " + language.OneOf(language.QuoteAll(known))
	}
	r.Add(e.At, reason, "%s: there is no [body.%s]%s", s.Head(), e.Text, language.Meant(e.Text, known))
}

// surfaceValues reads which values a surface shows, and reports whether its wall and its references define all of them.
func (r *outputs) surfaceValues(s *language.Section, b Body, p *Surface) bool {
	modelled := b.Kind.Law == boundary.ModelledWall
	missing := func(field string) (why, hint string) {
		switch {
		case field == "y_plus" && !modelled:
			return "[body." + b.Name + "] is not of type wall_model", "remove y_plus, or give the body type = \"wall_model\""
		case (field == "pressure_coefficient" || field == "friction_coefficient") && !s.Has("velocity"):
			return "there is no reference velocity", "velocity = \"30 m/s\""
		}
		return "", ""
	}
	if !s.Has("fields") {
		var words []string
		for _, name := range surfaceFields() {
			if why, _ := missing(name); why == "" {
				words = append(words, name)
			}
		}
		r.SetDefault(s, "fields", "["+strings.Join(language.QuoteAll(words), ", ")+"]")
	}
	e := s.Get("fields")
	if e == nil {
		return false
	}
	if len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: there is nothing to write")
	}
	for _, name := range e.Words {
		if why, hint := missing(name); why != "" {
			r.Add(e.At, hint, "%s: %s: %s", s.Head(), name, why)
			return false
		}
		p.Fields = append(p.Fields, of(model.FindSurfaceField(name)))
	}
	return true
}
