// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"path/filepath"

	"lbmsim/config/language"
	"lbmsim/model"
)

// averagesOutput describes [output.averages].
func averagesOutput() outputKind {
	return outputKind{
		table: language.Table{Optional: true, Path: "output.averages", Keys: []language.Key{
			{Name: "fields", Kind: language.Words, Choices: averages(), Default: `["mean_pressure", "mean_velocity", "reynolds_stress"]`, Doc: "fields to write, see the table of averages"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the initial transient"},
			{Name: "sample_every", Kind: language.Period, Default: "10", Doc: "steps, or simulated time, between two samples. On a GPU the sums stay in its memory, and a sample costs 0.4 of a step; on a CPU it costs one to two. Means at walls follow from ghost cells alone, and the steps wait for them"},
			{Name: "over", Kind: language.Word, Choices: axes(), Doc: "3D: the averages are also over this axis, along which the domain must be periodic and the flow homogeneous, such as the span of a cylinder. The file has one layer of cells, in the middle of the axis. Stresses are of deviations from the means over time and axis. Solid cells do not count"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file; sums are always of 64 bits"},
			{Name: "dir", Kind: language.Text, Default: `"averages"`, Doc: "subfolder of the folder of [output]"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of the averages so far"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "Averages over time of whole fields, as VTKHDF files for ParaView. The table enables them. Checkpoints store the sums: a resumed run continues them."},
		read: func(r *outputs, s *language.Section) { r.averages(s) },
		footprint: func(c *Case) []Footprint {
			o := c.Averages
			if !o.On {
				return nil
			}
			return []Footprint{{Head: "[output.averages]", Schedule: o.Schedule, Files: 1, Each: FileBytes(c, averagesBytes(c))}}
		},
	}
}

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

// averagesBytes returns the size of the numbers of one file of averages: of all levels.
func averagesBytes(c *Case) (bytes float64) {
	for _, p := range Patches(c) {
		bytes += float64(bytesOf(c.Averages.Fields, c.Averages.Type, c.Averages.Grid(p.Size(), p.Level)))
	}
	return bytes
}

// AveragedValues returns the number of values per cell that the averages over time accumulate.
func (c *Case) AveragedValues() int { return model.SumsOf(c.Averages.Fields).Values(c.Dims()) }

// Kept returns the number of values per cell in checkpoints in so many dimensions, means at walls included.
func (a Averages) Kept(dims int) int {
	return model.SumsOf(a.Fields).Values(dims) + model.WallMeansOf(a.Fields).Values()
}

func (r *outputs) averages(s *language.Section) {
	o := &r.Averages
	o.On, o.Schedule = true, r.schedule(s)
	o.Start = r.beginning(s)
	o.Sample = Schedule{Period: r.period(s, "sample_every"), From: o.Start}
	if e := s.Get("fields"); e != nil {
		if len(e.Words) == 0 {
			r.Add(e.At, "", "fields is empty: there is nothing to average")
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

// Grid returns the numbers of cells that a box of a level has in the file.
func (a Averages) Grid(cells [3]int, level int) [3]int {
	if a.Over {
		cells[a.Axis] = a.Layers(level)
	}
	return cells
}

// Layers returns the cells of a level along the axis that averages are over. Readers of refined grids take one layer along z as flat.
// Along the other axes one cell of level 0 is two of level 1, with the same values, and so on.
func (a Averages) Layers(level int) int {
	if a.Axis == 2 {
		return 1
	}
	return 1 << level
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
		r.Add(e.At, "in 2D an [output.profile.NAME] along the other axis has these averages", "over is for 3D cases")
	case !r.Section("domain").Broken("periodic") && !r.Periodic[o.Axis]:
		r.Add(e.At, "averages run along axes in which the flow is homogeneous: [domain] periodic lists them", "over = %s: the domain is not periodic along %s", language.Quote(e.Text), e.Text)
	}
}
