// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"sync"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device/cpu"
	"lbmsim/internal/forecast"
	"lbmsim/sim/rank"
)

// The forecast of states, of types of cells and of what passes between levels is what ranks take on CPUs, and at most half more: it is
// to keep runs from starting that have too little. The buffers of ghost planes are left out of it, as without refinement: they made
// the 5 % below (set after seeing 1 %).
func TestMemoryForecast(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"2D", "[domain]\ncells = [100, 100]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[refine.a]\nlevel = 1\nfrom = [20, 20]\nto = [80, 80]\n[refine.b]\nlevel = 2\nfrom = [30, 30]\nto = [60, 60]\n"},
		{"3D", "[domain]\ncells = [40, 32, 32]\nperiodic = [\"x\", \"y\", \"z\"]\n[collision]\nprecision = \"float64\"\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[refine.a]\nlevel = 1\nfrom = [5, 5, 5]\nto = [30, 25, 25]\n[refine.b]\nlevel = 2\nfrom = [10, 10, 10]\nto = [16, 16, 16]\n"},
		{"3D, temperature", "[domain]\ncells = [40, 32, 32]\nperiodic = [\"x\", \"y\", \"z\"]\n[temperature]\ndiffusivity = 0.02\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[refine.a]\nlevel = 1\nfrom = [5, 5, 5]\nto = [30, 25, 25]\n"},
		{"3D, float32", "[domain]\ncells = [40, 32, 32]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.02\n[run]\nsteps = 1\n[refine.a]\nlevel = 1\nfrom = [5, 5, 5]\nto = [30, 25, 25]\n"},
	} {
		given, err := config.Load("test.toml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{1, 2} {
			var mutex sync.Mutex
			most := 0
			err := comm.RunLocal(ranks, func(on comm.Comm) error {
				dev, err := cpu.New(1)
				if err != nil {
					return err
				}
				h, err := given.Hierarchy(ranks)
				if err != nil {
					return err
				}
				g, err := New(rank.New(on, 1, nil), wholeOf(given), h, dev)
				if err == nil {
					mutex.Lock()
					most = max(most, g.Bytes())
					mutex.Unlock()
				}
				g.Close()
				dev.Close()
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := forecast.StateBytes(given, ranks) + forecast.FlagBytes(given, ranks); 19*most > 20*int(want) || 2*int(want) > 3*most {
				t.Errorf("%s, %d ranks: %d bytes, forecast %d", c.name, ranks, most, want)
			}
		}
	}
}
