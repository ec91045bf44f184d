// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/geometry"
	"lbmsim/geometry/mesh"
	"lbmsim/internal/finding"
	"lbmsim/io/status"
)

// block is the surface of a box.
func block(lo, hi [3]float64) *mesh.Surface {
	s := &mesh.Surface{}
	for axis := range 3 {
		b, c := (axis+1)%3, (axis+2)%3
		for side, at := range []float64{lo[axis], hi[axis]} {
			corner := func(u, v float64) (p [3]float64) {
				p[axis], p[b], p[c] = at, u, v
				return p
			}
			q := [4][3]float64{corner(lo[b], lo[c]), corner(hi[b], lo[c]), corner(hi[b], hi[c]), corner(lo[b], hi[c])}
			if side == 0 {
				q[1], q[3] = q[3], q[1]
			}
			s.Add([3][3]float64{q[0], q[1], q[2]}, [3]float64{})
			s.Add([3][3]float64{q[0], q[2], q[3]}, [3]float64{})
		}
	}
	s.Done()
	return s
}

// cone is a closed cone along x whose base, at x = 0, is a polygon of n corners.
func cone(n int, radius float64) *mesh.Surface {
	s := &mesh.Surface{}
	at := func(k int) [3]float64 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k%n) / float64(n))
		return [3]float64{0, radius * cos, radius * sin}
	}
	for k := range n {
		s.Add([3][3]float64{{1, 0, 0}, at(k), at(k + 1)}, [3]float64{})
		s.Add([3][3]float64{{}, at(k + 1), at(k)}, [3]float64{})
	}
	s.Done()
	return s
}

// Silhouettes are unions: surfaces behind others, or within them, do not count.
func TestMeasure(t *testing.T) {
	polygon := 300 * math.Sin(2*math.Pi/600) // half n r^2 sin(2 pi/n), r = 1
	for _, c := range []struct {
		name     string
		surfaces []*mesh.Surface
		turn     [3]float64
		want     float64
		within   float64
	}{
		{"block", []*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})}, [3]float64{}, 2, 1e-12},
		{"turned about z", []*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})}, [3]float64{0, 0, 90}, 4, 1e-12},
		{"yaw of 30 degrees", []*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})}, [3]float64{0, 0, 30}, 4*0.5 + 2*math.Sqrt(3)/2, 1e-12},
		{"cone", []*mesh.Surface{cone(600, 1)}, [3]float64{}, polygon, 1e-6},
		{"two of other heights", []*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{4, 2, 0.7}), block([3]float64{1, 0.3, 0.7}, [3]float64{3, 1.6, 1.1})}, [3]float64{}, 2*0.7 + 1.3*0.4, 1e-12},
		{"one behind the other", []*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{1, 2, 1}), block([3]float64{5, 1, 0}, [3]float64{6, 3, 1})}, [3]float64{}, 3, 1e-12},
	} {
		var stand []geometry.Motion
		for range c.surfaces {
			stand = append(stand, geometry.NewMotion(1, c.turn, [3]float64{}))
		}
		if b := Measure(c.surfaces, stand); math.Abs(b.Area/c.want-1) > c.within {
			t.Errorf("%s: frontal area %.6g, want %.6g", c.name, b.Area, c.want)
		}
	}
	b := Measure([]*mesh.Surface{block([3]float64{0, 0, 0}, [3]float64{1, 1, 1})}, []geometry.Motion{geometry.NewMotion(1e-3, [3]float64{}, [3]float64{0, 0, 0.5})})
	if b.Lo != [3]float64{0, 0, 0.5} || math.Abs(b.Hi[2]-0.501) > 1e-12 || math.Abs(b.Area/1e-6-1) > 1e-12 {
		t.Errorf("a millimetre: %+v", b)
	}
}

func planOf(t *testing.T, b Body, w Wanted) *Plan {
	t.Helper()
	w.Fluid = Fluids()[0]
	if w.Speed == 0 {
		w.Speed = 40
	}
	if w.Parts == nil {
		w.Parts = []Part{{Name: "body", File: "a.stl", Unit: "1 m"}}
	}
	p, err := New(b, w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Domains and boxes of cars, wings and towers on coarse and fine grids obey the rules that the program has for them.
func TestPlans(t *testing.T) {
	for name, b := range map[string]Body{
		"car":   {Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1},
		"wing":  {Lo: [3]float64{0, 0, 2}, Hi: [3]float64{1, 6, 2.12}, Area: 0.7},
		"tower": {Lo: [3]float64{-5, -5, 0}, Hi: [3]float64{5, 5, 200}, Area: 2000},
		"rod":   {Lo: [3]float64{0, 0, 1}, Hi: [3]float64{10, 0.1, 1.1}, Area: 0.01},
	} {
		for _, g := range []Ground{Free, Moving, Fixed} {
			for _, cells := range []int{16, 40, 120, 500} {
				p := planOf(t, b, Wanted{Ground: g, Cells: cells})
				if p.Blockage() > blockage*1.001 || p.Levels < 1 || p.Levels > most {
					t.Errorf("%s %s %d: blockage %g, %d levels", name, g, cells, p.Blockage(), p.Levels)
				}
				if r := b.Size(0) / p.Finest() / float64(cells); math.Abs(r-1) > 1e-12 {
					t.Errorf("%s %s %d: %g of the cells along the body", name, g, cells, r)
				}
				if g != Free && p.Lo[2] != 0 {
					t.Errorf("%s %s %d: the ground is at %g", name, g, cells, p.Lo[2])
				}
				if len(p.Boxes) != p.Levels {
					t.Fatalf("%s %s %d: %d boxes", name, g, cells, len(p.Boxes))
				}
				outer := Box{Lo: p.Lo, Hi: p.Hi}
				for i, in := range append(p.Boxes, Box{Level: p.Levels + 1, Lo: b.Lo, Hi: b.Hi}) {
					// Cells of the coarser level: 2 to nest, 1 of growth, and 1 to spare.
					margin := 4 * math.Ldexp(p.Spacing, -i)
					if i == 0 {
						margin = 0
					}
					if i == p.Levels { // the wall model's cells
						margin = 13 * p.Finest()
					}
					for a := range 3 {
						if low := in.Lo[a]-outer.Lo[a] < margin*(1-1e-9) && outer.Lo[a] > p.Lo[a]; low || outer.Hi[a]-in.Hi[a] < margin*(1-1e-9) && outer.Hi[a] < p.Hi[a] {
							t.Errorf("%s %s %d: level %d is too near to the end of level %d along %c", name, g, cells, i+1, i, "xyz"[a])
						}
					}
					// A box over a floor with a wall model reaches it, or begins beyond 6 cells of the coarser level.
					if over := in.Lo[2]; g == Fixed && i < p.Levels && over > 0 && over < 13*math.Ldexp(p.Spacing, -i-1) {
						t.Errorf("%s %s %d: level %d begins %g above the floor", name, g, cells, i+1, over)
					}
					outer = in
				}
			}
		}
	}
}

func TestRefusedPlans(t *testing.T) {
	w := Wanted{Speed: 1, Fluid: Fluids()[1], Cells: 50}
	if _, err := New(Body{Hi: [3]float64{1, 1, 0}}, w); err == nil || !strings.Contains(err.Error(), "no frontal area") {
		t.Error(err)
	}
	w.Ground = Fixed
	if _, err := New(Body{Lo: [3]float64{0, 0, -1}, Hi: [3]float64{1, 1, 1}, Area: 2}, w); err == nil || !strings.Contains(err.Error(), "1 m below the ground") {
		t.Error(err)
	}
}

// measuredAs is the state of a run with a drag.
func measuredAs(drag, half float64, note string) status.State {
	v := func(x float64) *float64 { return &x }
	s := status.State{Phase: status.Finished}
	s.Results = []status.Result{{Output: Force, Numbers: []status.Number{
		{Quantity: "drag", Value: v(drag), Half: v(half), Note: note},
		{Quantity: "force_y", Value: v(1), Half: v(0.5)},
	}}}
	s.Walls = []status.ModelledWall{{Name: "body.body", Area: 10, HalfMin: 20, HalfMean: 100, HalfMax: 200}}
	if math.IsNaN(drag) {
		s.Results[0].Numbers[0].Value, s.Results[0].Numbers[0].Half = nil, nil
	}
	return s
}

// withWalls returns a state with other walls.
func withWalls(s status.State, walls []status.ModelledWall) status.State {
	s.Walls = walls
	return s
}

// withoutHalf returns a state whose drag has no interval.
func withoutHalf(s status.State) status.State {
	r := s.Results[0]
	r.Numbers = append([]status.Number(nil), r.Numbers...)
	r.Numbers[0].Half = nil
	s.Results = []status.Result{r}
	return s
}

// The first line of a report is the drag, or the reason against it.
func TestVerdicts(t *testing.T) {
	car := Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}
	one := func(x float64) *float64 { return &x }
	good := &Grids{Cells: []int{53, 80, 120}, Drag: []float64{0.36, 0.33, 0.32}, Order: one(2), Extrapolated: one(0.315), Error: one(0.03)}
	poor := *good
	poor.Error = one(0.2)
	two := Grids{Cells: []int{80, 120}, Drag: []float64{0.33, 0.32}, Order: one(2), Extrapolated: one(0.31), Error: one(0.03)}
	noisy := *good
	noisy.Noise = 0.1
	none := Grids{Cells: good.Cells, Drag: good.Drag, Notes: []string{"not monotone"}}
	fine := measuredAs(0.32, 0.002, "")
	bare := fine
	bare.Walls = []status.ModelledWall{{Name: "body.body", Without: 0.3}}
	rough := fine
	rough.Walls = []status.ModelledWall{{Name: "body.body", HalfMean: 900}}
	warned := fine
	warned.Warnings = finding.List{finding.ThinBody.Says("parts thinner than a cell"), finding.IdleCores.Says("cores are idle")}
	failed := status.State{Phase: status.Failed}
	failed.Error = "step 12: unstable"
	narrow := planOf(t, car, Wanted{Ground: Moving, Cells: 120})
	narrow.Hi[1], narrow.Lo[1] = 2, -2
	wide := planOf(t, car, Wanted{Ground: Moving, Cells: 120})
	for _, c := range []struct {
		name  string
		plan  *Plan
		state status.State
		grids *Grids
		want  string
	}{
		{"all is well", wide, fine, good, "C_D = 0.3200 +- 0.002 (95 % interval of the mean)"},
		{"one grid", wide, fine, nil, "DOUBTFUL: one grid: its error is not known; --grids 3 adds two coarser ones; C_D = 0.3200 +- 0.002"},
		{"a wide interval", wide, measuredAs(0.32, 0.01, ""), good, "DOUBTFUL: not converged: the 95 % interval is wider than 1 % of the drag; C_D = 0.320 +- 0.01"},
		{"a drift", wide, measuredAs(math.NaN(), 0, "still drifts"), good, "NO DRAG: not converged: still drifts"},
		{"a note", wide, measuredAs(0.32, 0.002, "contains a transient"), good, "DOUBTFUL: not converged: contains a transient"},
		{"a narrow tunnel", narrow, fine, good, "DOUBTFUL: blocked: the body covers 6.2 %"},
		{"no model", wide, bare, good, "DOUBTFUL: unresolved: 30 % of the surface of body.body has no wall model"},
		{"y+", wide, rough, good, "DOUBTFUL: coarse: y+ at half a cell is 900 on body.body"},
		{"the grids differ", wide, fine, &poor, "DOUBTFUL: coarse: the error of the grid is up to 20 % of the drag"},
		{"two grids", wide, fine, &two, "DOUBTFUL: two grids: the order of the error is assumed"},
		{"noise", wide, fine, &noisy, "DOUBTFUL: the drags on the last two grids differ by less than their intervals: the error of the grid is not known better than 10 %"},
		{"a warning", wide, warned, good, "DOUBTFUL: parts thinner than a cell; C_D"},
		{"no order", wide, fine, &none, "DOUBTFUL: the drags on 3 grids do not converge: not monotone"},
		{"not converged, blocked and unresolved", narrow, withWalls(measuredAs(0.32, 0.01, ""), bare.Walls), good, "DOUBTFUL: not converged: the 95 % interval is wider than 1 % of the drag; C_D = 0.320 +- 0.01"},
		{"blocked and unresolved", narrow, bare, nil, "DOUBTFUL: blocked: the body covers 6.2 % of the cross-section"},
		{"no drag in a narrow tunnel", narrow, withWalls(measuredAs(math.NaN(), 0, "still drifts"), bare.Walls), nil, "NO DRAG: not converged: still drifts"},
		{"no interval", wide, withoutHalf(fine), good, "DOUBTFUL: not converged: the 95 % interval is wider than 1 % of the drag"},
		{"a failed run", wide, failed, nil, "NO DRAG: the run failed: step 12: unstable"},
		{"an early end", wide, status.State{Phase: status.Stopped}, nil, "NO DRAG: the run has no results: it ended at step 0 of 0"},
	} {
		r := NewReport(c.plan, c.state, c.grids)
		var html bytes.Buffer
		if err := r.Page(&html, nil); err != nil || strings.Contains(html.String(), `class="verdict doubt"`) != (c.name != "all is well") {
			t.Errorf("%s: %v, the page does not show whether the drag is doubted", c.name, err)
		}
		if !strings.HasPrefix(r.Verdict, c.want) {
			t.Errorf("%s: %q, want %q", c.name, r.Verdict, c.want)
		}
		if first, _, _ := strings.Cut(r.Text(), "\n"); first != r.Verdict {
			t.Errorf("%s: the text begins with %q", c.name, first)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Coefficients that the run does not have are computed from forces by the same pressure and area.
func TestCoefficients(t *testing.T) {
	p := planOf(t, Body{Hi: [3]float64{4, 2, 1}, Area: 2}, Wanted{Ground: Moving, Cells: 120, Speed: 10})
	r := NewReport(p, measuredAs(0.3, 0.001, ""), nil)
	q := 1.204 * 100 / 2.
	if side := r.find("C_S"); side == nil || math.Abs(*side.Value*q*2-1) > 1e-12 || math.Abs(*side.Half*q*2-0.5) > 1e-12 {
		t.Errorf("%+v", side)
	}
}

// The page needs no other file, has no script, and its contents cannot add one.
func TestPage(t *testing.T) {
	p := planOf(t, Body{Hi: [3]float64{4, 2, 1}, Area: 2}, Wanted{Ground: Moving, Cells: 120})
	s := measuredAs(0.3, 0.001, "<script>alert(1)</script>")
	s.Case, s.Ranks, p.Name = "tunnels/car.toml", 1, "a & b"
	var b bytes.Buffer
	if err := NewReport(p, s, nil).Page(&b, []Image{{"wake", []byte("\x89PNG")}}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<title>a &amp; b at 40 m/s: DOUBTFUL", "<h1>a &amp; b at 40 m/s</h1>", "<td>tunnels/car.toml</td>", "on 1 rank, ", "0.3000 +- 0.001", `src="data:image/png;base64,iVBORw=="`, "&lt;script&gt;", "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	for _, never := range []string{"<script", "http://", "https://"} {
		if strings.Contains(page, never) {
			t.Errorf("%q is in the page", never)
		}
	}
}

// Further reasons are on the lines after the first, the most serious first.
func TestAllDoubts(t *testing.T) {
	p := planOf(t, Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}, Wanted{Ground: Moving, Cells: 120})
	p.Hi[1], p.Lo[1] = 2, -2
	r := NewReport(p, withWalls(measuredAs(0.32, 0.01, ""), []status.ModelledWall{{Name: "body.body", Without: 0.3}}), nil)
	want := []string{"not converged: ", "blocked: ", "unresolved: ", "one grid: "}
	if len(r.Doubts) != len(want) {
		t.Fatalf("%q", r.Doubts)
	}
	lines := strings.Split(r.Text(), "\n")
	for i, w := range want {
		if !strings.HasPrefix(r.Doubts[i], w) || i > 0 && lines[i] != "  also: "+r.Doubts[i] {
			t.Errorf("doubt %d is %q, want %q; in the text %q", i, r.Doubts[i], w, lines[i])
		}
	}
}

// The corrected drag is beside the drag above 1 % of blockage, and changes nothing else. By hand: C_D 0.32 at 6.2 %: 1 + 2.5 x 0.32 x
// 0.0616 = 1.0492; the interval by its square.
func TestBlockage(t *testing.T) {
	car := Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}
	p := planOf(t, car, Wanted{Ground: Moving, Cells: 120})
	p.Hi[1], p.Lo[1] = 2, -2
	r := NewReport(p, measuredAs(0.32, 0.002, ""), nil)
	b := p.Blockage()
	c, drag := r.find("C_D,c"), r.find("C_D")
	if c == nil || math.Abs(*c.Value-0.32/(1+2.5*0.32*b)) > 1e-15 || math.Abs(*c.Value-0.305) > 5e-4 || math.Abs(*c.Half-0.002/math.Pow(1+2.5*0.32*b, 2)) > 1e-15 {
		t.Errorf("corrected %+v at a blockage of %g", c, b)
	}
	if *drag.Value != 0.32 || !strings.Contains(r.Verdict, "C_D = 0.3200 +- 0.002") || !strings.Contains(r.Text(), "C_D corrected for a blockage of 6.2 % by Maskell's formula") {
		t.Errorf("%s", r.Text())
	}
	p.Hi[1], p.Lo[1] = 20, -20
	if r := NewReport(p, measuredAs(0.32, 0.002, ""), nil); p.Blockage() > 0.01 || r.find("C_D,c") != nil {
		t.Errorf("a correction at a blockage of %g", p.Blockage())
	}
	p.Hi[1], p.Lo[1] = 2, -2
	if r := NewReport(p, measuredAs(math.NaN(), 0, "still drifts"), nil); r.find("C_D,c") != nil {
		t.Error("a correction of no drag")
	}
}

// A frequency that may be sound is doubted by name in the text, in JSON and on the page; the drag is not.
func TestStrouhalNumberIsDoubted(t *testing.T) {
	p := planOf(t, Body{Hi: [3]float64{4, 2, 1}, Area: 2}, Wanted{Ground: Moving, Cells: 120})
	s, st := measuredAs(0.3, 0.001, ""), 0.65
	s.Results[0].Numbers = append(s.Results[0].Numbers, status.Number{Quantity: "strouhal", Of: "lift", Value: &st, Note: "sound standing", Doubt: "standing_sound"})
	r := NewReport(p, s, nil)
	data, err := json.Marshal(r)
	var page bytes.Buffer
	if err != nil || r.Page(&page, nil) != nil {
		t.Fatal(err)
	}
	const words = "; DOUBTFUL (standing_sound): sound standing"
	if !strings.Contains(r.Text(), words) || !strings.Contains(page.String(), words) || !strings.Contains(string(data), `"note":"sound standing","doubt":"standing_sound"`) {
		t.Errorf("%s\n%s", r.Text(), data)
	}
	if strings.Contains(r.Verdict, "sound") {
		t.Errorf("the drag is doubted: %s", r.Verdict)
	}
}

// The table by part has the coefficients of the forces, their sum, and shares of it. One part has no table.
func TestByPart(t *testing.T) {
	p := planOf(t, Body{Hi: [3]float64{4, 2, 1}, Area: 2}, Wanted{Ground: Moving, Cells: 120, Speed: 10})
	r := NewReport(p, measuredAs(0.4, 0.001, ""), nil)
	q := 1.204 * 100 / 2 * 2.
	r.ByPart(p, []PartForce{{"body", 0.2 * q, 0.04 * q, 0.002 * q, 0.001 * q, 6, 1.5, 3}, {"wheels <1>", 0.07 * q, -0.01 * q, math.Inf(1), math.Inf(1), 2, 0.5, 0}})
	if len(r.Parts) != 4 {
		t.Fatalf("%+v", r.Parts)
	}
	for i, want := range []struct {
		part        string
		drag, share float64
		dry         string
	}{{"body", 0.24, 0.6, "25 %, 50 %"}, {"wheels <1>", 0.06, 0.15, "25 %, 0 %"}, {"not attributed", 0.1, 0.25, "-"}, {"sum", 0.4, 1, "25 %, 37.5 %"}} {
		if got := r.Parts[i]; got.Part != want.part || math.Abs(*got.Drag.Value-want.drag) > 1e-12 || math.Abs(*got.Share-want.share) > 1e-12 || got.dry() != want.dry {
			t.Errorf("%s: %g, %g of the sum, %s without values", got.Part, *got.Drag.Value, *got.Share, got.dry())
		}
	}
	if h := r.Parts[3].Drag.Half; h == nil || *h != 0.001 {
		t.Errorf("the sum has not the interval of C_D: %+v", r.Parts[3])
	}
	if h := r.Parts[0].Drag.Half; h == nil || math.Abs(*h-0.003) > 1e-12 || r.Parts[1].Drag.Half != nil {
		t.Errorf("%+v", r.Parts)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if !strings.Contains(r.OfParts, "not attributed: triangles without a value") || !strings.Contains(r.Text(), "  not attributed           0.1 ") {
		t.Errorf("%s", r.Text())
	}
	for drag, doubted := range map[float64]bool{0.3: false, 0.39: false, 0.41: true, 0.23: true} {
		r := NewReport(p, measuredAs(drag, 0.001, ""), nil)
		r.ByPart(p, []PartForce{{Name: "body", Pressure: 0.25 * q, Friction: 0.05 * q, Area: 8, NoPressure: 2}}) // 0.3
		if got := strings.HasPrefix(r.Verdict, "DOUBTFUL: apart: pressure and friction on the surface add up to C_D 0.3, where momentum exchange has "); got != doubted || r.Parts != nil {
			t.Errorf("%g: %s", drag, r.Verdict)
		}
	}
	drifts := NewReport(p, measuredAs(math.NaN(), 0, "still drifts"), nil)
	if drifts.ByPart(p, []PartForce{{Name: "a", Pressure: q / 2}, {Name: "b", Pressure: q / 2}}); !strings.Contains(drifts.Text(), "C_D has no mean, so the sum is of the parts.") || len(drifts.Parts) != 3 || math.Abs(*drifts.Parts[2].Drag.Value-1) > 1e-12 {
		t.Errorf("%s", drifts.Text())
	}
	still := NewReport(p, measuredAs(0, 0, ""), nil)
	still.ByPart(p, []PartForce{{Name: "a"}, {Name: "b"}})
	var empty bytes.Buffer
	if _, err := json.Marshal(still); err != nil || still.Parts[0].Share != nil || strings.Contains(still.Text(), "NaN") {
		t.Errorf("no forces: %v\n%s", err, still.Text())
	}
	if err := still.Page(&empty, nil); err != nil || strings.Contains(empty.String(), "NaN") {
		t.Errorf("no forces: %v\n%s", err, empty.String())
	}
	blown := NewReport(p, measuredAs(0.4, 0.001, ""), nil)
	blown.ByPart(p, []PartForce{{Name: "a", Pressure: math.Inf(1)}, {Name: "b"}})
	if _, err := json.Marshal(blown); err != nil || blown.Parts[2].Drag.Value != nil {
		t.Errorf("an infinite force: %v, %+v", err, blown.Parts)
	}
	var b bytes.Buffer
	if err := r.Page(&b, nil); err != nil || !strings.Contains(b.String(), "<h2>Drag by part</h2>") || !strings.Contains(b.String(), "wheels &lt;1&gt;") || !strings.Contains(r.Text(), "wheels <1>") {
		t.Errorf("%v\n%s", err, r.Text())
	}
	one := NewReport(p, measuredAs(0.3, 0.001, ""), nil)
	one.ByPart(p, []PartForce{{Name: "body", Pressure: q}})
	if one.Parts != nil || strings.Contains(one.Text(), "drag by part") {
		t.Errorf("%+v", one.Parts)
	}
}

// A time buys the most cells whose forecast fits it; a time that is too short is refused with the time that is needed. The speed is
// given, so no clock counts.
func TestFit(t *testing.T) {
	car := Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}
	w := planOf(t, car, Wanted{Ground: Moving, Cells: 40}).Wanted
	takes := func(cells, grids int) (seconds float64) {
		for ; grids > 0; grids-- {
			w.Cells = cells
			p, err := New(car, w)
			if err != nil {
				t.Fatal(err)
			}
			seconds += p.Updates() / 1e7 / computing
			cells = int(math.Round(float64(cells) / 1.5))
		}
		return seconds
	}
	last := 0
	for _, seconds := range []float64{takes(40, 1), takes(64, 1) * 1.0001, 3600, 86400} {
		got, err := Fit(car, w, 1, 1.5, seconds, 1e7, plenty)
		if err != nil {
			t.Fatal(err)
		}
		if got.Cells < last || got.Seconds > seconds || math.Abs(got.Seconds/takes(got.Cells, 1)-1) > 1e-12 {
			t.Errorf("%g s: %+v after %d cells", seconds, got, last)
		}
		for more := got.Cells + timedStep; more < 4*got.Cells; more += timedStep {
			if takes(more, 1) <= seconds {
				t.Errorf("%g s: %d cells fit, but %d were chosen", seconds, more, got.Cells)
			}
		}
		last = got.Cells
	}
	three, err := Fit(car, w, 3, 1.5, 3600, 1e7, plenty)
	if err != nil || math.Abs(three.Seconds/takes(three.Cells, 3)-1) > 1e-12 || three.Seconds > 3600 {
		t.Errorf("three grids: %+v, %v", three, err)
	}
	faster, err := Fit(car, w, 1, 1.5, 360, 1e8, plenty)
	slow, err2 := Fit(car, w, 1, 1.5, 3600, 1e7, plenty)
	if err != nil || err2 != nil || faster.Cells != slow.Cells {
		t.Errorf("ten times the speed for a tenth of the time: %+v, %+v", faster, slow)
	}
	need := takes(40, 1)
	if _, err := Fit(car, w, 1, 1.5, 0.99*need, 1e7, plenty); err == nil || !strings.Contains(err.Error(), "40 cells along the body, the fewest") || !strings.Contains(err.Error(), "take up to "+Duration(need)) {
		t.Errorf("%v", err)
	}
	if _, err := Fit(car, w, 1, 1.5, 60, math.NaN(), plenty); err == nil {
		t.Error("no speed is no error")
	}
}

// plenty is the memory of a machine that does not report its own.
func plenty(*Plan) (Memory, error) { return Memory{Need: 1 << 60}, nil }

// Where the time is long, the memory of a rank bounds the cells: the most that fit are chosen, and the message names the limit. The
// need has a part for each cell and one for each cell of a plane.
func TestFitInMemory(t *testing.T) {
	car := Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}
	w := planOf(t, car, Wanted{Ground: Moving, Cells: 40}).Wanted
	room := func(free int64) func(*Plan) (Memory, error) {
		return func(p *Plan) (Memory, error) {
			if p.Wanted.Cells > 2000 {
				return Memory{}, errors.New("the domain has too many cells")
			}
			cells := 0.0
			for _, b := range append([]Box{{Lo: p.Lo, Hi: p.Hi}}, p.Boxes...) {
				spacing := math.Ldexp(p.Spacing, -b.Level)
				cells += (b.Hi[0] - b.Lo[0]) * (b.Hi[1] - b.Lo[1]) * (b.Hi[2] - b.Lo[2]) / (spacing * spacing * spacing)
			}
			return Memory{Need: int64(200*cells + 1e4*math.Pow(cells, 2./3)), Free: free}, nil
		}
	}
	for _, free := range []int64{3e8, 1e9, 7e9, 1e11} {
		got, err := Fit(car, w, 1, 1.5, 1e15, 1e7, room(free))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for cells := LeastTimed; cells <= 2000; cells += timedStep {
			w.Cells = cells
			p, err := New(car, w)
			if err != nil {
				t.Fatal(err)
			}
			if m, _ := room(free)(p); m.fits() {
				want = cells
			}
		}
		if got.Cells != want || !strings.Contains(got.Limit, fmt.Sprintf(" GiB of memory on a rank, which has %.3g GiB", float64(free)/(1<<30))) {
			t.Errorf("%d bytes: %+v, want %d cells", free, got, want)
		}
	}
	for _, c := range []struct {
		seconds float64
		free    int64
		want    string
	}{{3600, 1e12, "the time allows no more"}, {1e15, 0, "the case allows no more"}} {
		if got, err := Fit(car, w, 1, 1.5, c.seconds, 1e7, room(c.free)); err != nil || got.Limit != c.want {
			t.Errorf("%+v, %v, want %q", got, err, c.want)
		}
	}
	if got, err := Fit(car, w, 1, 1.5, 1e15, 1e7, plenty); err != nil || got.Cells != mostTimed || got.Limit != "--time chooses no more" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Fit(car, w, 1, 1.5, 1e15, 1e7, room(1e6)); err == nil || !strings.Contains(err.Error(), "40 cells along the body need ") || !strings.Contains(err.Error(), "use more ranks") {
		t.Errorf("%v", err)
	}
}

// The updates of a plan are the cells of its levels, each as often as it steps: for a uniform grid the product, for a refined one
// counted cell by cell.
func TestUpdates(t *testing.T) {
	car := Body{Lo: [3]float64{0, -0.9, 0}, Hi: [3]float64{4.5, 0.9, 1.4}, Area: 2.1}
	p := planOf(t, car, Wanted{Ground: Moving, Cells: 16, Uniform: true})
	if want := float64(p.Cells[0]) * float64(p.Cells[1]) * float64(p.Cells[2]) * p.Steps(); math.Abs(p.Updates()/want-1) > 1e-12 {
		t.Errorf("uniform: %g updates, want %g", p.Updates(), want)
	}
	if want := p.End / (0.05 * p.Spacing / p.Speed); math.Abs(p.Steps()/want-1) > 1e-12 {
		t.Errorf("%g steps, want %g", p.Steps(), want)
	}
	p = planOf(t, car, Wanted{Ground: Moving, Cells: 30})
	sum, fine := 0.0, p.Finest()
	for z := p.Lo[2] + fine/2; z < p.Hi[2]; z += fine {
		for y := p.Lo[1] + fine/2; y < p.Hi[1]; y += fine {
			for x := p.Lo[0] + fine/2; x < p.Hi[0]; x += fine {
				level := 0
				for _, b := range p.Boxes {
					if x > b.Lo[0] && x < b.Hi[0] && y > b.Lo[1] && y < b.Hi[1] && z > b.Lo[2] && z < b.Hi[2] {
						level = max(level, b.Level)
					}
				}
				sum += math.Pow(8, float64(level-p.Levels)) * math.Exp2(float64(level))
			}
		}
	}
	if got := p.Updates() / p.Steps(); math.Abs(got/sum-1) > 0.02 { // boxes end within cells of this count
		t.Errorf("refined: %g updates per step, counted %g", got, sum)
	}
}

// Defects are listed with their repairs, and thin parts are marked.
func TestDefects(t *testing.T) {
	whole := func(s *mesh.Surface) Examined {
		return Examined{File: "a.stl", Found: s.Inspect(), Surface: s, Cell: 0.1, Cells: 100}
	}
	thick := block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})
	if list, _ := Defects(whole(thick)); list != nil {
		t.Errorf("%+v", list)
	}
	turned := block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})
	for i := range turned.T {
		turned.T[i][1], turned.T[i][2] = turned.T[i][2], turned.T[i][1]
	}
	if list, _ := Defects(whole(turned)); len(list) != 1 || list[0] != (Defect{"a.stl", "inside out: its triangles face into the body", "turned back"}) {
		t.Errorf("%+v", list)
	}
	for thickness, want := range map[float64]string{0.15: "kept: --cells 134 resolves it", 0.08: "kept: --cells 250 resolves it", 0.01: "kept: a thicker part in the file resolves it"} {
		fin := block([3]float64{0, 0, 0}, [3]float64{4, 2, thickness})
		list, thin := Defects(whole(fin))
		if len(list) != 1 || list[0].Done != want || thin.Share < 0.7 || strings.Contains(list[0].What, "vanish") != (thickness < 0.1) {
			t.Errorf("%g thick: %+v, %g of the area", thickness, list, thin.Share)
		}
	}
	open := block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})
	open.T = open.T[1:]
	found := open.Inspect()
	open.Repair(nil)
	list, _ := Defects(Examined{File: "a.stl", Found: found, Repaired: "1 holes closed", Surface: open, Cell: 0.1, Cells: 100})
	if len(list) != 1 || !strings.HasPrefix(list[0].What, "not closed: 3 edges with one triangle") || list[0].Done != "repaired: 1 holes closed" {
		t.Errorf("%+v", list)
	}
	p := planOf(t, Body{Hi: [3]float64{4, 2, 1}, Area: 2}, Wanted{Ground: Moving, Cells: 120, Defects: list})
	r := NewReport(p, measuredAs(0.3, 0.001, ""), nil)
	var b bytes.Buffer
	if err := r.Page(&b, nil); err != nil || !strings.Contains(b.String(), "<h2>The surface</h2>") || !strings.Contains(r.Text(), "a.stl              not closed: 3 edges") {
		t.Errorf("%v\n%s", err, r.Text())
	}
}

// Units are proposed by the size that they make of a body.
func TestUnits(t *testing.T) {
	for length, want := range map[float64]string{
		4500:   "--unit mm makes it 4.5 m, --unit cm makes it 45 m, --unit m keeps it",
		177:    "--unit mm makes it 0.177 m, --unit cm makes it 1.77 m, --unit inch makes it 4.496 m, --unit ft makes it 53.95 m, --unit m keeps it",
		0.0045: "--unit km makes it 4.5 m, --unit m keeps it",
	} {
		if got := Units(length); got != want {
			t.Errorf("%g: %q, want %q", length, got, want)
		}
	}
}

// Below a wheel the gap to the road is filled up to 2.6 of the finest cells and a tenth of the radius, where a cell's centre is in it.
func TestPatches(t *testing.T) {
	b := Body{Lo: [3]float64{0, -1, 0}, Hi: [3]float64{4, 1, 1.5}, Area: 2}
	var asked float64
	wheel := Part{Name: "wheel_1", Spins: true, Radius: 0.3, Below: func(height float64) [][2][3]float64 {
		asked = height
		return [][2][3]float64{{{1, -1, 0}, {1.2, -0.8, height}}, {{1, 0.5, 0}, {1.2, 0.5001, height}}, {{1, 0.8, 0}, {1.2, 1, height}}} // and a rib
	}}
	for cells, want := range map[int]float64{400: 0.026, 100: 0.03, 60: 0} {
		asked = 0
		p, err := New(b, Wanted{Name: "car", Speed: 40, Fluid: Fluids()[0], Ground: Moving, Cells: cells, Parts: []Part{{Name: "body"}, wheel}})
		if err != nil {
			t.Fatal(err)
		}
		text := p.Case()
		if math.Abs(asked-want) > 1e-3*want {
			t.Errorf("%d cells: filled up to %g, not %g", cells, asked, want)
		}
		of := `of = ["body", "wheel_1", "wheel_1_patch_1", "wheel_1_patch_2"]`
		if want == 0 {
			of = `of = ["body", "wheel_1"]`
		}
		if !strings.Contains(text, of) || strings.Contains(text, "[body.wheel_1_patch_2]") != (want > 0) {
			t.Errorf("%d cells: the patches are not as they should be in\n%s", cells, text)
		}
	}
}
