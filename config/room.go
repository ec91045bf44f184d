package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
)

// Where a body has too little room: heights behind an inlet of given velocity, of one that is as wide as its stream and of one
// that is not, and the part of the stream that it blocks. At these limits a cylinder has 2 to 3 % too much drag
// (docs/forces.md).
const (
	nearInlet        = 9
	nearInletCompact = 3
	narrowStream     = 0.05
)

// Room tells of each body in a stream from an inlet of given velocity how far the inlet is before it, and how much of the
// stream it blocks, by the box around it. Its height is that across the stream; if it ends in two directions, the
// root of their product. What fills half of the stream is a duct or a bed, no body in a stream.
func (c *Case) Room(sizes ...SolidSize) (rows []Row) {
	stream := c.stream()
	side := c.inletSide(stream)
	if side < 0 {
		return nil
	}
	for _, b := range c.Bodies {
		lo, hi := b.bounds(sizes)
		height, ends, blocked := 1.0, 0, 1.0
		for a, n := range c.Cells {
			if a == stream || a >= c.Dims() {
				continue
			}
			from, to := math.Max(lo[a], 0), math.Min(hi[a], float64(n))
			blocked *= math.Max(0, to-from) / float64(n)
			if from > 0 || to < float64(n) {
				height *= to - from
				ends++
			}
		}
		if ends == 0 || blocked <= 0 || blocked > 0.5 {
			continue
		}
		near := float64(nearInlet)
		if ends == 2 {
			height, near = math.Sqrt(height), nearInletCompact
		}
		way := lo[stream]
		if side == 1 {
			way = float64(c.Cells[stream]) - hi[stream]
		}
		r := Row{Name: "[body." + b.Name + "]", SI: "enough"}
		r.Lattice = fmt.Sprintf("%s heights behind the inlet, blocks %s %% of the stream", language.Short(round2(math.Max(way, 0.01)/height)), language.Short(round2(100*blocked)))
		switch close, narrow := way < near*height, blocked > narrowStream; {
		case close && narrow:
			r.SI = "the inlet is near and the stream narrow: drag comes out too large"
		case close:
			r.SI = "the inlet is near: drag comes out too large"
		case narrow:
			r.SI = "the stream is narrow: drag comes out too large"
		}
		rows = append(rows, r)
	}
	return rows
}

// inletSide is that of the one end of an axis which is an inlet of given velocity; -1: there is none.
func (c *Case) inletSide(axis int) int {
	side := -1
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			if f.Axis != axis || b.Kind.Law != boundary.VelocityFace {
				continue
			}
			if side >= 0 {
				return -1
			}
			side = f.Side
		}
	}
	return side
}
