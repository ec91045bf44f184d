// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lbmsim/internal/tunnel"
)

// partForces reads the mean forces on the parts of all bodies from the tables of a run: of each solid in its file, or of the body.
func partForces(folder string, parts []tunnel.Part) (list []tunnel.PartForce, err error) {
	for _, p := range parts {
		row, err := lastRow(filepath.Join(folder, "parts_"+p.Name+".csv"))
		if errors.Is(err, fs.ErrNotExist) {
			row, err = lastRow(filepath.Join(folder, "surface_"+p.Name+".csv"))
		}
		if errors.Is(err, fs.ErrNotExist) { // the run has failed before
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		// Step and time, then six forces on each solid, their means, the halves of their intervals, and three areas. By number: a solid
		// may have any name.
		const first, forces, friction, areas, end = 2, 6, 3, 3, "pressure_x (N)"
		solids := (len(row.columns) - first) / (3*forces + areas)
		if len(row.columns) != first+(3*forces+areas)*solids || len(row.values) == 0 {
			return nil, nil // of a run that was stopped before
		}
		for k := range solids {
			name, known := strings.CutSuffix(row.columns[first+forces*k], end)
			if !known {
				return nil, fmt.Errorf("%s: column %q where a force by pressure is expected", row.path, row.columns[first+forces*k])
			}
			if name = strings.TrimSpace(name); name == "" {
				name = p.Name
			} else if len(parts) > 1 {
				name = p.Name + ": " + name
			}
			mean := first + forces*(solids+k)
			half := mean + forces*solids
			area := row.values[first+3*forces*solids+areas*k:]
			f := tunnel.PartForce{Name: name, Pressure: row.values[mean], PressureHalf: row.values[half], Friction: row.values[mean+friction], FrictionHalf: row.values[half+friction],
				Area: area[0], NoPressure: area[1], NoFriction: area[2]}
			if math.IsNaN(f.Pressure) || math.IsNaN(f.Friction) { // no samples
				return nil, nil
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// tableRow is the last row of a table with the names of its columns.
type tableRow struct {
	path    string
	columns []string
	values  []float64 // none: the table has no rows
}

// lastRow reads the last row of a table of a run.
func lastRow(path string) (row tableRow, err error) {
	f, err := os.Open(path)
	if err != nil {
		return row, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comment = '#'
	all, err := in.ReadAll()
	if err != nil || len(all) == 0 {
		return row, err
	}
	row = tableRow{path: path, columns: all[0]}
	if len(all) == 1 {
		return row, nil
	}
	for i, word := range all[len(all)-1] {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return row, fmt.Errorf("%s: column %q: %w", path, all[0][i], err)
		}
		row.values = append(row.values, v)
	}
	return row, nil
}
