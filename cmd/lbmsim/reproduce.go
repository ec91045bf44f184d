// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/compare"
	"lbmsim/sim"
	"lbmsim/sim/domain"
	"lbmsim/sim/output"
)

func reproduceCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "reproduce FILE",
		Short: "Recompute an output from its embedded case, and compare",
		Long: `reproduce extracts the case from an output (fields, averages, a plane, a checkpoint, a
picture or a table), recomputes it from the first step to the step of the output, on the available ranks
and devices, and compares:

  lbmsim reproduce out/case/fields/fields_0000001000.hdf
  mpirun -np 4 lbmsim reproduce out/case/checkpoints/checkpoint_000000001000.h5

Input files of the case are read from the folder inputs of the original run, where it
keeps copies; they must match the checksums in the output. Everything is written to
--output, a new or empty folder, by default out/reproduced-NAME.

The exit code is 0 if all numbers are bit-identical and 5 if they differ.
Table rows written by wall time (every_wall) are at other steps.
Any number of ranks gives the same bits; CPUs and GPUs, and versions of lbmsim,
may round differently.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("give one output of a run; see lbmsim reproduce --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runReproduce(args[0], f) },
	}
	deviceFlags(c, &f)
	c.Flags().StringVar(&f.output, "output", "", "`FOLDER` for all outputs (default: out/reproduced-NAME)")
	c.Flags().StringVar(&f.log, "log", "text", "`FORMAT` of the report: text or json, one event per line")
	return c
}

func runReproduce(path string, f runFlags) error {
	reports, err := newReporters(f.log, f.verbose)
	if err != nil {
		return err
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error { return reproduceRank(c, path, f, reports, dev) }, reports.Fail, reports.status.Lost)
}

// recipe has rank 0's description of a file to be recomputed.
type recipe struct {
	Kind   compare.Kind
	Case   string
	Step   int
	Output string            // folder of the new outputs
	Inputs map[string]string // SHA-256 -> path
}

// reproduceRank runs one rank's part of a reproduction.
func reproduceRank(c comm.Comm, path string, f runFlags, reports *reporters, opened *device.Device) error {
	signals := catch(c, false)
	var how recipe
	var err error
	if c.Rank() == 0 {
		how, err = recipeOf(path, f.output)
	}
	if err := comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitUsage, err)
	}
	b, err := json.Marshal(how)
	if err != nil {
		return err
	}
	if b, err = comm.Broadcast(c, b); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &how); err != nil {
		return err
	}
	caseFile, err := how.load(path)
	if err != nil { // the same everywhere
		return &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	if err := runLoaded(c, caseFile, nil, f, signals, reports, opened); err != nil {
		return err
	}
	comm.HeartbeatOf(c).Guard(0) // rank 0's comparison may take long
	same := true
	err = nil
	if c.Rank() == 0 {
		same, err = how.compare(path, reports.status.Summary())
	}
	if err := comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitFailure, err)
	}
	if !same {
		err = errors.New("the output was not reproduced bit for bit")
	}
	return sim.Agreed(sim.ExitDiffer, comm.Agree(c, err))
}

// recipeOf reads the file.
func recipeOf(path, folder string) (how recipe, err error) {
	o, err := compare.Open(path)
	if err != nil {
		return how, err
	}
	if o.Kind == compare.Case {
		return how, fmt.Errorf("%s is a case: use lbmsim run", path)
	}
	if o.Kind == compare.Table && o.Step == 0 {
		return how, fmt.Errorf("%s has no rows of a step: there is nothing to reproduce", path)
	}
	if _, err := compare.Files(path, path); err != nil { // reads all of it: damage is detected before hours of computation
		return how, err
	}
	how = recipe{Kind: o.Kind, Case: o.Case, Step: o.Step, Inputs: map[string]string{}}
	if how.Output, err = fresh(path, folder); err != nil {
		return how, err
	}
	home, err := filepath.Abs(path)
	if err != nil {
		return how, err
	}
	// The folder of the run is the file's own or, for fields and checkpoints, above it.
	for dir := filepath.Dir(home); ; dir = filepath.Dir(dir) {
		kept, _ := filepath.Glob(filepath.Join(escaped(dir), output.InputDir, "*"))
		for _, file := range kept {
			base := filepath.Base(file)
			how.Inputs[strings.TrimSuffix(base, filepath.Ext(base))] = file
		}
		if len(kept) > 0 || dir == filepath.Dir(dir) {
			break
		}
	}
	caseFile, err := config.Load(path, []byte(how.Case))
	if err != nil {
		return how, nil // load reports it
	}
	_ = each(caseFile, func(sum, shown string, _ *string) error {
		if _, kept := how.Inputs[sum]; !kept && sum != "" {
			if _, err := os.Stat(shown); err == nil {
				how.Inputs[sum] = shown // as seen from the working folder; its checksum is verified
			}
		}
		return nil
	})
	return how, nil
}

// fresh returns a folder without any files, given by --output or new: all files found there later are this run's.
func fresh(path, folder string) (string, error) {
	if folder != "" {
		list, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if len(list) > 0 {
			return "", fmt.Errorf("--output %s: the folder is not empty; choose a new one", folder)
		}
		return folder, nil
	}
	base := filepath.Base(path)
	first := filepath.Join("out", "reproduced-"+strings.TrimSuffix(base, filepath.Ext(base)))
	for n, name := 2, first; ; n, name = n+1, fmt.Sprintf("%s-%d", first, n) {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}

// each calls f for every file that a case names.
func each(caseFile *config.Case, f func(sum, shown string, path *string) error) error {
	if in := caseFile.Initial.From; in != nil {
		if err := f(in.SHA256, in.Shown, &in.Path); err != nil {
			return err
		}
	}
	for i := range caseFile.Files {
		in := &caseFile.Files[i]
		if err := f(in.SHA256, in.Shown, &in.Path); err != nil {
			return err
		}
	}
	for _, b := range caseFile.Boundaries {
		for _, in := range []*config.TableFile{b.Table, b.Outline} {
			if in == nil {
				continue
			}
			if err := f(in.SHA256, in.Shown, &in.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// escaped returns a pattern that matches only the path itself.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// load returns the recipe's case, ended at the file's step. It is the same on all ranks.
func (how recipe) load(path string) (*config.Case, error) {
	var shelf domain.Shelf
	kept := func(f config.SolidFile) (lo, hi [3]float64, err error) { // a missing copy is an error below
		if path, ok := how.Inputs[f.SHA256]; ok {
			f.Path = path
		}
		return shelf.Extents(nil)(f)
	}
	caseFile, err := loadCase(path, []byte(how.Case), kept)
	if err != nil {
		return nil, fmt.Errorf("the case in %s is invalid in this version of lbmsim: %w", path, err)
	}
	err = each(caseFile, func(sum, shown string, to *string) error {
		kept, ok := how.Inputs[sum]
		if !ok {
			return fmt.Errorf("the file %s of the case in %s is missing: the folder %s beside the output has no copy of it; put it there as %s%s",
				shown, path, output.InputDir, sum, filepath.Ext(shown))
		}
		*to = kept
		return nil
	})
	if err != nil {
		return nil, err
	}
	if how.Step != caseFile.Run.Steps { // a restart may have extended the run of a table, whose header stays
		caseFile.Run.Steps = how.Step
		caseFile.Expect = nil // is meant for the end
	}
	caseFile.OutputDir = how.Output
	caseFile.Run.WallTime, caseFile.Run.Ranks = 0, [3]int{}
	caseFile.Device.Share = true
	caseFile.Checkpoint.On = how.Kind == compare.Checkpoint
	last := func(s *config.Schedule) { s.End, s.From = true, 0 }
	switch how.Kind { // outputs by the clock, or of an interrupted or unstable run
	case compare.Fields:
		last(&caseFile.Fields.Schedule)
		last(&caseFile.Averages.Schedule)
		for i := range caseFile.Planes {
			last(&caseFile.Planes[i].Schedule)
		}
		for i := range caseFile.Surfaces {
			last(&caseFile.Surfaces[i].Schedule)
		}
	case compare.Checkpoint:
		last(&caseFile.Checkpoint.Schedule)
	case compare.Picture:
		for i := range caseFile.Pictures {
			last(&caseFile.Pictures[i].Schedule)
		}
		for i := range caseFile.Views {
			last(&caseFile.Views[i].Schedule)
		}
	case compare.Table:
		for i := range caseFile.Lines {
			last(&caseFile.Lines[i].Schedule)
		}
		for i := range caseFile.Profiles {
			last(&caseFile.Profiles[i].Schedule)
		}
		for i := range caseFile.Spectra {
			last(&caseFile.Spectra[i].Schedule)
		}
		for i := range caseFile.Surfaces {
			last(&caseFile.Surfaces[i].Schedule)
		}
	}
	return caseFile, nil
}

// compare checks the file against its new counterpart: the file of the same name or, where
// the file was renamed, the only one of its kind and step.
func (how recipe) compare(path string, end sim.Summary) (same bool, err error) {
	if end.Last != how.Step {
		return false, fmt.Errorf("the new run ended at step %d of %d (%s): nothing to compare", end.Last, how.Step, end.Reason)
	}
	home, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	again, most := "", 0 // the file with the longest common end of the path
	var others []string
	err = filepath.WalkDir(how.Output, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n := alike(home, p); n > most {
			again, most = p, n
		}
		if o, err := compare.Open(p); err == nil && o.Kind == how.Kind && o.Step == how.Step {
			others = append(others, p)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if again == "" && len(others) == 1 {
		again = others[0]
	}
	if again == "" {
		return false, fmt.Errorf("%d new files of step %d may correspond to %s: rename it to its original name; the new files are in %s", len(others), how.Step, path, how.Output)
	}
	r, err := compare.Files(path, again)
	if err != nil {
		return false, err
	}
	printReports(stdout, r)
	if r.Same() {
		fmt.Fprintln(stdout, "reproduced bit for bit")
	}
	return r.Same(), nil
}

// alike returns the number of equal names at the ends of two paths.
func alike(a, b string) (n int) {
	as, bs := strings.Split(a, string(filepath.Separator)), strings.Split(b, string(filepath.Separator))
	for n < min(len(as), len(bs)) && as[len(as)-1-n] == bs[len(bs)-1-n] {
		n++
	}
	return n
}
