// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package scaling

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim"
)

// head is the common part of all cases here: a closed box with a moving lid.
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
forensics = false
%s`

func (s setting) common(n, parts [3]int) string {
	device := ""
	if s.transport != Auto {
		device = fmt.Sprintf("[device]\ntransport = %q\n", s.transport)
	}
	return fmt.Sprintf(head, n[0], n[1], n[2], s.model, s.precision, parts[0], parts[1], parts[2], device)
}

// setting is the common part of all sizes.
type setting struct{ model, precision, transport string }

// timed returns the case of the timed turns. The fluid moves at first, so that there are numbers
// everywhere: a processor may be faster with zeros, and slower close to them.
func (s setting) timed(n, parts [3]int) string {
	return s.common(n, parts) + `[initial]
velocity = [0.01, 0.02, -0.01]
`
}

// proof returns the case of the verification: no two planes are alike, and a ball lies
// across the cuts.
func (s setting) proof(n, parts [3]int) string {
	return s.common(n, parts) + fmt.Sprintf(`[initial]
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

// whole means uncut.
var whole = [3]int{1, 1, 1}

func load(text string) (*config.Case, error) {
	flowCase, err := config.Load("bench scaling", []byte(text))
	if err != nil { // the same text gives the same error everywhere
		return nil, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	return flowCase, nil
}

// spec of the cases.
func (s setting) spec() (model.Spec, error) {
	flowCase, err := load(s.timed([3]int{32, 16, 16}, whole))
	if err != nil {
		return model.Spec{}, err
	}
	return flowCase.Spec, nil
}

// verification is a state that was compared with one rank's.
type verification struct {
	setting
	cells, parts [3]int
}

// thin returns the verification of a box in that many parts: four planes of each, or as many as it has.
func (s setting) thin(cells, parts [3]int) verification {
	cells[2] = parts[2] * min(4, cells[2]/parts[2])
	return verification{s, cells, parts}
}

// unbuilt is the error of ranks without the memory or the transport for a measurement.
type unbuilt struct{ error }

// verify computes some steps on the ranks and on one of them, and compares every bit of
// the states. The cut is the one that is timed, and so are the lengths of rows and of
// the messages across z. Results are computed once.
func (m *Measurement) verify(v verification) (uint64, error) {
	one := v
	one.parts, one.transport = whole, Auto
	want, err := m.hash(one)
	if err != nil {
		return 0, err
	}
	got, err := m.hash(v)
	if err != nil {
		return 0, err
	}
	if got != want { // on every rank
		return 0, &sim.Error{Code: sim.ExitFailure, Err: fmt.Errorf("%d ranks (transport %s) do not reproduce the state of one rank: hash %016x, not %016x, of %d x %d x %d cells after 17 steps",
			v.parts[1]*v.parts[2], v.transport, got, want, v.cells[0], v.cells[1], v.cells[2])}
	}
	return got, nil
}

// hash returns the hash of the state after some steps, known to every rank.
func (m *Measurement) hash(v verification) (uint64, error) {
	if h, done := m.hashes[v]; done {
		return h, nil
	}
	n := v.parts[1] * v.parts[2]
	c, err := m.ready(n, v.proof(v.cells, v.parts))
	if err != nil {
		return 0, unbuilt{err}
	}
	var h uint64
	err = m.in(n, func(comm.Comm) (err error) {
		for _, steps := range []int{7, 10} { // recorded pairs, and one step left
			if _, err = c.Steps(steps); err != nil {
				return err
			}
		}
		h, err = c.Hash()
		return err
	})
	c.close(err)
	if err != nil {
		return 0, err
	}
	all, err := comm.Together(m.Comm, h)
	if err != nil {
		return 0, err
	}
	m.hashes[v] = all[0]
	return all[0], nil
}
