// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/forecast"
	"lbmsim/internal/plain"
	"lbmsim/internal/propose"
	"lbmsim/report"
	"lbmsim/sim"
)

// refineFlags are the flags of `lbmsim refine`.
type refineFlags struct {
	propose.Options
	output, as string
	ranks      int
}

func refineCommand() *cobra.Command {
	var f refineFlags
	c := &cobra.Command{
		Use:   "refine CASE.toml",
		Short: "Propose refinement boxes from a coarse run of the case",
		Long: `refine runs a coarse version of a case, at most a minute or two on two cores, and proposes
refinement boxes ([refine.NAME]) around its bodies and in regions of shear:

  lbmsim refine case.toml                          the case's cells are the finest; prints tables to paste
  lbmsim refine case.toml --output refined.toml    writes the whole case with them
  lbmsim refine case.toml --cells 64 --levels 3    64 of the finest cells across the body

[domain] of the proposed case describes level 0: its spacing doubles per level, and so does a
time step of [scaling]. The lattice velocity is kept; numbers of steps (run.steps, every = 100) decrease.
A case in lattice units keeps its grid as level 0, and the boxes are finer than the case.

The coarse run has no boxes and no outputs, and a viscosity that its cells resolve. On each level there are
boxes around the bodies (--body), and where the mean vorticity times the cells of the coarser level exceeds
6 % of the speed. The proposed case is read back before it is printed. Existing boxes are replaced.`,
		Args: oneCase,
		RunE: func(_ *cobra.Command, args []string) error { return runRefine(args[0], f) },
	}
	c.Flags().IntVar(&f.Levels, "levels", 0, "`LEVELS` above level 0 (default: up to 4, such that level 0 keeps five cells across the body and a fifth of the domain; 1 in lattice units)")
	c.Flags().Float64Var(&f.Across, "cells", 0, "`NUMBER` of the finest cells across the body (root of its frontal area) (default: as in the case)")
	c.Flags().StringVar(&f.Spacing, "spacing", "", "`LENGTH` of the finest cells (default: as in the case)")
	c.Flags().StringArrayVar(&f.Bodies, "body", nil, "`NAME` of a body to refine around; repeat for more (default: all)")
	c.Flags().StringVar(&f.Time, "time", "", "simulated `TIME` of the coarse run (default: 2.5 flow-through times, at most 150 body lengths and the case's own time)")
	c.Flags().IntVarP(&f.ranks, "ranks", "n", 0, "number of `RANKS` for the forecast (default: 1, or [run] ranks of the case)")
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the case with its boxes to a new `FILE`")
	c.Flags().IntVar(&f.Threads, "threads", 0, "`THREADS` per rank (default: its share of the cores)")
	setFlag(c, &f.Set)
	asFlag(c, &f.as)
	return c
}

// runRefine proposes boxes on the ranks that were started.
func runRefine(path string, f refineFlags) error {
	if f.Threads < 0 || f.ranks < 0 || f.Across < 0 {
		return usageError{errors.New("--threads, --ranks and --cells must not be negative")}
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error {
		return refineRank(c, path, f, stdout, dev)
	}, func(err error) { fmt.Fprintln(os.Stderr, report.Failure(err)) }, func(string) {})
}

// refineRank takes one rank's part. The caller owns the opened device and closes it last.
func refineRank(c comm.Comm, path string, f refineFlags, out io.Writer, opened *device.Device) error {
	usage := func(err error) error { return &sim.Error{Code: sim.ExitUsage, Err: err} }
	var err error
	if c.Rank() == 0 {
		err = mayWrite(f.output)
	}
	if err := comm.Agree(c, err); err != nil {
		return usage(err)
	}
	text, err := readEverywhere(c, path)
	if err != nil {
		return err
	}
	o := f.Options
	o.Path, o.Text, o.Comm, o.Version = called(path, f.as), text, c, version
	if o.Threads, _, err = share(c, &config.Case{}, f.Threads); err != nil {
		return err
	}
	if c.Rank() == 0 {
		o.Accepts = func(c *config.Case) error { return besideInputs(c, f.output) }
	}
	dev, err := cpu.New(o.Threads)
	if err := comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitFailure, err)
	}
	*opened, o.Device = dev, dev
	quiet := func() {}
	o.Started = func(about propose.Coarse) {
		fmt.Fprintln(out, coarseText(about))
		quiet = working("coarse run")
	}
	found, err := propose.Run(o)
	quiet()
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		err = printProposal(out, found, f)
	}
	return sim.Agreed(sim.ExitFailure, comm.Agree(c, err))
}

// mayWrite refuses to replace a file.
func mayWrite(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("--output %s: the file exists, and is kept; give a new name", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("--output %s: there is no folder %s", path, filepath.Dir(path))
	}
	return nil
}

// besideInputs refuses to write a case whose inputs have relative paths to another folder.
func besideInputs(c *config.Case, path string) error {
	to, err1 := filepath.Abs(filepath.Dir(path))
	from, err2 := filepath.Abs(filepath.Dir(c.Path))
	if path == "" || err1 != nil || err2 != nil || to == from {
		return nil
	}
	return each(c, func(_, shown string, _ *string) error {
		if filepath.IsAbs(shown) {
			return nil
		}
		return fmt.Errorf("--output %s: the path of %s is relative to the folder of the case; write the new case there", path, shown)
	})
}

// coarseText describes the coarse run.
func coarseText(c propose.Coarse) string {
	unit := " steps of the case"
	if c.Physical {
		unit = " s"
	}
	var n []int
	for _, k := range c.Cells {
		if k > 1 || len(n) < 2 {
			n = append(n, k)
		}
	}
	size, what := language.Short(c.Factor)+" times larger", "the length of the flow"
	if c.Factor == 1 {
		size = "as large as the case's"
	}
	if c.Bodies {
		what = "the body"
	}
	text := fmt.Sprintf("coarse run: %s cells, %s, %s across %s; %d steps, %s%s", language.Crossed(n), size, language.Short(c.Across), what, c.Steps, language.Short(c.Time), unit)
	if c.Lengths > 0 {
		text += fmt.Sprintf(", in which the flow moves by %s of these lengths", language.Short(c.Lengths))
	}
	if c.Thicker > 1 {
		text += fmt.Sprintf("; viscosity times %s, which its cells resolve", language.Short(c.Thicker))
	}
	if len(c.Left) > 0 {
		text += "\nleft out of it, too small for its cells: " + strings.Join(c.Left, ", ")
	}
	return text
}

// printProposal prints the boxes and their cost, and writes the case.
func printProposal(out io.Writer, p *propose.Proposal, f refineFlags) error {
	for _, n := range p.Notes {
		fmt.Fprintln(out, "note:", n)
	}
	ranks := f.ranks
	if ranks == 0 {
		ranks = p.Case.LeastRanks()
	}
	if _, err := p.Case.Hierarchy(ranks); err != nil {
		return fmt.Errorf("--ranks %d: %w", ranks, err)
	}
	fmt.Fprintf(out, "\n# [domain] spacing of level 0: %s\n%s", lengthText(p.Case, p.Case.Units.Length), p.Tables)
	fmt.Fprintf(out, "\nlevels, on %s\n", plain.Count(ranks, "rank"))
	rows := forecast.Levels(p.Case, ranks)
	for i := range rows {
		rows[i][0] = "  " + rows[i][0]
	}
	report.Columns(out, rows)
	by := "at the coarse run's speed"
	if p.Step > 0 {
		by = "with boxes by some steps of it, uniform at the coarse run's speed"
	}
	fmt.Fprintf(out, "\nthe run, memory on %s, times on the ranks of this command: %s, %.3g MLUPS\n", plain.Count(ranks, "rank"), by, p.MLUPS)
	report.Columns(out, costs(p, ranks))
	for _, w := range p.Case.Warnings {
		fmt.Fprintln(out, "warning:", w)
	}
	if f.output == "" {
		fmt.Fprintln(out, "\n--output FILE writes the case with these boxes and its coarser [domain]")
		return nil
	}
	to, err := os.OpenFile(f.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err = to.Write(p.Text); err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err == nil {
		fmt.Fprintln(out, "\nwrote", filepath.Clean(f.output))
	}
	return err
}

func lengthText(c *config.Case, v float64) string {
	if !c.Units.Physical {
		return language.Short(v)
	}
	return language.Short(v) + " m"
}

// costs compares the proposed case with the finest cells everywhere.
func costs(p *propose.Proposal, ranks int) [][]string {
	h, err := p.Case.Hierarchy(ranks)
	if err != nil {
		panic(err) // the caller has checked it
	}
	finest := len(h.Levels) - 1
	cells, updates, uniform := 0, 0., 1.
	for l := range h.Levels {
		cells += h.Counted(l)
		for _, patch := range h.Levels[l].Patches { // computed cells, the overlap included
			updates += float64(patch.Stored.Cells()) * float64(int(1)<<l)
		}
	}
	for _, n := range h.Levels[finest].N {
		uniform *= float64(n)
	}
	all := uniform * float64(int(1)<<finest)
	steps := float64(p.Case.Run.Steps)
	run := p.Step
	if run == 0 {
		run = updates / p.MLUPS / 1e6
	}
	memory := "-"
	if p.Uniform != nil {
		if _, err := p.Uniform.Cut(ranks); err == nil {
			memory = report.Bytes(float64(forecast.StateBytes(p.Uniform, ranks) + forecast.FlagBytes(p.Uniform, ranks)))
		}
	}
	return [][]string{
		{"  grid", "cells", "", "updates per step of level 0", "", "memory per rank", "time"},
		{"  with boxes", language.Grouped(cells), percentText(float64(cells) / uniform), language.Grouped(int(updates)), percentText(updates / all), report.Bytes(float64(forecast.StateBytes(p.Case, ranks) + forecast.FlagBytes(p.Case, ranks))), durationText(run * steps)},
		{"  uniform, " + lengthText(p.Case, p.Case.Units.Length/float64(int(1)<<finest)), language.Grouped(int(uniform)), "100 %", language.Grouped(int(all)), "100 %", memory, durationText(all * steps / p.MLUPS / 1e6)},
	}
}

// durationText writes an estimate in the largest unit that leaves two digits.
func durationText(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 120*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 100*3600:
		return fmt.Sprintf("%.3g h", seconds/3600)
	}
	return fmt.Sprintf("%.0f days", seconds/86400)
}

func percentText(share float64) string {
	if share >= 0.0995 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
