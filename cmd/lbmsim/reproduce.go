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
	"lbmsim/compare"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/sim"
)

func reproduceCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "reproduce FILE",
		Short: "Compute an output again from what it says of itself, and compare",
		Long: `reproduce takes the case out of an output (fields, averages, a plane, a checkpoint, a
picture or a table), computes it again from the first step to the output's, on the ranks
and devices at hand, and compares:

  lbmsim reproduce out/case/fields/fields_0000001000.hdf
  mpirun -np 4 lbmsim reproduce out/case/checkpoints/checkpoint_000000001000.h5

Files that the case names are taken from the folder inputs of the output's run, where it
keeps copies; they must have the checksums that the output says. All is written to
--output, by default out/reproduced-NAME.

The exit code is 0 where all numbers are the same bit for bit and 5 where they differ.
Any number of ranks gives the same bits; CPUs and GPUs, and versions of the program,
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
	c.Flags().StringVar(&f.output, "output", "", "folder for all outputs (default: out/reproduced-NAME)")
	c.Flags().StringVar(&f.log, "log", "text", "how to report: `text` or json, one event a line")
	return c
}

func runReproduce(path string, f runFlags) error {
	report, err := newReporter(f.log)
	if err != nil {
		return err
	}
	told := &statusReport{reporter: report}
	return onRanks(func(c comm.Comm, dev *device.Device) error { return reproduceRank(c, path, f, told, dev) }, told.Fail)
}

// recipe is what rank 0 knows of a file that is to be computed again.
type recipe struct {
	Kind   compare.Kind
	Case   string
	Step   int
	Output string            // folder of the new outputs
	Inputs map[string]string // SHA-256 -> path
}

// reproduceRank is one rank's part.
func reproduceRank(c comm.Comm, path string, f runFlags, report reporter, opened *device.Device) error {
	signals := catch(c)
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
	kase, err := how.load(path)
	if err != nil { // the same everywhere
		return &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	if err := runLoaded(c, kase, f, signals, report, opened); err != nil {
		return err
	}
	return sim.Agreed(sim.ExitDiffer, comm.Agree(c, func() error {
		if c.Rank() != 0 {
			return nil
		}
		return how.compare(path)
	}()))
}

// recipeOf reads the file.
func recipeOf(path, output string) (how recipe, err error) {
	o, err := compare.Open(path)
	if err != nil {
		return how, err
	}
	if o.Kind == compare.Case {
		return how, fmt.Errorf("%s is a case: lbmsim run computes it", path)
	}
	how = recipe{Kind: o.Kind, Case: o.Case, Step: o.Step, Output: output, Inputs: map[string]string{}}
	if how.Output == "" {
		base := filepath.Base(path)
		how.Output = filepath.Join("out", "reproduced-"+strings.TrimSuffix(base, filepath.Ext(base)))
	}
	home, err := filepath.Abs(path)
	if err != nil {
		return how, err
	}
	to, err := filepath.Abs(how.Output)
	if err != nil {
		return how, err
	}
	if rel, err := filepath.Rel(to, home); err == nil && filepath.IsLocal(rel) {
		return how, fmt.Errorf("%s lies in the folder %s, which would be written anew: choose another one with --output", path, how.Output)
	}
	// The folder of the run is that of the file or, for fields and checkpoints, above it.
	for dir := filepath.Dir(home); ; dir = filepath.Dir(dir) {
		kept, _ := filepath.Glob(filepath.Join(escaped(dir), sim.InputDir, "*"))
		for _, file := range kept {
			base := filepath.Base(file)
			how.Inputs[strings.TrimSuffix(base, filepath.Ext(base))] = file
		}
		if len(kept) > 0 || dir == filepath.Dir(dir) {
			return how, nil
		}
	}
}

// escaped is a path as a pattern of itself.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// load makes a case of the recipe that ends with the file's step.
func (how recipe) load(path string) (*config.Case, error) {
	kase, err := config.Load(path, []byte(how.Case))
	if err != nil {
		return nil, fmt.Errorf("the case in %s is none for this version of lbmsim: %w", path, err)
	}
	find := func(sum, shown string, to *string) error {
		if kept, ok := how.Inputs[sum]; ok {
			*to = kept
		} else if _, err := os.Stat(shown); err == nil && sum != "" {
			*to = shown // as seen from the working folder; its checksum is looked at
		} else {
			return fmt.Errorf("the file %s of the case in %s is not to be had: there is no copy of it in a folder %s beside the output; put it there as %s%s",
				shown, path, sim.InputDir, sum, filepath.Ext(shown))
		}
		return nil
	}
	for i := range kase.Files {
		in := &kase.Files[i]
		if err := find(in.SHA256, in.Shown, &in.Path); err != nil {
			return nil, err
		}
	}
	for _, b := range kase.Boundaries {
		for _, in := range []*config.TableFile{b.Table, b.Outline} {
			if in == nil {
				continue
			}
			if err := find(in.SHA256, in.Shown, &in.Path); err != nil {
				return nil, err
			}
		}
	}
	if how.Step < kase.Run.Steps {
		kase.Run.Steps = how.Step
		kase.Expect = nil // is meant for the end
	}
	kase.OutputDir = how.Output
	kase.Run.WallTime, kase.Run.Ranks = 0, [3]int{}
	kase.Device.Share = true
	switch how.Kind { // what had come by the clock, or because a run was interrupted
	case compare.Fields:
		kase.Fields.Schedule.End, kase.Averages.Schedule.End = kase.Fields.On, kase.Averages.On
	case compare.Checkpoint:
		kase.Checkpoint.Schedule.End = true
	case compare.Picture:
		kase.Picture.Schedule.End = true
	}
	return kase, nil
}

// compare holds the file against its new counterpart.
func (how recipe) compare(path string) error {
	home, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	again, most := "", 0 // the file that has the most of the path in common, from its end
	err = filepath.WalkDir(how.Output, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n := alike(home, p); n > most {
			again, most = p, n
		}
		return nil
	})
	if err != nil {
		return err
	}
	if again == "" {
		return fmt.Errorf("the new run wrote no file %s: give the output the name that it had", filepath.Base(path))
	}
	r, err := compare.Files(path, again)
	if err != nil {
		return err
	}
	printReports(os.Stdout, r)
	if !r.Same() {
		return errors.New("the output was not reproduced bit for bit")
	}
	fmt.Println("reproduced, bit for bit")
	return nil
}

// alike is how many names at the ends of two paths are the same.
func alike(a, b string) (n int) {
	as, bs := strings.Split(a, string(filepath.Separator)), strings.Split(b, string(filepath.Separator))
	for n < min(len(as), len(bs)) && as[len(as)-1-n] == bs[len(bs)-1-n] {
		n++
	}
	return n
}
