// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Exit codes of docs/run.md that a case may end with.
const (
	fine     = 0
	wrong    = 2 // the case is
	unstable = 3 // a legitimate end: no check foresees every flow that blows up
	missed   = 4 // an [expect] value: so is this one, what a case expects was mutated, too
)

// Cases that are run here: check forecasts them.
const (
	mostMemory = 1 << 30
	mostCells  = 4e6

	slack = 64 << 20 // allowance for a run's memory in addition to 1.5 times the forecast
)

// time after which a command counts as stuck.
const patience = time.Minute

// answer of a command.
type answer struct {
	code int // -1: ended by a signal
	text string
	took time.Duration
	late bool
	peak float64 // bytes of memory
}

// ask runs lbmsim in the folder of the cases.
func (m *mutator) ask(args ...string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.program, args...)
	cmd.Dir = m.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	err := cmd.Run()
	a := answer{text: out.String(), took: time.Since(begun), late: ctx.Err() != nil}
	if p := cmd.ProcessState; p != nil {
		a.peak = float64(p.SysUsage().(*syscall.Rusage).Maxrss) * 1024
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		a.code = exit.ExitCode()
	case err != nil:
		a.code, a.text = -1, a.text+err.Error()
	}
	return a
}

// fault describes a fault that an answer must not have whatever the case, "" without one.
func (a answer) fault(file string) string {
	switch {
	case a.late:
		return fmt.Sprintf("no answer after %v", patience)
	case a.code < 0:
		return "ended by a signal"
	case strings.Contains(a.text, "internal error") || strings.Contains(a.text, "goroutine "):
		return "an internal error"
	case a.code == wrong && !placed(file, a.text):
		return "refused without the line that is wrong"
	case a.code == fine && strings.Contains(a.text, "NaN"):
		return "a run with NaN ended well"
	}
	return ""
}

// placed reports whether a message names the line of the file, or the file where what is wrong is that
// something is not in it.
func placed(file, text string) bool {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(file) + `(:[0-9]+:[0-9]+)?: error: `).MatchString(text)
}

// try passes one case to lbmsim.
func (m *mutator) try(n int, from, text, how string) {
	f := &m.figures
	f.Cases++
	file := fmt.Sprintf("case_%03d.toml", n)
	fail := func(command string, a answer, why string) {
		f.Wrong = append(f.Wrong, file)
		m.log("%s, of %s: %s\n  %s: %s, exit code %d after %v\n%s", file, from, how, command, why, a.code, a.took.Round(time.Millisecond), end(a.text))
	}
	if err := os.WriteFile(filepath.Join(m.dir, file), []byte(text), 0o666); err != nil {
		fail("writing it", answer{text: err.Error()}, "an error")
		return
	}
	a := m.ask("check", file)
	m.slow("check "+file, a)
	switch why := a.fault(file); {
	case why != "":
		fail("check", a, why)
		return
	case a.code == wrong:
		f.Refused++
		return
	case a.code != fine:
		fail("check", a, "an exit code that it does not have")
		return
	}
	f.Taken++
	forecast, here := memory(a.text)
	if !here {
		f.Large++
		return
	}
	out := filepath.Join(m.dir, "out")
	a = m.ask("run", file, "--output", out, "--overwrite", "--device", "cpu", "--threads", "2", "--set", fmt.Sprintf("run.wall_time=\"%d ms\"", m.moment.Milliseconds()))
	os.RemoveAll(out)
	m.slow("run "+file, a)
	why := a.fault(file)
	if why == "" && a.peak > 1.5*forecast+slack {
		why = fmt.Sprintf("it took %.0f MiB of memory, the forecast was %.0f MiB", a.peak/(1<<20), forecast/(1<<20))
	}
	if why != "" {
		fail("run", a, why)
		return
	}
	switch a.code {
	case fine:
		f.Ended++
	case unstable:
		f.Unstable++
	case missed:
		f.Missed++
	case wrong:
		f.RefusedByTheRun++
	default:
		fail("run", a, "an exit code for machines and files")
	}
}

func (m *mutator) slow(what string, a answer) {
	if a.took > m.figures.Slowest {
		m.figures.Slowest, m.figures.SlowestIs = a.took, what
	}
}

var (
	cellsRow  = regexp.MustCompile(`(?m)^ +cells +.*= ([0-9]+)`)
	memoryRow = regexp.MustCompile(`(?m)^ +memory per rank +([0-9.e+]+) ([KMGTP]?i?B)`)
)

// memory returns the memory that check forecasts for a rank; here: the case is small enough to run here.
func memory(text string) (bytes float64, here bool) {
	if c := cellsRow.FindStringSubmatch(text); c != nil {
		if n, err := strconv.ParseFloat(c[1], 64); err != nil || n > mostCells {
			return 0, false
		}
	}
	row := memoryRow.FindStringSubmatch(text)
	if row == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(row[1], 64)
	unit := map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[row[2]]
	bytes = n * unit
	return bytes, err == nil && unit != 0 && bytes <= mostMemory
}

// end of a long text.
func end(text string) string {
	const most = 3000
	if len(text) > most {
		text = "..." + text[len(text)-most:]
	}
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
