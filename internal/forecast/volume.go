package forecast

import (
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// What a run leaves on the disk: known before it starts, but for outputs by wall time.

// Volume is what one output leaves on the disk by the end of a run. Numbers of files and
// bytes are floats: absurd ones have to be told of.
type Volume struct {
	Head  string // of its table in the case file
	Times int    // it is written
	Files float64
	Each  float64 // bytes of one time
	Bytes float64 // that lie on the disk in the end
	// Wall: there are more of them, by wall time.
	Wall bool
}

// About what a file has beside its numbers, and what numbers take as text or in a picture.
const (
	headBytes    = 16 << 10 // HDF5's own, on average; the resolved case is added
	csvStep      = 24       // step and time
	csvNumber    = 20       // a number in its shortest digits, with the comma
	pictureSide  = 900      // pixels of the longer side (io/picture)
	pictureBytes = 0.75     // a pixel, compressed, of a flow with much in it
	pictureHead  = 16 << 10 // title, axes and scale

	alignedFrom  = 16 << 20 // checkpoints from this size on have their parts at whole MiB ...
	alignedBytes = 2 << 20  // ... and so much is empty
)

// Volumes are those of all outputs.
func Volumes(c *config.Case) (list []Volume) {
	add := func(head string, s config.Schedule, files, each float64, kept int) {
		n := s.Count(c.Run.Steps)
		if kept == 0 || n < kept {
			kept = n
		}
		list = append(list, Volume{Head: head, Times: n, Files: files * float64(kept), Each: each, Bytes: each * float64(kept), Wall: s.WallTime > 0})
	}
	head := float64(headBytes + len(c.Resolved))
	// table is a file that rows are added to.
	table := func(head string, s config.Schedule, rows, columns int) {
		add(head, s, 1, float64(rows)*float64(csvStep+csvNumber*columns), 0)
		list[len(list)-1].Files = 1
	}
	for _, p := range c.Probes {
		table("[output.probe."+p.Name+"]", p.Schedule, 1, 3+columns(c, p.Fields)) // and its place
	}
	for _, l := range c.Lines {
		table("[output.line."+l.Name+"]", l.Schedule, l.Points, 1+c.Dims()+columns(c, l.Fields))
	}
	for _, p := range c.Profiles {
		table("[output.profile."+p.Name+"]", p.Schedule, c.Cells[p.Axis], profileColumns(c, p))
	}
	for _, p := range c.Spectra {
		rows := max(1, len(p.At)) * p.Waves(c.Cells)
		n := 2 + min(1, len(p.At)) + 2*p.Numbers(c.Cells, c.Dims())/rows // wave number, samples, position
		table("[output.spectrum."+p.Name+"]", p.Schedule, rows, n)
	}
	for _, f := range c.Forces {
		table("[output.force."+f.Name+"]", f.Schedule, 1, 3*len(f.Series(c.Dims())))
	}
	for _, s := range c.Series {
		n := 0
		for _, q := range s.Quantities {
			if n++; q.Vector {
				n += c.Dims() - 1
			}
		}
		table("[output.series."+s.Name+"]", s.Schedule, 1, n)
	}
	for _, p := range c.Planes {
		add("[output.plane."+p.Name+"]", p.Schedule, 1, head+float64(planeBytes(c, p)), 0)
	}
	if c.Fields.On {
		files := 1
		if parts := min(c.Fields.Files, c.Cells[c.Dims()-1]); parts > 1 {
			files += parts
		}
		add("[output.fields]", c.Fields.Schedule, float64(files), head+float64(FieldsBytes(c)), 0)
	}
	if c.Averages.On {
		values := 0
		for _, f := range c.Averages.Fields {
			values += f.Components
		}
		n := c.Averages.Grid(c.Cells)
		add("[output.averages]", c.Averages.Schedule, 1, head+float64(n[0]*n[1]*n[2])*float64(values*c.Averages.Type.Bytes()), 0)
	}
	if c.Picture.On {
		w, h := pictureCells(c)
		pixels := pictureSide * pictureSide * math.Min(w, h) / math.Max(w, h)
		add("[output.picture]", c.Picture.Schedule, 1, pictureHead+float64(len(c.Resolved))+pictureBytes*pixels, 0)
	}
	if c.Checkpoint.On {
		if CheckpointBytes(c) >= alignedFrom {
			head += alignedBytes
		}
		add("[checkpoint]", c.Checkpoint.Schedule, 1, head+float64(CheckpointBytes(c)), c.Checkpoint.Keep)
		if c.Averages.On { // one more of theirs than of the state
			sums := 8 * float64(c.Box().Cells()) * float64(c.AveragedValues())
			add("averages beside them", c.Checkpoint.Schedule, 1, head+sums, c.Checkpoint.Keep+1)
		}
	}
	return list
}

// columns of fields in a CSV file: components that are always 0 are left out.
func columns(c *config.Case, fields []model.Field) (n int) {
	for _, f := range fields {
		if c.Dims() == 2 && f.Name == "vorticity" {
			n++
		} else {
			n += min(f.Components, c.Dims())
		}
	}
	return n
}

// profileColumns are those of a profile behind step and time.
func profileColumns(c *config.Case, p config.Profile) int {
	n := 2 // position and samples
	for _, f := range p.Fields {
		most := c.Dims() // components of a vector that are not 0
		if f.Components == 6 {
			most = c.Dims() * (c.Dims() + 1) / 2
		}
		n += 2 * min(f.Components, most)
	}
	return n
}

// planeBytes are the numbers of one output of a plane.
func planeBytes(c *config.Case, p config.Plane) int64 {
	n := int64(p.Type.Bytes()) * int64(c.Box().Cells()/c.Cells[p.Axis])
	values := int64(0)
	for _, f := range p.Fields {
		values += int64(f.Components)
	}
	return n * values
}

// pictureCells are the two sides of the picture's slice.
func pictureCells(c *config.Case) (w, h float64) {
	n := c.Cells
	switch c.Picture.Axis {
	case 0:
		return float64(n[1]), float64(n[2])
	case 1:
		return float64(n[0]), float64(n[2])
	}
	return float64(n[0]), float64(n[1])
}

// What is taken for a mistake: folders of so many files are slow to list and to copy, and
// the largest runs write some TiB.
const (
	manyFiles = 100_000
	manyBytes = 10 << 40
)

// Warnings are of outputs that nobody can want.
func Warnings(c *config.Case) (list finding.List) {
	for _, v := range Volumes(c) {
		switch {
		case v.Files > manyFiles:
			list = append(list, finding.ManyOutputs.Says("%s would be written %s times, in %s: folders of so many are slow to list and to copy; a larger every makes fewer", v.Head, language.Grouped(v.Times), count(v.Files, "file")))
		case v.Bytes > manyBytes:
			list = append(list, finding.ManyOutputs.Says("%s would be written %s times, %s in all: a larger every makes it less", v.Head, language.Grouped(v.Times), size(v.Bytes)))
		}
	}
	return list
}

// OnDisk is what all outputs leave there by the end, in bytes, and in how many files.
func OnDisk(c *config.Case) (bytes, files float64) {
	for _, v := range Volumes(c) {
		bytes, files = bytes+v.Bytes, files+v.Files
	}
	return bytes, files
}

// volumeRows are the lines of check.
func volumeRows(c *config.Case) (rows []config.Row) {
	for _, v := range Volumes(c) {
		times := language.Grouped(v.Times) + " times"
		if v.Times == 1 {
			times = "once"
		}
		if v.Wall {
			times += ", and by wall time"
		}
		files := count(v.Files, "file")
		rows = append(rows, row(v.Head, times+", "+files, fmt.Sprintf("%s each, %s on disk", size(v.Each), size(v.Bytes))))
	}
	if bytes, files := OnDisk(c); len(rows) > 1 {
		rows = append(rows, row("all outputs", count(files, "file"), size(bytes)+" on disk"))
	}
	return rows
}

// count of things, that may be absurdly large.
func count(n float64, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case n < 1e15:
		return language.Grouped(int(n)) + " " + what + "s"
	}
	return fmt.Sprintf("%.3g %ss", n, what)
}

// size is Bytes of a number that may be absurdly large.
func size(bytes float64) string {
	if bytes > 1e18 {
		return fmt.Sprintf("%.3g bytes", bytes)
	}
	return Bytes(int64(bytes))
}
