// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import "lbmsim/decomp"

// Machine is the performance of GPUs and of the links between them: seconds, and bytes per
// second one way while as much comes back.
type Machine struct {
	Rate      float64 // cells per second of a large box on one GPU
	Launch    float64 // of a step beside that
	Network   float64 // of a GPU's share of the links between nodes
	NetStart  float64 // of a message there, before its first byte
	Bus       float64 // copies between a GPU and page-locked memory of its host
	HostStart float64 // of a message between two processes of a node
	Peer      float64 // between GPUs of a node
	PeerStart float64
	Wait      float64 // of the host in a step that cannot be queued: launches, looks, waiting
	Node      int     // GPUs of a node
}

// A cell of D3Q19 moments in float32: what the layout stores and what a halo sends.
const (
	components = 10
	valueBytes = 4
)

// Way holds the transports inside a node and between nodes.
type Way struct{ Inside, Across string }

func (w Way) String() string {
	if w.Inside == w.Across {
		return w.Inside
	}
	return w.Inside + " + " + w.Across
}

// ways that package halo has; host is always there.
var ways = []Way{{"host", "host"}, {"gpu", "gpu"}, {"peer", "gpu"}, {"peer", "host"}}

// alone returns the time of a step on one GPU.
func (m Machine) alone(cells float64) float64 { return m.Launch + cells/m.Rate }

// Load is one rank's part of a step.
type Load struct {
	Box         [3]int
	Edges, Bulk int // cells
	Messages    int // sent, and as many received ...
	Runs        int // ... as pieces of memory that lie together ...
	Bytes       int // ... with as many bytes
	Across      int // messages to other nodes
	AcrossBytes int
}

// loadOf returns the load of a rank's part.
func (m Machine) loadOf(p decomp.Plan, rank int) Load {
	layout := p.Layout(rank, components)
	edges, bulk := p.Edges(rank, 1)
	l := Load{Box: p.Box(rank).Size(), Bulk: bulk.Cells()}
	for _, b := range edges {
		l.Edges += b.Cells()
	}
	for _, link := range p.Links(rank) {
		if link.Rank == rank {
			continue
		}
		bytes := 0
		for _, r := range layout.Ranges(link.Send) {
			l.Runs++
			bytes += (r.Hi - r.Lo) * valueBytes
		}
		l.Messages++
		l.Bytes += bytes
		if link.Rank/m.Node != rank/m.Node {
			l.Across++
			l.AcrossBytes += bytes
		}
	}
	return l
}

// needs returns the speed, in bytes per second in each direction, at which the bulk just hides the
// messages to other nodes.
func (m Machine) needs(l Load) float64 { return float64(l.AcrossBytes) / (float64(l.Bulk) / m.Rate) }

// step returns the time of a step of a rank with that part, and its share of exposed messages.
// Edges come first; then the bulk runs beside the messages. Messages within a node and messages
// between nodes have separate links, and follow one another on each; all that go through the host
// share the GPU's bus.
func (m Machine) step(l Load, w Way) (seconds, exposed float64) {
	n, b := float64(l.Messages-l.Across), float64(l.Bytes-l.AcrossBytes)
	inside, bus := 0.0, 0.0
	switch w.Inside {
	case "host": // one GPU copies to memory of the host, the other from it
		inside = n * m.HostStart
		bus += 2 * b / m.Bus
	case "gpu", "peer": // a library that takes GPU memory goes the same way between GPUs
		inside = n*m.PeerStart + b/m.Peer
	}
	n, b = float64(l.Across), float64(l.AcrossBytes)
	across := n*m.NetStart + b/m.Network
	if w.Across == "host" {
		bus += 2 * b / m.Bus
	}
	bulk := float64(l.Bulk) / m.Rate
	exposed = max(0, bus+max(inside, across)-bulk)
	seconds = m.Launch + float64(l.Edges)/m.Rate + bulk + exposed
	if w.Inside != "peer" && l.Messages > l.Across || l.Across > 0 {
		seconds += m.Wait // the host takes part
	}
	return seconds, exposed
}

// Forecast is a size on a number of GPUs.
type Forecast struct {
	Plan          decomp.Plan
	Load          // of the rank that sends most to other nodes, and most at all
	Step, Exposed float64
	Weak          float64 // efficiency against one GPU with a rank's share of the cells
	Strong        float64 // ... and against one that has room for all of them
}

// forecast evaluates every rank of a plan: the slowest one decides how long a step lasts.
func (m Machine) forecast(p decomp.Plan, w Way) Forecast {
	f := Forecast{Plan: p}
	for rank := range p.Ranks() {
		l := m.loadOf(p, rank)
		if l.AcrossBytes > f.AcrossBytes || l.AcrossBytes == f.AcrossBytes && l.Bytes > f.Bytes {
			f.Load = l
		}
		if s, e := m.step(l, w); s > f.Step {
			f.Step, f.Exposed = s, e
		}
	}
	n, cells := float64(p.Ranks()), float64(decomp.Box{Hi: p.Global}.Cells())
	f.Weak, f.Strong = m.alone(cells/n)/f.Step, m.alone(cells)/n/f.Step
	return f
}

// cut cuts the box into a grid of parts, alongY of them along y; 0: as a run chooses.
func cut(global [3]int, ranks, alongY int) (decomp.Plan, error) {
	return decomp.Cut(global, [3]bool{}, 3, ranks, [3]int{0, alongY, 0})
}
