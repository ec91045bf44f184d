// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"encoding/binary"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/fields"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
)

// surfaces writes one [output.surface.NAME]: values on the surface of a body, a VTKHDF file per time and a row of sums, by rank 0.
type surfaces struct {
	rows
	config.Surface
	solids []string // in the file of the body; nil: one
	series fields.Series
	alone  comm.Comm // of rank 0 with itself
	body   *derive.Surface
	mesh   fields.Triangles // on rank 0
	values *derive.SurfaceValues
	of     int // the step of values

	facets   *domain.Facets // on rank 0, from read on
	haveRead bool
	sums     *surfaceSums  // nil: no means are wanted
	means    *surfaceMeans // which takes the samples
}

// surfaceOutputs returns the outputs of [output.surface].
func surfaceOutputs(s *Set) (list []Output) {
	for _, p := range s.Case.Surfaces {
		o := &surfaces{rows: newRows(s.Run, p.Schedule, "surface", p.Name, "surface/"+p.Name), Surface: p, alone: comm.Serial(), series: fields.Series{Dir: s.Path("surfaces", p.Name), Name: p.Name}, of: -1}
		if p.Means {
			o.sums = &surfaceSums{modelled: derive.Modelled(s.Run.View, p.Body)}
			o.means = &surfaceMeans{base: newBase(p.Sample), surfaceSums: o.sums, surface: o, start: p.Sample.From}
			list = append(list, o.means) // before the outputs that have the sample of their step
		}
		if names := solidsIn(s.Run.View.Part.Inputs, s.Case.Files[p.File].Path); len(names) > 1 {
			o.solids = names
		}
		list = append(list, o, &developments{newRows(s.Run, p.Schedule, development, p.Name, development+"/"+p.Name), o})
		if o.solids != nil {
			list = append(list, &parts{newRows(s.Run, p.Schedule, partsTable, p.Name, partsTable+"/"+p.Name), o})
		}
	}
	return list
}

func (p *surfaces) folder() string         { return p.series.Dir }
func (p *surfaces) indexed() fields.Series { return p.series }
func (p *surfaces) stepFiles() []string    { return numbered(p.series.Dir, p.series.Name) }

// read reads the surface on rank 0, unless it has. Collective.
func (p *surfaces) read(r *Run) (err error) {
	if p.haveRead {
		return nil
	}
	if r.Rank.Root {
		if p.facets, err = domain.ReadFacets(r.View.Part, r.Case.Files[p.File], func(at [3]float64) int { return derive.LevelAt(r.View, at) }); err == nil {
			p.mesh = r.triangles(p.facets)
		}
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return exit.Agreed(exit.Usage, err)
	}
	p.haveRead = true
	return nil
}

// prepare reads the surface and finds the cells beside it.
func (p *surfaces) prepare(r *Run) error {
	err := p.read(r)
	if err != nil {
		return err
	}
	if p.body, err = derive.NewSurface(r.View, p.Body, p.facets); err != nil || !r.Rank.Root {
		return err
	}
	all := len(p.facets.Corners)
	if p.body.Dry > 0 {
		r.Rank.Warn(finding.DrySurface.Says("[output.surface.%s]: %d of %d triangles have no fluid before them (they touch another wall, or lie in a gap or outside the domain): their pressure is NaN", p.Name, p.body.Dry, all))
	}
	if p.body.Bare > 0 {
		r.Rank.Warn(finding.DrySurface.Says("[output.surface.%s]: %d of %d triangles have no ghost cell with the wall model beside them (at edges and in gaps): their friction is NaN", p.Name, p.body.Bare, all))
	}
	return nil
}

// triangles returns facets for a file, in the case's unit.
func (r *Run) triangles(f *domain.Facets) (t fields.Triangles) {
	for _, p := range f.Points {
		for a, x := range p {
			t.Points = append(t.Points, r.Case.Origin[a]+x*r.Case.Units.Length)
		}
	}
	for _, c := range f.Corners {
		t.Corners = append(t.Corners, int64(c[0]), int64(c[1]), int64(c[2]))
	}
	return t
}

// Write gathers the values; rank 0 writes the file while the run continues.
func (p *surfaces) Write(r *Run) error {
	kind := "triangles " + p.Name // its table is the surface
	if err := r.Files.CommitThrough(kind); err != nil {
		return err
	}
	p.at = r.Step()
	values, err := p.present(r)
	if err != nil {
		return err
	}
	var data [][]byte
	var file *fields.Pending
	if r.Rank.Root {
		_ = p.file.Append(int64(r.Step()), r.Time(), p.row(values, r.Case.Units, 0, 1)...) // a failure is reported at the next sync
		meta := r.Meta()
		shown := []*derive.SurfaceValues{values}
		if m := p.means; m != nil {
			mean, rms := m.statistics(len(values.Pressure))
			shown = append(shown, mean, rms)
			meta.Samples, meta.First, meta.Last = m.samples, int64(m.first), int64(m.last)
			if m.samples == 0 {
				r.Rank.Warn(finding.NoSamples.Says("step %d: no means of [output.surface.%s] yet: the first sample is at step %d", r.Step(), p.Name, p.Sample.Next(r.Step())))
			}
		}
		for _, of := range shown {
			for _, f := range p.Fields {
				data = append(data, numbersOf(p.field(f, of, r.Case.Units), p.Type))
			}
		}
		file, err = p.series.BeginTriangles(p.alone, nil, p.mesh, r.Listed(p.InFile(), p.Type), meta)
	}
	if err := r.All(kind, err); err != nil {
		if file != nil {
			file.Abort()
		}
		return r.Files.Missed(kind, err)
	}
	finish := func(failed error) error {
		if r.Rank.Root {
			failed = file.Commit(failed)
		}
		return comm.Agree(r.Rank.Comm, failed)
	}
	r.Files.Launch(kind, p.series.Index(), finish, func() error {
		for i, values := range data { // on rank 0
			if err := file.Write(i, 0, values); err != nil {
				return err
			}
		}
		if file == nil {
			return nil
		}
		return file.Flush()
	})
	return nil
}

// present returns the values of the present step, on rank 0. Collective.
func (p *surfaces) present(r *Run) (*derive.SurfaceValues, error) {
	if p.of == r.Step() {
		return p.values, nil
	}
	values, err := p.body.Values(r.View, r.State.Force())
	if err == nil {
		p.values, p.of = values, r.Step()
	}
	return values, err
}

// header names the columns of the table of sums.
func (p *surfaces) header(r *Run) probe.Header { return r.forceHeader(p.Means, "") }

// field returns a field in the outputs' unit, [triangle][component].
func (p *surfaces) field(f model.Field, values *derive.SurfaceValues, units config.Units) (list []float64) {
	factor := units.Factor(f.Dim)
	if f.Dim == model.Dimensionless && f.Name != "y_plus" {
		factor = 2 / (p.Velocity * p.Velocity)
	}
	for i := range values.Pressure {
		t := values.Shear[i]
		switch f.Name {
		case "pressure", "pressure_coefficient":
			list = append(list, factor*values.Pressure[i])
		case "wall_shear_stress":
			list = append(list, factor*t[0], factor*t[1], factor*t[2])
		case "friction", "friction_coefficient":
			list = append(list, factor*math.Sqrt(t[0]*t[0]+t[1]*t[1]+t[2]*t[2]))
		case "y_plus":
			list = append(list, values.Plus[i])
		default:
			panic("there is no value of a surface " + f.Name) // a row of model.SurfaceFields without a formula
		}
	}
	return list
}

// numbersOf returns numbers for a file.
func numbersOf(values []float64, precision model.Precision) []byte {
	b := make([]byte, 0, len(values)*precision.Bytes())
	for _, v := range values {
		if precision == model.Float64 {
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(v))
		} else {
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	return b
}
