// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/finding"
	"lbmsim/internal/study"
	"lbmsim/report"
	"lbmsim/sim"
)

// studyFlags are the flags of `lbmsim study`.
type studyFlags struct {
	levels              int
	ratio, first, order float64
	scaling, device     string
	threads             int
	set                 []string
	as                  string
	json                bool
	continued           bool
}

func studyCommand() *cobra.Command {
	var f studyFlags
	c := &cobra.Command{
		Use:   "study CASE.toml",
		Short: "Run a case on several grids: observed order, extrapolated value, uncertainty",
		Long: `study runs a case on successively refined grids, and compares what [expect]
measures on them (value and within are optional):

  lbmsim study case.toml --levels 3                the case, and refined by 2 and 4
  lbmsim study case.toml --levels 3 --first 0.25   the case, and coarsened by 2 and 4
  mpirun -np 4 lbmsim study case.toml --json

Lengths, times and velocities are kept as in the case. With --scaling diffusive
the time step scales with the square of the spacing, so that the Mach number decreases
and the results approach incompressible flow; with acoustic it scales with the
spacing at constant Mach number. [run] steps, and periods in steps, refer to the
case and are scaled in proportion.

Tables (probes, lines, forces, series) of each grid go to study/refined_FACTOR in the output
folder of the case, whose own results are kept; results of an earlier study are replaced. Fields,
averages, planes, pictures and checkpoints are not written. lbmsim watch shows the grids of a study
with tables while it runs. With --continue each grid starts
from the final flow of the previous grid ([initial] from) instead of the initial state
of the case; the fields it needs are kept in study/refined_FACTOR/fields.

Each warning of the runs is printed once, with the grids it applies to; texts that differ in
numbers only count as one warning, with the numbers of the finest grid.

The observed order is computed from the last three grids (Roache, J. Fluids Eng. 116 (1994) 405), or from
the last two where the quantity is an error against an exact solution. GCI is the grid
convergence index of the finest grid, relative to its value: 1.25 times the distance to
the extrapolated value if the observed order is within 10 % of the formal one, otherwise 3
times (Oberkampf & Roy, Verification and Validation in Scientific Computing, 2010, table
8.1), with a warning.`,
		Args: oneCase,
		RunE: func(_ *cobra.Command, args []string) error { return runStudy(args[0], f) },
	}
	c.Flags().IntVar(&f.levels, "levels", 3, "number of `GRIDS`")
	c.Flags().Float64Var(&f.ratio, "ratio", 2, "refinement `RATIO` of consecutive grids")
	c.Flags().Float64Var(&f.first, "first", 1, "`FACTOR` by which the first grid refines the case")
	c.Flags().BoolVar(&f.continued, "continue", false, "start each grid from the final flow of the previous grid")
	c.Flags().StringVar(&f.scaling, "scaling", "diffusive", "scaling `RULE` of the time step: diffusive or acoustic")
	c.Flags().Float64Var(&f.order, "order", 2, "formal `ORDER` of the method")
	c.Flags().StringVar(&f.device, "device", "", "`DEVICE` to compute on: cpu, cuda, auto, or the number of a GPU (default: as in the case)")
	c.Flags().IntVar(&f.threads, "threads", 0, "`THREADS` per rank (default: its share of the cores)")
	c.Flags().BoolVar(&f.json, "json", false, "print the study as one JSON object")
	setFlag(c, &f.set)
	asFlag(c, &f.as)
	return c
}

// runStudy runs the study on the ranks that were started.
func runStudy(path string, f studyFlags) error {
	if f.threads < 0 {
		return usageError{fmt.Errorf("--threads %d: must be at least 1, or 0 for a share of the cores", f.threads)}
	}
	scaling, err := config.ParseScaling(f.scaling)
	if err != nil {
		return usageError{fmt.Errorf("--%w", err)}
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error {
		return studyRank(c, path, f, scaling, stdout, dev)
	}, func(err error) { fmt.Fprintln(os.Stderr, report.Failure(err)) }, func(string) {})
}

// studyRank runs one rank's part of a study. The caller owns the opened device and closes it last.
func studyRank(c comm.Comm, path string, f studyFlags, scaling config.Scaling, out io.Writer, opened *device.Device) error {
	signals := catch(c, false)
	text, err := readEverywhere(c, path)
	if err != nil {
		return err
	}
	o := study.Options{
		Path: called(path, f.as), Text: text, Set: f.set, Levels: f.levels, First: f.first, Ratio: f.ratio, Scaling: scaling, Formal: f.order, Continue: f.continued,
		Comm: c, Version: version, Signals: signals.caught, Stepping: signals.Stepping,
	}
	cases, err := o.Load()
	if err != nil { // the same bytes give the same error everywhere
		return &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	threads, advice, err := share(c, cases[0], f.threads)
	if err != nil {
		return err
	}
	want, err := choose(f.device, cases[0].Device)
	if err != nil {
		return &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	dev, note, err := openDevice(c, want, gpus(), threads)
	if err != nil {
		return err
	}
	*opened = dev
	o.Device, o.Threads = dev, threads
	if _, onCPU := dev.(*cpu.Device); !onCPU {
		advice = ""
	}
	if c.Rank() == 0 {
		for _, text := range []string{note, advice} {
			if text != "" {
				fmt.Fprintln(os.Stderr, "warning:", text)
			}
		}
	}
	progress := out
	if f.json { // only the object is printed there
		progress = os.Stderr
	}
	o.Done = func(l study.Level) { fmt.Fprintln(progress, levelText(l)) }
	o.Also = func() study.Reporter {
		return report.NewStatus(func(w finding.Finding) { fmt.Fprintln(os.Stderr, "warning:", w) })
	}
	s, err := study.Run(o, cases)
	if c.Rank() == 0 && s != nil && (f.json || err != nil) {
		for _, w := range s.Warnings {
			fmt.Fprintln(os.Stderr, "warning:", w)
		}
	}
	if err != nil {
		return err
	}
	// A closed pipe concerns only rank 0.
	if c.Rank() == 0 {
		if f.json {
			err = json.NewEncoder(out).Encode(s)
		} else {
			err = printStudy(out, s)
		}
	}
	return sim.Agreed(sim.ExitFailure, comm.Agree(c, err))
}

// levelText returns the line printed for a computed grid.
func levelText(l study.Level) string {
	cells := fmt.Sprintf("%d x %d", l.Cells[0], l.Cells[1])
	if l.Cells[2] > 1 {
		cells += fmt.Sprintf(" x %d", l.Cells[2])
	}
	if l.All > 0 {
		cells = fmt.Sprintf("%s of level 0, in all %d", cells, l.All)
	}
	return fmt.Sprintf("refined by %.6g: %s cells, tau %s, Mach %.3g, %d steps in %.3g s, %.4g MLUPS", l.Factor, cells, config.TauText(l.Tau), l.Mach, l.Steps, l.Seconds, l.MLUPS)
}

// printStudy prints a table for people.
func printStudy(out io.Writer, s *study.Study) error {
	fmt.Fprintf(out, "\n%s, %s scaling, ratio %g, formal order %g\n", s.Case, s.Scaling, s.Ratio, s.Formal)
	head := []string{"  quantity"}
	for _, l := range s.Levels {
		across := fmt.Sprintf("%d cells", l.Cells[0])
		if l.All > 0 {
			across = fmt.Sprintf("%d in all", l.All)
		}
		head = append(head, across)
	}
	rows := [][]string{append(head, "order", "extrapolated", "GCI", "asymptotic")}
	var warnings []string
	for _, w := range s.Warnings {
		warnings = append(warnings, "warning: "+w.String())
	}
	for _, r := range s.Results {
		name := strings.TrimPrefix(r.Quantity, "expect.")
		row := []string{"  " + name}
		for _, v := range r.Values {
			row = append(row, fmt.Sprintf("%.8g", float64(v)))
		}
		gci := "-"
		if v := float64(r.GCI); !math.IsNaN(v) {
			gci = fmt.Sprintf("%.2g %%", 100*v)
		}
		rows = append(rows, append(row, numberText(r.Order, "%.3f"), numberText(r.Extrapolated, "%.8g"), gci, numberText(r.Ratio, "%.3f")))
		for _, w := range r.Warnings {
			warnings = append(warnings, fmt.Sprintf("warning: %s: %s", name, w))
		}
	}
	report.Columns(out, rows)
	for _, l := range s.Levels[:1] {
		if l.Output != "" {
			warnings = append([]string{fmt.Sprintf("tables of the grids are in %s", filepath.Dir(l.Output))}, warnings...)
		}
	}
	_, err := fmt.Fprintln(out, strings.Join(warnings, "\n"))
	return err
}

func numberText(n study.Number, format string) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}
