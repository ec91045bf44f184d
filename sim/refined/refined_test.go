// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/brief"
	"lbmsim/internal/ref"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// flow is a refined case.
type flow struct {
	text  string
	boxes [][][2][3]float64 // by level from 1 on: the corners in cells of level 0
	cut   [3]int            // [run] ranks
}

// hierarchy returns the patches on some ranks.
func (f flow) hierarchy(c *config.Case, ranks int) (*decomp.Hierarchy, error) {
	plan, err := c.Cut(ranks)
	if err != nil {
		return nil, err
	}
	var list []decomp.Refinement
	for k, boxes := range f.boxes {
		for _, b := range boxes {
			if c.Dims() == 2 {
				b[0][2], b[1][2] = 0, 1
			}
			list = append(list, decomp.Refinement{Name: "refine.box", Level: k + 1, From: b[0], To: b[1]})
		}
	}
	return decomp.NewHierarchy(plan, list)
}

// wholeOf returns the domain of a case without files.
func wholeOf(c *config.Case) *domain.Part { return &domain.Part{Case: c, Params: c.Params()} }

// start makes a rank's part in its initial state. The device is the grid's to close by end.
func (f flow) start(on *rank.Rank, dev device.Device) (*Grid, error) {
	c, err := config.Load("test.toml", []byte(f.text))
	if err != nil {
		return nil, err
	}
	c.Run.Ranks = f.cut
	h, err := f.hierarchy(c, on.Size)
	if err != nil {
		return nil, err
	}
	g, err := New(on, wholeOf(c), h, dev)
	if err == nil {
		err = g.Initialize()
	}
	return g, err
}

// over calls do on some ranks of CPUs with so many threads each, with the flow's initial state. wrap, if any, changes the devices.
func (f flow) over(ranks, threads int, wrap func(device.Device) device.Device, do func(g *Grid) error) error {
	return comm.RunLocal(ranks, func(c comm.Comm) error {
		own, err := cpu.New(threads)
		if err != nil {
			return err
		}
		defer own.Close()
		dev := device.Device(own)
		if wrap != nil {
			dev = wrap(dev)
		}
		g, err := f.start(rank.New(c, threads, nil), dev)
		if err != nil {
			return err
		}
		if err := do(g); err != nil {
			return err
		}
		g.Close()
		return nil
	})
}

// alone runs a flow on one rank.
func (f flow) alone(t testing.TB, do func(g *Grid) error) {
	t.Helper()
	if err := f.over(1, 2, nil, do); err != nil {
		t.Fatal(err)
	}
}

// moments visits the values of the current state in the cells that the rank stores, overlap included, as float64 and as they are.
func (g *Grid) moments(visit func(p *Patch, cell [3]int, m []float64, state []byte)) error {
	if err := g.Sync(); err != nil {
		return err
	}
	bytes := g.Case.Spec.Precision.Bytes()
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			state := make([]byte, p.State[0].Bytes())
			if err := p.State[0].Read(state, 0); err != nil {
				return err
			}
			n, lo := p.Part.Layout.N, p.Part.Box.Lo
			for z := range n[2] {
				for y := range n[1] {
					for x := range n[0] {
						m, raw := make([]float64, p.Part.Layout.Components), []byte{}
						for k := range m {
							v := state[p.Part.Layout.At(x, y, z, k)*bytes:][:bytes]
							raw = append(raw, v...)
							if bytes == 8 {
								m[k] = math.Float64frombits(binary.LittleEndian.Uint64(v))
							} else {
								m[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
							}
						}
						visit(p, [3]int{x + lo[0], y + lo[1], z + lo[2]}, m, raw)
					}
				}
			}
		}
	}
	return nil
}

// oracle returns the same flow in the same state on the oracle.
func (g *Grid) oracle() (*ref.Levels, error) {
	s := ref.NewLevels(g.Hierarchy, g.Case.Spec.Lattice, g.Case.Spec.Collision.Name, g.Case.Spec.Viscosity, g.Case.Params(), func(l int) boundary.Cells {
		n := g.Hierarchy.Levels[l].N
		cells := g.levels[l].patches[0].Part.Geometry().Sample(decomp.Box{Hi: n})
		if cells.Rates != nil {
			whole := g.whole.Geometry()
			cells.Rates = func(x [3]int) *model.Params {
				for a := range g.Case.Dims() {
					x[a] >>= l
				}
				own := whole.Rates(x)
				for range l {
					if own != nil {
						finer := own.Finer(g.Case.Spec.Viscosity)
						own = &finer
					}
				}
				return own
			}
		}
		return cells
	})
	if at := g.Case.Force.At; at != nil {
		for l, grid := range s.Grids {
			grid.Force = func(step int) (force [3]float64) {
				width := math.Pow(0.5, float64(l))
				for a, f := range at(float64(step) * width) {
					force[a] = f * width
				}
				return force
			}
		}
	}
	scalar := g.Case.Spec.Scalar
	if scalar {
		s.SetScalar(func([3]float64) (float64, [3]float64) { return 0, [3]float64{} })
	}
	err := g.moments(func(p *Patch, x [3]int, m []float64, _ []byte) {
		grid, flow := s.Grids[p.cut.Level], g.Case.Spec.FlowComponents()
		if cell := g.number(p, x); grid.Stores(cell) {
			grid.F[cell] = grid.Close(grid.Populations(m[:flow]))
			if scalar {
				grid.G[cell].Theta = m[flow]
				copy(grid.G[cell].Q[:], m[flow+1:])
			}
		}
	})
	return s, err
}

// number returns the oracle's number of a cell.
func (g *Grid) number(p *Patch, x [3]int) int {
	n := g.Hierarchy.Levels[p.cut.Level].N
	x, _ = g.Hierarchy.Wrap(p.cut.Level, x)
	return (x[2]*n[1]+x[1])*n[0] + x[0]
}

// compare returns the largest difference to the oracle, in counted and mirror cells, and the largest value.
func (g *Grid) compare(s *ref.Levels) (worst, scale float64, cells int, err error) {
	err = g.moments(func(p *Patch, x [3]int, m []float64, _ []byte) {
		grid, cell := s.Grids[p.cut.Level], g.number(p, x)
		if !g.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned.Contains(x) || g.Hierarchy.Role(p.cut.Level, x) == decomp.Hidden || grid.Cells.At(x[0], x[1], x[2]) != 0 {
			return
		}
		cells++
		wanted := grid.Moments(grid.F[cell])
		if grid.G != nil {
			wanted = append(append(wanted, grid.G[cell].Theta), grid.G[cell].Q[:g.Case.Dims()]...)
		}
		for k, want := range wanted {
			if diff := math.Abs(m[k] - want); !(diff <= worst) {
				worst = diff
			}
			scale = math.Max(scale, math.Abs(want))
		}
	})
	return worst, scale, cells, err
}

// named are the numbers of a case's text.
type named struct {
	lattice, model, precision, faces, initial, force, viscosity string
	cells                                                       [3]int
	periodic                                                    string
}

// text returns a case.
func (n named) text() string {
	if n.precision == "" {
		n.precision = "float64"
	}
	if n.model == "" {
		n.model = "cumulant"
	}
	if n.viscosity == "" {
		n.viscosity = "0.03"
	}
	cells := fmt.Sprintf("%d, %d", n.cells[0], n.cells[1])
	if n.lattice != "D2Q9" {
		cells += fmt.Sprintf(", %d", n.cells[2])
	}
	force := ""
	if n.force != "" {
		force = "[force]\nforce_density = [" + n.force + "]"
	}
	return fmt.Sprintf("[domain]\nlattice = %q\ncells = [%s]\nperiodic = [%s]\n[fluid]\nviscosity = %s\n[collision]\nmodel = %q\nprecision = %q\n%s\n[initial]\n%s\n%s\n[run]\nsteps = 1\n",
		n.lattice, cells, n.periodic, n.viscosity, n.model, n.precision, force, n.initial, n.faces)
}

// flows returns refined cases of a lattice with a model: three levels, concave unions, walls, open faces, a body, a force. Domains and boxes have
// so many times as many cells along each axis as the smallest.
func flows(lattice, collision string, by int) map[string]flow {
	dims, n := 3, [3]int{10 * by, 9 * by, 9 * by}
	waves := []string{fmt.Sprintf(`"0.03*sin(2*pi*y/%d)"`, n[1]), fmt.Sprintf(`"0.02*cos(2*pi*x/%d + 1)"`, n[0]), fmt.Sprintf(`"0.02*sin(2*pi*(x/%d+y/%d))"`, n[0], n[1])}
	forces := []string{`"1e-5"`, `"-2e-5"`, `"1e-5"`}
	if lattice == "D2Q9" {
		dims, n[2] = 2, 1
	}
	force := strings.Join(forces[:dims], ", ")
	box := func(x0, x1, y0, y1, z0, z1 int) (b [2][3]float64) {
		b = [2][3]float64{{float64(x0), float64(y0), float64(z0)}, {float64(x1), float64(y1), float64(z1)}}
		for a := range 3 {
			b[0][a], b[1][a] = float64(by)*b[0][a], float64(by)*b[1][a]
		}
		return b
	}
	initial := fmt.Sprintf("velocity = [%s]\ndensity = \"1 + 0.01*sin(2*pi*x/%d)\"", strings.Join(waves[:dims], ", "), n[0])
	face := func(name, kind string, faces, more string) string {
		return fmt.Sprintf("[boundary.%s]\ntype = %q\nfaces = [%s]\n%s\n", name, kind, faces, more)
	}
	axes, sides := `"x", "y"`, ""
	if dims == 3 {
		axes, sides = `"x", "y", "z"`, `, "z-", "z+"`
	}
	vector := func(x string) string {
		if dims == 3 {
			return "velocity = [" + x + ", 0, 0]"
		}
		return "velocity = [" + x + ", 0]"
	}
	corners := [][][2][3]float64{{box(0, 3, 0, 4, 0, 4), box(5, 10, 1, 9, 3, 9), box(3, 5, 2, 7, 3, 5)}, {box(0, 1, 0, 2, 0, 2), box(7, 10, 3, 7, 5, 9)}}
	common := named{lattice: lattice, model: collision, cells: n, initial: initial, force: force}
	concave, channel, walls := common, common, common
	concave.periodic = axes
	channel.faces = face("in", "velocity", `"x-"`, vector(`"0.04 + 1e-3*y"`)) + face("out", "outflow", `"x+"`, "") + face("sides", "slip", `"y-"`+sides, "") + face("top", "moving_wall", `"y+"`, vector("0.04"))
	walls.faces = face("rest", "wall", `"x-", "x+", "y-"`+sides, "") + face("lid", "moving_wall", `"y+"`, vector("0.05"))
	pressures := common
	pressures.force = ""
	pressures.faces = face("in", "pressure", `"x-"`, "pressure = 1.5e-3") + face("out", "pressure", `"x+"`, "pressure = 0") + face("sides", "wall", `"y-", "y+"`+sides, "")
	ball, axis := fmt.Sprintf("centre = [%d, %g, %g]\nradius = %g\n", 5*by, 4.5*float64(by), 4.5*float64(by), 1.2*float64(by)), "sphere"
	if dims == 2 {
		ball, axis = fmt.Sprintf("centre = [%d, %g]\nradius = %g\n", 5*by, 4.5*float64(by), 1.2*float64(by)), "cylinder"
	}
	body := common
	body.periodic = axes
	body.faces = "[body.ball]\ntype = \"interpolated_wall\"\nshape = \"" + axis + "\"\n" + ball
	ends := common
	ends.periodic = `"x"`
	ends.faces = face("rest", "wall", `"y-"`+sides, "") + face("top", "slip", `"y+"`, "")
	return map[string]flow{
		"concave":  {text: concave.text(), boxes: [][][2][3]float64{{box(1, 8, 1, 5, 1, 6), box(1, 6, 1, 8, 1, 6)}, {box(2, 7, 2, 4, 2, 5), box(2, 5, 2, 5, 2, 5)}}},
		"channel":  {text: channel.text(), boxes: corners},
		"walls":    {text: walls.text(), boxes: corners},
		"pressure": {text: pressures.text(), boxes: corners},
		"body":     {text: body.text(), boxes: [][][2][3]float64{{box(1, 9, 1, 8, 1, 8)}, {box(2, 8, 2, 7, 2, 7)}}},
		"ends":     {text: ends.text(), boxes: [][][2][3]float64{{box(0, 4, 0, 6, 2, 7), box(6, 10, 1, 9, 0, 9), box(0, 10, 7, 9, 0, 9)}, {box(0, 2, 3, 5, 3, 5)}}},
	}
}

// asOracle compares some steps with the oracle's, to a share of the values' scale.
func (f flow) asOracle(t *testing.T, steps int, limit float64) {
	f.alone(t, func(g *Grid) error {
		s, err := g.oracle()
		if err != nil {
			return err
		}
		if err := g.Advance(steps); err != nil {
			return err
		}
		for range steps {
			s.Advance()
		}
		worst, scale, cells, err := g.compare(s)
		t.Logf("%d cells, differences up to %.2g of %.2g", cells, worst, scale)
		if cells == 0 || !(worst <= limit*scale) {
			t.Errorf("%d cells differ by up to %.2g of %.2g", cells, worst, scale)
		}
		return err
	})
}

// Steps of three levels are the oracle's, to 1e-12 of the values' scale in float64 and to 5e-5 in float32.
func TestStepsAreTheOracles(t *testing.T) {
	for k, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for name, f := range flows(lattice, []string{"cumulant", "regularized", "recursive_regularized"}[k], 1) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				if k == 2 && testing.Short() && name != "channel" && name != "body" {
					t.Skip("the same faces of D3Q19: make test-all runs it")
				}
				f.asOracle(t, 4, 1e-12)
				if k > 0 && testing.Short() {
					return
				}
				f.text = strings.Replace(f.text, "float64", "float32", 1)
				f.asOracle(t, 4, 5e-5)
			})
		}
	}
}

// states returns the bits of all patches' owned cells after some steps, of which each rank writes its own.
func (f flow) states(ranks, threads, steps int, wrap func(device.Device) device.Device) (map[[2]int][]byte, error) {
	return f.bits(ranks, threads, wrap, func(g *Grid) error { return g.Advance(steps) }, func(p decomp.Patch) decomp.Box { return p.Owned })
}

// filled returns the bits of all cells that the patches store after some steps between which readers look at neighbours.
func (f flow) filled(ranks, threads, steps int, wrap func(device.Device) device.Device) (map[[2]int][]byte, error) {
	return f.bits(ranks, threads, wrap, func(g *Grid) error {
		for k := range steps {
			for range 1 + k%2 {
				if err := g.Fill(); err != nil {
					return err
				}
			}
			if err := g.Advance(1); err != nil {
				return err
			}
		}
		return g.Fill()
	}, func(p decomp.Patch) decomp.Box { return p.Stored })
}

// bits returns the bits of the cells of each patch, in a box of it, after what do calls.
func (f flow) bits(ranks, threads int, wrap func(device.Device) device.Device, do func(g *Grid) error, of func(decomp.Patch) decomp.Box) (map[[2]int][]byte, error) {
	all, mutex := map[[2]int][]byte{}, sync.Mutex{}
	err := f.over(ranks, threads, wrap, func(g *Grid) error {
		if err := do(g); err != nil {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		return g.moments(func(p *Patch, x [3]int, _ []float64, state []byte) {
			owned := of(g.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch])
			if !owned.Contains(x) {
				return
			}
			key, n := [2]int{p.cut.Level, p.cut.Patch}, owned.Size()
			if all[key] == nil {
				all[key] = make([]byte, owned.Cells()*len(state))
			}
			at := ((x[2]-owned.Lo[2])*n[1]+x[1]-owned.Lo[1])*n[0] + x[0] - owned.Lo[0]
			copy(all[key][at*len(state):], state)
		})
	})
	return all, err
}

// sharesAllLevels checks that each level has a patch of which several ranks have a part.
func (f flow) sharesAllLevels(t *testing.T, ranks int) {
	t.Helper()
	c, err := config.Load("test.toml", []byte(f.text))
	if err != nil {
		t.Fatal(err)
	}
	h, err := f.hierarchy(c, ranks)
	if err != nil {
		t.Fatal(err)
	}
	for l, level := range h.Levels {
		if !slices.ContainsFunc(level.Patches, func(p decomp.Patch) bool { return p.Plan.Ranks() > 1 }) {
			t.Errorf("%d ranks: no patch of level %d is cut", ranks, l)
		}
	}
}

// Any number of ranks in slabs and pencils, with any number of threads, computes the bits of one.
func TestRanksAndThreadsAreTheSame(t *testing.T) {
	const steps = 3
	for k, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		if k == 2 && testing.Short() {
			continue
		}
		by := 3 - k // 2D levels are cut into up to five parts
		if by == 2 {
			brief.Fewer(t, "cells")
		}
		if k > 0 && testing.Short() {
			by = 1
		}
		for name, f := range flows(lattice, []string{"cumulant", "regularized", "recursive_regularized"}[k], by) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				want, err := f.states(1, 1, steps, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, ranks := range []int{1, 2, 3, 4, 7} {
					cuts := [][3]int{{}}
					if lattice != "D2Q9" && ranks > 1 {
						cuts = append(cuts, map[int][3]int{2: {1, 2, 1}, 3: {1, 3, 1}, 4: {1, 2, 2}, 7: {1, 7, 1}}[ranks])
						if testing.Short() {
							if cuts = cuts[1:]; ranks == 3 {
								cuts[0] = [3]int{} // along z
							}
						}
					}
					for _, f.cut = range cuts {
						threads := 2 - ranks%2
						if ranks == 1 {
							threads = 2
						}
						got, err := f.states(ranks, threads, steps, nil)
						if err != nil {
							t.Fatalf("%d ranks %v: %v", ranks, f.cut, err)
						}
						if by == 3 && ranks > 1 {
							f.sharesAllLevels(t, ranks)
						}
						for key, b := range want {
							if !bytes.Equal(got[key], b) {
								t.Errorf("%d ranks %v, %d threads: patch %d of level %d differs", ranks, f.cut, threads, key[1], key[0])
							}
						}
					}
				}
			})
		}
	}
}

// Readers that look at neighbours between steps change nothing, and find the same in overlap cells on any number of ranks.
func TestFill(t *testing.T) {
	const steps = 3
	brief.Fewer(t, "numbers of ranks")
	for k, lattice := range []string{"D2Q9", "D3Q19"} {
		for name, f := range flows(lattice, "cumulant", 2-k) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				same := func(what string, got, want map[[2]int][]byte) {
					for key, b := range want {
						if !bytes.Equal(got[key], b) {
							t.Errorf("%s: patch %d of level %d differs", what, key[1], key[0])
						}
					}
				}
				plain, err := f.states(1, 1, steps, nil)
				if err != nil {
					t.Fatal(err)
				}
				end := func(g *Grid) error { return errors.Join(g.Advance(steps), g.Fill()) }
				owned, err1 := f.bits(1, 1, nil, end, func(p decomp.Patch) decomp.Box { return p.Owned })
				want, err2 := f.bits(1, 1, nil, end, func(p decomp.Patch) decomp.Box { return p.Stored })
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				same("owned cells", owned, plain)
				for _, ranks := range []int{1, 2, 3} {
					for _, wrap := range []func(device.Device) device.Device{nil, (&town{}).move} {
						if testing.Short() && k > 0 && (ranks == 3) != (wrap == nil) {
							continue // the plane has all of them
						}
						got, err := f.filled(ranks, 1, steps, wrap)
						if err != nil {
							t.Fatalf("%d ranks: %v", ranks, err)
						}
						same(fmt.Sprintf("%d ranks, peers %t", ranks, wrap != nil), got, want)
					}
				}
			})
		}
	}
}

// poor is a device with memory for so many allocations more.
type poor struct {
	device.Device
	left int
}

func (d *poor) CouplesLevels(s model.Spec) bool {
	return d.Device.(device.LevelCoupler).CouplesLevels(s)
}

func (d *poor) Alloc(bytes int) (device.Buffer, error) {
	if d.left--; d.left < 0 {
		return nil, errors.New("out of memory")
	}
	return d.Device.Alloc(bytes)
}

// Where one rank lacks memory all of them end, and give back what they have.
func TestMemoryRunsOut(t *testing.T) {
	f := flows("D2Q9", "cumulant", 2)["concave"]
	failed := 0
	for allowed := 0; ; allowed++ {
		errs := make([]error, 2)
		err := comm.RunLocal(2, func(c comm.Comm) error {
			own, err := cpu.New(1)
			if err != nil {
				return err
			}
			defer own.Close()
			d := &poor{own, 1000}
			if c.Rank() == 1 {
				d.left = allowed
			}
			given, err := config.Load("test.toml", []byte(f.text))
			if err != nil {
				return err
			}
			h, err := f.hierarchy(given, 2)
			if err != nil {
				return err
			}
			g, err := New(rank.New(c, 1, nil), wholeOf(given), h, d)
			errs[c.Rank()] = err
			g.Close()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if errs[0] == nil && errs[1] == nil {
			break
		}
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "out of memory") {
				t.Fatalf("%d allocations on rank 1: rank %d ends with %v", allowed, r, err)
			}
		}
		failed++
	}
	if failed < 20 {
		t.Errorf("%d allocations at most", failed)
	}
}

// The initial state is the oracle's of the same flow with its exact gradient.
func TestInitialState(t *testing.T) {
	f := flows("D3Q19", "cumulant", 1)["concave"]
	f.alone(t, func(g *Grid) error {
		s, err := g.oracle()
		if err != nil {
			return err
		}
		k := [2]float64{2 * math.Pi / 10, 2 * math.Pi / 9}
		s.Set(func(at [3]float64) (density float64, u [3]float64, gradient [3][3]float64) {
			sin, cos := math.Sincos(k[1] * at[1])
			u[0], gradient[0][1] = 0.03*sin, 0.03*k[1]*cos
			sin, cos = math.Sincos(k[0]*at[0] + 1)
			u[1], gradient[1][0] = 0.02*cos, -0.02*k[0]*sin
			sin, cos = math.Sincos(k[0]*at[0] + k[1]*at[1])
			u[2], gradient[2][0], gradient[2][1] = 0.02*sin, 0.02*k[0]*cos, 0.02*k[1]*cos
			return 0.01 * math.Sin(k[0]*at[0]), u, gradient
		})
		worst, scale, _, err := g.compare(s)
		if t.Logf("differences up to %.2g of %.2g", worst, scale); !(worst <= 1e-7*scale) { // the gradients are central differences over 1e-3 cells, (k h)^2/6 = 8e-8
			t.Errorf("differences up to %.2g of %.2g", worst, scale)
		}
		return err
	})
}
