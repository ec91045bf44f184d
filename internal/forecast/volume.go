// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
)

// The files of a run on disk: known before it starts, except for outputs by wall time.

// Volume is the disk space of one output by the end of a run. Numbers of files and bytes
// are floats: absurdly large ones must be reported.
type Volume struct {
	Head  string // of its table in the case file
	Times int    // it is written
	Files float64
	Each  float64 // bytes of one time
	Bytes float64 // that are on disk at the end
	// Wall: there are more of them, by wall time.
	Wall bool
}

// Checkpoints from alignedFrom on have their parts at whole MiB, and so much is empty.
const (
	alignedFrom  = 16 << 20
	alignedBytes = 2 << 20
)

// Volumes returns the volumes of all outputs.
func Volumes(c *config.Case) (list []Volume) {
	add := func(head string, s config.Schedule, files, each float64, kept int) {
		n := s.Count(c.Run.Steps)
		if kept == 0 || n < kept {
			kept = n
		}
		list = append(list, Volume{Head: head, Times: n, Files: files * float64(kept), Each: each, Bytes: each * float64(kept), Wall: s.WallTime > 0})
	}
	for _, o := range config.Footprints(c) {
		if add(o.Head, o.Schedule, float64(o.Files), o.Each, 0); o.Files == 0 {
			list[len(list)-1].Files = 1
		}
	}
	if c.Checkpoint.On {
		empty := 0.0
		if CheckpointBytes(c) >= alignedFrom {
			empty = alignedBytes
		}
		add("[checkpoint]", c.Checkpoint.Schedule, 1, config.FileBytes(c, empty+float64(CheckpointBytes(c))), c.Checkpoint.Keep)
		if c.Averages.On { // one more of theirs than of the state
			sums, boxes := 0., config.Patches(c)
			for _, b := range boxes {
				sums += 8 * float64(b.Cells()) * float64(c.Averages.Kept(c.Dims()))
			}
			add("averages beside them", c.Checkpoint.Schedule, float64(len(boxes)), config.FileBytes(c, empty+sums), c.Checkpoint.Keep+1)
		}
	}
	return list
}

// Limits beyond which outputs are taken for a mistake: folders of so many files are slow to list and to copy, and
// the largest runs write some TiB.
const (
	manyFiles = 100_000
	manyBytes = 10 << 40
)

// Warnings returns the warnings of implausibly large outputs.
func Warnings(c *config.Case) (list finding.List) {
	for _, v := range Volumes(c) {
		switch {
		case v.Files > manyFiles:
			list = append(list, finding.ManyOutputs.Says("%s would be written %s times, in %s: folders with this many files are slow to list and to copy; increase every", v.Head, language.Grouped(v.Times), count(v.Files, "file")))
		case v.Bytes > manyBytes:
			list = append(list, finding.ManyOutputs.Says("%s would be written %s times, %s in total: increase every", v.Head, language.Grouped(v.Times), size(v.Bytes)))
		}
	}
	return list
}

// OnDisk returns the disk space of all outputs by the end, in bytes, and their number of files.
func OnDisk(c *config.Case) (bytes, files float64) {
	for _, v := range Volumes(c) {
		bytes, files = bytes+v.Bytes, files+v.Files
	}
	return bytes, files
}

// volumeRows returns the lines of check.
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

// size formats a number of bytes, as Bytes does, that may be absurdly large.
func size(bytes float64) string {
	if bytes > 1e18 {
		return fmt.Sprintf("%.3g bytes", bytes)
	}
	return Bytes(int64(bytes))
}
