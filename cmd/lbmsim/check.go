// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/forecast"
	"lbmsim/internal/plain"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/domain"
	"lbmsim/sim/transfer"
)

// checkCommand is a dry run: it reports derived numbers and resource needs of a case, and checks
// its surfaces from files. It starts no MPI and allocates no device memory.
func checkCommand() *cobra.Command {
	ranks, preview, as := 0, "", ""
	var set []string
	c := &cobra.Command{
		Use:   "check CASE.toml",
		Short: "Dry run: report derived numbers and resource needs",
		Args:  oneCase,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := readCase(args[0])
			if err != nil {
				return usageError{err}
			}
			var shelf domain.Shelf
			flowCase, err := loadCase(called(args[0], as), text, shelf.Extents(nil), set...)
			if err == nil && ranks == 0 {
				ranks = flowCase.LeastRanks()
			}
			if err == nil {
				_, err = flowCase.Hierarchy(ranks)
			}
			var files bytes.Buffer
			var sizes []config.SolidSize
			if err == nil {
				sizes, err = checkFiles(&files, flowCase, &shelf, preview)
			}
			if err == nil {
				err = checkFlow(flowCase)
			}
			if err != nil {
				fmt.Fprint(stdout, files.String()) // the forecast of the files
				fmt.Fprintln(os.Stderr, report.Failure(err))
				return alreadyPrinted{sim.ExitUsage}
			}
			fmt.Fprintln(stdout, flowCase.Path)
			report.Table(stdout, flowCase.Table)
			printLevels(flowCase, ranks)
			fmt.Fprintf(stdout, "\nneeds, on %s\n", plain.Count(ranks, "rank"))
			report.Table(stdout, forecast.Table(flowCase, ranks, sizes...))
			if rows := flowCase.NearWalls(sizes...); len(rows) > 0 {
				fmt.Fprintln(stdout, "\nnear-wall resolution, from plate and channel correlations")
				report.Table(stdout, rows)
			}
			if rows := flowCase.Room(sizes...); len(rows) > 0 {
				fmt.Fprintln(stdout, "\ndomain size around bodies")
				report.Table(stdout, rows)
			}
			if list, err := gpus().list(); err == nil {
				shape := map[int]string{2: "square", 3: "cube"}[flowCase.Dims()]
				fmt.Fprintf(stdout, "\nlargest %s of this model and precision\n", shape)
				for _, g := range list {
					n := forecast.LargestCube(flowCase, g.Memory)
					fmt.Fprintf(stdout, "  cuda:%d  %s, %s  %d^%d cells\n", g.Number, g.Name, report.Bytes(float64(g.Memory)), n, flowCase.Dims())
				}
			}
			fmt.Fprint(stdout, files.String())
			flowCase.Warnings = append(flowCase.Warnings, tooMuch(flowCase)...)
			own := ownCPUs()
			if text := crowded(flowCase.Run.Threads, 1, own.Count()); text != "" {
				flowCase.Warnings = append(flowCase.Warnings, finding.IdleCores.Says("here, %s", text))
			}
			for _, w := range flowCase.Warnings {
				fmt.Fprintln(stdout, "warning:", w)
			}
			if n := len(flowCase.Warnings); n > 0 {
				fmt.Fprintf(stdout, "\nready to run; %s above\n", plain.Count(n, "warning"))
			} else {
				fmt.Fprintln(stdout, "\nready to run")
			}
			return nil
		},
	}
	setFlag(c, &set)
	asFlag(c, &as)
	c.Flags().StringVar(&preview, "preview", "", "write a picture of every body read from a file, NAME.png, and of refinement boxes, refine.levels.png, to this `FOLDER`")
	c.Flags().IntVarP(&ranks, "ranks", "n", 0, "number of `RANKS` to plan for (default: 1, or [run] ranks of the case)")
	return c
}

// printLevels prints the levels of a refined grid.
func printLevels(flowCase *config.Case, ranks int) {
	rows := forecast.Levels(flowCase, ranks)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(stdout, "\nlevels, on %s\n", plain.Count(ranks, "rank"))
	for i := range rows {
		rows[i][0] = "  " + rows[i][0]
	}
	report.Columns(stdout, rows)
}

// checkFlow examines the flow that a case starts from, and adds to its table and its warnings.
func checkFlow(flowCase *config.Case) error {
	if flowCase.Initial.From == nil {
		return nil
	}
	found, warnings, err := transfer.Look(*flowCase.Initial.From, flowCase.OutputDir)
	if err != nil {
		return err
	}
	s, err := transfer.Open(found.Path)
	if err != nil {
		return transfer.Wrong(*flowCase.Initial.From, err)
	}
	defer s.Close()
	if err := s.Verify(); err != nil {
		return transfer.Wrong(*flowCase.Initial.From, err)
	}
	flow, err := transfer.New(flowCase, s)
	if err != nil {
		return err
	}
	flowCase.Table = append(flowCase.Table, flow.Rows(found.SHA256)...)
	flowCase.Warnings = append(flowCase.Warnings, warnings...)
	flowCase.Warnings = append(flowCase.Warnings, flow.Warnings()...)
	return nil
}

// tooMuch warns of outputs that do not fit on the disk.
func tooMuch(flowCase *config.Case) finding.List {
	dir := flowCase.OutputDir
	var fs syscall.Statfs_t
	for syscall.Statfs(dir, &fs) != nil { // the run creates it
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
	need, _ := forecast.OnDisk(flowCase)
	left := float64(fs.Bavail) * float64(fs.Bsize)
	if need <= left {
		return nil
	}
	return finding.List{finding.DiskSpace.Says("outputs need %s in total, but the disk of %s has %s free: increase every, write fewer fields, or set --output to another disk", report.Bytes(need), flowCase.OutputDir, report.Bytes(left))}
}
