// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"lbmsim/internal/vector"
)

// ball returns a sphere of n x 2n patches, two triangles each except at the poles; its vertices lie on the sphere.
func ball(n int, c [3]float64, r float64) *Surface {
	s := &Surface{}
	at := func(i, j int) [3]float64 {
		if i == 0 || i == n { // the poles are one point each, whatever j
			return [3]float64{c[0], c[1], c[2] + r*float64(1-2*i/n)}
		}
		th, ph := math.Pi*float64(i)/float64(n), math.Pi*float64(j%(2*n))/float64(n)
		return [3]float64{c[0] + r*math.Sin(th)*math.Cos(ph), c[1] + r*math.Sin(th)*math.Sin(ph), c[2] + r*math.Cos(th)}
	}
	for i := range n {
		for j := range 2 * n {
			if i > 0 {
				s.Add([3][3]float64{at(i, j), at(i+1, j), at(i, j+1)}, [3]float64{})
			}
			if i < n-1 {
				s.Add([3][3]float64{at(i+1, j), at(i+1, j+1), at(i, j+1)}, [3]float64{})
			}
		}
	}
	return s
}

// block returns a box of twelve triangles.
func block(lo, hi [3]float64) *Surface {
	s := &Surface{}
	for a := range 3 {
		for side := range 2 {
			at := func(i, j int) (p [3]float64) {
				p[a] = [2]float64{lo[a], hi[a]}[side]
				p[(a+1)%3] = [2]float64{lo[(a+1)%3], hi[(a+1)%3]}[i]
				p[(a+2)%3] = [2]float64{lo[(a+2)%3], hi[(a+2)%3]}[j]
				return p
			}
			for _, t := range [2][3][3]float64{{at(0, 0), at(1, 0), at(1, 1)}, {at(0, 0), at(1, 1), at(0, 1)}} {
				if side == 0 {
					t[1], t[2] = t[2], t[1]
				}
				s.Add(t, [3]float64{})
			}
		}
	}
	return s
}

// join merges surfaces.
func join(list ...*Surface) *Surface {
	s := &Surface{}
	for _, o := range list {
		for i := range o.T {
			s.Add(o.Corners(i), [3]float64{})
		}
	}
	return s
}

func solid(t *testing.T, s *Surface, w Window) *Body {
	t.Helper()
	b := NewBody(w)
	for i := range s.T {
		if err := b.Add(s.Corners(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// cells of a body, x fastest.
func cells(b *Body) []bool {
	all := make([]bool, 0, b.cells[0]*b.cells[1]*b.cells[2])
	row := make([]bool, b.cells[0])
	for z := range b.cells[2] {
		for y := range b.cells[1] {
			b.Row(y, z, row)
			all = append(all, row...)
		}
	}
	return all
}

func count(list []bool) (n int) {
	for _, in := range list {
		if in {
			n++
		}
	}
	return n
}

func about(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*math.Abs(want)) {
		t.Errorf("%s is %v, want %v within %g %%", what, got, want, 100*within)
	}
}

func TestSphere(t *testing.T) {
	c, r := [3]float64{20.2, 19.7, 20.4}, 15.3
	s := ball(120, c, r)
	f := s.Inspect()
	if !f.Watertight() || f.Parts != 1 || f.InsideOut != 0 || f.Turned != 0 || f.Open+f.Crowded+f.Against+f.Needles+f.Duplicates != 0 {
		t.Errorf("%+v", f)
	}
	about(t, "the volume", f.Volume, 4./3*math.Pi*r*r*r, 6e-4)
	about(t, "the area", f.Area, 4*math.Pi*r*r, 6e-4)
	b := solid(t, s, Whole([3]int{40, 40, 40}))
	all := cells(b)
	about(t, "the number of cells", float64(count(all)), f.Volume, 2e-3)
	distance := func(p [3]float64) float64 { return vector.Length(vector.Minus(p, c)) - r }
	for i, in := range all {
		p := [3]float64{float64(i%40) + 0.5, float64(i/40%40) + 0.5, float64(i/1600) + 0.5}
		if d := distance(p); math.Abs(d) > 0.01 && in != (d < 0) {
			t.Fatalf("cell %v, at %g from the sphere: inside %v", p, d, in)
		}
		if b.Contains(p[0], p[1], p[2]) != in {
			t.Fatalf("cell %v: Row says %v, Contains the opposite", p, in)
		}
	}
	// The links of D3Q27, against the closed form.
	links := 0
	for i, in := range all {
		if in {
			continue
		}
		p := [3]float64{float64(i%40) + 0.5, float64(i/40%40) + 0.5, float64(i/1600) + 0.5}
		for k := range 27 {
			d := [3]float64{float64(k%3 - 1), float64(k/3%3 - 1), float64(k/9 - 1)}
			j := i + k%3 - 1 + 40*(k/3%3-1) + 1600*(k/9-1)
			if j < 0 || j >= len(all) || !all[j] { // the sphere is far from the sides
				continue
			}
			links++
			got, ok := b.Hit(p, d)
			if !ok || !(got > 0 && got <= 1) {
				t.Fatalf("the link from %v along %v: %v %v", p, d, got, ok)
			}
			at := [3]float64{p[0] + got*d[0], p[1] + got*d[1], p[2] + got*d[2]}
			if e := distance(at); math.Abs(e) > 0.009 { // r (1 - cos(pi/240)), twice
				t.Fatalf("the link from %v along %v ends at %g from the sphere", p, d, e)
			}
			if ts := b.Crossings(p, d, nil); len(ts) == 0 || math.Abs(slices.Min(ts)-got) > 1e-6 {
				t.Fatalf("the link from %v along %v: hit at %v, crossings %v", p, d, got, ts)
			}
		}
	}
	if links < 10000 {
		t.Errorf("only %d links", links)
	}
}

// Faces and edges that pass exactly through centres of cells: the lower ones belong to
// the box, as with geometry.Box, and every link has a length.
func TestBoxOnCentres(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		var lo, hi [3]float64
		for a := range lo {
			lo[a] = float64(rng.Intn(12)-2) / 2
			hi[a] = lo[a] + float64(1+rng.Intn(12))/2
		}
		b := solid(t, block(lo, hi), Whole([3]int{9, 8, 7}))
		row := make([]bool, 9)
		for z := range 7 {
			for y := range 8 {
				b.Row(y, z, row)
				for x, got := range row {
					p := [3]float64{float64(x) + 0.5, float64(y) + 0.5, float64(z) + 0.5}
					want := true
					for a := range p {
						want = want && p[a] >= lo[a] && p[a] < hi[a]
					}
					if got != want {
						t.Fatalf("box %v %v, cell %d %d %d: %v", lo, hi, x, y, z, got)
					}
					if got {
						continue
					}
					for k := range 27 {
						d := [3]float64{float64(k%3 - 1), float64(k/3%3 - 1), float64(k/9 - 1)}
						if d == [3]float64{} || !b.Contains(p[0]+d[0], p[1]+d[1], p[2]+d[2]) {
							continue
						}
						if q, ok := b.Hit(p, d); !ok || !(q > 0) || q > 1 {
							t.Fatalf("box %v %v, from %v along %v: %v %v", lo, hi, p, d, q, ok)
						}
					}
				}
			}
		}
	}
}

// rough returns a closed surface of random shape whose vertices lie on half cells: rows pass
// through vertices and edges all the time.
func rough(rng *rand.Rand, n int) *Surface {
	s := ball(n, [3]float64{8, 8, 8}, 1)
	for i := range s.V {
		r := 2 + 6*rng.Float64()
		for a := range s.V[i] {
			s.V[i][a] = math.Round(2*(8+r*(s.V[i][a]-8))) / 2
		}
	}
	return s
}

// A window has the cells of the whole, in any order of the triangles.
func TestCellsDoNotDependOnTheCut(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 60 {
		s := rough(rng, 8)
		whole := solid(t, s, Whole([3]int{16, 16, 16}))
		w := Window{[3]int{16, 16, 16}, make([]bool, 16), make([]bool, 16)}
		for range 5 {
			w.Y[rng.Intn(16)], w.Z[rng.Intn(16)] = true, true
		}
		rng.Shuffle(len(s.T), func(i, j int) { s.T[i], s.T[j] = s.T[j], s.T[i] })
		part := solid(t, s, w)
		a, b := make([]bool, 16), make([]bool, 16)
		for z := range 16 {
			for y := range 16 {
				if !w.Y[y] || !w.Z[z] {
					continue
				}
				whole.Row(y, z, a)
				part.Row(y, z, b)
				if !slices.Equal(a, b) {
					t.Fatalf("row %d, %d: %v in the whole, %v in the part", y, z, a, b)
				}
				for x, in := range a {
					p := [3]float64{float64(x) + 0.5, float64(y) + 0.5, float64(z) + 0.5}
					if got := part.Contains(p[0], p[1], p[2]); got != in {
						t.Fatalf("%v: Row says %v, Contains %v", p, in, got)
					}
					d := [3]float64{float64(rng.Intn(3) - 1), float64(rng.Intn(3) - 1), float64(rng.Intn(3) - 1)}
					q, ok := whole.Hit(p, d)
					if r, ok2 := part.Hit(p, d); q != r || ok != ok2 {
						t.Fatalf("from %v along %v: %v %v in the whole, %v %v in the part", p, d, q, ok, r, ok2)
					}
					if !in && whole.Contains(p[0]+d[0], p[1]+d[1], p[2]+d[2]) && !ok {
						t.Fatalf("from %v along %v into the body: no hit", p, d)
					}
				}
			}
		}
	}
}

// Overlapping parts are their union, cavities stay open.
func TestPartsAndCavities(t *testing.T) {
	one, two := block([3]float64{1, 1, 1}, [3]float64{6, 6, 6}), block([3]float64{4, 4, 4}, [3]float64{9, 9, 9})
	if n := count(cells(solid(t, join(one, two), Whole([3]int{10, 10, 10})))); n != 125+125-8 {
		t.Errorf("the union of two boxes has %d cells", n)
	}
	hole := block([3]float64{2, 2, 2}, [3]float64{4, 4, 4})
	for i := range hole.T {
		hole.T[i][1], hole.T[i][2] = hole.T[i][2], hole.T[i][1]
	}
	s := join(one, hole)
	if n := count(cells(solid(t, s, Whole([3]int{10, 10, 10})))); n != 125-8 {
		t.Errorf("a box with a cavity has %d cells", n)
	}
	if f := s.Inspect(); f.Parts != 2 || f.InsideOut != 1 || !f.Watertight() {
		t.Errorf("%+v", f)
	}
	// Two boxes that share an edge: it has four triangles, and the surface is valid.
	s = join(one, block([3]float64{6, 6, 1}, [3]float64{9, 9, 6}))
	if f := s.Inspect(); !f.Watertight() || f.Crowded != 1 {
		t.Errorf("%+v", f)
	}
}

func TestDirtAndRepair(t *testing.T) {
	c, r := [3]float64{10.1, 9.8, 10.3}, 7.
	clean := func() *Surface { return ball(40, c, r) }
	want := cells(solid(t, clean(), Whole([3]int{20, 20, 20})))
	for name, k := range map[string]struct {
		spoil func(s *Surface)
		found func(f Findings) bool
		done  func(r Repairs) bool
		exact bool // the repair restores the surface
	}{
		"a hole": {
			func(s *Surface) { s.T = slices.Delete(s.T, 700, 701) },
			func(f Findings) bool { return f.Open == 3 && f.Border == 3 && f.Holes == 1 && f.Widest < 2 },
			func(r Repairs) bool { return r.Closed == 1 && r.Added == 3 && r.Invented < 1e-3 }, true,
		},
		"two holes": {
			func(s *Surface) { s.T = slices.Delete(s.T, 100, 102); s.T = slices.Delete(s.T, 2000, 2003) },
			func(f Findings) bool { return f.Holes == 2 && f.Open > 5 },
			func(r Repairs) bool { return r.Closed == 2 }, false,
		},
		"flipped triangles": {
			func(s *Surface) {
				for i := 300; i < 900; i += 7 {
					s.T[i][0], s.T[i][1] = s.T[i][1], s.T[i][0]
				}
			},
			func(f Findings) bool { return f.Turned == 86 && f.Against > 0 && f.Open == 0 },
			func(r Repairs) bool { return r.Turned == 86 && r.Added == 0 }, true,
		},
		"all flipped but one": {
			func(s *Surface) {
				for i := range s.T[1:] {
					s.T[i][0], s.T[i][1] = s.T[i][1], s.T[i][0]
				}
			},
			func(f Findings) bool { return f.Turned == 1 && f.InsideOut == 1 },
			func(r Repairs) bool { return r.Turned == 1 && r.Added == 0 }, true,
		},
		"duplicates": {
			func(s *Surface) { s.T = append(s.T, s.T[5], s.T[90], [3]int32{s.T[91][1], s.T[91][2], s.T[91][0]}) },
			func(f Findings) bool { return f.Duplicates == 3 && f.Crowded > 0 && !f.Watertight() },
			func(r Repairs) bool { return r.Removed == 3 && r.Added == 0 }, true,
		},
		"corners that do not meet": {
			func(s *Surface) {
				rng := rand.New(rand.NewSource(4))
				o := *s
				*s = Surface{}
				for i := range o.T {
					v := o.Corners(i)
					for c := range v {
						for a := range v[c] {
							v[c][a] += 1e-6 * rng.Float64()
						}
					}
					s.Add(v, [3]float64{})
				}
			},
			func(f Findings) bool { return f.Open > 9000 && f.Parts > 3000 },
			func(r Repairs) bool { return r.Snapped > 5000 && r.Added == 0 }, true,
		},
		"a vertex on an edge": {
			func(s *Surface) { // one of two neighbours is split: the other still has the long edge
				t := s.T[800]
				p, q := s.V[t[0]], s.V[t[1]]
				m := [3]float64{(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2}
				v := s.V[t[2]]
				s.T = slices.Delete(s.T, 800, 801)
				s.Add([3][3]float64{p, m, v}, [3]float64{})
				s.Add([3][3]float64{m, q, v}, [3]float64{})
			},
			func(f Findings) bool { return f.Open == 3 && f.Holes == 1 },
			func(r Repairs) bool { return r.Closed == 1 && r.Invented < 1e-12 }, true,
		},
		"anything": {
			func(s *Surface) {
				rng := rand.New(rand.NewSource(9))
				for i := range s.T {
					s.T[i][rng.Intn(3)] = int32(rng.Intn(len(s.V)))
				}
				s.T = slices.DeleteFunc(s.T, func(t [3]int32) bool { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] })
			},
			func(f Findings) bool { return !f.Watertight() },
			func(r Repairs) bool { return r.Invented > 0.1 }, false,
		},
	} {
		s := clean()
		k.spoil(s)
		if f := s.Inspect(); f.Watertight() || !k.found(f) {
			t.Errorf("%s: found %+v", name, f)
		}
		if r := s.Repair(nil); !k.done(r) || !r.Any() {
			t.Errorf("%s: repaired %+v", name, r)
		}
		if f := s.Inspect(); !f.Watertight() {
			t.Errorf("%s: still %+v", name, f)
		}
		got := cells(solid(t, s, Whole([3]int{20, 20, 20})))
		differ := 0
		for i := range got {
			if got[i] != want[i] {
				differ++
			}
		}
		if differ > 0 && k.exact {
			t.Errorf("%s: %d cells differ after the repair", name, differ)
		}
	}
}

// A surface that is not closed is refused wherever its border is.
func TestOpenSurfaceIsRefused(t *testing.T) {
	s := block([3]float64{1, 1, 1}, [3]float64{6, 6, 6})
	s.T = s.T[1:]
	b := NewBody(Whole([3]int{8, 8, 8}))
	for i := range s.T {
		if err := b.Add(s.Corners(i)); err != nil {
			t.Fatal(err)
		}
	}
	if b.Close() == nil {
		t.Error("an open box is taken")
	}
	far := block([3]float64{1, 1, 1}, [3]float64{6, 6, 1e9})
	if b := NewBody(Whole([3]int{8, 8, 8})); b.Add(far.Corners(4)) == nil && b.Add(far.Corners(10)) == nil && b.Add(far.Corners(11)) == nil {
		t.Error("a corner at 1e9 cells is taken")
	}
}

// Adversarial surfaces: the examination ends soon, with a result.
func TestMalice(t *testing.T) {
	// Thousands of triangles at one edge, each twice.
	fan := &Surface{}
	for i := range 30000 {
		p := [3]float64{4, 4 + float64(i)*1e-4, 5}
		fan.Add([3][3]float64{{1, 1, 1}, {9, 1, 1}, p}, [3]float64{})
		fan.Add([3][3]float64{{1, 1, 1}, {9, 1, 1}, p}, [3]float64{})
	}
	if f := fan.Inspect(); f.Duplicates != 30000 || f.Watertight() {
		t.Errorf("%+v", f)
	}
	// A sheet across all rows, folded a thousand times.
	b := NewBody(Whole([3]int{1, 128, 128}))
	for i := range 2000 {
		v := [3][3]float64{{0, 0, 0}, {0, 256, 0}, {0, 0, 256}}
		if i%2 == 1 {
			v[1], v[2] = v[2], v[1]
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err == nil || !strings.Contains(err.Error(), "a surface folded this often") {
		t.Error(err)
	}
}

// quad returns a sheet of two triangles across x.
func quad(x, lo, hi float64) *Surface {
	s := &Surface{}
	s.Add([3][3]float64{{x, lo, lo}, {x, hi, lo}, {x, hi, hi}}, [3]float64{})
	s.Add([3][3]float64{{x, lo, lo}, {x, hi, hi}, {x, lo, hi}}, [3]float64{})
	return s
}

func TestSheets(t *testing.T) {
	twice := quad(5, 1, 3) // the same sheet from both sides: closed, without volume
	for i := range 2 {
		c := twice.Corners(i)
		twice.Add([3][3]float64{c[0], c[2], c[1]}, [3]float64{})
	}
	fin := &Surface{} // stands on an edge of the block
	fin.Add([3][3]float64{{0, 4, 4}, {4, 4, 4}, {4, 9, 4}}, [3]float64{})
	fin.Add([3][3]float64{{0, 4, 4}, {4, 9, 4}, {0, 9, 4}}, [3]float64{})
	for _, c := range []struct {
		name   string
		s      *Surface
		sheets int
	}{
		{"block", block([3]float64{1, 1, 1}, [3]float64{4, 4, 4}), 0},
		{"sheet", quad(5, 1, 3), 2},
		{"two sides", twice, 4},
		{"both", join(quad(7, 1, 3), block([3]float64{1, 1, 1}, [3]float64{4, 4, 4})), 2},
		{"fin", join(fin, block([3]float64{4, 4, 4}, [3]float64{9, 9, 9})), 2},
	} {
		all := len(c.s.T)
		if n := c.s.Sheets(); n != c.sheets || len(c.s.T) != all {
			t.Errorf("%s: %d of %d triangles in sheets, expected %d", c.name, n, all, c.sheets)
		}
	}
}

func TestSheetsContainNothingAndAreMet(t *testing.T) {
	b := NewBody(Whole([3]int{12, 12, 12}))
	s := join(quad(7.5, -1, 13), block([3]float64{1.2, 1.2, 1.2}, [3]float64{4, 4, 4}))
	n := s.Sheets()
	for i := range s.T {
		add := b.Add
		if i >= len(s.T)-n {
			add = b.AddSheet
		}
		if err := add(s.Corners(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	inside := make([]bool, 12)
	b.Row(6, 6, inside)
	if slices.Contains(inside, true) || b.Contains(7.5, 6.5, 6.5) || !b.Contains(2, 2, 2) {
		t.Error("a sheet has an inside, or a block has none")
	}
	// From a centre to one on the sheet, and from there to the next: the diagonal runs along the edge of the triangles.
	for _, d := range [][3]float64{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, -1, 1}} {
		for k, p := range [][3]float64{{6.5, 5.5, 5.5}, {7.5, 5.5, 5.5}} {
			if at, ok := b.Sheet(p, d); !ok || math.Abs(at-float64(1-k)) > 1e-9 {
				t.Errorf("along %v from %v: %g, %v", d, p, at, ok)
			}
			if _, ok := b.Hit(p, d); !ok {
				t.Errorf("along %v from %v: no hit", d, p)
			}
		}
	}
	if ts := b.Crossings([3]float64{0, 6.3, 6.1}, [3]float64{12, 0, 0}, nil); len(ts) != 1 || math.Abs(ts[0]-7.5/12) > 1e-12 {
		t.Errorf("crossings %v", ts)
	}
	if _, ok := b.Sheet([3]float64{0.5, 2.5, 2.5}, [3]float64{3, 0, 0}); ok {
		t.Error("the face of a block is no sheet")
	}
}

// Copies of a part cost no more than the part: each triangle is kept once, with its multiplicity, so that a face shared by
// two parts still counts for both.
func TestCoincidentParts(t *testing.T) {
	box := func(to float64) (list [][3][3]float64) { // from x = 1; all share the face there
		c := func(i int) [3]float64 {
			p := [3]float64{1, 1, 1}
			for a, hi := range [3]float64{to, 7, 7} {
				if i>>a&1 == 1 {
					p[a] = hi
				}
			}
			return p
		}
		for _, q := range [][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			list = append(list, [3][3]float64{c(q[0]), c(q[1]), c(q[2])}, [3][3]float64{c(q[0]), c(q[2]), c(q[3])})
		}
		return list
	}
	b := NewBody(Whole([3]int{10, 8, 8}))
	for range 1000 {
		for _, tri := range append(box(4), box(8)...) {
			if err := b.Add(tri); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(b.tri); n != 22 { // two of 24 are duplicates
		t.Errorf("%d triangles are kept", n)
	}
	for x := 0.25; x < 10; x += 0.5 {
		for _, y := range []float64{0.5, 1.5, 6.5, 7.5} {
			want := x > 1 && x < 8 && y > 1 && y < 7
			if got := b.Contains(x, y, 3.5); got != want {
				t.Errorf("at (%g, %g): %v", x, y, got)
			}
		}
	}
	if n := len(b.Crossings([3]float64{0, 3.3, 3.4}, [3]float64{10, 0, 0}, nil)); n != 3 {
		t.Errorf("a line crosses the surface %d times", n)
	}
}

// Below a height lies a cap of a ball, whose radius follows; balls beside each other have caps of their own, overlapping ones share one.
func TestSpansBelow(t *testing.T) {
	lift := func(p [3]float64) [3]float64 { return [3]float64{p[0], p[1], p[2] + 2} }
	s := ball(60, [3]float64{1, 0, 0}, 2)
	for _, y := range []float64{9, 10} {
		other, first := ball(60, [3]float64{1, y, 0}, 2), int32(len(s.V))
		s.V = append(s.V, other.V...)
		for _, f := range other.T {
			s.T = append(s.T, [3]int32{f[0] + first, f[1] + first, f[2] + first})
		}
	}
	got := s.SpansBelow(lift, 0.5)
	r := math.Sqrt(2*2*0.5 - 0.5*0.5)
	want := [][2][3]float64{{{1 - r, -r, 0}, {1 + r, r, 0.5}}, {{1 - r, 9 - r, 0}, {1 + r, 10 + r, 0.5}}}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for k := range want {
		for side := range 2 {
			for a := range 3 {
				if math.Abs(got[k][side][a]-want[k][side][a]) > 0.02 {
					t.Errorf("box %d is %v, not %v", k, got[k], want[k])
				}
			}
		}
	}
	if got := s.SpansBelow(lift, -0.1); len(got) != 0 {
		t.Errorf("below everything: %v", got)
	}
}
