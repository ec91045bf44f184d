// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"strings"
	"testing"

	"lbmsim/decomp"
	"lbmsim/internal/brief"
)

// laws are tables of cases whose cells have relaxation times of their own, in lattice units of level 0.
var laws = map[string]string{
	"smagorinsky": "\n[turbulence]\nmodel = \"smagorinsky\"\nconstant = 0.3\n",
	"wale":        "\n[turbulence]\nmodel = \"wale\"\nconstant = 0.5\n",
	"power_law":   "viscosity_law = \"power_law\"\nindex = 0.6\nshear_rate = 0.01\nviscosity_min = 0.01\nviscosity_max = 0.06\n",
	"carreau":     "viscosity_law = \"carreau\"\nindex = 0.4\nviscosity_infinite = 0.004\ntime_constant = 100\n",
}

// lawful returns the flow with a law.
func (f flow) lawful(law string) flow {
	if table := laws[law]; table[0] == '\n' {
		f.text += table
	} else {
		f.text = strings.Replace(f.text, "[fluid]\n", "[fluid]\n"+table, 1)
	}
	return f
}

// Steps of three levels by every law are the oracle's, beyond the step of level 0 at which eddies are found again.
func TestLawsAreTheOracles(t *testing.T) {
	brief.Fewer(t, "precisions")
	for k, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for law := range laws {
			for name, f := range flows(lattice, []string{"regularized", "cumulant", "recursive_regularized"}[k], 1) {
				steps := 9
				if k > 0 {
					if testing.Short() && (k == 2 || law != "wale" || name != "channel") {
						continue
					}
					steps = 4
				}
				t.Run(lattice+" "+law+" "+name, func(t *testing.T) {
					f := f.lawful(law)
					f.asOracle(t, steps, 1e-12)
					if testing.Short() && (k > 0 || name != "channel" && name != "body") {
						return
					}
					f.text = strings.Replace(f.text, "float64", "float32", 1)
					f.asOracle(t, steps, 5e-5)
				})
			}
		}
	}
}

// Any number of ranks computes the bits of one, whether steps are queued one by one or recorded, and whether readers look at neighbours
// between steps.
func TestLawsOnRanks(t *testing.T) {
	const steps = 25 // of level 0: 8 from one pass to the next
	brief.Fewer(t, "numbers of ranks")
	for _, law := range []string{"wale", "smagorinsky"} {
		for name, f := range flows("D2Q9", "cumulant", 2) {
			if name != "channel" && name != "ends" {
				continue
			}
			f := f.lawful(law)
			t.Run(law+" "+name, func(t *testing.T) {
				owned := func(p decomp.Patch) decomp.Box { return p.Owned }
				want, err := f.states(1, 1, steps, nil)
				if err != nil {
					t.Fatal(err)
				}
				same := func(what string, got map[[2]int][]byte, err error) {
					t.Helper()
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					for key, b := range want {
						if !bytes.Equal(got[key], b) {
							t.Errorf("%s: patch %d of level %d differs", what, key[1], key[0])
						}
					}
				}
				for _, ranks := range []int{1, 2, 3} {
					if testing.Short() && ranks == 2 {
						continue
					}
					got, err := f.states(ranks, 1, steps, nil)
					same("queued", got, err)
					looked, err := f.bits(ranks, 1, nil, func(g *Grid) error {
						for range steps {
							if err := g.Fill(); err != nil {
								return err
							}
							if err := g.Advance(1); err != nil {
								return err
							}
						}
						return nil
					}, owned)
					same("read", looked, err)
					town := &town{}
					got, err = f.states(ranks, 1, steps, town.move)
					same("recorded", got, err)
					for _, n := range town.people {
						if least := map[string]int{"wale": 2, "smagorinsky": 3}[law]; n.launches != least { // from step 8 on; from step 1 on
							t.Errorf("%d ranks: %d launches in %d steps, want %d", ranks, n.launches, steps, least)
						}
					}
				}
			})
		}
	}
}
