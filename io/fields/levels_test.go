// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/io/internal/h5"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testLevels is a refined grid with two boxes on level 1 and one on level 2; testdata/levels.py has the same.
func testLevels(flat bool) Levels {
	box := func(x0, y0, z0, x1, y1, z1 int) decomp.Box {
		return decomp.Box{Lo: [3]int{x0, y0, z0}, Hi: [3]int{x1, y1, z1}}
	}
	l := Levels{Corner: [3]float64{0.5, 1.5, -2}, Spacing: 0.25}
	if flat {
		l.Boxes = [][]decomp.Box{{box(0, 0, 0, 10, 8, 1)}, {box(2, 2, 0, 10, 8, 1), box(12, 4, 0, 18, 10, 1)}, {box(8, 8, 0, 16, 14, 1)}}
		return l
	}
	l.Boxes = [][]decomp.Box{{box(0, 0, 0, 8, 6, 5)}, {box(2, 2, 2, 8, 8, 6), box(10, 4, 2, 14, 10, 8)}, {box(8, 8, 8, 12, 12, 12)}}
	return l
}

// levelContent is the bytes of a field in a part of a level: functions of the cell's centre, exact in the field's numbers.
func levelContent(l Levels, level int, f Field, b decomp.Box) (out []byte) {
	at, dx := l.place(level, decomp.Box{})
	for z := b.Lo[2]; z < b.Hi[2]; z++ {
		for y := b.Lo[1]; y < b.Hi[1]; y++ {
			for x := b.Lo[0]; x < b.Hi[0]; x++ {
				var c [3]float64
				for a, k := range [3]int{x, y, z} {
					c[a] = at[a] + dx[a]*(float64(k)+0.5)
				}
				switch f.Name {
				case "density":
					out = binary.NativeEndian.AppendUint64(out, math.Float64bits(1+2*c[0]+3*c[1]+5*c[2]))
				case "velocity":
					for _, v := range c {
						out = binary.NativeEndian.AppendUint32(out, math.Float32bits(float32(v)))
					}
				default:
					out = append(out, uint8(level))
				}
			}
		}
	}
	return out
}

// slabs cuts each box over the ranks, a finer one over fewer of them.
func slabs(l Levels, rank, ranks int) (parts []decomp.Box) {
	a := l.grid().axis()
	for level, boxes := range l.Boxes {
		for _, b := range boxes {
			n := max(1, ranks-level)
			part, size := b, b.Size()[a]
			part.Lo[a], part.Hi[a] = b.Lo[a]+size*rank/n, b.Lo[a]+size*(rank+1)/n
			if rank >= n {
				part = decomp.Box{}
			}
			parts = append(parts, part)
		}
	}
	return parts
}

func putLevels(p *Pending, l Levels, parts []decomp.Box) error {
	for i, part := range parts {
		level, _ := l.Box(i)
		planes := part.Size()[l.grid().axis()]
		for j, f := range testFields {
			data := levelContent(l, level, f, part)
			for k := range planes {
				if len(data) == 0 {
					break
				}
				if err := p.WriteBox(i, j, k, data[k*len(data)/planes:(k+1)*len(data)/planes]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func writeLevels(s Series, l Levels, ranks int, m Meta, partsOf func(rank int) []decomp.Box) error {
	return comm.RunLocal(ranks, func(c comm.Comm) error {
		parts := partsOf(c.Rank())
		p, err := s.BeginLevels(c, nil, parts, l, testFields, m)
		if err != nil {
			return err
		}
		if err := putLevels(p, l, parts); err != nil {
			return err
		}
		if err := p.Flush(); err != nil {
			return err
		}
		return p.Commit(nil)
	})
}

func TestAnyNumberOfRanksWritesTheSameLevels(t *testing.T) {
	for _, flat := range []bool{false, true} {
		for _, files := range []int{1, 3, 100} {
			l, first := testLevels(flat), ""
			for _, ranks := range []int{1, 2, 3, 5} {
				s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
				if err := writeLevels(s, l, ranks, testMeta, func(rank int) []decomp.Box { return slabs(l, rank, ranks) }); err != nil {
					t.Fatalf("%d ranks: %v", ranks, err)
				}
				if err := Verify(s.Path(120), names()...); err != nil {
					t.Error(err)
				}
				wrote, n := contents(t, s)
				if want := 1 + s.parts(l.blocks()); n != want {
					t.Errorf("%d files instead of %d", n, want)
				}
				if first == "" {
					first = wrote
					readLevels(t, s, l)
				} else if first != wrote {
					t.Errorf("flat %v, %d files: what %d ranks write differs from what one does", flat, files, ranks)
				}
			}
		}
	}
}

// readLevels compares a file with what was written, and its index with one that is made of it.
func readLevels(t *testing.T, s Series, l Levels) {
	t.Helper()
	r, err := OpenLevels(s.Path(120))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, want := fmt.Sprint(r.Levels), fmt.Sprint(l); got != want {
		t.Errorf("the levels are %s instead of %s", got, want)
	}
	if r.Meta != testMeta || len(r.Fields) != len(testFields) {
		t.Errorf("%v, %v", r.Meta, r.Fields)
	}
	for box := range l.Count() {
		level, k := l.Box(box)
		for i, f := range r.Fields {
			want := levelContent(l, level, f, l.Boxes[level][k])
			for n := range r.BoxPlanes(box) {
				b, err := r.plane(box, i, n)
				if err != nil {
					t.Fatal(err)
				}
				if string(b) != string(want[:len(b)]) {
					t.Errorf("plane %d of %s in box %d differs", n, f.Name, box)
				}
				want = want[len(b):]
			}
			if len(want) > 0 {
				t.Errorf("%s of box %d lacks %d bytes", f.Name, box, len(want))
			}
		}
	}
	if _, err := Open(s.Path(120)); err == nil || !strings.Contains(err.Error(), "refined grid of 3 levels") {
		t.Errorf("as one grid: %v", err)
	}
	var indices [2][2]string
	for k := range indices {
		for i, path := range s.Indices() {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			indices[k][i] = string(b)
			os.Remove(path)
		}
		if _, err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
	}
	if indices[0] != indices[1] {
		t.Errorf("the index was\n%.1000s\nit is rebuilt as\n%.1000s", indices[0], indices[1])
	}
}

// So do ranks that share planes, some of which have no cells of a box.
func TestPencilsWriteTheSameLevels(t *testing.T) {
	l := testLevels(false)
	whole := Series{Dir: t.TempDir(), Name: "flow"}
	if err := writeLevels(whole, l, 1, testMeta, func(int) []decomp.Box { return slabs(l, 0, 1) }); err != nil {
		t.Fatal(err)
	}
	want, _ := contents(t, whole)
	for _, cut := range [][2]int{{2, 1}, {3, 2}, {2, 4}} {
		s, ranks := Series{Dir: t.TempDir(), Name: "flow"}, cut[0]*cut[1]
		if err := writeLevels(s, l, ranks, testMeta, func(rank int) (parts []decomp.Box) {
			for _, boxes := range l.Boxes {
				for i, b := range boxes {
					n := b.Size()
					plan, err := decomp.Pencils(n, [3]bool{}, min(cut[0], n[1]), min(cut[1], n[2]))
					if err != nil {
						t.Error(err)
					}
					var part decomp.Box
					if r := (rank + i) % ranks; r < plan.Ranks() {
						part = plan.Box(r)
						for a := range b.Lo {
							part.Lo[a], part.Hi[a] = part.Lo[a]+b.Lo[a], part.Hi[a]+b.Lo[a]
						}
					}
					parts = append(parts, part)
				}
			}
			return parts
		}); err != nil {
			t.Fatalf("%v: %v", cut, err)
		}
		if got, _ := contents(t, s); got != want {
			t.Errorf("what pencils %v write differs from what one rank does", cut)
		}
	}
}

func TestDamageOfLevelsIsFound(t *testing.T) {
	l := testLevels(false)
	s := Series{Dir: t.TempDir(), Name: "flow"}
	if err := writeLevels(s, l, 2, testMeta, func(rank int) []decomp.Box { return slabs(l, rank, 2) }); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.Path(120))
	if err != nil {
		t.Fatal(err)
	}
	plane := l.Boxes[1][1]
	plane.Lo[2], plane.Hi[2] = plane.Lo[2]+3, plane.Lo[2]+4
	at := strings.Index(string(b), string(levelContent(l, 1, testFields[1], plane)))
	if at < 0 {
		t.Fatal("plane 3 of the velocity is not in the file as one piece")
	}
	b[at+7] ^= 1
	if err := os.WriteFile(s.Path(120), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Verify(s.Path(120), names()...); err == nil || !strings.Contains(err.Error(), `plane 3 of field "velocity" in box 1 of level 1`) {
		t.Error(err)
	}
}

func TestFailuresOfLevelsLeaveEverythingAsItWas(t *testing.T) {
	for _, files := range []int{1, 3} {
		l := testLevels(false)
		s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
		if err := writeLevels(s, l, 2, testMeta, func(rank int) []decomp.Box { return slabs(l, rank, 2) }); err != nil {
			t.Fatal(err)
		}
		write := func(change func(rank int, l *Levels, parts []decomp.Box) []decomp.Box, spoil func(p *Pending, parts []decomp.Box, rank int) error) func(comm.Comm) error {
			return func(c comm.Comm) error {
				l := testLevels(false)
				parts := slabs(l, c.Rank(), c.Size())
				if change != nil {
					parts = change(c.Rank(), &l, parts)
				}
				p, err := s.BeginLevels(c, nil, parts, l, testFields, testMeta)
				if err != nil {
					return err
				}
				if spoil != nil {
					if err := spoil(p, parts, c.Rank()); err != nil {
						return p.Commit(err)
					}
					return p.Commit(nil)
				}
				return errors.Join(putLevels(p, l, parts), p.Commit(nil))
			}
		}
		failing(t, s.Dir, write(nil, func(p *Pending, parts []decomp.Box, rank int) error {
			err := putLevels(p, l, parts)
			if rank == 1 {
				err = errors.New("the device is lost")
			}
			return err
		}), "rank 1", "the device is lost")
		failing(t, s.Dir, write(nil, func(p *Pending, parts []decomp.Box, rank int) error {
			if rank == 0 {
				parts = parts[:3] // nothing of the box of level 2
			}
			return putLevels(p, l, parts)
		}), "rank 0", "box 0 of level 2", "density", "was not written")
		failing(t, s.Dir, write(nil, func(p *Pending, parts []decomp.Box, rank int) error {
			err := putLevels(p, l, parts)
			if rank == 2 && p.WriteBox(4, 0, 0, nil) == nil {
				t.Error("a fifth box was taken")
			}
			return err
		}), "rank 2", "box 4 among 4")
		failing(t, s.Dir, write(func(rank int, _ *Levels, parts []decomp.Box) []decomp.Box {
			if rank == 1 {
				parts[2].Hi[2] += 8
			}
			return parts
		}, nil), "rank 1", "box 1 of level 1", "is not in the grid")
		failing(t, s.Dir, write(func(rank int, _ *Levels, parts []decomp.Box) []decomp.Box {
			parts[2] = slabs(l, 0, 1)[2]
			return parts
		}, nil), "box 1 of level 1", "ranks 0 and 1 both wrote plane 0")
		for _, bad := range []struct {
			change func(l *Levels)
			want   string
		}{
			{func(l *Levels) { l.Boxes[1][1].Lo[0] = 6 }, "boxes 0 and 1 of level 1 overlap"},
			{func(l *Levels) { l.Boxes[1][0].Hi[1]++ }, "box 0 of level 1 ends within cells of level 0"},
			{func(l *Levels) { l.Boxes[2][0].Hi[0] = 20 }, "box 0 of level 2 is not within the boxes of level 1"},
			{func(l *Levels) { l.Boxes[1][1].Hi[2] = 12 }, "box 1 of level 1 reaches beyond the domain"},
			{func(l *Levels) { l.Boxes[2] = nil }, "level 2 of the refined grid has no box"},
			{func(l *Levels) { l.Spacing = math.NaN() }, "a spacing"},
		} {
			failing(t, s.Dir, write(func(_ int, l *Levels, parts []decomp.Box) []decomp.Box { bad.change(l); return parts }, nil), "rank 0", bad.want)
		}
		if err := Verify(s.Path(120)); err != nil {
			t.Error(err)
		}
	}
}

// structure lists the objects of a file, with the shapes of those that hold numbers.
func structure(f *h5.File, group string) (lines []string) {
	all, err := f.Names(group)
	if err != nil {
		return nil
	}
	for _, name := range all {
		path := strings.TrimSuffix(group, "/") + "/" + name
		line := path
		if p, err := f.Place(path); err == nil {
			line += fmt.Sprintf(" %v of %d bytes", p.Dims, p.Size)
		}
		lines = append(append(lines, line), structure(f, path)...)
	}
	return lines
}

func TestStructureOfLevels(t *testing.T) {
	for _, flat := range []bool{false, true} {
		l := testLevels(flat)
		s := Series{Dir: t.TempDir(), Name: "flow"}
		if err := writeLevels(s, l, 1, testMeta, func(int) []decomp.Box { return slabs(l, 0, 1) }); err != nil {
			t.Fatal(err)
		}
		f, err := h5.Open(s.Path(120))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(structure(f, "/"), "\n") + "\n"
		f.Close()
		golden := filepath.Join("testdata", map[bool]string{false: "levels_3d.txt", true: "levels_2d.txt"}[flat])
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs: the file has\n%s", golden, got)
		}
	}
}
