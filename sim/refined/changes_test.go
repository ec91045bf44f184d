// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/decomp"
	"lbmsim/internal/brief"
)

// changing returns refined cases whose faces and force change with time: inlets by a formula with t, a pressure and walls with a
// ramp, walls by ghost cells and by bounce-back, a sponge, at boxes of three levels in corners of the domain.
func changing(lattice string, by int) map[string]flow {
	list := map[string]flow{}
	plain := flows(lattice, "cumulant", by)
	zero, sides := ", 0]", ""
	if lattice != "D2Q9" {
		zero, sides = ", 0, 0]", `, "z-", "z+"`
	}
	faces := func(f flow, text string) flow {
		at := strings.Index(f.text, "[boundary.")
		f.text = f.text[:at] + text + f.text[strings.Index(f.text, "[run]"):]
		return f
	}
	pulse := "[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [\"(0.03 + 1e-3*y)*(1 + 0.5*sin(t/3))\"" + zero + "\n[boundary.out]\ntype = \"pressure\"\nfaces = [\"x+\"]\npressure = 2e-3\nramp = 9\n"
	wall := "[boundary.top]\ntype = \"moving_wall\"\nfaces = [\"y+\"]\nvelocity = [0.05" + zero + "\nramp = 7\n"
	list["channel"] = faces(plain["channel"], pulse+wall+"[boundary.sides]\ntype = \"slip\"\nfaces = [\"y-\""+sides+"]\n")
	list["lid"] = faces(plain["walls"], wall+"[boundary.rest]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\""+sides+"]\n")
	sponge := plain["channel"]
	sponge.text = strings.Replace(strings.Replace(sponge.text, "type = \"outflow\"", "type = \"outflow\"\nsponge = 4.2\nsponge_viscosity = 0.2", 1), "0.04 + 1e-3*y", "0.04 + 1e-3*y + 2e-3*sin(t)", 1)
	list["sponge"] = sponge
	force := plain["ends"]
	force.text = strings.Replace(force.text, `force_density = ["1e-5"`, `force_density = ["3e-5*cos(t/2)"`, 1)
	list["force"] = force
	return list
}

// Steps with faces, walls and forces that change are the oracle's, to the bounds of those without.
func TestChangingStepsAreTheOracles(t *testing.T) {
	for _, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		if lattice == "D3Q27" && testing.Short() {
			continue
		}
		for name, f := range changing(lattice, 1) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				f.asOracle(t, 5, 1e-12)
				if lattice != "D2Q9" && testing.Short() {
					return
				}
				f.text = strings.Replace(f.text, "float64", "float32", 1)
				f.asOracle(t, 5, 5e-5)
			})
		}
	}
}

// Any number of ranks computes the bits of one, in queues of steps, recorded, and with readers of neighbours between steps.
func TestChangingStepsOnRanks(t *testing.T) {
	const steps = 13
	brief.Fewer(t, "ranks and lattices")
	for k, lattice := range []string{"D2Q9", "D3Q19"} {
		if k > 0 && testing.Short() {
			continue
		}
		for name, f := range changing(lattice, 2-k) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				want, err := f.states(1, 1, steps, nil)
				if err != nil {
					t.Fatal(err)
				}
				look := func(g *Grid) error {
					for range steps {
						if err := g.Fill(); err != nil {
							return err
						}
						if err := g.Advance(1); err != nil {
							return err
						}
					}
					return nil
				}
				cuts := []int{1, 2, 3, 7}
				if testing.Short() {
					cuts = []int{1, 3}
				}
				for _, ranks := range cuts {
					town := &town{}
					queued, err := f.states(ranks, 1, steps, town.move)
					if err != nil {
						t.Fatalf("%d ranks, queued: %v", ranks, err)
					}
					if n := town.people[0].launches; (n > 0) == (name == "force") {
						t.Errorf("%d launches of recordings", n)
					}
					looked, err := f.bits(ranks, 2, nil, look, func(p decomp.Patch) decomp.Box { return p.Owned })
					if err != nil {
						t.Fatalf("%d ranks: %v", ranks, err)
					}
					for key, b := range want {
						if !bytes.Equal(queued[key], b) || !bytes.Equal(looked[key], b) {
							t.Errorf("%d ranks: patch %d of level %d differs: queued %t, with readers %t", ranks, key[1], key[0], !bytes.Equal(queued[key], b), !bytes.Equal(looked[key], b))
						}
					}
				}
			})
		}
	}
}

// A closed box keeps its mass while its lid gets under way, to the bound of a steady lid.
func TestMassStaysUnderALidThatStarts(t *testing.T) {
	for lattice, steps := range map[string]int{"D2Q9": 400, "D3Q27": 40} {
		f := changing(lattice, 1)["lid"]
		f.text = strings.Replace(f.text, "ramp = 7", fmt.Sprintf("ramp = %d", steps), 1)
		drift := f.drift(t, steps)
		if t.Logf("%s: %.1e per step and cell", lattice, drift); !(math.Abs(drift) <= 1e-17) {
			t.Errorf("%s: the mass changes by %.1e per step and cell", lattice, drift)
		}
	}
}
