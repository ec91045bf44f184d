package refined

import (
	"math"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/sim/domain"
)

// Patches returns the patches of a level that this rank has a part of, in the order of the hierarchy's.
func (g *Grid) Patches(level int) []*Patch { return g.levels[level].patches }

// Number returns the number of the patch in its level of the hierarchy.
func (p *Patch) Number() int { return p.cut.Patch }

// Owned returns this rank's cells of the patch without the overlap, in cells of the level from the domain's lower corner. Outputs see
// those of them that are Counted and not solid.
func (p *Patch) Owned() decomp.Box {
	return domain.Intersect(p.Part.Box, p.cut.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned)
}

// Counted returns the runs along x of the cells that are the finest in their places, of a row of the patch.
func (p *Patch) Counted(y, z int) []decomp.Range { return p.cut.Counted(y, z) }

// Values reads rho-1 and the velocity of the cells of a box in Owned, as device.Program.Fields has them. Several goroutines may
// call it.
func (p *Patch) Values(box decomp.Box, values []float64) error {
	return p.Fields(p.Part.Local(box), values)
}

// row sums the counted cells of a row, of which values has all that the patch owns: from x0 on, component by component.
func (p *Patch) row(y, z, x0 int, values []float64) (sum device.Plane) {
	dims := p.Part.Case.Dims()
	n, lo := len(values)/(1+dims), p.Part.Box.Lo
	for _, run := range p.Counted(y, z) {
		for x := run.Lo; x < run.Hi; x++ {
			if p.Part.Cells.At(x-lo[0], y-lo[1], z-lo[2]) != 0 {
				continue
			}
			var cell device.Plane
			density := values[x-x0]
			speed2, check := 0.0, density-density
			for a := range dims {
				u := values[(1+a)*n+x-x0]
				cell.Momentum[a] = (1 + density) * u
				speed2 += u * u
				check += u - u
			}
			cell.Cells, cell.Mass, cell.Energy, cell.MaxSpeed, cell.MaxAt = 1, density, (1+density)*speed2/2, math.Sqrt(speed2), [3]int{x, y, z}
			if check != 0 { // it is no number
				cell.Bad, cell.BadAt, cell.MaxSpeed = 1, cell.MaxAt, 0
			}
			sum.Add(cell)
		}
	}
	return sum
}
