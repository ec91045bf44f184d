package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/plain"
	"lbmsim/io/status"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// statusReport keeps status.json in the output folder beside what another reporter does.
// Trouble with that file is reported once and does not end the run.
type statusReport struct {
	reporter
	file   *status.Writer // nil before the start, and where there is no output folder
	state  status.State
	since  time.Time // the last state was given to file
	failed bool
	end    sim.Summary // how the run ended, if it did

	ready func()                 // ends the sign of a long start; nil: there is none
	begun time.Time              // of this process
	dir   atomic.Pointer[string] // the output folder, on every rank
}

const (
	statusEvery  = 5 * time.Second
	mostWarnings = 50 // the last ones
)

func (r *statusReport) Start(s sim.Start) {
	r.started()
	r.reporter.Start(s)
	if info, err := os.Stat(s.Case.OutputDir); err != nil || !info.IsDir() {
		return // the run writes nothing
	}
	host, _ := os.Hostname()
	r.file = status.NewWriter(s.Case.OutputDir)
	r.state = status.State{
		Phase: status.Running, Case: s.Case.Path, Title: s.Case.Title, Version: s.Version, Host: host, Process: os.Getpid(),
		Units: unitsOf(s.Case), Job: os.Getenv("SLURM_JOB_ID"), Ranks: len(s.Ranks), Started: time.Now(), Every: statusEvery.Seconds(),
		First: s.First, Step: s.First, Last: s.Case.Run.Steps, Restart: s.Restart, Files: map[string]string{},
		Time: float64(s.First) * s.Case.Units.Time, Warnings: slices.Concat(r.state.Warnings, s.Case.Warnings), // the first came before the start
	}
	r.write()
}

// unitsOf is what the numbers of a case's results are in.
func unitsOf(c *config.Case) string {
	if c.Units.Physical {
		return status.SI
	}
	return status.Lattice
}

// write gives the state to the file's goroutine.
func (r *statusReport) write() {
	if r.file == nil {
		return
	}
	r.since = time.Now()
	s := r.state
	s.Updated = r.since
	s.Warnings = slices.Clone(s.Warnings[max(0, len(s.Warnings)-mostWarnings):])
	s.Files = map[string]string{}
	for kind, path := range r.state.Files {
		s.Files[kind] = path
	}
	r.file.Write(s)
}

func (r *statusReport) Progress(p sim.Progress) {
	r.reporter.Progress(p)
	s := &r.state
	s.Step, s.Last, s.Time, s.MLUPS, s.ETA, s.MaxMach = p.Step, p.Last, p.Time, p.MLUPS, p.ETA.Seconds(), p.MaxMach
	s.LeftOut = p.LeftOut
	r.watched(p.Health)
	if time.Since(r.since) >= statusEvery {
		r.write()
	}
}

// watched takes what the stability watch knows.
func (r *statusReport) watched(h sim.Health) {
	s := &r.state
	s.MaxSpeed, s.DensityDrift, s.GridScale, s.Temperature, s.Warned = h.MaxSpeed, h.DensityDrift, h.GridScale, h.Temperature, h.Warned
}

func (r *statusReport) Wrote(kind, path string) {
	r.reporter.Wrote(kind, path)
	if r.file == nil {
		return
	}
	r.state.Files[kind] = path
	if kind == "checkpoint" {
		r.state.Checkpoint = path
		r.write()
	}
}

func (r *statusReport) Warn(w finding.Finding) {
	r.started()
	r.reporter.Warn(w)
	r.state.Warnings = append(r.state.Warnings, w)
	r.write()
}

func (r *statusReport) Finish(s sim.Summary) {
	r.end = s
	missed := slices.ContainsFunc(s.Expect, func(v sim.Verdict) bool { return !v.Free && !v.OK })
	code := 0
	if missed {
		code = sim.ExitExpect
	}
	r.state.Phase, r.state.Reason, r.state.Step, r.state.ETA, r.state.ExitCode = status.Finished, s.Reason, s.Last, 0, &code
	if s.Last < r.state.Last {
		r.state.Phase = status.Stopped
	}
	r.state.MLUPS = s.MLUPS
	r.state.Time, r.state.LeftOut = float64(s.Last)*s.Case.Units.Time, s.LeftOut
	r.state.MaxMach = s.MaxMach
	r.watched(s.Health)
	r.state.Results = s.Results
	r.close()
	r.reporter.Finish(s)
}

// started ends the sign of a long start.
func (r *statusReport) started() {
	if r.ready != nil {
		r.ready()
	}
}

func (r *statusReport) Fail(err error) {
	r.started()
	code := exitCode(err)
	// What comes after the end of the run (a job that cannot be requeued) counts, too.
	if r.state.Phase == status.Running || r.state.ExitCode != nil && *r.state.ExitCode != code {
		r.state.Phase, r.state.Error, r.state.ExitCode = status.Failed, failText(err), &code
		r.close()
	}
	r.reporter.Fail(err)
}

// close leaves the last state on disk.
func (r *statusReport) close() {
	if r.file == nil {
		return
	}
	r.write()
	if err := r.file.Close(); err != nil && !r.failed {
		r.failed = true
		r.reporter.Warn(finding.StatusUnwritten.Says("the state of the run is not on disk: %v", err))
	}
}

// lost is what a rank says that ends all of them at once: rank 0 may be the one that is gone. It
// does not wait for a disk that may be why they end.
func (r *statusReport) lost(text string) {
	dir := r.dir.Load()
	if dir == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = status.Fail(*dir, os.Getenv("SLURM_JOB_ID"), r.begun, "lbmsim: "+text, sim.ExitFailure) // it has been said on the terminal
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Second): // a busy disk takes one
	}
}

// printWarnings prints each warning once, however often it came with other numbers.
func printWarnings(list finding.List, row func(name, format string, args ...any)) {
	kind := func(w finding.Finding) string {
		return strings.Map(func(c rune) rune {
			if strings.ContainsRune("0123456789.+-e", c) {
				return -1
			}
			return c
		}, w.Text)
	}
	times, last := map[string]int{}, map[string]finding.Finding{}
	for _, w := range list {
		times[kind(w)]++
		last[kind(w)] = w
	}
	for _, w := range list {
		if k := kind(w); times[k] > 1 {
			row("warning", "%s (the last of %d)", last[k], times[k])
		} else if times[k] == 1 {
			row("warning", "%s", w)
		}
		times[kind(w)] = 0
	}
}

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR...",
		Short: "How are the runs doing that write into these folders?",
		Long: `status prints the state of runs from DIR/status.json, which a run with outputs writes
anew every five seconds: where it is, how fast, how long it will last, its last checkpoint,
its warnings, how it ended, and what it has found. On the run's own host its lock and process
show whether it is alive; elsewhere a run that should have written and did not is silent.

The exit code is 1 if a folder has no state, or if a run was killed, is silent or has failed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("give the output folder of a run; see lbmsim status --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			bad := false
			for _, dir := range args {
				s, err := readStatus(dir)
				if err != nil {
					fmt.Fprintln(os.Stderr, "lbmsim:", plain.Text(err))
					bad = true
					continue
				}
				bad = printStatus(stdout, dir, s, time.Now()) || bad
			}
			if bad {
				return alreadyPrinted{sim.ExitFailure}
			}
			return nil
		},
	}
}

// readStatus reads the state in a folder. Opening a FIFO would block until something writes to it.
func readStatus(dir string) (s status.State, err error) {
	path := filepath.Join(dir, status.Name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return s, fmt.Errorf("%s is not a regular file", path)
	}
	return status.Read(dir)
}

// printable replaces control characters: a state may come from anywhere, and a terminal obeys them.
func printable(c rune) rune {
	if unicode.IsControl(c) && c != '\n' && c != '\t' {
		return unicode.ReplacementChar
	}
	return c
}

// printStatus returns whether the run needs to be looked after.
func printStatus(out io.Writer, dir string, s status.State, now time.Time) (bad bool) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "  %-12s %s\n", name, strings.Map(printable, fmt.Sprintf(format, args...)))
	}
	phase, bad := s.Standing(filepath.Join(dir, output.LockName), now)
	fmt.Fprintf(out, "%s: %s\n", dir, phase)
	if s.Case != "" {
		row("case", "%s", s.Case)
	}
	if s.Title != "" {
		row("title", "%s", s.Title)
	}
	if s.Ranks > 0 {
		where := fmt.Sprintf("%d, the first is process %d on %s", s.Ranks, s.Process, s.Host)
		if s.Job != "" {
			where += ", SLURM job " + s.Job
		}
		row("ranks", "%s", where)
	}
	if !s.Started.IsZero() {
		row("started", "%s, by lbmsim %s", s.Started.Format(time.DateTime), s.Version)
	}
	if s.Restart != "" {
		row("restart", "from %s at step %d", s.Restart, s.First)
	}
	progress := fmt.Sprintf("%d of %d", s.Step, s.Last)
	if s.Last > 0 && s.Step <= s.Last {
		progress += fmt.Sprintf(" (%.0f %%)", 100*float64(s.Step)/float64(s.Last))
	}
	second, speed := "", "" // an older version did not say
	if s.Units != "" {
		second, speed = map[bool]string{true: " s", false: " steps"}[s.Units == status.SI], speedUnit(s.Units == status.SI)
	}
	row("step", "%s, time %.6g%s, %.4g MLUPS, Mach %.3f", progress, s.Time, second, s.MLUPS, s.MaxMach)
	row("watch", "%s", healthText(sim.Health{DensityDrift: s.DensityDrift, MaxSpeed: s.MaxSpeed, GridScale: s.GridScale, Temperature: s.Temperature, Warned: s.Warned}, speed))
	if s.Phase == status.Running && !bad && s.Step > s.First {
		row("left", "%s", roundDuration(time.Duration(s.ETA*float64(time.Second))))
	}
	if s.Checkpoint != "" {
		row("checkpoint", "%s", s.Checkpoint)
	}
	if len(s.LeftOut) > 0 {
		row("left out", "%s", leftOut(s.LeftOut))
	}
	printWarnings(s.Warnings, row)
	for _, result := range s.Results {
		for i, line := range resultLines(result) {
			row([]string{"result", ""}[min(i, 1)], "%s", line)
		}
	}
	if s.Reason != "" {
		row("ended", "%s", s.Reason)
	}
	if s.Error != "" {
		row("error", "%s", s.Error)
	}
	if s.ExitCode != nil {
		row("exit code", "%d", *s.ExitCode)
	}
	return bad
}
