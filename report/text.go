// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/plain"
	"lbmsim/sim"
)

// Text writes for people: on a terminal one line that is rewritten, otherwise a
// line every few seconds.
type Text struct {
	out      io.Writer
	terminal *os.File // that shows out; nil: no terminal
	verbose  bool
	ranks    int
	last     time.Time
	open     bool // a progress line is on the terminal
	progress sim.Progress
	files    written
}

// written counts the files that a terminal's line names.
type written struct {
	count int
	last  string
}

const (
	terminalEvery = 200 * time.Millisecond
	logEvery      = 5 * time.Second
)

// NewText returns a report for people. It starts with full details if verbose, otherwise with those
// relevant to the case.
func NewText(out *os.File, verbose bool) *Text {
	t := &Text{out: out, verbose: verbose}
	if watched(out) {
		t.terminal = out
	}
	return t
}

// NewLog returns a report to be read later: no line is rewritten.
func NewLog(out io.Writer) *Text { return &Text{out: out} }

// line prints a whole line, below a progress line that may be open.
func (t *Text) line(format string, args ...any) {
	if t.open {
		fmt.Fprint(t.out, "\r\x1b[K")
		t.open = false
	}
	fmt.Fprintf(t.out, format+"\n", args...)
}

// Start implements sim.Reporter.
func (t *Text) Start(s sim.Start) {
	t.line("lbmsim %s  %s", s.Version, s.Case.Path)
	if s.Case.Title != "" {
		t.line("%s", s.Case.Title)
	}
	t.line("")
	table := s.Case.Table
	if !t.verbose {
		table = slices.DeleteFunc(slices.Clone(table), func(r config.Row) bool { return slices.Contains(s.Case.Details, r.Name) })
	}
	Table(t.out, table)
	t.line("")
	if t.ranks = len(s.Ranks); t.ranks == 1 && !t.verbose {
		r := s.Ranks[0]
		t.line("device    %s, %s, %s of memory", r.Device.Model, r.Device.Detail, Bytes(float64(r.Bytes)))
	} else {
		printRanks(t.out, s.Ranks)
	}
	// The reason for the transport is printed for a case that requests one, or has GPUs.
	asked := s.Case.Device.Transport != config.AutoTransport
	gpus := slices.ContainsFunc(s.Ranks, func(r sim.RankInfo) bool { return r.Device.Name != "cpu" })
	if t.verbose || t.ranks > 1 && (asked || gpus) {
		for _, r := range s.Routes {
			t.line("ghosts    %s", routesText(r))
		}
	}
	if s.MPIFound != "" {
		t.line("messages  %s (%s); GPU memory: %s", s.MPI, s.MPIFound, s.MPITakes)
	} else if t.verbose {
		t.line("messages  %s", s.MPI)
	}
	t.line("output    %s", s.Output)
	if s.Restart != "" {
		t.line("restart   from %s at step %d", s.Restart, s.First)
	}
	for _, w := range s.Case.Warnings {
		t.Warn(w)
	}
	t.line("")
	t.last = time.Now()
}

// Progress implements sim.Reporter.
func (t *Text) Progress(p sim.Progress) {
	every := logEvery
	if t.terminal != nil {
		every = terminalEvery
	}
	if time.Since(t.last) < every {
		return
	}
	if t.progress = p; t.terminal != nil {
		t.draw()
		return
	}
	t.last = time.Now()
	t.line("%s", progressText(p, written{}, 1<<10))
}

// draw rewrites the terminal's line.
func (t *Text) draw() {
	fmt.Fprint(t.out, "\r\x1b[K"+progressText(t.progress, t.files, columns(t.terminal)-1))
	t.open, t.last = true, time.Now()
}

// progressText returns as much as fits, in order of importance.
func progressText(p sim.Progress, w written, room int) string {
	text := fmt.Sprintf("step %d of %d", p.Step, p.Last)
	if p.Step <= p.Last && p.Last > 0 {
		text += fmt.Sprintf(" (%.0f %%)", 100*float64(p.Step)/float64(p.Last))
	}
	more := []string{fmt.Sprintf("ETA %s", roundDuration(p.ETA)), fmt.Sprintf("%.4g MLUPS", p.MLUPS)}
	if w.count > 0 {
		more = append(more, plain.Count(w.count, "file")+" written")
	}
	more = append(more, fmt.Sprintf("Mach %.3f", p.MaxMach))
	if p.Roofline > 0 {
		more = append(more, shareOfRoofline(p.Roofline, "the roofline"))
	}
	if p.Communication > 0 {
		more = append(more, fmt.Sprintf("messages %.0f %%", 100*p.Communication))
	}
	if w.count > 0 {
		more = append(more, "last "+w.last)
	}
	for _, part := range more {
		if len(text)+2+len(part) > room {
			break
		}
		text += "  " + part
	}
	return text[:max(0, min(len(text), room))]
}

// Wrote implements sim.Reporter.
func (t *Text) Wrote(kind, path string) {
	if t.terminal == nil {
		t.line("wrote %s %s", kind, path)
		return
	}
	t.files = written{t.files.count + 1, kind + " " + filepath.Base(path)}
	if t.open && time.Since(t.last) >= terminalEvery {
		t.draw()
	}
}

// Warn implements sim.Reporter.
func (t *Text) Warn(w finding.Finding) { t.line("warning: %s", w) }

// Note implements Reporter.
func (t *Text) Note(message string) { t.line("%s", message) }

// Finish implements sim.Reporter.
func (t *Text) Finish(s sim.Summary) {
	t.line("")
	t.line("%s: step %d after %s, %d steps, %.4g MLUPS (%.4g including output and all overhead)", s.Reason, s.Last, roundDuration(s.Elapsed), s.Steps, s.MLUPS, s.Whole)
	if s.Roofline > 0 {
		t.line("  %s", shareOfRoofline(s.Roofline, "the memory roofline measured at the start"))
	}
	w := s.Times
	switch {
	case w.Together:
		t.line("  time  steps %.2f s, waiting for messages included,", w.Compute)
	case w.Bytes > 0:
		t.line("  time  compute %.2f s, exposed communication %.2f s, hidden communication %.2f s,", w.Compute, w.Exposed, w.Hidden)
	default:
		t.line("  time  compute %.2f s, kernel launch %.2f s,", w.Compute, w.Exposed)
	}
	between := ""
	switch {
	case t.ranks > 1 && w.Together:
		between = fmt.Sprintf("; sent %s per rank and step", Bytes(w.Bytes))
	case t.ranks > 1:
		between = fmt.Sprintf("; imbalance %.1f %%; sent %s per rank and step", 100*s.Imbalance, Bytes(w.Bytes))
	}
	t.line("        output %.2f s (final %.2f s), monitoring and sync %.2f s%s", w.Output, w.Ending, w.Watch, between)
	t.line("  watch  %s", healthText(s.Health, speedUnit(s.Case.Units.Physical)))
	for _, w := range s.Walls {
		t.line("  wall   %s", wallText(w))
	}
	for _, f := range s.Doubts {
		t.line("  doubt  %s", f)
	}
	for _, v := range s.Expect {
		interval := ""
		if v.Half > 0 {
			interval = fmt.Sprintf(", 95 %% interval +- %.2g", v.Half)
		}
		if v.Note != "" {
			t.line("  measured       %s", v.Note)
			continue
		}
		if v.Free {
			t.line("  measured       %s = %.8g%s", v.Quantity, v.Got, interval)
			continue
		}
		mark := "ok    "
		if !v.OK {
			mark = "MISSED"
		}
		t.line("  expect %s  %s = %.6g (%.6g +- %.3g)%s", mark, v.Quantity, v.Got, v.Want, v.Tolerance, interval)
	}
	kinds := make([]string, 0, len(s.Files))
	for k := range s.Files {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	if len(s.LeftOut) > 0 {
		t.line("  not written because of errors: %s", leftOut(s.LeftOut))
	}
	for _, k := range kinds {
		t.line("  %-10s %s", k, s.Files[k])
	}
	for _, result := range s.Results {
		for _, line := range resultLines(result) {
			t.line("  %s", line)
		}
	}
	if _, ok := s.Files["checkpoint"]; ok && s.Reason != "all steps done" {
		t.line("  to resume: %s", config.ResumeCommand(s.Case))
	}
}

// Fail implements Reporter.
func (t *Text) Fail(err error) {
	if t.open {
		fmt.Fprintln(t.out)
		t.open = false
	}
	fmt.Fprintln(os.Stderr, Failure(err))
}

// wallText describes a wall with a model.
func wallText(w sim.ModelledWall) string {
	text := fmt.Sprintf("%s wall model: y+ at half a cell %.3g (%.3g to %.3g)", w.Name, w.HalfMean, w.HalfMin, w.HalfMax)
	if w.HalfMax == 0 {
		text = w.Name + " wall model: no friction by a law of the wall"
	}
	if w.Without > 0 {
		text += fmt.Sprintf("; %.2g %% of the area without a model", 100*w.Without)
	}
	if w.NoSlip > 0 {
		text += fmt.Sprintf("; no-slip, where it is laminar, on %.2g %%", 100*w.NoSlip)
	}
	if w.Share != 0 {
		text += fmt.Sprintf("; %.4g of the law's friction exchanged (slope times %.3g)", w.Share, w.Factor)
	}
	return text
}
