// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"lbmsim/config"
	"lbmsim/sim"
)

// Columns prints aligned columns of text.
func Columns(out io.Writer, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len(cell))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, cell := range r {
			fmt.Fprintf(&line, "%-*s  ", width[i], cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}

// Table prints rows of a name, lattice units and SI, aligned.
func Table(out io.Writer, rows []config.Row) {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{"  " + r.Name, r.Lattice, r.SI})
	}
	Columns(out, cells)
}

// printRanks prints a line for each rank: its host, device and transports.
func printRanks(out io.Writer, ranks []sim.RankInfo) {
	var grid [3]int // cells of the domain
	for _, r := range ranks {
		for a := range grid {
			grid[a] = max(grid[a], r.Hi[a])
		}
	}
	rows := [][]string{{"rank", "host", "cells", "device", "", "memory", "ghosts"}}
	for _, r := range ranks {
		rows = append(rows, []string{
			fmt.Sprint(r.Rank), r.Host, partText(r.Lo, r.Hi, grid),
			r.Device.Model, r.Device.Detail, Bytes(float64(r.Bytes)), r.Transport,
		})
	}
	Columns(out, rows)
}

// partText returns a rank's cells along the decomposed axes.
func partText(lo, hi, grid [3]int) string {
	text := ""
	for a := range grid {
		if lo[a] > 0 || hi[a] < grid[a] {
			text += fmt.Sprintf(" %c %d-%d", "xyz"[a], lo[a], hi[a]-1)
		}
	}
	return strings.TrimPrefix(cmp.Or(text, " all"), " ")
}

// routesText returns how some links are served, and why.
func routesText(r sim.Routes) string {
	ends := fmt.Sprintf("rank %d to %d", r.Example[0], r.Example[1])
	if r.Links > 1 {
		ends = fmt.Sprintf("%d links, such as %s", r.Links, ends)
	}
	return fmt.Sprintf("%s (%s): %s", r.Transport, ends, r.Why)
}
