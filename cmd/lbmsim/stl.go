// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"lbmsim/config"
	"lbmsim/geometry/intake"
	"lbmsim/geometry/mesh"
	"lbmsim/internal/plain"
	"lbmsim/io/paint"
	"lbmsim/io/picture"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// stlCommand checks a surface without a case.
func stlCommand() *cobra.Command {
	spacing, preview := 0.0, ""
	repair := false
	c := &cobra.Command{
		Use:   "stl FILE.stl",
		Short: "Check an STL surface: watertightness and how it voxelizes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("expected one STL file, got %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if spacing < 0 || math.IsNaN(spacing) || math.IsInf(spacing, 0) {
				return usageError{fmt.Errorf("--spacing %g: must be a length in the numbers of the file", spacing)}
			}
			if preview != "" {
				if err := mayDraw(preview, args[0]); err != nil {
					return usageError{err}
				}
			}
			done := working("reading " + args[0])
			s, err := intake.Read(args[0])
			done()
			if err != nil {
				return usageError{err}
			}
			if spacing == 0 {
				for a, lo := range s.Found.Lo {
					spacing = max(spacing, (s.Found.Hi[a]-lo)/128)
				}
			}
			if !(spacing > 0) {
				return usageError{fmt.Errorf("%s: the surface has no size", args[0])}
			}
			grid := intake.Grid{Lattice: anyLattice()}
			fmt.Fprintln(stdout, args[0])
			move := func(p [3]float64) [3]float64 { return [3]float64{p[0] / spacing, p[1] / spacing, p[2] / spacing} }
			title := fmt.Sprintf("in cells of %.4g (--spacing)", spacing)
			closed := func() error { return s.Close(repair, nil) }
			_, warnings, err := judge(stdout, s, closed, title, move, grid, preview)
			if err != nil {
				return usageError{err}
			}
			if warnings > 0 {
				fmt.Fprintf(stdout, "\nusable in a case; %s above\n", plain.Count(warnings, "warning"))
			} else {
				fmt.Fprintln(stdout, "\nusable in a case at this spacing")
			}
			return nil
		},
	}
	c.Flags().Float64Var(&spacing, "spacing", 0, "`EDGE` length of a cell in the units of the file (default: 1/128 of the longest side)")
	c.Flags().StringVar(&preview, "preview", "", "write a transparent view of the solid cells to this PNG `FILE`")
	c.Flags().BoolVar(&repair, "repair", false, "close the surface first, as repair = true in a case")
	return c
}

// anyLattice returns the lattice whose links include the links of all others.
func anyLattice() model.Lattice {
	l, _ := model.FindLattice("D3Q27")
	return l
}

// judge prints the properties of a surface, before and after closing, and counts the warnings about the
// surface that a case would use; the error is the reason why it is unusable.
func judge(w io.Writer, s *intake.Source, closed func() error, title string, move func([3]float64) [3]float64, grid intake.Grid, preview string) (solid bool, warnings int, err error) {
	rows := s.Report()
	printRows(w, "as in the file", rows)
	done := working("cutting " + s.Path + " into cells")
	inCells, depth, err := intake.OnGrid(s.Surface, move, grid)
	done()
	if err != nil {
		return false, 0, fmt.Errorf("%s: %w", s.Path, err)
	}
	printRows(w, title, inCells)
	warnings = warned(rows) + warned(inCells)
	done = working("closing " + s.Path)
	refused := closed()
	done()
	if done := s.Done(); done != "" { // guessed triangles are shown, even if there are too many
		if inCells, depth, err = intake.OnGrid(s.Surface, move, grid); err != nil {
			return false, 0, cmp.Or(refused, fmt.Errorf("%s: %w", s.Path, err))
		}
		warnings = warned(inCells)
		title := "after the repair"
		if refused != nil {
			title += " (rejected)"
		}
		printRows(w, title, append([]intake.Row{{What: "repaired", Value: done}}, inCells...))
	}
	if preview != "" {
		if err := drawDepth(depth, s, preview); err != nil {
			return false, 0, err
		}
		fmt.Fprintln(w, "picture", preview)
	}
	return !depth.Empty(), warnings, refused
}

// warned counts rows with a warning.
func warned(rows []intake.Row) (n int) {
	for _, r := range rows {
		if r.Warning != "" {
			n++
		}
	}
	return n
}

func printRows(w io.Writer, title string, rows []intake.Row) {
	fmt.Fprintln(w, title)
	for _, r := range rows {
		fmt.Fprintf(w, "  %-14s %s\n", r.What, r.Value)
		if r.Warning != "" {
			fmt.Fprintf(w, "  %-14s warning: %s\n", "", r.Warning)
		}
	}
}

// drawDepth draws the number of solid cells in line.
func drawDepth(d mesh.Depth, s *intake.Source, path string) error {
	b, c := [3]int{1, 0, 0}[d.Axis], [3]int{2, 2, 1}[d.Axis]
	return picture.Picture{
		Quantity: "solid cells along " + string("xyz"[d.Axis]), Case: filepath.Base(s.Path),
		W: d.W, H: d.H, Values: d.Values, Spacing: 1, Origin: [2]float64{d.From[b], d.From[c]},
		Axes: [2]string{string("xyz"[b]), string("xyz"[c])}, Lattice: true, Colours: paint.Sequential,
		Text: map[string]string{"SHA-256": s.SHA256},
	}.Write(path)
}

// gridOf returns the cells of a case that have the surface of a body, of the finest level around it, and the motion into them.
func gridOf(c *config.Case, f config.SolidFile, s *intake.Source) (grid intake.Grid, move func([3]float64) [3]float64, title string) {
	grid, title = intake.Grid{Cells: c.Cells, Lattice: c.Spec.Lattice, Thicken: f.Sheets}, "in the cells of the case"
	lo, hi := s.Surface.Span(f.Motion.Apply)
	level := config.SurfaceLevel(c, lo, hi)
	if level == 0 {
		return grid, f.Motion.Apply, title
	}
	for a := range grid.Cells {
		grid.Cells[a] <<= level
	}
	return grid, func(at [3]float64) [3]float64 {
		at = f.Motion.Apply(at)
		for a := range at {
			at[a] *= float64(int(1) << level)
		}
		return at
	}, fmt.Sprintf("in the cells of level %d", level)
}

// checkFiles checks the files of a case, some of which may be on a shelf, and prints the needs of bodies from files.
func checkFiles(w io.Writer, caseFile *config.Case, shelf *domain.Shelf, preview string) (sizes []config.SolidSize, err error) {
	if err := mayPreview(caseFile, preview); err != nil {
		return nil, err
	}
	var bodies domain.Bodies
	for _, b := range caseFile.Boundaries {
		lines, warnings, err := domain.JudgeTables(caseFile, b)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			fmt.Fprintln(w, "\n"+l)
		}
		caseFile.Warnings = append(caseFile.Warnings, warnings...)
	}
	for _, f := range caseFile.Files {
		fmt.Fprintf(w, "\n[body.%s] %s\n", f.Body, f.Path)
		if f.Image {
			m, err := shelf.Image(f)
			if err != nil {
				return nil, err
			}
			printRows(w, "as in the file", m.Report())
			bodies.AddImage(caseFile, f, m)
			continue
		}
		done := working("reading " + f.Path)
		s, err := shelf.Surface(f)
		done()
		if err != nil {
			return nil, err
		}
		picture := ""
		if preview != "" {
			picture = filepath.Join(preview, f.Body+".png")
		}
		closed := func() error { return domain.CloseSurface(s, caseFile, f) }
		grid, move, title := gridOf(caseFile, f, s)
		solid, _, err := judge(w, s, closed, title, move, grid, picture)
		if err != nil {
			return nil, f.At.Wrong(fmt.Errorf("[body.%s]: %w", f.Body, err))
		}
		caseFile.Warnings = append(caseFile.Warnings, domain.Repairs(f, s)...)
		lo, hi := s.Surface.Span(f.Motion.Apply)
		for a, n := range caseFile.Cells {
			solid = (solid || f.Sheets) && hi[a] > 0 && lo[a] < float64(n)
		}
		if !solid {
			return nil, f.At.Wrong(domain.NoCell(caseFile, f.Body, lo, hi))
		}
		if err := bodies.AddSurface(caseFile, f, s); err != nil {
			return nil, err
		}
	}
	found, err := caseFile.Examine(bodies.Shapes, bodies.Sizes)
	caseFile.Warnings = append(caseFile.Warnings, found.Warnings...)
	if err == nil && preview != "" && len(caseFile.Refine) > 0 {
		err = previewLevels(w, caseFile, bodies.Shapes, filepath.Join(preview, levelsPicture))
	}
	return bodies.Sizes, err
}
