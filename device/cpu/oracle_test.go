package cpu

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/kernels"
	"lbmsim/model"
)

// example is one random flow: every feature at once.
type example struct {
	spec     model.Spec
	n        [3]int
	periodic [3]bool
	cells    model.Cells
	params   model.Params
	fields   []float64 // as for Init
}

// newExample draws solids, walls, a force and a state; faces that are not periodic
// are walls, those at the upper ends move.
func newExample(spec model.Spec, n [3]int, periodic [3]bool, seed int64) example {
	r := rand.New(rand.NewSource(seed))
	e := example{spec: spec, n: n, periodic: periodic, cells: model.NewCells(n)}
	dims := spec.Lattice.Dims
	e.cells.Velocity = [][3]float64{{}, {0.02, 0.01, -0.03}, {-0.01, 0.02, 0.015}}
	if dims == 2 {
		e.n[2], periodic[2] = 1, true
		e.cells = model.NewCells(e.n)
		e.cells.Velocity = [][3]float64{{}, {0.02, 0.01}, {-0.01, 0.02}}
	}
	e.periodic, n = periodic, e.n
	solid := map[[3]int]uint8{}
	var x [3]int
	each := func(visit func()) {
		for x[2] = -1; x[2] <= n[2]; x[2]++ {
			for x[1] = -1; x[1] <= n[1]; x[1]++ {
				for x[0] = -1; x[0] <= n[0]; x[0]++ {
					visit()
				}
			}
		}
	}
	each(func() {
		if r.Float64() < 0.1 {
			solid[x] = 1 + uint8(r.Intn(3))
		}
	})
	each(func() {
		home, wall := x, uint8(0)
		for a := range x {
			if periodic[a] {
				home[a] = (x[a] + n[a]) % n[a]
			} else if x[a] < 0 {
				wall = 1
			} else if x[a] >= n[a] {
				wall = 2
			}
		}
		if wall == 0 {
			wall = solid[home]
		}
		e.cells.Type[e.cells.Index(x[0], x[1], x[2])] = wall
	})
	var values []float64
	for range spec.Collision.Params {
		values = append(values, 0.21)
	}
	force := [3]float64{1e-3, -2e-3, 1.5e-3}
	if dims == 2 {
		force[2] = 0
	}
	e.params = model.NewParams(spec.Collision, 0.63, values, force)
	e.fields = make([]float64, spec.Lattice.Moments()*n[0]*n[1]*n[2])
	for i := range e.fields {
		e.fields[i] = 0.04 * (r.Float64() - 0.5)
	}
	return e
}

// layout cuts along z in 3D and along y in 2D.
func (e example) layout(n [3]int) decomp.Layout {
	ghost := [3]int{0, 0, 1}
	if e.spec.Lattice.Dims == 2 {
		ghost = [3]int{0, 1, 0}
	}
	return decomp.NewLayout(n, ghost, e.spec.Components())
}

// run is an example on a device, cut into slabs.
type run struct {
	e      example
	d      *Device
	axis   int
	slabs  []slab
	stream device.Stream
}

type slab struct {
	lo, n  int
	layout decomp.Layout
	p      device.Program
	state  [2]device.Buffer
}

func start(t testing.TB, d *Device, e example, cuts ...int) *run {
	r := &run{e: e, d: d, axis: e.layout(e.n).Axis(), stream: d.NewStream(false)}
	cuts = append(append([]int{0}, cuts...), e.n[r.axis])
	for i := 0; i+1 < len(cuts); i++ {
		s := slab{lo: cuts[i], n: cuts[i+1] - cuts[i]}
		n := e.n
		n[r.axis] = s.n
		s.layout = e.layout(n)
		cells := model.NewCells(n)
		cells.Velocity = e.cells.Velocity
		for z := -1; z <= n[2]; z++ {
			for y := -1; y <= n[1]; y++ {
				for x := -1; x <= n[0]; x++ {
					g := [3]int{x, y, z}
					g[r.axis] += s.lo
					cells.Type[cells.Index(x, y, z)] = e.cells.At(g[0], g[1], g[2])
				}
			}
		}
		var err error
		if s.p, err = d.Load(e.spec, s.layout, e.periodic, cells); err != nil {
			t.Fatal(err)
		}
		for k := range s.state {
			if s.state[k], err = d.Alloc(s.layout.Len() * e.spec.Precision.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		plane := len(e.fields) / e.n[r.axis]
		box := decomp.Box{Hi: n}
		if err := s.p.Init(s.state[0], box, e.fields[s.lo*plane:(s.lo+s.n)*plane], e.params); err != nil {
			t.Fatal(err)
		}
		r.slabs = append(r.slabs, s)
	}
	t.Cleanup(func() {
		for _, s := range r.slabs {
			s.p.Close()
			s.state[0].Free()
			s.state[1].Free()
		}
	})
	return r
}

// exchange copies the ghost planes; at a wall they stay zero.
func (r *run) exchange() {
	b := r.e.spec.Precision.Bytes()
	for i, s := range r.slabs {
		for _, up := range []int{-1, 1} {
			j := i + up
			if j < 0 || j >= len(r.slabs) {
				if !r.e.periodic[r.axis] {
					continue
				}
				j = (j + len(r.slabs)) % len(r.slabs)
			}
			o := r.slabs[j]
			from, to := o.n-1, -1
			if up > 0 {
				from, to = 0, s.n
			}
			lo, hi := o.layout.Plane(from)
			at, _ := s.layout.Plane(to)
			r.stream.Copy(s.state[0], at*b, o.state[0], lo*b, (hi-lo)*b)
		}
	}
}

func (r *run) step(t testing.TB, steps int) {
	for range steps {
		r.exchange()
		for i := range r.slabs {
			s := &r.slabs[i]
			s.p.Step(r.stream, s.state[0], s.state[1], decomp.Box{Hi: s.layout.N}, r.e.params)
			s.state[0], s.state[1] = s.state[1], s.state[0]
		}
	}
	if err := r.stream.Sync(); err != nil {
		t.Fatal(err)
	}
}

// values is the state of all interior cells, [z][y][c][x] without padding.
func (r *run) values() []float64 {
	var out []float64
	for _, s := range r.slabs {
		host := s.state[0].(device.HostVisible).Host()
		for z := 0; z < s.layout.N[2]; z++ {
			for y := 0; y < s.layout.N[1]; y++ {
				for c := 0; c < s.layout.Components; c++ {
					for x := 0; x < s.layout.N[0]; x++ {
						i := s.layout.At(x, y, z, c)
						if r.e.spec.Precision == model.Float32 {
							out = append(out, float64(*(*float32)(unsafe.Pointer(&host[4*i]))))
						} else {
							out = append(out, *(*float64)(unsafe.Pointer(&host[8*i])))
						}
					}
				}
			}
		}
	}
	return out
}

// oracle runs the example with the reference; the result is arranged as values.
func (e example) oracle(steps int) []float64 {
	l := e.spec.Lattice
	f := ref.New(l, e.spec.Collision.Name, e.params, e.periodic, e.cells)
	pairs := ref.Pairs(l.Dims)
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			return
		}
		get := func(c int) float64 { return e.fields[((x[2]*e.n[1]+x[1])*l.Moments()+c)*e.n[0]+x[0]] }
		rho := 1 + get(0)
		var u, j [3]float64
		for a := 0; a < l.Dims; a++ {
			u[a] = get(1 + a)
			j[a] = rho*u[a] - e.params.Force[a]/2
		}
		in := make([]float64, l.Q())
		for i, c := range l.Velocities {
			in[i] = rho
			for a := 0; a < l.Dims; a++ {
				in[i] += 3 * float64(c[a]) * j[a]
			}
			for k, ab := range pairs {
				a, b := ab[0], ab[1]
				s := rho*u[a]*u[b] - 2*rho/3/e.params.Omega*get(1+l.Dims+k) - (u[a]*e.params.Force[b]+u[b]*e.params.Force[a])/2
				h := float64(c[a] * c[b])
				if a == b {
					h -= 1. / 3
				} else {
					s *= 2
				}
				in[i] += 4.5 * h * s
			}
			in[i] *= l.Weights[i]
		}
		f.F[cell] = f.Collide(in)
	})
	for range steps {
		f.Step()
	}
	out := make([]float64, len(f.F)*e.spec.Components())
	f.Each(func(cell int, x [3]int, solid bool) {
		v := make([]float64, e.spec.Components())
		if !solid && e.spec.Collision.Scheme == model.Moments {
			v = f.Moments(f.F[cell])
		} else if !solid {
			for i := range v {
				v[i] = f.F[cell][i] - l.Weights[i]
			}
		}
		for c := range v {
			out[((x[2]*e.n[1]+x[1])*len(v)+c)*e.n[0]+x[0]] = v[c]
		}
	})
	return out
}

// specs calls test for every instance.
func specs(test func(model.Spec)) {
	for _, l := range model.Lattices {
		for _, c := range model.Collisions {
			for _, p := range model.Precisions {
				test(model.Spec{Lattice: l, Collision: c, Precision: p})
			}
		}
	}
}

func newDevice(t testing.TB, threads int, isa string) *Device {
	d, err := New(threads, WithISA(isa))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// Every instance against the oracle: random states, solids, moving walls, a force,
// all combinations of periodic axes, ragged sizes; and one box against the same
// box cut in three, and against every other instruction set and number of
// threads: equal numbers, though a zero may differ in its sign.
func TestOracle(t *testing.T) {
	isas := kernels.ISAs()
	for _, want := range []string{"avx2", "avx512"} {
		found := false
		for _, i := range isas {
			found = found || i.String() == want
		}
		if !found {
			t.Logf("%s is not tested: this processor or this build lacks it", want)
		}
	}
	var devices []*Device
	for i, isa := range isas {
		devices = append(devices, newDevice(t, 1+2*(i%2), isa.String()))
	}
	sizes := [][3]int{{7, 5, 6}, {33, 4, 3}, {20, 9, 5}, {1, 3, 4}, {16, 1, 3}}
	if !testing.Short() {
		sizes = append(sizes, [3]int{300, 3, 4}, [3]int{65, 70, 3})
	}
	specs(func(spec model.Spec) {
		t.Run(fmt.Sprint(spec), func(t *testing.T) {
			for k, n := range sizes {
				for mask := range 8 {
					if mask >= 4 && spec.Lattice.Dims == 2 || k >= 5 && mask != 0 && mask != 7 {
						continue
					}
					const steps = 3
					e := newExample(spec, n, [3]bool{mask&1 != 0, mask&2 != 0, mask&4 != 0}, int64(8*k+mask))
					want := e.oracle(steps)
					tolerance := 2e-13
					if spec.Precision == model.Float32 {
						tolerance = 3e-7
					}
					var first []float64
					for _, d := range devices {
						m := e.n[e.layout(e.n).Axis()]
						for _, cuts := range [][]int{{}, {1, m - 1}} {
							if m < 3 && len(cuts) > 0 {
								continue
							}
							r := start(t, d, e, cuts...)
							r.step(t, steps)
							got := r.values()
							if first == nil {
								first = got
								worst, at := 0.0, 0
								for i := range got {
									if diff := math.Abs(got[i] - want[i]); !(diff <= worst) {
										worst, at = diff, i
									}
								}
								if !(worst <= tolerance) {
									t.Fatalf("%v periodic %v: value %d is %g, oracle %g", e.n, e.periodic, at, got[at], want[at])
								}
							}
							for i := range got {
								if got[i] != first[i] {
									t.Fatalf("%v periodic %v cuts %v: value %d is %g on %s, %g at first: not the same bits", e.n, e.periodic, cuts, i, got[i], d.Info().Detail, first[i])
								}
							}
						}
					}
				}
			}
		})
	})
}
