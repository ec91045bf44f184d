// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lbmsim/decomp"
	"lbmsim/internal/finding"
)

const boxed = `
[domain]
size = ["4 m", "2 m"]
spacing = "0.1 m"
origin = ["-1 m", "-1 m"]
periodic = ["y"]
[fluid]
viscosity = "1e-3 m2/s"
[scaling]
lattice_velocity = 0.05
velocity = "1 m/s"
[run]
steps = 10
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
`

// Boxes are read in the order of the file, with corners in cells of level 0; around a body by its bounding box, clipped to the domain.
func TestRefinements(t *testing.T) {
	c, err := Load("case.toml", []byte(boxed+`
[body.disc]
shape = "cylinder"
centre = ["-0.5 m", 0]
radius = "0.25 m"
[refine.wake]
level = 1
from = ["-1 m", "-0.8 m"]
to = ["2 m", "0.8 m"]
[refine.disc]
level = 2
around = "disc"
margin = "0.3 m"
[refine.near]
level = 3
around = "disc"
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []decomp.Refinement{
		{Name: "refine.wake", Level: 1, From: [3]float64{0, 2, 0}, To: [3]float64{30, 18, 1}},
		{Name: "refine.disc", Level: 2, From: [3]float64{0, 4.5, 0}, To: [3]float64{10.5, 15.5, 1}}, // 3 cells of level 0, to the face
		{Name: "refine.near", Level: 3, From: [3]float64{1.75, 6.75, 0}, To: [3]float64{8.25, 13.25, 1}},
	} {
		got := c.Refine[i]
		same := got.Name == want.Name && got.Level == want.Level
		for a := range 3 {
			same = same && math.Abs(got.From[a]-want.From[a]) < 1e-9 && math.Abs(got.To[a]-want.To[a]) < 1e-9
		}
		if !same {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if !strings.Contains(c.Resolved, "margin = \"0.075 m\"") {
		t.Errorf("the resolved copy lacks the margin:\n%s", c.Resolved)
	}
	h, err := c.Hierarchy(3)
	if err != nil || len(h.Levels) != 4 {
		t.Fatalf("%v, %v", h, err)
	}
	// 40 x 20 cells, of which 30 x 16 are refined; of level 1 11 x 12 cells of level 0, of level 2 6.5 x 7 (corners on 1.75, 6.5).
	counts := [4]float64{40*20 - 30*16, 4 * (30*16 - 10.5*11), 16 * (10.5*11 - 6.5*6.5), 64 * 6.5 * 6.5}
	updates := 0.
	for l, n := range counts {
		if float64(h.Counted(l)) != n {
			t.Errorf("level %d: %d cells, want %g", l, h.Counted(l), n)
		}
		updates += n * float64(int(1)<<l)
	}
	if h.Updates() != updates {
		t.Errorf("%g updates, want %g", h.Updates(), updates)
	}
}

// Boxes scale with the grid of a study, in units and in lattice units, and so does the default margin.
func TestRefinementsOfStudies(t *testing.T) {
	box := "[refine.a]\nlevel = 1\nfrom = [%s, %s]\nto = [%s, %s]\n[body.disc]\nshape = \"cylinder\"\ncentre = [%s, %s]\nradius = %s\n[refine.disc]\nlevel = 2\naround = \"disc\"\n"
	const lattice = "[domain]\ncells = [40, 20]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 10\n"
	for _, text := range []string{
		boxed + fmt.Sprintf(box, `"0 m"`, `"-0.5 m"`, `"2 m"`, `"0.5 m"`, `"1 m"`, `"0 m"`, `"0.1 m"`),
		lattice + fmt.Sprintf(box, "10", "5", "30", "15", "20", "10", "1"),
	} {
		plain, err := Load("case.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{2, 0.5} {
			c, err := LoadRefined("case.toml", []byte(text), Refinement{Factor: factor})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range plain.Refine {
				margin := 0. // of a coarser grid it stays 6 cells
				if i == 1 && factor < 1 {
					margin = 6. / 4 * (1 - factor)
				}
				for a := range 2 {
					if got := c.Refine[i]; math.Abs(got.From[a]-(want.From[a]*factor-margin)) > 1e-9 || math.Abs(got.To[a]-(want.To[a]*factor+margin)) > 1e-9 {
						t.Errorf("factor %g: %+v, want %+v times that", factor, got, want)
					}
				}
			}
		}
	}
}

// --set of around removes the corners, and of a corner the body.
func TestChangesOfRefinements(t *testing.T) {
	text := []byte(boxed + "[body.disc]\nshape = \"cylinder\"\ncentre = [0, 0]\nradius = \"0.2 m\"\n[refine.a]\nlevel = 1\nfrom = [\"-0.5 m\", \"-0.5 m\"]\nto = [\"0.5 m\", \"0.5 m\"]\n")
	c, err := Load("case.toml", text, "refine.a.around=disc", "refine.a.margin=0.4 m")
	if err != nil || math.Abs(c.Refine[0].From[0]-4) > 1e-9 {
		t.Errorf("%v %v", c, err)
	}
	if c, err = Load("case.toml", text, "refine.a.level=2"); err == nil || !strings.Contains(err.Error(), "[refine.a] of level 2 lies outside level 1") {
		t.Errorf("%v %v", c, err)
	}
}

// Suggested boxes are accepted: around loose boxes, at periodic ends, and around bodies.
func TestSuggestedTablesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	found := map[string]int{}
	for range 400 {
		x, y := func() float64 { return 4*r.Float64() - 1 }, func() float64 { return 2*r.Float64() - 1 }
		text := boxed + fmt.Sprintf("[body.disc]\nshape = \"cylinder\"\ncentre = [\"%.3f m\", \"%.3f m\"]\nradius = \"%.3f m\"\n", 0.5*x(), 0.5*y(), 0.11+0.2*r.Float64())
		for k := range 1 + r.IntN(2) {
			x0, y0 := 0.8*x(), 0.8*y()
			text += fmt.Sprintf("[refine.box%d]\nlevel = %d\nfrom = [\"%.2f m\", \"%.2f m\"]\nto = [\"%.2f m\", \"%.2f m\"]\n", k, 1+r.IntN(3), x0, y0, x0+0.1+2*r.Float64(), y0+0.1+r.Float64())
		}
		for tries := 0; ; tries++ {
			_, err := Load("case.toml", []byte(text))
			if err == nil {
				break
			}
			var list Errors
			if !errors.As(err, &list) || tries == 4 { // periodic end, loose, body: there for the second time where boxes were added around boxes
				t.Fatalf("%s\n%v", text, err)
			}
			if text = pasted(text, list, found); text == "" {
				break
			}
		}
	}
	if found["crosses the periodic"] < 50 || found["lies outside level"] < 100 || found["too close"] < 100 {
		t.Errorf("%v", found)
	}
}

// pasted follows the advice of messages. It returns "" where there are no tables.
func pasted(text string, list Errors, found map[string]int) string {
	for _, p := range list {
		k := strings.Index(p.Reason, "\n[refine.")
		if k < 0 {
			return ""
		}
		for _, kind := range []string{"crosses the periodic", "lies outside level", "too close"} {
			if strings.Contains(p.Message, kind) {
				found[kind]++
			}
		}
		tables, _, _ := strings.Cut(p.Reason[k:], "\nor give")
		if strings.Contains(p.Reason, "instead:") {
			lines := strings.Split(text, "\n")
			at := slices.Index(lines, p.Source)
			text = strings.Join(slices.Delete(lines, at, at+4), "\n")
		}
		text += tables + "\n"
	}
	return text
}

// A body may be in a box of a level or beside it. Near the level's ends it is refused, by the centres of its cells, also across a
// periodic end.
func TestBodiesNearInterfaces(t *testing.T) {
	for _, c := range []struct {
		centre string
		radius float64
		near   bool
	}{
		{"16, 16", 5.9, false}, {"16, 16", 6.3, true}, {"16, 16", 3, false}, {"26, 16", 2, true}, {"35, 16", 7.9, false}, {"35, 16", 8.3, true},
		{"4, 16", 0.9, false}, {"4, 16", 1.3, true}, {"16, 24", 1, true}, {"16, 30", 2.9, false},
	} {
		text := fmt.Sprintf("[domain]\ncells = [48, 36]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[body.disc]\nshape = \"cylinder\"\ncentre = [%s]\nradius = %g\n[refine.a]\nlevel = 1\nfrom = [8, 8]\nto = [24, 24]\n", c.centre, c.radius)
		_, err := Load("test.toml", []byte(text))
		if (err != nil) != c.near || c.near && !strings.Contains(err.Error(), "[body.disc] is too close to an end of level 1") {
			t.Errorf("centre %s, radius %g: error %v", c.centre, c.radius, err)
		}
	}
}

// A body is judged by the cells around it: one of half a cell of level 0 has cells of level 3, and a oblique plate of 0.6
// cells, through which fluid leaks, is thick enough on level 3.
func TestBodiesOfFinerCells(t *testing.T) {
	const small = "[body.disc]\nshape = \"cylinder\"\ncentre = [\"0.5 m\", 0]\nradius = \"0.03 m\"\n[body.plate]\nshape = \"box\"\nfrom = [\"1 m\", \"-0.2 m\"]\nto = [\"1.06 m\", \"0.23 m\"]\nrotate = [0, 0, 30]\n"
	if _, err := Load("case.toml", []byte(boxed+small)); err == nil || !strings.Contains(err.Error(), "[body.disc] is too small") {
		t.Errorf("without refinement: %v", err)
	}
	boxes := ""
	for l := range 3 {
		for _, b := range []string{"disc", "plate"} {
			boxes += fmt.Sprintf("[refine.%s%d]\nlevel = %d\naround = \"%[1]s\"\n", b, l+1, l+1)
		}
	}
	c, err := Load("case.toml", []byte(boxed+small+boxes))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Warnings {
		if strings.Contains(w.Text, "too thin") {
			t.Error(w.Text)
		}
	}
	coarse, err := Load("case.toml", []byte(boxed+strings.Replace(small, "radius = \"0.03 m\"", "radius = \"0.2 m\"", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(coarse.Warnings, func(w finding.Finding) bool { return strings.Contains(w.Text, "[body.plate] is too thin") }) {
		t.Error("no warning of the plate without refinement")
	}
	rows := c.NearWalls()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == "[body.plate]" })
	if i < 0 || !strings.HasSuffix(rows[i].Lattice, " cells of level 3") {
		t.Errorf("%+v", rows)
	}
}
