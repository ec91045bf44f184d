// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

// collector builds the list of crossings of a group of faces: one for each sender and direction, in the order in which they
// are first met. Senders are cells before they have places, from the inside of the group's first face.
type collector[S comparable] struct {
	senders []S
	list    []Crossing
	number  map[S]int
	index   map[directed[S]]int
}

type directed[S comparable] struct {
	sender    S
	direction int
}

func newCollector[S comparable]() *collector[S] {
	return &collector[S]{number: map[S]int{}, index: map[directed[S]]int{}}
}

// add adds a number of sixths of a sender's population.
func (c *collector[S]) add(s S, slot uint8, direction, mass, momentum int) {
	cell, ok := c.number[s]
	if !ok {
		cell = len(c.senders)
		c.number[s] = cell
		c.senders = append(c.senders, s)
	}
	k, ok := c.index[directed[S]{s, direction}]
	if !ok {
		k = len(c.list)
		c.index[directed[S]{s, direction}] = k
		c.list = append(c.list, Crossing{Cell: uint16(cell), Slot: slot, Direction: uint8(direction)})
	}
	c.list[k].Mass += int16(mass)
	c.list[k].Momentum += int16(momentum)
}

// share returns the part of to that equals a list, and appends the list if no part does: equal groups share one.
func share(list []Crossing, known map[string][2]uint32, to *[]Crossing) (first, count uint32) {
	text := make([]byte, 0, 6*len(list))
	for _, x := range list {
		text = append(text, byte(x.Cell), byte(x.Cell>>8), x.Slot, x.Direction, byte(x.Mass), byte(x.Momentum)) // at most 48 sixths
	}
	at, ok := known[string(text)]
	if !ok {
		at = [2]uint32{uint32(len(*to)), uint32(len(list))}
		known[string(text)] = at
		*to = append(*to, list...)
	}
	return at[0], at[1]
}
