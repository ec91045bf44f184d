// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/internal/compare"
	"lbmsim/internal/plain"
	"lbmsim/sim"
)

// diffFlags are the flags of `lbmsim diff`.
type diffFlags struct {
	tolerance float64
	strict    bool
	json      bool
}

func diffCommand() *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two outputs, cases or runs",
		Long: `diff compares two files, or the files of the same names in two output folders:

  lbmsim diff a.toml b.toml                         keys that differ, with defaults filled in
  lbmsim diff a/fields/fields_0000001000.hdf b/...  norms of the difference of each field
  lbmsim diff out/a out/b                           all outputs of two runs

Fields, averages, planes, checkpoints, tables (.csv) and pictures are compared number by
number. L2 is |a-b| / |b| in the Euclidean norm over all cells and components, Linf the
largest |a-b| over the largest |b|. Provenance (version, libraries, ranks,
devices) is compared but ignored for the exit code. For files of different kinds the cases
are compared.

Files found in one folder only are listed and ignored, because a run that was stopped
and resumed leaves the snapshots of its stop; with --strict they count as differences.

The exit code is 0 if all numbers are bit-identical or within --tolerance;
5 if they differ or the folders share no file; 1 or 2 if there is nothing to compare.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("give two files or two output folders; see lbmsim diff --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runDiff(args[0], args[1], f, stdout) },
	}
	c.Flags().Float64Var(&f.tolerance, "tolerance", 0, "accept numbers with Linf up to this `LIMIT`")
	c.Flags().BoolVar(&f.strict, "strict", false, "count files found in one folder only as differences")
	c.Flags().BoolVar(&f.json, "json", false, "print the comparison as JSON")
	return c
}

func runDiff(a, b string, f diffFlags, out io.Writer) error {
	if !(f.tolerance >= 0) {
		return usageError{fmt.Errorf("--tolerance %g: must be at least 0", f.tolerance)}
	}
	reports, only, err := compared(a, b)
	if err != nil && len(reports) == 0 {
		return err
	}
	same := (len(only) == 0 || !f.strict && len(reports) > 0) && err == nil
	for _, r := range reports {
		same = same && r.Within(f.tolerance)
	}
	if f.json {
		b, err := json.MarshalIndent(struct {
			Same    bool              `json:"same"`
			Only    []string          `json:"only,omitempty"`
			Reports []*compare.Report `json:"reports"`
		}{same, only, reports}, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", b)
	} else {
		printReports(out, reports...)
		for _, path := range only {
			fmt.Fprintf(out, "only %s\n", path)
		}
		if len(only) > 0 && same {
			fmt.Fprintf(out, "all common files have identical numbers; %s in one folder only (a difference with --strict)\n", plain.Count(len(only), "file"))
		}
	}
	if err != nil {
		return err
	}
	if !same {
		return alreadyPrinted{sim.ExitDiffer}
	}
	return nil
}

// compared compares files or folders.
func compared(a, b string) ([]*compare.Report, []string, error) {
	ia, err := os.Stat(a)
	if err != nil {
		return nil, nil, usageError{err}
	}
	ib, err := os.Stat(b)
	if err != nil {
		return nil, nil, usageError{err}
	}
	switch {
	case ia.IsDir() != ib.IsDir():
		return nil, nil, usageError{fmt.Errorf("%s and %s: give two files or two folders", a, b)}
	case ia.IsDir():
		return compare.Folders(a, b)
	}
	r, err := compare.Files(a, b)
	if err != nil {
		return nil, nil, err
	}
	return []*compare.Report{r}, nil, nil
}

// printReports prints the common part of several files once.
func printReports(out io.Writer, reports ...*compare.Report) {
	last := ""
	for _, r := range reports {
		var b strings.Builder
		list := func(none, some string, lines []string) {
			if len(lines) == 0 && none != "" {
				fmt.Fprintf(&b, "  %s\n", none)
			} else if len(lines) > 0 {
				fmt.Fprintf(&b, "  %s\n    %s\n", some, strings.Join(lines, "\n    "))
			}
		}
		list("the cases are identical", "the cases differ:", r.Case)
		list("", "computed differently:", r.Means)
		fmt.Fprintf(out, "%s\n%s\n", r.A, r.B)
		if b.String() != last {
			last = b.String()
			fmt.Fprint(out, last)
		}
		printParts(out, r)
	}
}

// printParts prints how the numbers differ.
func printParts(out io.Writer, r *compare.Report) {
	if r.Kind != compare.Case && r.Kind != "" && r.Steps[0] != r.Steps[1] {
		fmt.Fprintf(out, "  steps %d / %d\n", r.Steps[0], r.Steps[1])
	}
	if r.Note != "" {
		fmt.Fprintf(out, "  %s\n", r.Note)
	}
	var same []string
	for _, p := range r.Differences {
		if p.Differ == 0 {
			same = append(same, p.Name)
		}
	}
	if len(same) > 0 {
		fmt.Fprintf(out, "  bit-identical: %s\n", strings.Join(same, ", "))
	}
	for _, p := range r.Differences {
		if p.Differ == 0 {
			continue
		}
		name := p.Name
		if p.Unit != "" {
			name += " (" + p.Unit + ")"
		}
		fmt.Fprintf(out, "  %-24s L2 %.3g, Linf %.3g, %d of %d numbers differ", name, p.L2, p.Linf, p.Differ, p.Numbers)
		if p.Lost > 0 {
			fmt.Fprintf(out, ", %d of them are not finite", p.Lost)
		}
		fmt.Fprintf(out, "; most in %s: %.9g / %.9g\n", p.Where, p.A, p.B)
	}
}
