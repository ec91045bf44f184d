// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "lbmsim/sim/derive"

// over merges the sums of the fluid cells of each column along the axis into the sums of one cell, [plane][row][sum][x] of this
// rank's columns of a box. It returns them on the last rank along the axis, nil on the others. Collective among the ranks that have
// cells of the box; failed is of this rank alone.
//
// Products become products of deviations from the column's mean: the mean of the cells' own, and the covariance of the cells'
// means (Chan, Golub & LeVeque, Am. Stat. 37 (1983) 242, with one cell as the second sample). Cells are added in their order
// along the axis, each rank continues the sums of the ranks before it: no cut changes them.
func (a *averager) over(r *Run, v derive.View, sums []float64) (joined []float64, failed, err error) {
	part := v.Part
	n, to, pairs := part.Layout.N, part.Layout.N, a.pairs()
	to[a.Axis] = 1
	size := to[0] * to[1] * to[2] * len(pairs)
	// After the sums comes the number of cells of each column.
	joined, err = part.Onwards(r.Rank, a.Axis, make([]float64, size+size/len(pairs)), func(joined []float64) {
		// Rows of the same columns one after the other, others at the same time.
		groups, each := [3]int{n[1] * n[2], n[2], n[1]}[a.Axis], [3]int{1, n[1], n[2]}[a.Axis]
		failed = r.Rank.Share(groups, func(lo, hi int) error {
			for k := lo * each; k < hi*each; k++ {
				g, i := k/each, k%each
				at := [3][2]int{{g % n[1], g / n[1]}, {i, g}, {g, i}}[a.Axis]
				row, first := at[1]*n[1]+at[0], g*to[0] // first column
				for x, t := range part.Cells.Type[part.Cells.Index(0, at[0], at[1]):][:n[0]] {
					if t != 0 {
						continue
					}
					column := first + x%to[0]
					joined[size+column]++
					a.join(pairs, joined[first*len(pairs)+x%to[0]:], to[0], sums[row*n[0]*len(pairs)+x:], n[0], joined[size+column])
				}
			}
			return nil
		})
	}) // the next ranks wait for sums in any case
	if failed != nil || err != nil || joined == nil {
		return nil, failed, err
	}
	cells, joined := joined[size:], joined[:size]
	for k := range joined {
		row := k / (to[0] * len(pairs))
		if f := cells[row*to[0]+k%to[0]]; pairs[k/to[0]%len(pairs)][0] >= 0 && f > 0 {
			joined[k] /= f // the products for as many samples as a cell has
		}
	}
	return joined, nil, nil
}

// join adds the sums of a column's cell number `cells`, which are so many numbers apart.
func (a *averager) join(pairs [][2]int, to []float64, apart int, from []float64, fromApart int, cells float64) {
	var d [15]float64 // of means: density, velocity and its products, means at walls
	for k, of := range pairs {
		t, v := &to[k*apart], from[k*fromApart]
		if of[0] < 0 {
			d[k] = v - *t
			*t += d[k] / cells
			continue
		}
		*t += v + float64(a.samples)*(cells-1)/cells*d[of[0]]*d[of[1]]
	}
}

// pairs returns, for each of a cell's sums, the two means whose deviations it is the product of; -1: it is a mean.
func (a *averager) pairs() (pairs [][2]int) {
	add := func(on bool, i, j int) {
		if on {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	add(a.of.Density, -1, -1)
	add(a.of.DensitySquares, 0, 0)
	first := len(pairs)
	for range a.dims {
		add(a.of.Velocity, -1, -1)
	}
	for i := range a.dims {
		for j := i; j < a.dims; j++ {
			add(a.of.VelocityProducts, first+i, first+j)
		}
	}
	for range a.walls.Values() {
		add(true, -1, -1)
	}
	return pairs
}

// repeated returns the sums of one layer of n cells, so many per cell, as so many equal layers along x or y.
func repeated(sums []float64, n [3]int, axis, layers, values int) []float64 {
	if layers == 1 {
		return sums
	}
	row, all := n[0]*values, make([]float64, 0, len(sums)*layers)
	for ; len(sums) > 0; sums = sums[row:] {
		for i := range row * layers {
			if axis == 0 { // rows of one cell
				all = append(all, sums[i/layers])
			} else {
				all = append(all, sums[i%row])
			}
		}
	}
	return all
}
