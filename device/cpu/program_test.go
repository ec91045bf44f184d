package cpu

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// channel is a flow between two walls across y, periodic else.
func channel(spec model.Spec, tau float64, values []float64, force [3]float64, n [3]int, lid [3]float64) example {
	e := example{spec: spec, n: n, periodic: [3]bool{true, false, true}, cells: model.NewCells(n)}
	e.cells.Velocity = [][3]float64{{}, lid}
	for z := -1; z <= n[2]; z++ {
		for x := -1; x <= n[0]; x++ {
			e.cells.Type[e.cells.Index(x, -1, z)] = 1
			e.cells.Type[e.cells.Index(x, n[1], z)] = 2
		}
	}
	e.params = model.NewParams(spec.Collision, tau, values, force)
	e.fields = make([]float64, spec.Lattice.Moments()*n[0]*n[1]*n[2])
	return e
}

func (r *run) fields(t testing.TB) []float64 {
	s := r.slabs[0]
	out := make([]float64, (1+r.e.spec.Lattice.Dims)*r.e.n[0]*r.e.n[1]*r.e.n[2])
	if err := s.p.Fields(s.state[0], decomp.Box{Hi: r.e.n}, out, r.e.params); err != nil {
		t.Fatal(err)
	}
	return out
}

// The exact profile between half-way walls, for every model: u_j = F/(2 nu)
// (y (H-y) + 4/3 (Lambda - 3/16)) (Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614).
func TestWallLaw(t *testing.T) {
	d := newDevice(t, 1, kernels.ISAs()[0].String())
	const h = 8
	for _, l := range model.Lattices {
		for _, c := range model.Collisions {
			for _, tau := range []float64{0.8, 1.5} {
				var values []float64
				for range c.Params {
					values = append(values, 3./16)
				}
				lambda := 3. / 16
				if c.WallLambda != nil {
					lambda = c.WallLambda(tau)
				}
				nu, force := (tau-0.5)/3, 1e-6
				r := start(t, d, channel(model.Spec{Lattice: l, Collision: c, Precision: model.Float64}, tau, values, [3]float64{force}, [3]int{3, h, 1}, [3]float64{}))
				r.step(t, int(6*h*h/nu))
				u := r.fields(t)
				for j := 0; j < h; j++ {
					y := float64(j) + 0.5
					want := force / 2 / nu * (y*(h-y) + 4./3*(lambda-3./16))
					if got := u[(j*(1+l.Dims)+1)*3]; math.Abs(got-want) > 1e-8*force/nu*h*h {
						t.Errorf("%s %s tau %g, node %d: u = %.12g, want %.12g", l.Name, c.Name, tau, j, got, want)
					}
				}
			}
		}
	}
}

// A closed box with a moving lid keeps its mass to rounding.
func TestMass(t *testing.T) {
	d := newDevice(t, 2, kernels.ISAs()[0].String())
	specs(func(spec model.Spec) {
		n := [3]int{33, 18, 17}
		if spec.Lattice.Dims == 2 {
			n[2] = 1
		}
		var values []float64
		for range spec.Collision.Params {
			values = append(values, 3./16)
		}
		e := channel(spec, 0.6, values, [3]float64{}, n, [3]float64{0.05, 0, 0})
		r := start(t, d, e)
		r.step(t, 200)
		planes, err := r.slabs[0].p.Planes(r.slabs[0].state[0], e.params)
		if err != nil {
			t.Fatal(err)
		}
		mass, cells, speed := 0.0, 0, 0.0
		for _, p := range planes {
			mass, cells, speed = mass+p.Mass, cells+p.Cells, max(speed, p.MaxSpeed)
		}
		limit := 1e-12
		if spec.Precision == model.Float32 {
			limit = 2e-5
		}
		if cells != n[0]*n[1]*n[2] || math.Abs(mass)/float64(cells) > limit || speed < 0.01 || speed > 0.06 {
			t.Errorf("%s: mass defect %g a cell of %d, largest speed %g", spec, mass/float64(cells), cells, speed)
		}
	})
}

// Fields gives back what Init took; solid cells are zero.
func TestInitFields(t *testing.T) {
	d := newDevice(t, 2, kernels.ISAs()[0].String())
	specs(func(spec model.Spec) {
		e := newExample(spec, [3]int{37, 6, 5}, [3]bool{true, false, true}, 1)
		got := start(t, d, e).fields(t)
		dims, m := spec.Lattice.Dims, spec.Lattice.Moments()
		for z := 0; z < e.n[2]; z++ {
			for y := 0; y < e.n[1]; y++ {
				for c := 0; c <= dims; c++ {
					for x := 0; x < e.n[0]; x++ {
						row := z*e.n[1] + y
						want := e.fields[(row*m+c)*e.n[0]+x]
						if e.cells.At(x, y, z) != 0 {
							want = 0
						}
						tolerance := 1e-15
						if spec.Precision == model.Float32 {
							tolerance = 1e-7
						}
						if v := got[(row*(1+dims)+c)*e.n[0]+x]; math.Abs(v-want) > tolerance {
							t.Fatalf("%s: component %d of cell %v is %g, want %g", spec, c, [3]int{x, y, z}, v, want)
						}
					}
				}
			}
		}
	})
}

// Planes agrees with sums over Fields, and finds one value that is not finite.
func TestPlanes(t *testing.T) {
	d := newDevice(t, 2, kernels.ISAs()[0].String())
	specs(func(spec model.Spec) {
		e := newExample(spec, [3]int{37, 6, 5}, [3]bool{true, true, true}, 2)
		r := start(t, d, e)
		s, f := r.slabs[0], r.fields(t)
		planes, err := s.p.Planes(s.state[0], e.params)
		if err != nil {
			t.Fatal(err)
		}
		dims := spec.Lattice.Dims
		var want device.Plane
		k, axis := 2, s.layout.Axis()
		var x [3]int
		for x[2] = 0; x[2] < e.n[2]; x[2]++ {
			for x[1] = 0; x[1] < e.n[1]; x[1]++ {
				for x[0] = 0; x[0] < e.n[0]; x[0]++ {
					if x[axis] != k || e.cells.At(x[0], x[1], x[2]) != 0 {
						continue
					}
					at := func(c int) float64 { return f[((x[2]*e.n[1]+x[1])*(1+dims)+c)*e.n[0]+x[0]] }
					rho, uu := 1+at(0), 0.0
					want.Cells++
					want.Mass += at(0)
					for a := 0; a < dims; a++ {
						want.Momentum[a] += rho * at(1+a)
						uu += at(1+a) * at(1+a)
					}
					want.Energy += rho * uu / 2
					if v := math.Sqrt(uu); v > want.MaxSpeed {
						want.MaxSpeed, want.MaxAt = v, x
					}
				}
			}
		}
		got := planes[k]
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
		if got.Cells != want.Cells || !near(got.Mass, want.Mass) || !near(got.Energy, want.Energy) || !near(got.MaxSpeed, want.MaxSpeed) || got.MaxAt != want.MaxAt ||
			!near(got.Momentum[0], want.Momentum[0]) || !near(got.Momentum[1], want.Momentum[1]) || !near(got.Momentum[2], want.Momentum[2]) {
			t.Errorf("%s: plane %d is %+v, want %+v", spec, k, got, want)
		}
		bad := [3]int{36, 3, 0}
		if axis == 2 {
			bad[2] = 4
		}
		for e.cells.At(bad[0], bad[1], bad[2]) != 0 {
			bad[0]--
		}
		for c := 0; c < spec.Components(); c++ {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				i, host := s.layout.At(bad[0], bad[1], bad[2], c), s.state[0].(device.HostVisible).Host()
				var old []byte
				if spec.Precision == model.Float32 {
					p := (*float32)(unsafe.Pointer(&host[4*i]))
					old = bytes.Clone(host[4*i : 4*i+4])
					*p = float32(v)
				} else {
					p := (*float64)(unsafe.Pointer(&host[8*i]))
					old = bytes.Clone(host[8*i : 8*i+8])
					*p = v
				}
				planes, err := s.p.Planes(s.state[0], e.params)
				if err != nil {
					t.Fatal(err)
				}
				for k, p := range planes {
					if k == bad[axis] && (p.Bad != 1 || p.BadAt != bad) || k != bad[axis] && p.Bad != 0 {
						t.Errorf("%s: %g in component %d of %v: plane %d has %d bad cells, first %v", spec, v, c, bad, k, p.Bad, p.BadAt)
					}
				}
				copy(host[len(old)*i:], old)
			}
		}
	})
}

// Any split of a step gives the same bits, on both kinds of ghosts.
func TestRanges(t *testing.T) {
	d := newDevice(t, 3, kernels.ISAs()[0].String())
	specs(func(spec model.Spec) {
		e := newExample(spec, [3]int{50, 9, 11}, [3]bool{true, true, false}, 5)
		whole, parts := start(t, d, e), start(t, d, e)
		whole.step(t, 1)
		parts.exchange()
		s := &parts.slabs[0]
		axis := s.layout.Axis()
		n := s.layout.N[axis]
		for _, r := range [][2]int{{n - 1, n}, {0, 1}, {1, 4}, {4, n - 1}} {
			b := decomp.Box{Hi: e.n}
			b.Lo[axis], b.Hi[axis] = r[0], r[1]
			s.p.Step(parts.stream, s.state[0], s.state[1], b, e.params)
		}
		if err := parts.stream.Sync(); err != nil {
			t.Fatal(err)
		}
		s.state[0], s.state[1] = s.state[1], s.state[0]
		a, b := whole.values(), parts.values()
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%s: value %d is %g in parts, %g in one", spec, i, b[i], a[i])
			}
		}
	})
}

// A box with ghosts along y as well (pencils) gives the same bits.
func TestPencil(t *testing.T) {
	d := newDevice(t, 2, kernels.ISAs()[0].String())
	for _, c := range model.Collisions {
		spec := model.Spec{Lattice: model.Lattices[1], Collision: c, Precision: model.Float32}
		e := newExample(spec, [3]int{40, 6, 5}, [3]bool{true, true, true}, 9)
		r := start(t, d, e)
		r.step(t, 1)
		l := decomp.NewLayout(e.n, [3]int{0, 1, 1}, spec.Components())
		p, err := d.Load(spec, l, e.periodic, e.cells)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		in, _ := d.Alloc(4 * l.Len())
		out, _ := d.Alloc(4 * l.Len())
		if err := p.Init(in, decomp.Box{Hi: e.n}, e.fields, e.params); err != nil {
			t.Fatal(err)
		}
		host, row := in.(device.HostVisible).Host(), 4*l.RowLen()
		wrap := func(k, n int) int { return (k + n) % n }
		for z := -1; z <= e.n[2]; z++ {
			for y := -1; y <= e.n[1]; y++ {
				copy(host[l.Row(y, z)*row:][:row], host[l.Row(wrap(y, e.n[1]), wrap(z, e.n[2]))*row:][:row])
			}
		}
		p.Step(r.stream, in, out, decomp.Box{Hi: e.n}, e.params)
		if err := r.stream.Sync(); err != nil {
			t.Fatal(err)
		}
		a := r.valuesOf(e.layout(e.n), r.slabs[0].state[0])
		b := r.valuesOf(l, out)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the pencil's result differs", spec)
		}
	}
}

// valuesOf is the memory image of the interior rows.
func (r *run) valuesOf(l decomp.Layout, b device.Buffer) []byte {
	var out []byte
	host, row := b.(device.HostVisible).Host(), 4*l.RowLen()
	for z := 0; z < l.N[2]; z++ {
		for y := 0; y < l.N[1]; y++ {
			out = append(out, host[l.Row(y, z)*row:][:row]...)
		}
	}
	return out
}

// Errors and panics of queued work arrive at Sync and Event.Wait; urgent work goes
// first; waiting for an event holds a queue back.
func TestQueues(t *testing.T) {
	d := newDevice(t, 1, kernels.ISAs()[0].String())
	s, other := d.NewStream(false).(*stream), d.NewStream(true).(*stream)
	boom := errors.New("boom")
	var order []string
	note := func(name string, wait time.Duration) *operation {
		return &operation{tasks: []task{func(*worker) error {
			time.Sleep(wait)
			order = append(order, name)
			return nil
		}}}
	}
	d.pool.push(s, note("bulk 1", 20*time.Millisecond))
	d.pool.push(s, note("bulk 2", 0))
	d.pool.push(other, note("edge", 0))
	e := s.Record()
	other.After(e)
	d.pool.push(other, note("last", 0))
	if err := other.Sync(); err != nil || !e.Done() {
		t.Error(err, e.Done())
	}
	if got := fmt.Sprint(order); got != "[bulk 1 edge bulk 2 last]" && got != "[edge bulk 1 bulk 2 last]" {
		t.Error(got)
	}
	s.fail(boom)
	if err := s.Record().Wait(); !errors.Is(err, boom) {
		t.Errorf("the event after an error says %v", err)
	}
	if err := s.Sync(); !errors.Is(err, boom) {
		t.Errorf("Sync says %v", err)
	}
	p := d.NewStream(false).(*stream)
	d.pool.push(p, &operation{tasks: []task{func(*worker) error { panic("oops") }}})
	if err := p.Sync(); err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("a panic arrives as %v", err)
	}
}

// No fused multiply-add may slip into the kernels: results would depend on the
// instruction set.
func TestNoContraction(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed, so the machine code cannot be searched")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip("this system does not show the test's own machine code: ", err)
	}
	out, err := exec.Command("sh", "-c", objdump+" -d "+self+" | grep -E 'vfn?m(add|sub)[0-9]*p[sd]' | head -3").Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 0 {
		t.Errorf("fused instructions in the kernels:\n%s", out)
	}
}
