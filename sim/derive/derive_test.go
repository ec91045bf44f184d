// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// image is fields on the host, [z][y][component][x].
type image[In Number] struct {
	box        decomp.Box
	components int
	values     []In
}

// snapshotOf makes random fields of a box with ghost planes, as a device leaves them on
// the host, a sampler of them, and the cells, some of them solid.
func snapshotOf[Out, In Number](n [3]int, units config.Units, list ...model.Field) (*Sampler[In, Out], image[In]) {
	dims, axis := 3, 2
	if n[2] == 1 {
		dims, axis = 2, 1
	}
	ghost := [3]int{}
	ghost[axis] = 1
	h := image[In]{box: decomp.Box{Hi: n}, components: 1 + dims}
	h.box.Lo[axis], h.box.Hi[axis] = -1, n[axis]+1
	random := rand.New(rand.NewSource(1))
	h.values = make([]In, h.box.Cells()*h.components)
	for i := range h.values {
		h.values[i] = In(random.NormFloat64() * 0.01)
	}
	cells := boundary.NewCells(n)
	for i := range cells.Type {
		cells.Type[i] = uint8(max(0, random.Intn(40)-36))
	}
	p := &domain.Part{Case: &config.Case{Grid: config.Grid{Cells: n, Units: units}, Flow: config.Flow{Spec: model.Spec{Lattice: model.Lattice{Dims: dims}}}, Solids: config.Solids{Boundaries: make([]config.Boundary, 1)}}, Layout: decomp.NewLayout(n, ghost, 1), Cells: cells, Params: model.Params{Omega: 1.3}}
	for range n[0] * n[1] * n[2] {
		p.Distance = append(p.Distance, random.Float32())
	}
	for range 4 {
		p.Cells.Walls = append(p.Cells.Walls, boundary.Wall{Motion: boundary.Constant{0.01, 0.02, 0.03}})
	}
	return NewSampler[Out](p, 0, Held(h.box, h.components, h.values), list...).Beside(WallFields{"y_plus": p.Distance, "wall_model": p.Distance, "wall_shear": append(append(slices.Clone(p.Distance), p.Distance...), p.Distance...)}), h
}

// Every field of every cell is its definition, computed in float64 and rounded once,
// whatever numbers come in and go out.
func TestFieldsAreTheirDefinitions(t *testing.T) {
	for _, n := range [][3]int{{7, 5, 4}, {33, 6, 1}, {1, 3, 3}} {
		for _, units := range []config.Units{{Length: 1, Time: 1, Density: 1}, {Physical: true, Length: 1.7e-3, Time: 3.1e-5, Density: 998.2}} {
			defined[float32, float32](t, n, units)
			defined[float32, float64](t, n, units)
			defined[float64, float32](t, n, units)
			defined[float64, float64](t, n, units)
		}
	}
}

func defined[Out, In Number](t *testing.T, n [3]int, units config.Units) {
	t.Helper()
	for _, f := range model.Fields {
		if f.Name == "temperature" { // has its own lattice and tests
			continue
		}
		s, h := snapshotOf[Out, In](n, units, f)
		factor := units.Factor(f.Dim)
		axis := s.axis()
		var out []Out
		for k := range n[axis] {
			var err error
			if out, err = s.Sample(f, k, out); err != nil {
				t.Fatal(err)
			}
			for i, got := range out {
				cell, c := i/f.Components, i%f.Components
				x := cell % n[0]
				y, z := s.position(cell/n[0], k)
				at := func(component, x, y, z int) float64 {
					row := (z-h.box.Lo[2])*h.box.Size()[1] + y - h.box.Lo[1]
					return float64(h.values[(row*h.components+component)*n[0]+x])
				}
				var want float64
				switch f.Name {
				case "density":
					want = factor * (1 + at(0, x, y, z))
				case "pressure":
					want = factor * model.CS2 * at(0, x, y, z)
				case "velocity":
					if c < s.dims {
						want = factor * at(1+c, x, y, z)
					}
				case "speed":
					for c := range s.dims {
						want += at(1+c, x, y, z) * at(1+c, x, y, z)
					}
					want = factor * math.Sqrt(want)
				case "solid":
					want = float64(max(0, int(s.cells.At(x, y, z))-s.faces))
				case "vorticity":
					g := s.gradient(x, y, z)
					want = factor * (g[(c+2)%3][(c+1)%3] - g[(c+1)%3][(c+2)%3])
				case "strain_rate":
					g := s.gradient(x, y, z)
					want = factor * math.Sqrt(strain2(&g))
				case "q_criterion":
					g := s.gradient(x, y, z)
					want = factor * secondInvariant(&g)
				case "wall_shear":
					want = factor * float64(s.walls[f.Name][3*((z*n[1]+y)*n[0]+x)+c])
				case "wall_distance", "y_plus", "wall_model":
					want = factor * float64(s.distance[(z*n[1]+y)*n[0]+x])
				case "wall_shear_stress":
					want = factor * s.wallShear(x, y, z)[c]
				default:
					t.Fatalf("no definition of %s", f.Name)
				}
				if math.Float64bits(float64(got)) != math.Float64bits(float64(Out(want))) {
					t.Fatalf("%T from %T, %v: %s at (%d, %d, %d), component %d: %v instead of %v", got, h.values[0], n, f.Name, x, y, z, c, got, Out(want))
				}
			}
		}
	}
}

// fieldOf fills a box of fluid with a velocity and samples a field of it. Half-way walls are where they should be.
func fieldOf(t *testing.T, name string, n [3]int, cells boundary.Cells, u func(x, y, z float64) [3]float64) (values []float64, components int) {
	t.Helper()
	p := &domain.Part{Case: &config.Case{Grid: config.Grid{Cells: n}}, Cells: cells, Params: model.Params{Omega: 1.25, Lambda: 3. / 16}}
	return fieldIn(t, name, p, u)
}

// fieldIn samples a field, as fieldOf does, of a part with its own grid, cells, law and numbers.
func fieldIn(t *testing.T, name string, p *domain.Part, u func(x, y, z float64) [3]float64) (values []float64, components int) {
	t.Helper()
	f, ok := model.FindField(name)
	if !ok {
		t.Fatalf("no field %s", name)
	}
	n, dims, axis := p.Case.Cells, 3, 2
	if n[2] == 1 {
		dims, axis = 2, 1
	}
	ghost := [3]int{}
	ghost[axis] = 1
	box := decomp.Box{Hi: n}
	box.Lo[axis], box.Hi[axis] = -1, n[axis]+1
	var h []float64
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			for c := -1; c < dims; c++ {
				for x := range n[0] {
					if c < 0 {
						h = append(h, 0.01)
					} else {
						h = append(h, u(float64(x)+0.5, float64(y)+0.5, float64(z)+0.5)[c])
					}
				}
			}
		}
	}
	p.Case.Units, p.Case.Spec.Lattice.Dims = config.Units{Length: 1, Time: 1, Density: 1}, dims
	p.Layout = decomp.NewLayout(n, ghost, 1)
	s := NewSampler[float64](p, 0, Held(box, 1+dims, h), f)
	for k := range n[axis] {
		plane, err := s.Sample(f, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, plane...)
	}
	return values, f.Components
}

// Strain rate and Q of an ABC flow (Dombre et al., J. Fluid Mech. 167 (1986) 353), whose
// vorticity is its velocity, with the second order of central differences.
func TestGradientsOfABCFlow(t *testing.T) {
	const A, B, C = 1.0, 0.7, 0.43
	worst := func(n int) (q, s float64) {
		k := 2 * math.Pi / float64(n)
		abc := func(x, y, z float64) [3]float64 {
			sin, cos := math.Sin, math.Cos
			return [3]float64{A*sin(k*z) + C*cos(k*y), B*sin(k*x) + A*cos(k*z), C*sin(k*y) + B*cos(k*x)}
		}
		cells := boundary.NewCells([3]int{n, n, n})
		gotQ, _ := fieldOf(t, "q_criterion", cells.N, cells, abc)
		gotS, _ := fieldOf(t, "strain_rate", cells.N, cells, abc)
		for i := range gotQ {
			x, y, z := k*(float64(i%n)+0.5), k*(float64(i/n%n)+0.5), k*(float64(i/n/n)+0.5)
			sinX, cosX := math.Sincos(x)
			sinY, cosY := math.Sincos(y)
			sinZ, cosZ := math.Sincos(z)
			wantQ := B*C*sinY*cosX + A*B*cosZ*sinX + A*C*sinZ*cosY
			w := abc(x/k, y/k, z/k)
			w2 := w[0]*w[0] + w[1]*w[1] + w[2]*w[2]
			wantS := math.Sqrt(math.Max(0, w2-4*wantQ)) // 2 S:S = |w|^2 - 4 Q
			q = math.Max(q, math.Abs(gotQ[i]/(k*k)-wantQ))
			s = math.Max(s, math.Abs(gotS[i]/k-wantS))
		}
		return q, s
	}
	q1, s1 := worst(16)
	q2, s2 := worst(32)
	if order := math.Log2(q1 / q2); order < 1.9 || order > 2.1 || q2 > 0.05 {
		t.Errorf("Q: errors %.3g and %.3g, order %.2f", q1, q2, order)
	}
	if order := math.Log2(s1 / s2); order < 1.6 || order > 2.4 || s2 > 0.05 {
		t.Errorf("strain rate: errors %.3g and %.3g, order %.2f", s1, s2, order)
	}
}

// The stress at the walls of a channel is exact: the parabola of Poiseuille flow, on top
// of the line of Couette flow, in 2D and 3D and along each axis.
func TestWallShearOfAChannel(t *testing.T) {
	for _, c := range []struct {
		n    [3]int
		axis int // across the channel
	}{{[3]int{5, 9, 1}, 1}, {[3]int{8, 5, 1}, 0}, {[3]int{4, 5, 7}, 2}, {[3]int{4, 6, 3}, 1}, {[3]int{7, 3, 3}, 0}} {
		along := (c.axis + 1) % 3
		if c.n[2] == 1 {
			along = 1 - c.axis
		}
		h := float64(c.n[c.axis])
		const curve, low, high = 3e-3, -0.02, 0.05
		cells := boundary.NewCells(c.n)
		var slow, fast [3]float64
		slow[along], fast[along] = low, high
		cells.Walls = boundary.BounceWalls(slow, fast)
		for z := -1; z <= c.n[2]; z++ {
			for y := -1; y <= c.n[1]; y++ {
				for x := -1; x <= c.n[0]; x++ {
					switch p := [3]int{x, y, z}; p[c.axis] {
					case -1:
						cells.Type[cells.Index(x, y, z)] = 1
					case c.n[c.axis]:
						cells.Type[cells.Index(x, y, z)] = 2
					}
				}
			}
		}
		got, nc := fieldOf(t, "wall_shear_stress", c.n, cells, func(x, y, z float64) (u [3]float64) {
			s := [3]float64{x, y, z}[c.axis]
			u[along] = low + (high-low)*s/h + curve*s*(h-s)
			u[c.axis] = 0.1 * s * (h - s) // across: no part of it is shear
			return u
		})
		mu := 1.01 * (1/1.25 - 0.5) / 3
		for i := range len(got) / nc {
			p := [3]int{i % c.n[0], i / c.n[0] % c.n[1], i / c.n[0] / c.n[1]}
			var want [3]float64
			switch p[c.axis] { // the traction on a wall: along its normal into the fluid
			case 0:
				want[along] = mu * ((high-low)/h + curve*h)
			case c.n[c.axis] - 1:
				want[along] = -mu * ((high-low)/h - curve*h)
			}
			for a := range want {
				if math.Abs(got[i*nc+a]-want[a]) > 1e-15 {
					t.Fatalf("%+v, cell %v: %v instead of %v", c, p, got[i*nc:][:nc], want)
				}
			}
		}
	}
}

// Walls at individual distances: the Derivative is the parabola's there.
func TestWallShearAtADistance(t *testing.T) {
	n := [3]int{3, 6, 1}
	u := func(s float64) float64 { return 0.02 + 0.03*s - 0.004*s*s }
	slope := func(s float64) float64 { return 0.03 - 0.008*s }
	for _, q := range []float64{0.1, 0.3, 0.5, 1} {
		cells := boundary.NewCells(n)
		low, high := 0.5-q, 5.5+q
		cells.Walls = []boundary.Wall{{Law: boundary.Interpolated, Motion: boundary.Constant{u(low)}}, {Law: boundary.Interpolated, Motion: boundary.Constant{u(high)}}}
		cells.Distance = func(x, c [3]int) float64 { return q }
		for z := -1; z <= 1; z++ {
			for x := -1; x <= n[0]; x++ {
				cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, n[1], z)] = 1, 2
			}
		}
		got, nc := fieldOf(t, "wall_shear_stress", n, cells, func(x, y, z float64) [3]float64 { return [3]float64{u(y)} })
		mu := 1.01 * (1/1.25 - 0.5) / 3
		for i, want := range map[int]float64{1: mu * slope(low), 5*n[0] + 1: -mu * slope(high), 2*n[0] + 1: 0} {
			if math.Abs(got[i*nc]-want) > 1e-14 {
				t.Errorf("q = %v, cell %d: %v instead of %v", q, i, got[i*nc], want)
			}
		}
	}
}

// Work of an output's thread beside writing: nanoseconds per value.
func BenchmarkFields(b *testing.B) {
	for _, f := range model.Fields {
		s, _ := snapshotOf[float32, float32]([3]int{512, 512, 8}, config.Units{Length: 1, Time: 1, Density: 1}, f)
		clear(s.cells.Type) // fluid everywhere
		b.Run(fmt.Sprintf("%s/float32", f.Name), func(b *testing.B) { sampleAgain(b, s, f) })
		d, _ := snapshotOf[float64, float64]([3]int{512, 512, 8}, config.Units{Length: 1, Time: 1, Density: 1}, f)
		clear(d.cells.Type)
		b.Run(fmt.Sprintf("%s/float64", f.Name), func(b *testing.B) { sampleAgain(b, d, f) })
	}
}

func sampleAgain[Out, In Number](b *testing.B, s *Sampler[In, Out], f model.Field) {
	var out []Out
	for i := range b.N {
		var err error
		if out, err = s.Sample(f, i%s.layout.N[2], out); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(raw.Bytes(out))))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/value")
}

// A field that has a row in model.Fields and no definition here must not become the
// numbers of a different field.
func TestFieldWithoutDefinition(t *testing.T) {
	s, _ := snapshotOf[float64, float64]([3]int{3, 3, 1}, config.Units{Length: 1, Time: 1, Density: 1})
	if values, err := s.Sample(model.Field{Name: "enthalpy", Components: 1}, 0, nil); err == nil || !strings.Contains(err.Error(), "enthalpy") {
		t.Errorf("values %v, error %v", values, err)
	}
}
