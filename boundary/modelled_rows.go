// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"sort"
)

// placeRows finds numbered cells by their places, which are from -1 to n along each axis, row by row: it needs eight bytes
// per cell, and neighbouring cells are neighbours in memory.
type placeRows struct {
	n         [3]int
	start     []int32 // of each row in the lists that follow
	x, number []int32 // in each row by rising x
}

// newPlaceRows lists the cells that each yields; it is called twice. Places beyond the box are omitted.
func newPlaceRows(n [3]int, each func(add func(at [3]int, number int))) *placeRows {
	r := &placeRows{n: n, start: make([]int32, (n[1]+2)*(n[2]+2)+1)}
	each(func(at [3]int, _ int) {
		if row, ok := r.row(at); ok {
			r.start[row+1]++
		}
	})
	for i := 1; i < len(r.start); i++ {
		r.start[i] += r.start[i-1]
	}
	r.x, r.number = make([]int32, r.start[len(r.start)-1]), make([]int32, r.start[len(r.start)-1])
	filled := make([]int32, len(r.start)-1)
	each(func(at [3]int, number int) {
		row, ok := r.row(at)
		if !ok {
			return
		}
		k := r.start[row] + filled[row]
		for ; k > r.start[row] && r.x[k-1] > int32(at[0]); k-- { // most come in order
			r.x[k], r.number[k] = r.x[k-1], r.number[k-1]
		}
		r.x[k], r.number[k] = int32(at[0]), int32(number)
		filled[row]++
	})
	return r
}

// row returns the number of a place's row; false: the place is beyond the box.
func (r *placeRows) row(at [3]int) (int, bool) {
	for a := range at {
		if at[a] < -1 || at[a] > r.n[a] {
			return 0, false
		}
	}
	return (at[2]+1)*(r.n[1]+2) + at[1] + 1, true
}

// from returns the places in the lists of the cells in a row from x on.
func (r *placeRows) from(row, x int) (first, end int) {
	list := r.x[r.start[row]:r.start[row+1]]
	first = sort.Search(len(list), func(i int) bool { return int(list[i]) >= x })
	return first + int(r.start[row]), int(r.start[row+1])
}

// all returns the numbers of the cells at a place, in the order in which they were added.
func (r *placeRows) all(p [3]int) []int32 {
	row, ok := r.row(p)
	if !ok || r.start[row] == r.start[row+1] {
		return nil
	}
	k, end := r.from(row, p[0])
	last := k
	for last < end && int(r.x[last]) == p[0] {
		last++
	}
	return r.number[k:last]
}

// each calls do for each cell until it returns false.
func (r *placeRows) each(do func(at [3]int, number int) bool) {
	for row := range len(r.start) - 1 {
		for k := r.start[row]; k < r.start[row+1]; k++ {
			if !do([3]int{int(r.x[k]), row%(r.n[1]+2) - 1, row/(r.n[1]+2) - 1}, int(r.number[k])) {
				return
			}
		}
	}
}

// beside is a cell near another one and its relative place.
type beside struct {
	number int32
	from   [3]int8
}

// around appends the cells up to reach cells away from a place along each axis to a list, z slowest.
func (r *placeRows) around(list []beside, p [3]int, reach int) []beside {
	for z := max(p[2]-reach, -1); z <= min(p[2]+reach, r.n[2]); z++ {
		for y := max(p[1]-reach, -1); y <= min(p[1]+reach, r.n[1]); y++ {
			row := (z+1)*(r.n[1]+2) + y + 1
			if r.start[row] == r.start[row+1] {
				continue
			}
			for k, end := r.from(row, p[0]-reach); k < end && int(r.x[k]) <= p[0]+reach; k++ {
				list = append(list, beside{r.number[k], [3]int8{int8(int(r.x[k]) - p[0]), int8(y - p[1]), int8(z - p[2])}})
			}
		}
	}
	return list
}
