package scaling

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim"
)

// head is what all cases here have in common: a closed box with a moving lid.
const head = `
[domain]
lattice = "D3Q19"
cells = [%d, %d, %d]
[collision]
model = %q
precision = %q
[fluid]
viscosity = 0.03
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
[run]
steps = 1
ranks = [%d, %d, %d]
watch_every = 1000000000 # the watch comes after the last turn
`

func common(collision, precision string, n, parts [3]int) string {
	return fmt.Sprintf(head, n[0], n[1], n[2], collision, precision, parts[0], parts[1], parts[2])
}

// timed is the case of the turns. The fluid moves at first, so that there are numbers
// everywhere: a processor may be faster with zeros, and slower close to them.
func timed(collision, precision string, n, parts [3]int) string {
	return common(collision, precision, n, parts) + `[initial]
velocity = [0.01, 0.02, -0.01]
`
}

// proof is the case of the verification: no two planes are alike, and a ball lies
// across the cuts.
func proof(collision, precision string, n, parts [3]int) string {
	return common(collision, precision, n, parts) + fmt.Sprintf(`[initial]
velocity = [
  "0.03*sin(2*pi*(y/Ly + 2*z/Lz))",
  "0.02*cos(2*pi*(x/Lx - z/Lz))",
  "0.02*sin(2*pi*(3*x/Lx + y/Ly))*cos(5*pi*z/Lz)",
]
[body.ball]
shape = "sphere"
centre = [%g, %g, %g]
radius = %g
`, float64(n[0])/2, float64(n[1])/2, float64(n[2])/2, max(1, float64(min(n[0], n[1], n[2]))/3))
}

// whole is no cut.
var whole = [3]int{1, 1, 1}

func load(text string) (*config.Case, error) {
	kase, err := config.Load("bench scaling", []byte(text))
	if err != nil { // the same text gives the same error everywhere
		return nil, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	return kase, nil
}

// spec of the cases.
func spec(collision, precision string) (model.Spec, error) {
	kase, err := load(timed(collision, precision, [3]int{32, 16, 16}, whole))
	if err != nil {
		return model.Spec{}, err
	}
	return kase.Spec, nil
}

// verification is a state that was compared with one rank's.
type verification struct {
	cells, parts [3]int
}

// thin is the verification of a box in that many parts: four planes of each.
func thin(cells, parts [3]int) verification {
	cells[2] = parts[2] * min(4, cells[2]/parts[2])
	return verification{cells, parts}
}

// verify computes some steps on the ranks and on one of them, and compares every bit of
// the states. The cut is the one that is timed, and so are the lengths of rows and of
// the messages across z. What was verified once is not computed again.
func (m *Measurement) verify(v verification) (uint64, error) {
	if hash, done := m.verified[v]; done {
		return hash, nil
	}
	hashes, ranks := map[int]uint64{}, v.parts[1]*v.parts[2]
	for _, parts := range [][3]int{whole, v.parts} {
		n := parts[1] * parts[2]
		c, err := m.ready(n, proof(m.Model, m.Precision, v.cells, parts))
		if err != nil {
			return 0, err
		}
		err = m.in(n, func(comm.Comm) error {
			for _, steps := range []int{7, 10} { // recorded pairs, and one step left
				if _, err := c.Steps(steps); err != nil {
					return err
				}
			}
			h, err := c.Hash()
			hashes[n] = h
			return err
		})
		if err == nil {
			c.close()
		}
		if err != nil {
			return 0, err
		}
	}
	var err error
	if m.Comm.Rank() == 0 && hashes[1] != hashes[ranks] {
		err = fmt.Errorf("%d ranks compute another state than one rank: hash %016x, not %016x, of %d x %d x %d cells after 17 steps",
			ranks, hashes[ranks], hashes[1], v.cells[0], v.cells[1], v.cells[2])
	}
	if err := sim.Agreed(sim.ExitFailure, comm.Agree(m.Comm, err)); err != nil {
		return 0, err
	}
	m.verified[v] = hashes[ranks]
	return hashes[ranks], nil
}
