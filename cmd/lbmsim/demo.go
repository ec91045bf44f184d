// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"lbmsim/cases/demo"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/plain"
	"lbmsim/internal/terminal"
	"lbmsim/io/status"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/domain"
)

// demoFlags are the flags of `lbmsim demo`.
type demoFlags struct {
	run    runFlags
	list   bool
	folder string
	show   string
}

func demoCommand() *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo [NAME]",
		Short: "Run a flow on this machine and make an animation of it, in seconds",
		Long: `demo runs an included case on the cores of this machine and makes an animation of its pictures:

  lbmsim demo                 a vortex street
  lbmsim demo --list          all of them

The case, its results and the animation (an animated PNG, which every browser shows) are in the folder
demo. The case can be edited and run by lbmsim like any other. Terminals that report
picture support (kitty, iTerm2, sixel) also show the last picture.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.list {
				if len(args) > 0 {
					return usageError{errors.New("--list lists all demos: give it no name")}
				}
				listDemos()
				return nil
			}
			if !c.Flags().Changed("device") {
				f.run.device = "cpu" // no kernels to compile, no driver needed
			}
			d, err := demoOf(args)
			if err != nil {
				return usageError{err}
			}
			return runDemo(d, f)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.list, "list", false, "list the demos")
	flags.StringVar(&f.folder, "folder", "demo", "`FOLDER` for the case, its results and the animation")
	flags.StringVar(&f.show, "show", "", "show the picture on this terminal by `METHOD`: kitty, iterm, sixel or none (default: detected from the terminal)")
	deviceFlags(c, &f.run)
	return c
}

func listDemos() {
	var table []config.Row
	for _, d := range demo.All() {
		table = append(table, config.Row{Name: d.Name, Lattice: d.Title})
	}
	report.Table(stdout, table)
}

// demoOf returns the demo of a name, the first one without a name.
func demoOf(args []string) (demo.Demo, error) {
	all := demo.All()
	if len(args) == 0 {
		return all[0], nil
	}
	var names []string
	for _, d := range all {
		if d.Name == args[0] {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return demo.Demo{}, fmt.Errorf("there is no demo %q; there are %s", args[0], strings.Join(names, ", "))
}

// method returns how to show the picture. Escape sequences are only for terminals: in a file they are garbage.
func (f demoFlags) method() (terminal.Method, error) {
	width := terminalWidth()
	if f.show == "" {
		if width == 0 {
			return terminal.None, nil
		}
		if m := terminal.Announced(os.Getenv); m != terminal.None || os.Getenv("TERM") == "dumb" {
			return m, nil
		}
		return terminal.Asked(os.Stdout), nil
	}
	m, err := terminal.Parse(f.show)
	if err != nil {
		return m, fmt.Errorf("--show: %w", err)
	}
	if m != terminal.None && width == 0 {
		return m, fmt.Errorf("--show %s: the standard output is not a terminal", m)
	}
	return m, nil
}

// terminalWidth returns the columns of the terminal that shows the standard output, 0 without a terminal.
func terminalWidth() int {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// runDemo runs a demo on the ranks that were started; rank 0 makes the animation.
func runDemo(d demo.Demo, f demoFlags) error {
	log := &demoReport{Text: report.NewText(os.Stdout, false)}
	reports := &reporters{start: &startSign{}, status: report.NewStatus(log.Warn)}
	reports.Many = report.Many{reports.start, reports.status, log}
	path := filepath.Join(f.folder, d.Name+".toml")
	return onRanks(func(c comm.Comm, dev *device.Device) error {
		signals := catch(c, false)
		var show terminal.Method
		var err error
		if c.Rank() == 0 { // only its terminal is known
			if show, err = f.method(); err == nil {
				err = writeDemo(path, d.Text)
			}
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitUsage, err)
		}
		var shelf domain.Shelf
		flow, err := loadCase(path, []byte(d.Text), shelf.Extents(c))
		if err != nil {
			return &sim.Error{Code: sim.ExitUsage, Err: err}
		}
		flow.OutputDir = filepath.Join(f.folder, d.Name)
		reports.status.Folder(flow.OutputDir)
		run := f.run
		if c.Rank() == 0 {
			run.overwrite, err = mayRepeat(flow)
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitUsage, err)
		}
		if err := runLoaded(c, flow, &shelf, run, signals, reports, dev); err != nil {
			return err
		}
		if c.Rank() == 0 && sim.Complete(log.summary.Reason) {
			err = finishDemo(log.summary, path, show)
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitFailure, err)
		}
		return nil
	}, reports.Fail, reports.status.Lost)
}

// mayRepeat reports whether the results in the folder of a demo are its own, so that a new run may replace them. Results of
// another run are refused here. The run itself refuses results in a folder without a state.
func mayRepeat(flow *config.Case) (bool, error) {
	s, err := status.Read(flow.OutputDir)
	if err != nil {
		return false, nil
	}
	was, err := filepath.Abs(s.Case)
	if err != nil {
		return false, err
	}
	if is, err := filepath.Abs(flow.Path); err != nil || was != is || s.Title != flow.Title {
		return false, errors.Join(err, fmt.Errorf("%s has the results of another run, of %s: use another --folder", flow.OutputDir, s.Case))
	}
	return true, nil
}

// writeDemo writes the case of a demo. An edited one is kept.
func writeDemo(path, text string) error {
	switch old, err := os.ReadFile(path); {
	case err == nil && string(old) == text:
		return nil
	case err == nil:
		return fmt.Errorf("%s is not the case of this demo: run it by lbmsim %[1]s, or use another --folder", path)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; use another --folder", err)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o666)
	}
	if err != nil {
		return fmt.Errorf("the case of the demo cannot be written: %w; use another --folder", err)
	}
	return nil
}

// demoReport is the report of a demo: a run's without its table and the list of its files.
type demoReport struct {
	*report.Text
	summary sim.Summary
}

// Start implements sim.Reporter.
func (r *demoReport) Start(s sim.Start) {
	cells := s.Case.Cells[0] * s.Case.Cells[1] * s.Case.Cells[2]
	d := s.Ranks[0].Device
	r.Note(fmt.Sprintf("lbmsim %s: %s", s.Version, s.Case.Title))
	r.Note(fmt.Sprintf("%d cells, %d steps, %s, %s, %s", cells, s.Case.Run.Steps, plain.Count(len(s.Ranks), "rank"), d.Model, d.Detail))
	for _, w := range s.Case.Warnings {
		r.Warn(w)
	}
}

// Progress implements sim.Reporter. The speed of the first steps is not representative.
func (r *demoReport) Progress(p sim.Progress) {
	if p.Elapsed > time.Second {
		r.Text.Progress(p)
	}
}

// Wrote implements sim.Reporter: the frames of the animation are named when it is complete.
func (r *demoReport) Wrote(string, string) {}

// Finish implements sim.Reporter.
func (r *demoReport) Finish(s sim.Summary) {
	r.summary = s
	if !sim.Complete(s.Reason) {
		r.Text.Finish(s)
	}
}
