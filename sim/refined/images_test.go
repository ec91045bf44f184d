// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/brief"
)

// Steps from a copy of a state are those that followed it, also where readers have looked at neighbours before the copy was made or made
// the state again, and where ranks write into each other's memory.
func TestStepsFromACopy(t *testing.T) {
	brief.Fewer(t, "numbers of ranks and steps")
	owned := func(p decomp.Patch) decomp.Box { return p.Owned }
	for k, lattice := range []string{"D2Q9", "D3Q19"} {
		for name, f := range flows(lattice, "cumulant", 2-k) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				want, err := f.states(1, 1, 4, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, ranks := range []int{1, 3} {
					for _, wrap := range []func(device.Device) device.Device{nil, (&town{}).move} {
						for more := range 3 {
							if testing.Short() && k > 0 && (ranks == 1) != (wrap != nil && more == 2 || wrap == nil && more == 1) {
								continue // the plane has all of them
							}
							got, err := f.bits(ranks, 1, wrap, func(g *Grid) error { return again(g, more) }, owned)
							if err != nil {
								t.Fatalf("%d ranks: %v", ranks, err)
							}
							for key, b := range want {
								if !bytes.Equal(got[key], b) {
									t.Errorf("%d ranks, peers %t, %s: patch %d of level %d differs", ranks, wrap != nil, fmt.Sprint(more, " steps more"), key[1], key[0])
								}
							}
						}
					}
				}
			})
		}
	}
}

// again computes four steps, of which the last two after a copy of the second state has been made the current one once more, which some
// more steps have followed. Before the copy, the steps back or both, neighbours have been looked at.
func again(g *Grid, more int) error {
	bytes := 0
	for _, l := range g.Levels() {
		bytes += l.Part.Bytes()
	}
	image := make([]byte, bytes)
	err := g.Advance(2)
	if more != 1 {
		err = errors.Join(err, g.Fill())
	}
	err = errors.Join(err, g.ReadImages(image))
	if more > 0 {
		err = errors.Join(err, g.Advance(more), g.Fill())
	}
	g.Rewind()
	g.SetStep(2)
	return errors.Join(err, g.WriteImages(image), g.Advance(2))
}
