// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/io/picture"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// pictures writes [output.picture] or one of [output.picture.NAME]: a PNG of one slice.
type pictures struct {
	base
	config.PictureOutput
	dir     string
	known   bool            // the outline
	outline [][2][2]float64 // of bodies, on rank 0
}

// pictureOutputs returns the outputs of both.
func pictureOutputs(s *Set) (list []Output) {
	for _, p := range s.Case.Pictures {
		list = append(list, &pictures{base: newBase(p.Schedule), PictureOutput: p, dir: s.Path()})
	}
	return list
}

func (p *pictures) stepFiles() []string { return numbered(p.dir, p.Stem()) }

// DueOn reports true also on an order.
func (p *pictures) DueOn(o Occasion) bool { return o == DrawOrder || p.base.DueOn(o) }

// Write gathers the slice; rank 0 draws it while the run continues.
func (p *pictures) Write(r *Run) error {
	if err := r.Files.CommitSeries("picture", filepath.Join(p.dir, p.Stem())+"_"); err != nil {
		return err
	}
	p.at = r.Step()
	slice := r.slice(p.Axis, p.At, p.Within)
	values, err := p.values(r, slice)
	if err != nil {
		return err
	}
	if err := p.cut(r, slice); err != nil {
		return err
	}
	path := filepath.Join(p.dir, picture.FileName(p.Stem(), int64(r.Step())))
	whole := func(failed error) error { return comm.Agree(r.Rank.Comm, failed) } // written whole or not at all
	if !r.Rank.Root {
		r.Files.Launch("picture", path, whole, func() error { return nil })
		return nil
	}
	picture := p.draw(r, slice, values)
	r.Files.Launch("picture", path, whole, func() error { return picture.Write(path) })
	return nil
}

// values gathers the field of a slice on rank 0, NaN in solid cells. Collective.
func (p *pictures) values(r *Run, slice derive.Region) ([]float64, error) {
	values, err := r.View.Collect(p.Field, p.Component, slice)
	if err != nil {
		return nil, err
	}
	solid, _ := model.FindField("solid")
	bodies, err := r.View.Collect(solid, 0, slice)
	if err != nil {
		return nil, err
	}
	for i, b := range bodies {
		if b != 0 && !(p.Field.Name == "temperature" && r.Case.Bodies[int(b)-1].Conducts()) {
			values[i] = math.NaN()
		}
	}
	return values, nil
}

// cut finds the outline of bodies, once: they stay where they are. Collective.
func (p *pictures) cut(r *Run, slice derive.Region) error {
	if p.known || len(r.Case.Bodies) == 0 || r.View.Refined != nil { // the cells of finer levels show it
		return nil
	}
	h, v := p.axes()
	gaps, err := r.View.Gaps(slice.Box, [2]int{h, v})
	if err != nil {
		return err
	}
	if p.known = true; r.Rank.Root {
		p.outline = outlineOf(r.Case.Cells[h], r.Case.Cells[v], gaps)
	}
	return nil
}

// axes of the slice, to the right and upwards: those that are not p.Axis.
func (p *pictures) axes() (h, v int) {
	switch p.Axis {
	case 0:
		return 1, 2
	case 1:
		return 0, 2
	}
	return 0, 1
}

// draw returns the picture of the slice.
func (p *pictures) draw(r *Run, slice derive.Region, values []float64) picture.Picture {
	c, u, n := r.Case, r.Case.Units, slice.Size()
	h, v := p.axes()
	q := picture.Picture{
		Quantity: p.Field.Name, Unit: u.Symbol(p.Field.Dim), Case: c.Title, Step: int64(r.Step()), Time: r.Time(),
		W: n[h], H: n[v], Values: values, Outline: p.outline, Spacing: r.spacing(slice.Level), Lattice: !u.Physical,
		Text:   r.texts(),
		Origin: [2]float64{c.Origin[h], c.Origin[v]}, Axes: [2]string{"xyz"[h : h+1], "xyz"[v : v+1]},
	}
	switch {
	case p.Field.Components == 3 && p.Component >= 0:
		q.Quantity += " " + "xyz"[p.Component:p.Component+1]
	case p.Field.Components == 3:
		q.Quantity += " magnitude"
	}
	if c.Dims() == 3 {
		q.Where = strings.TrimSpace(fmt.Sprintf("%c = %.4g %s", "xyz"[p.Axis], r.centre(slice, p.Axis), u.Symbol(model.Length)))
	}
	if p.Min != 0 || p.Max != 0 {
		q.Range = &[2]float64{p.Min, p.Max}
	}
	return q
}

// texts returns the text stored in a picture of the present step.
func (r *Run) texts() map[string]string {
	return map[string]string{"Software": "lbmsim " + r.Version, "Source": r.Case.Resolved, "Provenance": r.Provenance.String(), "Comment": fmt.Sprintf("step %d", r.Step())}
}
