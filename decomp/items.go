// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import "slices"

// items is a set of cells with keys, in rising order of key, z, y and x. Cells of a row are runs, so that it takes memory by the
// rows of surfaces.
type items struct {
	sheets []sheet
	runs   []run
	count  int
}

// sheet is the rows of a key.
type sheet struct {
	key   int
	area  Box     // its cells lie inside
	first []int32 // number of the first run of each row of area, y fastest, and the end of the last
}

// run is neighbouring cells of a row that come from one rank.
type run struct{ lo, hi, place, from int32 }

// piece is a box of cells that come from one rank.
type piece struct {
	key  int
	box  Box
	from int
}

// newItems unites pieces. Overlapping pieces come from one rank.
func newItems(pieces []piece) (s items) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.key - b.key })
	for len(pieces) > 0 {
		n := slices.IndexFunc(pieces, func(p piece) bool { return p.key != pieces[0].key })
		if n < 0 {
			n = len(pieces)
		}
		s.add(pieces[:n])
		pieces = pieces[n:]
	}
	s.runs = slices.Clip(s.runs)
	return s
}

// add unites the pieces of a key: it sorts their rows by counting them.
func (s *items) add(pieces []piece) {
	sh := sheet{key: pieces[0].key, area: pieces[0].box}
	for _, p := range pieces {
		for a := range 3 {
			sh.area.Lo[a], sh.area.Hi[a] = min(sh.area.Lo[a], p.box.Lo[a]), max(sh.area.Hi[a], p.box.Hi[a])
		}
	}
	n := sh.area.Size()
	sh.first = make([]int32, n[1]*n[2]+1)
	rows := func(p piece, visit func(row int)) {
		for z := p.box.Lo[2]; z < p.box.Hi[2]; z++ {
			for y := p.box.Lo[1]; y < p.box.Hi[1]; y++ {
				visit(sh.row(y, z))
			}
		}
	}
	for _, p := range pieces {
		rows(p, func(row int) { sh.first[row+1]++ })
	}
	for i := range n[1] * n[2] {
		sh.first[i+1] += sh.first[i]
	}
	all, next := make([]run, sh.first[n[1]*n[2]]), slices.Clone(sh.first)
	for _, p := range pieces {
		rows(p, func(row int) {
			all[next[row]] = run{lo: int32(p.box.Lo[0]), hi: int32(p.box.Hi[0]), from: int32(p.from)}
			next[row]++
		})
	}
	for i := range n[1] * n[2] {
		row := all[sh.first[i]:next[i]]
		sh.first[i] = int32(len(s.runs))
		s.unite(row)
	}
	sh.first[n[1]*n[2]] = int32(len(s.runs))
	s.sheets = append(s.sheets, sh)
}

// unite appends the runs of a row.
func (s *items) unite(row []run) {
	slices.SortFunc(row, func(a, b run) int { return int(a.lo - b.lo) })
	start := len(s.runs)
	for _, r := range row {
		if k := len(s.runs) - 1; k >= start && r.lo <= s.runs[k].hi && r.from == s.runs[k].from {
			if more := r.hi - s.runs[k].hi; more > 0 {
				s.runs[k].hi += more
				s.count += int(more)
			}
			continue
		}
		r.place = int32(s.count)
		s.runs = append(s.runs, r)
		s.count += int(r.hi - r.lo)
	}
}

// row numbers the rows of a sheet.
func (s sheet) row(y, z int) int {
	return (z-s.area.Lo[2])*(s.area.Hi[1]-s.area.Lo[1]) + y - s.area.Lo[1]
}

// place returns the number of a cell of the keys from lo to hi, whose cells differ, and the rank it comes from; -1 if it is
// not in the set.
func (s *items) place(lo, hi int, cell [3]int) (place, from int) {
	for _, sh := range s.sheets {
		if sh.key < lo || sh.key >= hi || !sh.area.Contains(cell) {
			continue
		}
		row, x := sh.row(cell[1], cell[2]), int32(cell[0])
		for _, r := range s.runs[sh.first[row]:sh.first[row+1]] {
			if x >= r.lo && x < r.hi {
				return int(r.place + x - r.lo), int(r.from)
			}
		}
	}
	return -1, -1
}
