package derive

import (
	"fmt"

	"lbmsim/sim/domain"
)

// gridStride is how many planes lie between two that count for the share at the scale of
// the grid: it reads about a quarter of a million cells, and not less than 16 planes, so
// that it takes less than a hundredth of the time on any device.
func gridStride(cells, planes int) int { return max(1, min(cells>>18, planes/16)) }

// GridScale is the share of the kinetic energy at the scale of the grid on rank 0: see
// config.SeriesGridScale. Sums have the order of domain.Part.PlaneSums. Collective.
func (v View) GridScale() (float64, error) {
	n, axis := v.Layout.N, v.Layout.Axis()
	planes, nx, each := v.Part.Planes(), n[0], v.RowsOfPlane()
	stride := gridStride(v.Case.Box().Cells(), v.Case.Cells[axis])
	stored, dims, from := v.Case.Spec.FieldValues(), v.Case.Dims(), v.Present()
	sums := make([]float64, 2*planes*each)
	err := v.Share(planes, func(lo, hi int) (err error) {
		var values []float64
		for k := lo; k < hi; k++ {
			if (v.Box.Lo[axis]+k+stride/2)%stride != 0 {
				continue
			}
			if values, err = from(v.Plane(k), values); err != nil {
				return err
			}
			for row := range each {
				y, z := row, k
				if axis == 1 {
					y, z = k, 0
				}
				first := v.Cells.Index(0, y, z)
				u := values[(row*stored+1)*nx:][:dims*nx]
				copy(sums[2*(k*each+row):], gridRow(u, v.Cells.Type[first:][:nx]))
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("rank %d: velocities at step %d: %w", v.Rank, v.Step(), err)
	}
	all, err := v.PlaneSums(sums, domain.Columns{Added: 2, All: 2})
	grid, energy := 0.0, 0.0
	for ; len(all) > 0; all = all[2:] {
		grid, energy = grid+all[0], energy+all[1]
	}
	if energy <= 0 {
		return 0, err
	}
	return Finite(grid / energy), err
}

// gridRow is the two sums of a row, components one behind the other.
func gridRow(u []float64, types []uint8) []float64 {
	nx := len(types)
	grid, energy := 0.0, 0.0
	for x := 1; x < nx-1; x++ {
		if types[x-1]|types[x]|types[x+1] != 0 {
			continue
		}
		for c := 0; c < len(u); c += nx {
			d := (u[c+x-1] - 2*u[c+x] + u[c+x+1]) / 4
			grid += d * d
			energy += u[c+x] * u[c+x]
		}
	}
	return []float64{grid, energy}
}
