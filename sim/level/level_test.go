// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"fmt"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device/cpu"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// boxes are two cases that have nothing in common but the rank.
var boxes = []string{`
[domain]
cells = [20, 12]
periodic = ["x", "y"]
[fluid]
viscosity = 0.02
[initial]
velocity = ["0.03*sin(2*pi*y/12)", "0.02*cos(2*pi*x/20)"]
[run]
steps = 1
`, `
[domain]
cells = [9, 7, 8]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.01
[turbulence]
model = "wale"
[force]
acceleration = ["1e-5*sin(t/3)", 0, 0]
[initial]
velocity = ["0.03*sin(2*pi*z/8)", "0.02*cos(2*pi*x/9)", 0]
[run]
steps = 1
`}

// build makes the levels of some boxes on a rank, in their initial states.
func build(on *rank.Rank, texts ...string) (levels []*Level, err error) {
	for _, text := range texts {
		given, err := config.Load("test.toml", []byte(text))
		if err != nil {
			return levels, err
		}
		dev, err := cpu.New(on.Threads)
		if err != nil {
			return levels, err
		}
		part, err := domain.New(on, given)
		if err != nil {
			return levels, err
		}
		l := New(on, part, dev)
		levels = append(levels, l)
		for _, stage := range []func() error{l.Build, l.Connect, func() error { return l.Initialize(&Formulas{Part: part}) }, l.FillGhosts} {
			if err := stage(); err != nil {
				return levels, err
			}
		}
	}
	return levels, nil
}

// take computes one step of a level.
func take(l *Level) error {
	if err := l.Schedule(1); err != nil {
		return err
	}
	step := l.Queue(l.Step())
	if l.Queued == nil {
		if err := l.Exchange(step.Edges); err != nil {
			return err
		}
	}
	if err := l.Wait(); err != nil {
		return err
	}
	l.Done(1)
	return nil
}

// hash returns the hash of a level over all ranks.
func hash(l *Level) (sum uint64, err error) {
	mine, err := l.Hash()
	if err != nil {
		return 0, err
	}
	all, err := comm.Together(l.Rank.Comm, mine)
	for _, h := range all {
		sum += h
	}
	return sum, err
}

// Levels of one rank step concurrently, one twice as often, with the same bits as alone, for any number of ranks.
func TestLevelsStepBesideEachOther(t *testing.T) {
	want := map[string]uint64{}
	for _, ranks := range []int{1, 2, 3} {
		err := comm.RunLocal(ranks, func(c comm.Comm) error {
			on := rank.New(c, 1, nil)
			steps := func(each []int, texts ...string) error {
				levels, err := build(on, texts...)
				if err != nil {
					return err
				}
				for range 10 {
					for i, l := range levels {
						for range each[i] {
							if err := take(l); err != nil {
								return err
							}
						}
					}
				}
				for i, l := range levels {
					sum, err := hash(l)
					if err != nil {
						return err
					}
					if on.Root && want[texts[i]] == 0 {
						want[texts[i]] = sum
					} else if on.Root && sum != want[texts[i]] {
						return fmt.Errorf("box %d of %d on %d ranks after %d steps: other bits than alone on one rank", i, len(levels), ranks, l.Step())
					}
					l.Close()
					l.Device.Close()
				}
				return nil
			}
			for i, text := range boxes {
				if err := steps([]int{1 + i}, text); err != nil {
					return err
				}
			}
			return steps([]int{1, 2}, boxes...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Of walls with a model across the cut, only ghost cells of other ranks wait for the exchange, and the edges
// stay as thin as without them: the bulk does not wait.
func TestWallModelLeavesTheBulkFree(t *testing.T) {
	const text = `
[domain]
cells = [12, 16, 48]
periodic = ["x", "z"]
[fluid]
viscosity = 1e-4
[initial]
velocity = [0.05, 0, 0]
[boundary.floor]
type = "wall_model"
faces = ["y-", "y+"]
[run]
steps = 1
`
	err := comm.RunLocal(2, func(c comm.Comm) error {
		levels, err := build(rank.New(c, 1, nil), text)
		if err != nil {
			return err
		}
		l := levels[0]
		defer l.Close()
		m := l.Part.Cells.Modelled
		if got := l.inner.Size(); got != [3]int{12, 16, 22} {
			return fmt.Errorf("the bulk has %v cells", got)
		}
		if want := 2 * 12 * 24; m.Early != want || len(m.Cells) != want+2*12*2 {
			return fmt.Errorf("%d of %d ghost cells are filled before the exchange", m.Early, len(m.Cells))
		}
		return take(l)
	})
	if err != nil {
		t.Error(err)
	}
}
