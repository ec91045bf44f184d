// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"errors"
	"fmt"

	"lbmsim/device"
)

// Where no exchange needs the host, steps are queued, or replayed from a recording, and the host waits once for many. A
// recording contains the addresses of buffers. Levels above 0 take an even number of steps in one step of level 0, and each
// exchange has used both its buffers after two: so recordings have an even number of steps of level 0, and a multiple of the
// steps from one pass over its cells to the next. The first step is not recorded: it uploads the numbers of the kernels. Nor
// are steps whose force changes: the exchange between levels would keep the old one.

// recorded are the steps of level 0 in the recordings: few, as each has many of the finest level.
var recorded = [...]int{8, 2}

// recording is steps that lead from one buffer of level 0 back to it.
type recording struct {
	device.Graph
	from device.Buffer
}

// Step returns the number of the current step of level 0.
func (g *Grid) Step() int { return g.steps }

// Advance computes some steps of level 0, and all steps of the finer levels in them.
func (g *Grid) Advance(steps int) error {
	for left := steps; left > 0; {
		k := min(left, ahead(g))
		for l := range g.levels {
			for _, p := range g.levels[l].patches {
				if err := p.Schedule(k << l); err != nil {
					return err
				}
			}
		}
		if err := g.queue(k); err != nil {
			return err
		}
		left -= k
		if err := g.Sync(); err != nil {
			return fmt.Errorf("rank %d, up to step %d: %w", g.Rank.ID, g.steps, err)
		}
		for l := range g.levels {
			for _, p := range g.levels[l].patches {
				p.Done(k << l)
			}
		}
	}
	return nil
}

// ahead returns the number of steps of level 0 that are queued before the host waits: limited by the finest level's steps in
// a queue.
func ahead(g *Grid) int { return max(recorded[0], device.MaxScheduled>>(len(g.levels)-1)) }

// queue queues some steps of level 0.
func (g *Grid) queue(steps int) error {
	for left := steps; left > 0; {
		done, err := g.replay(left)
		if err == nil && done == 0 {
			done, err = 1, g.step(0, g.steps, g.filled && !(changes(g) && g.Case.Modelled())) // whose ghost cells follow from the coming force
			g.side.join(g.Bulk)
			g.filled, g.uploaded = false, true
		}
		if err != nil {
			return fmt.Errorf("rank %d, step %d: %w", g.Rank.ID, g.steps+1, err)
		}
		left -= done
		g.steps += done
	}
	return nil
}

// Sync waits for all steps that are queued.
func (g *Grid) Sync() error {
	if g.Rank.Size > 1 {
		return g.Rank.Heartbeat.Wait(g.Wait)
	}
	return g.Wait()
}

// Wait waits for all streams.
func (g *Grid) Wait() error { return errors.Join(g.side.Sync(), g.Streams.Wait()) }

// Queued reports whether no exchange needs the host between two steps.
func (g *Grid) Queued() bool {
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			if p.Queued == nil {
				return false
			}
		}
		for _, t := range g.levels[l].all() {
			if t.queued == nil {
				return false
			}
		}
	}
	return true
}

// replay queues at most so many steps from a recording, where the device makes them. It reports how many.
func (g *Grid) replay(most int) (int, error) {
	dev, ok := g.Device.(device.Recorder)
	if !ok || most < 2 || g.filled || !g.uploaded || changes(g) || !g.Queued() {
		return 0, nil
	}
	base := g.levels[0].patches[0] // each rank has cells of level 0
	k, from := 0, base.State[0]
	for recorded[k] > most || !base.Recordable(recorded[k], g.steps) { // passes of finer levels are due more often, at the same places
		if k++; k == len(recorded) {
			return 0, nil
		}
	}
	r := &g.graphs[k]
	if r.Graph == nil {
		made, err := dev.Capture(g.Bulk, func() error {
			for i := range recorded[k] {
				if err := g.step(0, g.steps+i, false); err != nil {
					return err
				}
			}
			g.side.join(g.Bulk)
			return nil
		})
		if err != nil {
			return 0, err
		}
		*r = recording{made, from}
	}
	if r.from != from {
		return 0, nil
	}
	r.Launch(g.Bulk)
	return recorded[k], nil
}
