package refined

import "lbmsim/device"

// Where no exchange needs the host, steps are queued, or replayed from a recording, until the caller asks for their end. A recording
// knows buffers by their addresses. Levels above 0 do an even number of steps in one of level 0, which does one, and each exchange has
// taken both its buffers after two: so recordings have an even number of steps of level 0.

// recorded are the steps of level 0 in the recordings: few, as each has many of the finest level.
var recorded = [...]int{8, 2}

// recording is steps that lead from one buffer of level 0 back to it.
type recording struct {
	device.Graph
	from device.Buffer
}

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
	if !ok || most < 2 || !g.Queued() {
		return 0, nil
	}
	k, from := 0, g.levels[0].patches[0].State[0] // each rank has cells of level 0
	for recorded[k] > most {
		k++
	}
	r := &g.graphs[k]
	if r.Graph == nil {
		made, err := dev.Capture(g.Bulk, func() error {
			for range recorded[k] {
				if err := g.step(0, 0); err != nil {
					return err
				}
			}
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
