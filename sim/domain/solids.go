// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/geometry/intake"
	"lbmsim/geometry/mesh"
	"lbmsim/internal/finding"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// Surfaces from files: rank 0 reads and checks them, and broadcasts the triangles in pieces; every
// rank keeps the triangles relevant to its rows of cells.

// surfaceHead is sent ahead of the triangles.
type surfaceHead struct {
	Triangles int
	Sheets    int // of them, the last, which bound no solid
	SHA256    string
	Solids    []string   // names in the file
	Row       config.Row // for the derived table
	Warnings  finding.List
}

// LoadFiles fills p.Solids, writes the checksums into the resolved case and runs the checks that need
// the shape of every body. Files on the shelf are not read again. They are for the part's cells, and for the cells of some boxes more, in cells of the part. Collective.
func (p *Part) LoadFiles(on *rank.Rank, shelf *Shelf, more ...decomp.Box) error {
	if len(p.Case.Files) == 0 {
		return nil
	}
	scene := p.Geometry()
	rows := scene.Rows(around(p, scene))
	for _, box := range more {
		for k, needed := range scene.Rows(box) {
			for i, yes := range needed {
				rows[k][i] = rows[k][i] || yes
			}
		}
	}
	var sums []string
	whole := Bodies{from: shelf}
	for _, f := range p.Case.Files {
		if f.Image {
			solid, head, err := p.loadImage(on, f, rows, &whole)
			if err != nil {
				return err
			}
			p.Solids = append(p.Solids, solid)
			sums = append(sums, head.SHA256)
			p.Inputs = append(p.Inputs, Input{Path: f.Path, Shown: f.Shown, SHA256: head.SHA256})
			p.Case.Table = append(p.Case.Table, head.Row)
			continue
		}
		body := mesh.NewBody(mesh.Window{Cells: p.Case.Cells, Y: rows[0], Z: rows[1]})
		head, err := p.loadFile(on, f, body, &whole)
		if err != nil {
			return err
		}
		p.Solids = append(p.Solids, body)
		sums = append(sums, head.SHA256)
		p.Inputs = append(p.Inputs, Input{Path: f.Path, Shown: f.Shown, SHA256: head.SHA256, Solids: head.Solids})
		p.Case.Table = append(p.Case.Table, head.Row)
		p.Case.Warnings = append(p.Case.Warnings, head.Warnings...)
	}
	p.Case.Resolved = config.Pin(p.Case.Resolved, append(p.tables.sums, sums...))
	return p.examine(on, &whole)
}

// examine runs the checks that need the shape of every body, on rank 0. Collective.
func (p *Part) examine(on *rank.Rank, whole *Bodies) error {
	var b []byte
	var err error
	if on.Root {
		var found config.Examination
		if found, err = p.Case.Examine(whole.Shapes, whole.Sizes); err == nil {
			b, err = json.Marshal(found)
		}
	}
	if err := comm.Agree(on.Comm, err); err != nil {
		return exit.Agreed(exit.Usage, err)
	}
	if b, err = comm.Broadcast(on.Comm, b); err != nil {
		return err
	}
	var found config.Examination
	if err := json.Unmarshal(b, &found); err != nil {
		return err
	}
	p.Case.Warnings = append(p.Case.Warnings, found.Warnings...)
	if p.Case.Speed > 0 && found.Speed > p.Case.Speed {
		p.Case.Speed, p.Case.SpeedOf = found.Speed, found.SpeedOf
	}
	if found.Speed > p.Case.Given {
		p.Case.Given, p.Case.GivenBy = found.Speed, found.SpeedOf
	}
	return nil
}

// Bodies are the bodies from files in the cells of the whole domain, with their sizes, for the
// checks of a case.
type Bodies struct {
	Shapes []geometry.Shape
	Sizes  []config.SolidSize
	from   *Shelf
}

// AddSurface adds a closed surface. Its shape is built if a check of the case needs it.
func (w *Bodies) AddSurface(c *config.Case, f config.SolidFile, s *intake.Source) error {
	lo, hi := s.Surface.Span(f.Motion.Apply)
	w.Sizes = append(w.Sizes, config.SolidSize{Body: f.Body, Lo: lo, Hi: hi, Hollow: s.Surface.Hollow(f.Motion.Apply), Memory: s.Surface.Memory(),
		Surface: s.Surface.Faces(f.Motion.Apply), Cells: s.Volume * math.Pow(f.Motion.Scale, 3), Parts: s.Found.Parts})
	if !c.Waits() {
		return nil
	}
	body := mesh.NewBody(mesh.Whole(c.Cells))
	for i := range s.Surface.T {
		t := s.Surface.Corners(i)
		for v := range t {
			t[v] = f.Motion.Apply(t[v])
		}
		add := body.Add
		if i >= len(s.Surface.T)-s.Sheets {
			add = body.AddSheet
		}
		if err := add(t); err != nil {
			return misfit(f, fmt.Errorf("%s: %w", f.Shown, err))
		}
	}
	if err := body.Close(); err != nil {
		return misfit(f, fmt.Errorf("%s: %w", f.Shown, err))
	}
	size := &w.Sizes[len(w.Sizes)-1]
	size.Shape = body
	size.Thin, size.Narrow, size.Least = body.Shares()
	w.Shapes = append(w.Shapes, body)
	return nil
}

// AddImage adds an image, likewise.
func (w *Bodies) AddImage(c *config.Case, f config.SolidFile, m *intake.Image) {
	size := config.SolidSize{Body: f.Body, Memory: m.Memory(), Surface: m.Faces(f.Motion.Scale), Cells: m.Volume(f.Motion.Scale)}
	if c.Waits() {
		v := voxelsOf(m)
		size.Shape = geometry.Moved{Shape: v, Motion: f.Motion}
		size.Lo, size.Hi = geometry.Moved{Shape: v.Solid(), Motion: f.Motion}.Bounds()
		for a := range size.Hollow {
			size.Hollow[a] = geometry.Hollow(size.Shape, size.Lo, size.Hi, a)
		}
		w.Shapes = append(w.Shapes, size.Shape)
	}
	w.Sizes = append(w.Sizes, size)
}

// inPiece is the number of triangles per message: 4.5 MiB.
const inPiece = 1 << 16

// Repairs warns of the changes by the repair of a surface.
func Repairs(f config.SolidFile, s *intake.Source) (list finding.List) {
	if done := s.Done(); done != "" {
		list = append(list, finding.Repaired.Says("[body.%s] was repaired: %s", f.Body, done))
	}
	return list
}

// loadFile reads one file into a body.
func (p *Part) loadFile(on *rank.Rank, f config.SolidFile, body *mesh.Body, whole *Bodies) (head surfaceHead, err error) {
	var s *intake.Source
	if on.Root {
		if s, err = openSurface(whole.from, p.Case, f); err == nil {
			err = whole.AddSurface(p.Case, f, s)
		}
	}
	if err := comm.Agree(on.Comm, err); err != nil {
		return head, exit.Agreed(exit.Usage, err)
	}
	var b []byte
	if on.Root {
		head = surfaceHead{Triangles: len(s.Surface.T), Sheets: s.Sheets, SHA256: s.SHA256, Solids: s.Info.Solids, Row: config.Row{
			Name: "body " + f.Body, Lattice: triangles(s), SI: fmt.Sprintf("%s, SHA-256 %.12s...", f.Shown, s.SHA256)}}
		head.Warnings = Repairs(f, s)
		if b, err = json.Marshal(head); err != nil {
			return head, err
		}
	}
	if b, err = comm.Broadcast(on.Comm, b); err != nil {
		return head, err
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return head, err
	}
	var bad error
	for from := 0; from < head.Triangles; from += inPiece {
		b = b[:0]
		if on.Root {
			for i := from; i < min(from+inPiece, head.Triangles); i++ {
				for _, v := range s.Surface.Corners(i) {
					for _, x := range v {
						b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
					}
				}
			}
		}
		if b, err = comm.Broadcast(on.Comm, b); err != nil {
			return head, err
		}
		for at := 0; at+72 <= len(b) && bad == nil; at += 72 {
			t := triangle(b[at:])
			for v := range t {
				t[v] = f.Motion.Apply(t[v])
			}
			if from+at/72 < head.Triangles-head.Sheets {
				bad = body.Add(t)
			} else {
				bad = body.AddSheet(t)
			}
		}
	}
	if bad == nil {
		bad = body.Close()
	}
	if bad != nil {
		bad = misfit(f, fmt.Errorf("%s: %w", f.Shown, bad))
	}
	return head, exit.Agreed(exit.Usage, comm.Agree(on.Comm, bad))
}

// triangles of a surface, in words.
func triangles(s *intake.Source) string {
	if s.Sheets > 0 {
		return fmt.Sprintf("%d triangles, %d of them in sheets", len(s.Surface.T), s.Sheets)
	}
	return fmt.Sprintf("%d triangles", len(s.Surface.T))
}

func triangle(b []byte) (t [3][3]float64) {
	for v := range t {
		for a := range t[v] {
			t[v][a] = math.Float64frombits(binary.LittleEndian.Uint64(b[24*v+8*a:]))
		}
	}
	return t
}

// openSurface takes the surface of a body, and ensures that it bounds a solid.
func openSurface(from *Shelf, c *config.Case, f config.SolidFile) (*intake.Source, error) {
	s, err := from.Surface(f)
	if err == nil {
		err = misfit(f, CloseSurface(s, c, f))
	}
	return s, err
}

// CloseSurface ensures that the surface of a body bounds a solid, or is a sheet if that is allowed.
func CloseSurface(s *intake.Source, c *config.Case, f config.SolidFile) error {
	if f.Sheets {
		return s.Thicken(f.Repair, Outside(c, f))
	}
	return s.Close(f.Repair, Outside(c, f))
}

// Outside reports whether a triangle of the file lies on one side of all centres of cells: then none of them is inside or outside
// the body because of it. Along a periodic axis links lead there.
func Outside(c *config.Case, f config.SolidFile) func([3][3]float64) bool {
	return func(t [3][3]float64) bool {
		for v := range t {
			t[v] = f.Motion.Apply(t[v])
		}
		for a, n := range c.Cells {
			first, last := 0.5, float64(n)-0.5
			if !c.Periodic[a] && (max(t[0][a], t[1][a], t[2][a]) < first || min(t[0][a], t[1][a], t[2][a]) > last) {
				return true
			}
		}
		return false
	}
}

// imageHead is sent ahead of the voxels.
type imageHead struct {
	N               [3]int
	Origin, Spacing [3]float64
	SHA256          string
	Row             config.Row
}

// loadImage reads one image; every rank keeps the voxels relevant to its cells.
func (p *Part) loadImage(on *rank.Rank, f config.SolidFile, rows [2][]bool, whole *Bodies) (solid geometry.Shape, head imageHead, err error) {
	var m *intake.Image
	if on.Root {
		if m, err = whole.from.Image(f); err == nil {
			whole.AddImage(p.Case, f, m)
		}
	}
	if err := comm.Agree(on.Comm, err); err != nil {
		return nil, head, exit.Agreed(exit.Usage, err)
	}
	var b []byte
	if on.Root {
		head = imageHead{m.N, m.Origin, m.Spacing, m.SHA256, config.Row{
			Name: "body " + f.Body, Lattice: fmt.Sprintf("%d x %d x %d voxels", m.N[0], m.N[1], m.N[2]), SI: fmt.Sprintf("%s, SHA-256 %.12s...", f.Shown, m.SHA256)}}
		if b, err = json.Marshal(head); err != nil {
			return nil, head, err
		}
	}
	if b, err = comm.Broadcast(on.Comm, b); err != nil {
		return nil, head, err
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, head, err
	}
	none := [3]int{}
	lo, hi := geometry.NewVoxels(head.N, head.Origin, head.Spacing, none, none).Kept(f.Motion, p.Case.Cells, rows)
	v := geometry.NewVoxels(head.N, head.Origin, head.Spacing, lo, hi)
	nx, ny := head.N[0], head.N[1]
	const words = 1 << 19 // per message: 4 MiB
	for from := 0; from < (nx*ny*head.N[2]+63)/64; from += words {
		b = b[:0]
		if on.Root {
			for _, w := range m.Words(from, from+words) {
				b = binary.LittleEndian.AppendUint64(b, w)
			}
		}
		if b, err = comm.Broadcast(on.Comm, b); err != nil {
			return nil, head, err
		}
		for k := 0; k+8 <= len(b); k += 8 {
			for w := binary.LittleEndian.Uint64(b[k:]); w != 0; w &= w - 1 {
				i := 64*(from+k/8) + bits.TrailingZeros64(w)
				v.Fill(i%nx, i/nx%ny, i/nx/ny)
			}
		}
	}
	return geometry.Moved{Shape: v, Motion: f.Motion}, head, nil
}

// CountCells refuses surfaces without effect on any cell, and a domain without fluid: with surfaces
// from files neither is known earlier. Collective.
func (p *Part) CountCells(on *rank.Rank) error {
	if len(p.Case.Bodies) == 0 {
		return nil
	}
	counts := make([]int, 1+len(p.Case.Boundaries)+len(p.Case.Bodies))
	for z := range p.Cells.N[2] {
		for y := range p.Cells.N[1] {
			at := p.Cells.Index(0, y, z)
			for _, t := range p.Cells.Type[at : at+p.Cells.N[0]] {
				counts[t]++
			}
		}
	}
	all, err := comm.Together(on.Comm, counts)
	if err != nil {
		return err
	}
	for _, c := range all[1:] {
		for t, n := range c {
			all[0][t] += n
		}
	}
	if all[0][0] == 0 {
		return exit.With(exit.Usage, fmt.Errorf("the bodies fill the whole domain: there are no fluid cells"))
	}
	bodies := p.Bodies()
	for i, b := range p.Case.Bodies {
		if all[0][len(p.Case.Boundaries)+1+i] > 0 || b.Whole() {
			continue
		}
		covered, err := anyCell(on, p, bodies[i].Shape)
		if err != nil {
			return err
		}
		if covered {
			continue // by later bodies, which is a warning
		}
		lo, hi := bodies[i].Shape.Bounds()
		err = NoCell(p.Case, b.Name, lo, hi)
		for _, f := range p.Case.Files {
			if f.Body == b.Name {
				err = f.At.Wrong(err)
			}
		}
		return exit.With(exit.Usage, err)
	}
	return nil
}

// anyCell reports whether a shape contains the centre of a cell of any rank. Collective.
func anyCell(on *rank.Rank, p *Part, s geometry.Shape) (bool, error) {
	any := []int64{0}
	if holds(p, s) {
		any[0] = 1
	}
	err := comm.Max(on.Comm, any)
	return any[0] > 0, err
}

// holds reports whether a shape contains the centre of one of the part's cells.
func holds(p *Part, s geometry.Shape) bool {
	from, to := geometry.Reach(s, p.Case.Cells, p.Case.Dims())
	box := Intersect(decomp.Box{Lo: from, Hi: to}, p.Box)
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			for x := box.Lo[0]; x < box.Hi[0]; x++ {
				if s.Contains(float64(x)+0.5, float64(y)+0.5, float64(z)+0.5) {
					return true
				}
			}
		}
	}
	return false
}

// BodiesIn refuses bodies without effect on any cell of some parts of a domain, on all ranks together. Collective.
func BodiesIn(on *rank.Rank, c *config.Case, parts []*Part) error {
	seen := make([]int64, len(c.Bodies))
	for _, p := range parts {
		for i, b := range p.Bodies() {
			if seen[i] == 0 && (holds(p, b.Shape) || b.Thicken && slices.Contains(p.Cells.Type, b.Type)) {
				seen[i] = 1
			}
		}
	}
	if err := comm.Max(on.Comm, seen); err != nil {
		return err
	}
	for i, b := range c.Bodies {
		if seen[i] == 0 && len(parts) > 0 {
			lo, hi := parts[0].Bodies()[i].Shape.Bounds() // of level 0, which all ranks have a part of
			return exit.With(exit.Usage, NoCell(c, b.Name, lo, hi))
		}
	}
	return nil
}

// NoCell returns the error of a body that spans lo to hi, in cells, and contains no cell of the domain.
func NoCell(c *config.Case, body string, lo, hi [3]float64) error {
	b := config.Body{Name: body}
	for _, o := range c.Bodies {
		if o.Name == body {
			b = o
		}
	}
	return errors.New(config.NoCell(b, c.Files, c.Cells, lo, hi))
}
