package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/plain"
	"lbmsim/sim"
)

// reporter is a sim.Reporter that can also tell why a run failed.
type reporter interface {
	sim.Reporter
	Fail(error)
	Note(message string) // after the end
}

// newReporter of text tells with verbose all that is known at the start, else what matters to the
// case; JSON has everything in any case.
func newReporter(kind string, verbose bool) (reporter, error) {
	switch kind {
	case "text":
		return &textReport{out: os.Stdout, terminal: watched(), verbose: verbose}, nil
	case "json":
		return &jsonReport{json.NewEncoder(os.Stdout)}, nil
	}
	return nil, usageError{fmt.Errorf("--log %s: give text or json", kind)}
}

// watched reports whether somebody looks at the output on a terminal. Open MPI's
// launcher gives every rank a terminal of its own, of no size, whatever becomes of
// the output: then the launcher's own output tells.
func watched() bool {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return false
	}
	if size.Col > 0 {
		return true
	}
	launcher, err := os.Open(fmt.Sprintf("/proc/%d/fd/1", os.Getppid()))
	if err != nil {
		return false
	}
	defer launcher.Close()
	_, err = unix.IoctlGetWinsize(int(launcher.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// textReport writes for people: on a terminal one line that is rewritten, else a
// line every few seconds.
type textReport struct {
	out      io.Writer
	terminal bool
	verbose  bool
	ranks    int
	last     time.Time
	open     bool // a progress line is on the terminal
	progress sim.Progress
	files    written
}

// written are the files that a terminal's line speaks of.
type written struct {
	count int
	last  string
}

const (
	terminalEvery = 200 * time.Millisecond
	logEvery      = 5 * time.Second
)

// line prints a whole line, below a progress line that may be open.
func (t *textReport) line(format string, args ...any) {
	if t.open {
		fmt.Fprint(t.out, "\r\x1b[K")
		t.open = false
	}
	fmt.Fprintf(t.out, format+"\n", args...)
}

func (t *textReport) Start(s sim.Start) {
	t.line("lbmsim %s  %s", s.Version, s.Case.Path)
	if s.Case.Title != "" {
		t.line("%s", s.Case.Title)
	}
	t.line("")
	table := s.Case.Table
	if !t.verbose {
		table = slices.DeleteFunc(slices.Clone(table), func(r config.Row) bool { return slices.Contains(s.Case.Details, r.Name) })
	}
	printTable(t.out, table)
	t.line("")
	if t.ranks = len(s.Ranks); t.ranks == 1 && !t.verbose {
		r := s.Ranks[0]
		t.line("device    %s, %s, %s of memory", r.Device.Model, r.Device.Detail, bytesText(float64(r.Bytes)))
	} else {
		printRanks(t.out, s.Ranks)
	}
	// Why edges travel as they do is news to who has asked for a way, or has GPUs.
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

func (t *textReport) Progress(p sim.Progress) {
	every := logEvery
	if t.terminal {
		every = terminalEvery
	}
	if time.Since(t.last) < every {
		return
	}
	if t.progress = p; t.terminal {
		t.draw()
		return
	}
	t.last = time.Now()
	t.line("%s", progressText(p, written{}, 1<<10))
}

// draw writes the terminal's line anew.
func (t *textReport) draw() {
	fmt.Fprint(t.out, "\r\x1b[K"+progressText(t.progress, t.files, columns()-1))
	t.open, t.last = true, time.Now()
}

// progressText says as much as there is room for, what matters most first.
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

// shareOfRoofline is how much of the memory's speed a run reaches. No step is faster than the loop that measures it, which
// other load on the machine slows down.
func shareOfRoofline(share float64, roofline string) string {
	if share > 1 {
		return roofline + " is disturbed"
	}
	return fmt.Sprintf("%.0f %% of %s", 100*share, roofline)
}

// columns is the width of the terminal; a launcher's own terminals tell none.
func columns() int {
	if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		return int(size.Col)
	}
	return 80
}

func (t *textReport) Wrote(kind, path string) {
	if !t.terminal {
		t.line("wrote %s %s", kind, path)
		return
	}
	t.files = written{t.files.count + 1, kind + " " + filepath.Base(path)}
	if t.open && time.Since(t.last) >= terminalEvery {
		t.draw()
	}
}

func (t *textReport) Warn(w finding.Finding) { t.line("warning: %s", w) }

func (t *textReport) Note(message string) { t.line("%s", message) }

func (t *textReport) Finish(s sim.Summary) {
	t.line("")
	t.line("%s: step %d after %s, %d steps, %.4g MLUPS, %.4g with outputs and all else", s.Reason, s.Last, roundDuration(s.Elapsed), s.Steps, s.MLUPS, s.Whole)
	if s.Roofline > 0 {
		t.line("  %s", shareOfRoofline(s.Roofline, "the memory roofline measured at the start"))
	}
	w := s.Times
	if w.Bytes > 0 {
		t.line("  time  computing %.2f s, waiting for messages %.2f s, messages hidden behind computing %.2f s,", w.Compute, w.Exposed, w.Hidden)
	} else {
		t.line("  time  computing %.2f s, starting kernels %.2f s,", w.Compute, w.Exposed)
	}
	between := ""
	if t.ranks > 1 {
		between = fmt.Sprintf("; imbalance %.1f %%; sent %s a rank and step", 100*s.Imbalance, bytesText(w.Bytes))
	}
	t.line("        output %.2f s and, after the last step, %.2f s, watch and agreement %.2f s%s", w.Output, w.Ending, w.Watch, between)
	t.line("  watch  %s", healthText(s.Health, speedUnit(s.Case.Units.Physical)))
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
		t.line("  left out, because they could not be written: %s", leftOut(s.LeftOut))
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
		t.line("  go on with: lbmsim run %q --output %q --restart latest", s.Case.Path, s.Case.OutputDir)
	}
}

// speedUnit stands behind speeds of a case with or without units.
func speedUnit(physical bool) string {
	if physical {
		return " m/s"
	}
	return " cells/step"
}

// healthText is what the stability watch saw last, and how often it saw what it warns of.
func healthText(h sim.Health, unit string) string {
	text := fmt.Sprintf("mean density %+.3g %% since the start, largest speed %.4g%s, %.3g of the kinetic energy at the scale of the grid", 100*h.DensityDrift, h.MaxSpeed, unit, h.GridScale)
	if h.Temperature > 0 {
		text += fmt.Sprintf(", temperature beyond what the case gives by %.3g of its span", h.Temperature)
	}
	if len(h.Warned) == 0 {
		return text
	}
	var list []string
	for what, n := range h.Warned {
		list = append(list, fmt.Sprintf("%s at %d looks", what, n))
	}
	sort.Strings(list)
	return text + "; warned of " + strings.Join(list, ", ")
}

// leftOut is how many files of each kind a run went on without.
func leftOut(counts map[string]int) string {
	var list []string
	for kind, n := range counts {
		list = append(list, fmt.Sprintf("%d %s", n, kind))
	}
	sort.Strings(list)
	return strings.Join(list, ", ")
}

func (t *textReport) Fail(err error) {
	if t.open {
		fmt.Fprintln(t.out)
		t.open = false
	}
	fmt.Fprintln(os.Stderr, failText(err))
}

// failText is the one message of a failed run. Errors of a case stand as they
// are, with their file and line first, so that editors can jump there.
func failText(err error) string {
	var wrong config.Errors
	if errors.As(err, &wrong) {
		return wrong.Error()
	}
	return "lbmsim: " + plain.Text(err)
}

// jsonReport writes one JSON object a line.
type jsonReport struct{ *json.Encoder }

func (j *jsonReport) event(name string, data any) {
	// The log is a convenience: a closed pipe must not end the run.
	_ = j.Encode(struct {
		Event string    `json:"event"`
		At    time.Time `json:"at"`
		Data  any       `json:"data"`
	}{name, time.Now(), data})
}

func (j *jsonReport) Start(s sim.Start) {
	j.event("start", map[string]any{
		"version": s.Version, "case": s.Case.Path, "title": s.Case.Title, "table": s.Case.Table, "resolved": s.Case.Resolved,
		"ranks": s.Ranks, "mpi": s.MPI, "mpi_found": s.MPIFound, "mpi_takes_gpu_memory": s.MPITakes, "transport": s.Transport, "routes": s.Routes, "first_step": s.First, "restart": s.Restart, "output": s.Output,
	})
	for _, w := range s.Case.Warnings {
		j.Warn(w)
	}
}
func (j *jsonReport) Progress(p sim.Progress) {
	j.event("progress", map[string]any{
		"step": p.Step, "last_step": p.Last, "time": p.Time, "seconds": p.Elapsed.Seconds(), "mlups": p.MLUPS, "roofline": p.Roofline,
		"communication": p.Communication, "eta": p.ETA.Seconds(), "max_mach": p.MaxMach, "left_out": tallies(p.LeftOut), "watch": watchOf(p.Health),
	})
}
func (j *jsonReport) Wrote(kind, path string) {
	j.event("wrote", map[string]string{"kind": kind, "path": path})
}
func (j *jsonReport) Warn(w finding.Finding) { j.event("warning", w) }
func (j *jsonReport) Note(message string)    { j.event("note", message) }
func (j *jsonReport) Finish(s sim.Summary) {
	j.event("finish", map[string]any{
		"reason": s.Reason, "steps": s.Steps, "last_step": s.Last, "cells": s.Cells, "seconds": s.Elapsed.Seconds(),
		"mlups": s.MLUPS, "mlups_whole": s.Whole, "roofline": s.Roofline, "roofline_disturbed": s.Roofline > 1, "times": s.Times, "imbalance": s.Imbalance, "files": filesOf(s.Files), "left_out": tallies(s.LeftOut),
		"max_mach": s.MaxMach, "watch": watchOf(s.Health), "doubts": append(finding.List{}, s.Doubts...), "expect": s.Expect, "results": append([]sim.Result{}, s.Results...),
	})
}
func (j *jsonReport) Fail(err error) { j.event("error", failText(err)) }

// In the log keys are words of the format, in snake_case; names that a case or a run has are values.

type tally struct {
	Of    string `json:"of"`
	Count int    `json:"count"`
}

func tallies(counts map[string]int) []tally {
	list := []tally{}
	for _, of := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, tally{of, counts[of]})
	}
	return list
}

func filesOf(last map[string]string) []map[string]string {
	list := []map[string]string{}
	for _, kind := range slices.Sorted(maps.Keys(last)) {
		list = append(list, map[string]string{"kind": kind, "path": last[kind]})
	}
	return list
}

func watchOf(h sim.Health) map[string]any {
	return map[string]any{"density_drift": h.DensityDrift, "max_speed": h.MaxSpeed, "grid_scale": h.GridScale, "temperature_excess": h.Temperature, "warned": tallies(h.Warned)}
}

// printRanks prints a line for each rank: where it runs and how it talks.
func printRanks(out io.Writer, ranks []sim.RankInfo) {
	var grid [3]int // cells of the domain
	for _, r := range ranks {
		for a := range grid {
			grid[a] = max(grid[a], r.Hi[a])
		}
	}
	rows := [][]string{{"rank", "host", "cells", "device", "", "memory", "ghosts"}}
	for _, r := range ranks {
		rows = append(rows, []string{
			fmt.Sprint(r.Rank), r.Host, partText(r.Lo, r.Hi, grid),
			r.Device.Model, r.Device.Detail, bytesText(float64(r.Bytes)), r.Transport,
		})
	}
	printColumns(out, rows)
}

// partText is a rank's cells along the axes that are cut.
func partText(lo, hi, grid [3]int) string {
	text := ""
	for a := range grid {
		if lo[a] > 0 || hi[a] < grid[a] {
			text += fmt.Sprintf(" %c %d-%d", "xyz"[a], lo[a], hi[a]-1)
		}
	}
	return strings.TrimPrefix(cmp.Or(text, " all"), " ")
}

// routesText tells how some links are served, and why.
func routesText(r sim.Routes) string {
	ends := fmt.Sprintf("rank %d to %d", r.Example[0], r.Example[1])
	if r.Links > 1 {
		ends = fmt.Sprintf("%d links, such as %s", r.Links, ends)
	}
	return fmt.Sprintf("%s (%s): %s", r.Transport, ends, r.Why)
}

// printColumns aligns columns of text.
func printColumns(out io.Writer, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len(cell))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, cell := range r {
			fmt.Fprintf(&line, "%-*s  ", width[i], cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}

// printTable prints rows of a name, lattice units and SI, aligned.
func printTable(out io.Writer, rows []config.Row) {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{"  " + r.Name, r.Lattice, r.SI})
	}
	printColumns(out, cells)
}

// bytesText writes a number of bytes with a binary prefix.
func bytesText(n float64) string {
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if n < 1024 {
			return fmt.Sprintf("%.4g %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.4g TiB", n)
}

func roundDuration(d time.Duration) time.Duration {
	if d > time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}

func splitComma(s string) []string { return strings.Split(strings.TrimSpace(s), ",") }
