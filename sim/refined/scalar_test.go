// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lbmsim/decomp"
	"lbmsim/internal/brief"
)

// warm returns the flow with a temperature that drives it, of relaxation time tau on level 0: given at faces that fluid enters through, at
// moving walls and bodies; a heat flux at those that rest in the flow called walls.
func (f flow) warm(tau float64) flow {
	for head, key := range map[string]string{"boundary.in": "temperature = 0.04", "boundary.lid": "temperature = 0.05", "body.ball": "temperature = 0.06"} {
		f.text = strings.Replace(f.text, "["+head+"]\n", "["+head+"]\n"+key+"\n", 1)
	}
	gravity := "[1e-3, -2e-3]"
	if strings.Contains(f.text, "D3") {
		gravity = "[1e-3, -2e-3, 5e-4]"
	} else if f.text = strings.Replace(f.text, "[boundary.rest]\n", "[boundary.rest]\nheat_flux = 1e-4\n", 1); true {
		f.text = strings.Replace(f.text, "[boundary.sides]\ntype = \"wall\"\n", "[boundary.sides]\ntype = \"wall\"\nheat_flux = 1e-4\n", 1)
	}
	f.text += fmt.Sprintf("\n[temperature]\ndiffusivity = %g\n", (tau-0.5)/3) + "expansion = 1\ngravity = " + gravity + "\nreference = 0\ninitial = \"0.03 + 0.02*sin(2*pi*x/Lx)\"\n"
	return f
}

// Steps of three levels with a temperature are the oracle's: its flux rescaled and, at tau 0.75 and 1, from differences.
func TestScalarsAreTheOracles(t *testing.T) {
	brief.Fewer(t, "precisions")
	for k, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for name, f := range flows(lattice, []string{"regularized", "cumulant", "recursive_regularized"}[k], 1) {
			for _, tau := range []float64{0.6, 0.75, 1} {
				steps := 9
				if k > 0 {
					if testing.Short() && (k == 2 || tau != 0.6 || name != "channel") {
						continue
					}
					steps = 4
				}
				t.Run(fmt.Sprintf("%s %s %g", lattice, name, tau), func(t *testing.T) {
					f := f.warm(tau)
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

// So are they where eddies carry the temperature, also where the finest level is too viscous for Smagorinsky's to do so.
func TestEddyHeatIsTheOracles(t *testing.T) {
	brief.Fewer(t, "precisions")
	for k, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for law, viscosity := range map[string]string{"wale": "", "smagorinsky": "", "smagorinsky, viscous": "viscosity = 0.04\n"} {
			for name, f := range flows(lattice, []string{"regularized", "cumulant", "recursive_regularized"}[k], 1) {
				steps := 9
				if k > 0 {
					if testing.Short() && (k == 2 || law != "smagorinsky" || name != "channel") {
						continue
					}
					steps = 4
				}
				t.Run(lattice+" "+law+" "+name, func(t *testing.T) {
					law, _, _ := strings.Cut(law, ",")
					f := f.lawful(law).warm(0.55)
					if viscosity != "" {
						f.text = regexp.MustCompile("(?m)^viscosity = .*\n").ReplaceAllString(f.text, viscosity)
					}
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

// Any number of ranks computes the bits of one, queued or recorded, and where eddies carry the temperature.
func TestScalarsOnRanks(t *testing.T) {
	const steps = 12
	brief.Fewer(t, "numbers of ranks")
	for _, lattice := range []string{"D2Q9", "D3Q19"} {
		for name, f := range flows(lattice, "cumulant", 2) {
			if name == "concave" || lattice != "D2Q9" && (testing.Short() || name != "channel") {
				continue
			}
			f := f.warm(0.6)
			if name == "channel" {
				f = f.lawful("wale")
			}
			t.Run(lattice+" "+name, func(t *testing.T) {
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
				for _, ranks := range []int{2, 3, 7} {
					if testing.Short() && ranks == 3 {
						continue
					}
					got, err := f.states(ranks, 2, steps, nil)
					same("queued", got, err)
					town := &town{}
					got, err = f.states(ranks, 1, steps, town.move)
					same("recorded", got, err)
				}
				read, err := f.bits(2, 1, nil, func(g *Grid) error {
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
				same("read", read, err)
			})
		}
	}
}
