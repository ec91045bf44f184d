// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// printable replaces control characters: a state may come from anywhere, and terminals interpret them.
func printable(c rune) rune {
	if unicode.IsControl(c) && c != '\n' && c != '\t' {
		return unicode.ReplacementChar
	}
	return c
}

// State prints the state of a run in an output folder, and reports whether the run needs attention.
func State(out io.Writer, dir string, s status.State, now time.Time) (bad bool) {
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
	second, speed := "", "" // not recorded by an older version
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

// printWarnings prints each warning once, even if it occurred with different numbers.
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
