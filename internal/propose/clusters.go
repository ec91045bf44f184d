// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"lbmsim/decomp"
)

// Clustering of cells with shear into few boxes. Berger & Rigoutsos (IEEE Trans. Syst. Man Cybern. 21 (1991) 1278) cut a box where the number of
// marked cells along an axis is 0 or changes most. Here the cut that saves most cells is taken, whatever its place.

// marks are the cells of a grid with shear.
type marks struct {
	n    [3]int
	dims int
	on   []bool
}

// clusters returns boxes around the cells of a flow from a threshold on, few of them.
func clusters(dims int, flow Flow, least float64) []decomp.Box {
	m := marks{flow.Cells, dims, make([]bool, len(flow.Vorticity))}
	for i, v := range flow.Vorticity {
		m.on[i] = v >= least
	}
	m = m.settled()
	list := []decomp.Box{m.shrunk(decomp.Box{Hi: m.n})}
	if list[0].Cells() == 0 {
		return nil
	}
	for len(list) < mostOf {
		best, of, first, second := 0., 0, decomp.Box{}, decomp.Box{}
		for k, b := range list {
			lower, upper := m.cut(b)
			saved := b.Cells() - lower.Cells() - upper.Cells()
			if float64(saved) > best && float64(saved) > worthCut*float64(b.Cells()) {
				best, of, first, second = float64(saved), k, lower, upper
			}
		}
		if best == 0 {
			break
		}
		list[of] = first
		list = append(list, second)
	}
	return list
}

// settled leaves out marked cells of which too few neighbours are marked, such as specks in corners.
func (m marks) settled() marks {
	to := marks{m.n, m.dims, make([]bool, len(m.on))}
	step := [3]int{1, m.n[0], m.n[0] * m.n[1]}
	for i, on := range m.on {
		if !on {
			continue
		}
		at := [3]int{i % m.n[0], i / m.n[0] % m.n[1], i / step[2]}
		near := 0
		for a := range m.dims {
			if at[a] > 0 && m.on[i-step[a]] {
				near++
			}
			if at[a]+1 < m.n[a] && m.on[i+step[a]] {
				near++
			}
		}
		to.on[i] = near >= m.dims
	}
	return to
}

// shrunk returns the box around the marked cells of a box, empty if it has none.
func (m marks) shrunk(b decomp.Box) (box decomp.Box) {
	for z := b.Lo[2]; z < b.Hi[2]; z++ {
		for y := b.Lo[1]; y < b.Hi[1]; y++ {
			row := m.on[(z*m.n[1]+y)*m.n[0]:][:m.n[0]]
			for x := b.Lo[0]; x < b.Hi[0]; x++ {
				if !row[x] {
					continue
				}
				cell := decomp.Box{Lo: [3]int{x, y, z}, Hi: [3]int{x + 1, y + 1, z + 1}}
				if box.Cells() == 0 {
					box = cell
				} else {
					box = hull(box, cell)
				}
			}
		}
	}
	return box
}

// cut returns the boxes around the marked cells on either side of the plane through a box that saves most cells.
func (m marks) cut(b decomp.Box) (lower, upper decomp.Box) {
	least := b.Cells()
	for a := range m.dims {
		planes := make([]decomp.Box, b.Hi[a]-b.Lo[a])
		for k := range planes {
			plane := b
			plane.Lo[a], plane.Hi[a] = b.Lo[a]+k, b.Lo[a]+k+1
			planes[k] = m.shrunk(plane)
		}
		above := make([]decomp.Box, len(planes)+1)
		for k := len(planes) - 1; k >= 0; k-- {
			above[k] = joint(planes[k], above[k+1])
		}
		below := decomp.Box{}
		for k := 1; k < len(planes); k++ {
			below = joint(below, planes[k-1])
			if n := below.Cells() + above[k].Cells(); n < least {
				least, lower, upper = n, below, above[k]
			}
		}
	}
	if least == b.Cells() {
		return b, decomp.Box{}
	}
	return lower, upper
}

// joint returns the box around two boxes, of which one may be empty.
func joint(a, b decomp.Box) decomp.Box {
	switch {
	case a.Cells() == 0:
		return b
	case b.Cells() == 0:
		return a
	}
	return hull(a, b)
}
