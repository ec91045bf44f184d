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
		const mark, end = "mean ", "pressure_x (N)"
		for _, column := range row.columns {
			solid, is := strings.CutPrefix(column, mark)
			if solid, is = strings.CutSuffix(solid, end); !is || !strings.HasPrefix(column, mark) {
				continue
			}
			name := strings.TrimSpace(solid)
			if name == "" {
				name = p.Name
			} else if len(parts) > 1 {
				name = p.Name + ": " + name
			}
			f := tunnel.PartForce{Name: name, Pressure: row.of(mark + solid + end), PressureHalf: row.of("+- " + solid + end)}
			f.Friction, f.FrictionHalf = row.of(mark+solid+"friction_x (N)"), row.of("+- "+solid+"friction_x (N)")
			if math.IsNaN(f.Pressure) || math.IsNaN(f.Friction) { // no samples
				return nil, nil
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// tableRow is a row of a table with the names of its columns.
type tableRow struct {
	columns []string
	values  map[string]float64
}

// of returns a value; NaN where there is none.
func (r tableRow) of(column string) float64 {
	if v, known := r.values[column]; known {
		return v
	}
	return math.NaN()
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
	if err != nil || len(all) < 2 {
		return row, err
	}
	row = tableRow{all[0], map[string]float64{}}
	for i, word := range all[len(all)-1] {
		if row.values[all[0][i]], err = strconv.ParseFloat(word, 64); err != nil {
			return row, fmt.Errorf("%s: column %q: %w", path, all[0][i], err)
		}
	}
	return row, nil
}
