package boundary

// ScalarLaw is what a wall or a face does to a scalar (kernels/scalar.h has the formulas).
type ScalarLaw int

const (
	ScalarClosed ScalarLaw = iota // nothing passes: an adiabatic wall
	ScalarFixed                   // the value at the wall
	ScalarFlux                    // what comes into the fluid, for a unit of area and time
	ScalarOpen                    // no gradient: what flows out takes its own value with it
)

// ScalarWall is a wall's law and its number, in lattice units.
type ScalarWall struct {
	Law   ScalarLaw
	Value float64
}

// ScalarLink is a link of a scalar's lattice to a wall that is measured, for
// kernels/scalar.h: of cell X in interior row z*ny + y, along the direction out of the
// wall, whose type follows.
type ScalarLink struct{ X, Row, Direction, Type uint32 }

// ScalarLinks lists them, row after row, in rising x.
func (w *Walls) ScalarLinks() (list []ScalarLink) {
	if !w.measured() {
		return nil
	}
	n := w.given.N
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				if w.given.At(x, y, z) != 0 {
					continue
				}
				for i := 1; i <= 2*w.lattice.Dims; i++ {
					from := [3]int{x, y, z}
					from[(i-1)/2] += 2*(1-i%2) - 1 // odd directions are those along an axis
					if k := w.given.At(from[0], from[1], from[2]); k != 0 && w.given.Wall(k).Measured {
						list = append(list, ScalarLink{uint32(x), uint32(z*n[1] + y), uint32(i), uint32(k)})
					}
				}
			}
		}
	}
	return list
}

func (w *Walls) measured() bool {
	for _, wall := range w.given.Walls {
		if wall.Measured {
			return true
		}
	}
	return false
}

// ScalarTypes are the types of all cells and of one layer around (Cells.Type).
func (w *Walls) ScalarTypes() []uint8 { return w.given.Type }

// ScalarLaws are the laws of all types, 0 too: the number of the law and its value.
func ScalarLaws[T float32 | float64](w *Walls) []T {
	list := make([]T, 2, 2*(1+len(w.given.Velocity)))
	for k := range w.given.Velocity {
		law := w.given.Wall(uint8(k + 1)).Scalar
		list = append(list, T(law.Law), T(law.Value))
	}
	return list
}
