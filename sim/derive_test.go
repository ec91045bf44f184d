package sim

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
)

// image is fields on the host, [z][y][component][x].
type image[In number] struct {
	box        decomp.Box
	components int
	values     []In
}

// snapshotOf makes random fields of a box with ghost planes, as a device leaves them on
// the host, a sampler of them, and the cells, some of them solid.
func snapshotOf[Out, In number](n [3]int, units config.Units, list ...model.Field) (*sampler[In, Out], image[In]) {
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
	cells := model.NewCells(n)
	for i := range cells.Type {
		cells.Type[i] = uint8(max(0, random.Intn(40)-36))
	}
	r := &run{Options: Options{Case: &config.Case{Cells: n, Units: units, Spec: model.Spec{Lattice: model.Lattice{Dims: dims}}}}, layout: decomp.NewLayout(n, ghost, 1), cells: cells, faces: 1}
	return newSampler[Out](r, held(h.box, h.components, h.values), list...), h
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

func defined[Out, In number](t *testing.T, n [3]int, units config.Units) {
	t.Helper()
	for _, f := range model.Fields {
		s, h := snapshotOf[Out, In](n, units, f)
		factor := units.Factor(f.Dim)
		axis := s.axis()
		var out []Out
		for k := range n[axis] {
			var err error
			if out, err = s.sample(f, k, out); err != nil {
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
					want = factor * s.curl(x, y, z)[c]
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

// What a thread of an output does beside writing: nanoseconds a value.
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

func sampleAgain[Out, In number](b *testing.B, s *sampler[In, Out], f model.Field) {
	var out []Out
	for i := range b.N {
		var err error
		if out, err = s.sample(f, i%s.layout.N[2], out); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(bytesOf(out))))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/value")
}
