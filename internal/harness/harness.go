// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package harness runs lbmsim for the tools that check its results, and reads
// its output.
package harness

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Exit codes of a run that tools evaluate; package sim, which has them all, needs the
// libraries of lbmsim.
const (
	Unstable = 3 // the stability watch stopped it
	Missed   = 4 // its [expect] is not met
)

// Program is lbmsim, and where it computes.
type Program struct {
	Path   string // relative to Root
	Root   string // of the tree; "" is here
	Device string // as --device; "" is as the case says
	Ranks  int    // started with $LBMSIM_MPIRUN; 0: one, without a launcher
}

// Result is the outcome of a command.
type Result struct {
	Stdout  []byte
	Code    int // exit code
	Seconds float64
}

// Run runs a command to its end. Exit codes other than 0 and these are errors.
func (p Program) Run(args []string, codes ...int) (Result, error) {
	path := p.Path
	if !filepath.IsAbs(path) {
		var err error
		if path, err = filepath.Abs(filepath.Join(p.Root, path)); err != nil {
			return Result{}, err
		}
	}
	line := append([]string{path}, args...)
	if p.Device != "" {
		line = append(line, "--device", p.Device)
	}
	if p.Ranks > 0 {
		launcher := strings.Fields(os.Getenv("LBMSIM_MPIRUN"))
		if len(launcher) == 0 {
			return Result{}, errors.New("-np needs $LBMSIM_MPIRUN (scripts/env.sh sets it)")
		}
		line = append(append(launcher, "-np", fmt.Sprint(p.Ranks)), line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = p.Root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	r := Result{Stdout: stdout.Bytes(), Seconds: time.Since(started).Seconds()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && slices.Contains(codes, exit.ExitCode()) {
		r.Code, err = exit.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(line, " "), err, lastLines(stdout.String()), lastLines(stderr.String()))
	}
	return r, err
}

func lastLines(s string) string {
	lines := strings.Split(s, "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// CommandText returns the command as a user types it.
func CommandText(args []string) string {
	text := "lbmsim"
	for _, a := range args {
		if strings.ContainsAny(a, " \"[]()*;<>|&$") {
			a = "'" + a + "'"
		}
		text += " " + a
	}
	return text
}

// Number is a float64 for which JSON gets null if it is not finite, as in what `lbmsim
// study --json` prints.
type Number float64

// MarshalJSON writes null for numbers that are not finite, which JSON does not have.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// Columns of a CSV file of a run, by their names without units.
func Columns(name string) (map[string][]float64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s has no rows", f.Name())
	}
	all := map[string][]float64{}
	for k, head := range rows[0] {
		head, _, _ = strings.Cut(head, " (")
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name(), err)
			}
			all[head] = append(all[head], v)
		}
	}
	return all, nil
}
