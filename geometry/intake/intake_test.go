// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package intake

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/geometry"
	"lbmsim/model"
)

type triangle [3][3]float64

// cube of twelve triangles, anticlockwise when seen from outside.
func cube() (list []triangle) {
	for a := range 3 {
		for side := range 2 {
			at := func(i, j int) (p [3]float64) {
				p[a], p[(a+1)%3], p[(a+2)%3] = float64(side), float64(i), float64(j)
				return p
			}
			for _, t := range []triangle{{at(0, 0), at(1, 0), at(1, 1)}, {at(0, 0), at(1, 1), at(0, 1)}} {
				if side == 0 {
					t[1], t[2] = t[2], t[1]
				}
				list = append(list, t)
			}
		}
	}
	return list
}

func write(t *testing.T, list []triangle) string {
	t.Helper()
	b := binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(len(list)))
	for _, tri := range list {
		b = append(b, make([]byte, 12)...)
		for _, v := range tri {
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	path := filepath.Join(t.TempDir(), "part.stl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestIntake(t *testing.T) {
	turn := func(list []triangle, i int) []triangle {
		list[i][1], list[i][2] = list[i][2], list[i][1]
		return list
	}
	crack := cube()
	for i := range crack[:4] {
		for v := range crack[i] {
			crack[i][v][0] += 3e-6
		}
	}
	for name, c := range map[string]struct {
		list     []triangle
		refused  string // error without repair; empty: accepted
		repaired string // report of the repair
		hopeless string // error if repair fails
	}{
		"clean":               {cube(), "", "", ""},
		"a hole":              {cube()[1:], "3 open edges (one triangle)", "1 holes closed, the widest 1.41 wide, with 3 triangles (8.3 % of the area)", ""},
		"a triangle turned":   {turn(cube(), 3), "3 edges between triangles of opposite orientation", "1 triangles flipped", ""},
		"a triangle twice":    {append(cube(), cube()[7]), "1 duplicate triangles", "1 duplicates removed", ""},
		"a crack":             {crack, "open edges (one triangle)", "corners moved by at most 1.73e-05", ""},
		"no lid":              {cube()[2:], "4 open edges (one triangle)", "", "would be guessed"},
		"a sheet":             {cube()[:2], "open edges (one triangle)", "", "cannot be repaired"},
		"a sheet, both sides": {append(cube()[:2], turn(turn(cube()[:2], 0), 1)...), "encloses no volume", "", "encloses no volume"},
		"points":              {[]triangle{{}, {{1, 1, 1}, {1, 1, 1}, {2, 2, 2}}}, "all triangles have zero area", "", "all triangles have zero area"},
	} {
		path := write(t, c.list)
		s, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = s.Close(false, nil)
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused) || !strings.HasPrefix(err.Error(), path)) {
			t.Errorf("%s: %v, want ... %s ...", name, err, c.refused)
		}
		if s.Done() != "" {
			t.Errorf("%s: repaired without being asked: %s", name, s.Done())
		}
		err = s.Close(true, nil)
		if c.hopeless == "" && err != nil || c.hopeless != "" && (err == nil || !strings.Contains(err.Error(), c.hopeless)) {
			t.Errorf("%s: with repair %v, want ... %s ...", name, err, c.hopeless)
		}
		if err != nil {
			continue
		}
		if !strings.Contains(s.Done(), c.repaired) || (s.Done() == "") != (c.repaired == "") {
			t.Errorf("%s: repaired %q, want ... %s ...", name, s.Done(), c.repaired)
		}
		f := s.Surface.Inspect()
		if !f.Watertight() || math.Abs(math.Abs(f.Volume)-1) > 1e-5 && name != "a hole" {
			t.Errorf("%s: %+v", name, f)
		}
		rows, depth, err := OnGrid(s.Surface, func(p [3]float64) [3]float64 { return [3]float64{10 * p[0], 10 * p[1], 10 * p[2]} }, looked(t))
		if text := fmt.Sprint(rows); err != nil || !strings.Contains(text, "tight") || depth.W != 13 {
			t.Errorf("%s: %v %v, %d columns", name, err, text, depth.W)
		}
	}
}

// looked returns a typical grid.
func looked(t *testing.T) Grid {
	t.Helper()
	l, ok := model.FindLattice("D3Q27")
	if !ok {
		t.Fatal("no D3Q27")
	}
	return Grid{Lattice: l}
}

// A number that is bad has a verdict.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		list     []triangle
		size     [3]float64 // of the cube
		thicken  bool
		warnings []string // rows that have one
	}{
		"resolved":      {cube(), [3]float64{12, 10, 11}, false, nil},
		"unresolved":    {cube(), [3]float64{2.6, 2.6, 2.6}, false, []string{"area", "volume"}},
		"plate":         {cube(), [3]float64{0.6, 30, 40}, false, []string{"area", "leak test", "thin parts", "volume"}},
		"half a plate":  {cube(), [3]float64{1.2, 30, 40}, false, []string{"leak test"}},
		"thickened":     {cube(), [3]float64{0.6, 30, 40}, true, nil},
		"a hole":        {cube()[1:], [3]float64{12, 10, 11}, false, []string{"leak test", "broken rows"}},
		"a sheet taken": {cube()[:2], [3]float64{12, 10, 11}, true, nil},
	} {
		s, err := Read(write(t, c.list))
		if err != nil {
			t.Fatal(err)
		}
		grid := looked(t)
		grid.Thicken = c.thicken
		turn := geometry.NewMotion(1, [3]float64{0, 0, 20}, [3]float64{0.3, 0.2, 0.1})
		if name != "plate" && name != "half a plate" && name != "thickened" {
			turn = geometry.NewMotion(1, [3]float64{}, [3]float64{0.3, 0.2, 0.1})
		}
		rows, _, err := OnGrid(s.Surface, func(p [3]float64) [3]float64 {
			return turn.Apply([3]float64{c.size[0] * p[0], c.size[1] * p[1], c.size[2] * p[2]})
		}, grid)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			if r.Warning != "" {
				got = append(got, r.What)
			}
		}
		slices.Sort(got)
		slices.Sort(c.warnings)
		if !slices.Equal(got, c.warnings) {
			t.Errorf("%s: warnings on %v, expected %v:\n%+v", name, got, c.warnings, rows)
		}
	}
}

// With thicken an open surface is a sheet, and closed parts stay solid.
func TestThickenTakesSheets(t *testing.T) {
	lid := []triangle{{{0, 0, 2}, {1, 0, 2}, {1, 1, 2}}, {{0, 0, 2}, {1, 1, 2}, {0, 1, 2}}}
	for name, c := range map[string]struct {
		list   []triangle
		sheets int
		volume float64
		repair bool
		wrong  string
	}{
		"sheet":          {lid, 2, 0, false, ""},
		"cube and sheet": {append(cube(), lid...), 2, 1, false, ""},
		"cube":           {cube(), 0, 1, false, ""},
		"open cube":      {cube()[1:], 11, 0, false, ""},
		"repaired":       {cube()[1:], 0, 1, true, ""},
		"points":         {[]triangle{{}}, 0, 0, false, "there is no surface"},
	} {
		s, err := Read(write(t, c.list))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Thicken(c.repair, nil); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
		if s.Sheets != c.sheets || math.Abs(s.Volume-c.volume) > 1e-9 {
			t.Errorf("%s: %d triangles in sheets, volume %g", name, s.Sheets, s.Volume)
		}
	}
}

func TestReportSaysWhatTheFileIs(t *testing.T) {
	s, err := Read(write(t, cube()[1:]))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(s.Report())
	for _, want := range []string{s.SHA256, "binary STL, 634 bytes", "11, with 8 vertices in 1 connected parts", "{area 5.5 }", "no: 3 open edges", "{size 1 x 1 x 1 }"} {
		if !strings.Contains(text, want) || len(s.SHA256) != 64 {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.stl")
	if err := os.WriteFile(broken, []byte("solid a\nfacet nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.stl"): "none.stl: there is no such file",
		dir:                            "not a regular file",
		"/dev/zero":                    "/dev/zero: not a regular file",
		broken:                         `broken.stl: line 2: "nothing" where "normal" is expected`,
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ... %s", err, want)
		}
	}
}
