package intake

import (
	"fmt"
	"math"

	"lbmsim/geometry/mesh"
)

// OnGrid says what a surface becomes in cells, and gives a look through it. move leads
// from its vertices to cells.
func OnGrid(s *mesh.Surface, move func([3]float64) [3]float64) (rows []Row, depth mesh.Depth, err error) {
	moved := &mesh.Surface{V: append([][3]float64{}, s.V...), T: s.T}
	moved.Move(move)
	f := moved.Inspect()
	g, depth, err := moved.Look()
	if err != nil {
		return nil, depth, err
	}
	add := func(what, format string, args ...any) { rows = append(rows, Row{what, fmt.Sprintf(format, args...)}) }
	add("in cells", "%s to %s, %.4g x %.4g x %.4g cells", place(f.Lo), place(f.Hi), f.Hi[0]-f.Lo[0], f.Hi[1]-f.Lo[1], f.Hi[2]-f.Lo[2])
	if g.Scale != 1 {
		add("coarsened", "looked at in cells %g times as large: the box has too many", g.Scale)
	}
	cube := g.Scale * g.Scale * g.Scale
	volume := float64(g.Solid) * cube
	if f.Watertight() {
		add("volume", "%.6g cells of the surface, %.6g solid cells: %+.3g %%", math.Abs(f.Volume), volume, 100*(volume/math.Abs(f.Volume)-1))
	} else {
		add("volume", "%.6g solid cells", volume)
	}
	add("area", "%.6g of the surface; %.6g faces of solid cells for %.6g meant: %+.3g %%",
		f.Area, g.Faces*g.Scale*g.Scale, g.Meant*g.Scale*g.Scale, 100*(g.Faces/g.Meant-1))
	switch {
	case g.Leaked > 0:
		add("leak test", "LEAKS: through holes fluid from outside reaches %d of %d solid cells", g.Leaked, g.Solid)
	case !f.Watertight():
		add("leak test", "no fluid comes in: at this spacing the holes lie between the links of cells")
	default:
		add("leak test", "tight")
	}
	if g.Broken > 0 {
		add("broken rows", "%d rows of cells leave the surface not as often as they enter it", g.Broken)
	}
	if g.Enclosed > 0 {
		add("cavities", "%d fluid cells are enclosed and see no flow from outside", g.Enclosed)
	}
	add("thin parts", "%s of the area has less than 1 cell behind it, %s less than 2, %s less than 4", percent(g.Thin[0]), percent(g.Thin[1]), percent(g.Thin[2]))
	if !math.IsInf(g.Least, 0) {
		add("thinnest", "%.3g cells at %s; parts below 1 cell vanish from place to place", g.Least, place(g.At))
	}
	add("narrow gaps", "%s of the area has less than 1 cell before it, %s less than 2, %s less than 4", percent(g.Narrow[0]), percent(g.Narrow[1]), percent(g.Narrow[2]))
	return rows, depth, nil
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
