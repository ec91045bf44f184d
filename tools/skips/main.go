// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command skips checks the output of `go test -json` (gotestsum --jsonfile) for skipped tests that
// should have run, which no test runner reports. On a machine where everything is installed a skip
// hides a test, so it fails unless a list names the test with a reason. Tests that only `make
// test-all` runs say so in their reason; -short lets them pass and -later lists them.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// later in the reason of a skip names the target that runs the test.
const later = "make test-all"

func main() {
	allowFile := flag.String("allow", "", "list of tests that may be skipped: PACKAGE.TEST pattern, reason")
	short := flag.Bool("short", false, "tests that "+later+" runs may be skipped")
	laterFile := flag.String("later", "", "write these here, a line for each: PACKAGE TEST")
	flag.Parse()
	if err := run(flag.Args(), *allowFile, *short, *laterFile); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

func run(files []string, allowFile string, short bool, laterFile string) error {
	allowed, err := readAllowed(allowFile)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("give one file of go test -json")
	}
	f, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	if laterFile != "" {
		if err := os.WriteFile(laterFile, []byte(r.later()), 0o666); err != nil {
			return err
		}
	}
	return r.judge(os.Stdout, allowed, short)
}

// readAllowed reads lines "PATTERN reason": PATTERN matches PACKAGE.TEST as path.Match does.
func readAllowed(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var patterns []string
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, reason, _ := strings.Cut(line, " ")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: %s is allowed to be skipped without a reason", file, i+1, pattern)
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", file, i+1, pattern, err)
		}
		patterns = append(patterns, pattern)
	}
	return patterns, nil
}

// test is a finished test.
type test struct {
	pkg, name, output string
	skipped           bool
}

type report []test

// read processes the events of go test -json (go doc test2json).
func read(in io.Reader) (report, error) {
	var r report
	output := map[[2]string]*strings.Builder{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return r, nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		var e struct {
			Action, Package, Test, Output string
		}
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue // of a package, or the go command itself speaks: the runner prints these
		}
		key := [2]string{e.Package, e.Test}
		switch e.Action {
		case "output":
			if output[key] == nil {
				output[key] = &strings.Builder{}
			}
			output[key].WriteString(e.Output)
		case "pass", "fail", "skip":
			t := test{pkg: e.Package, name: e.Test, skipped: e.Action == "skip"}
			if b := output[key]; b != nil && t.skipped {
				t.output = strings.TrimSpace(b.String())
			}
			delete(output, key)
			r = append(r, t)
		}
	}
}

// later lists the tests that were left to `make test-all`, subtests by their tests.
func (r report) later() string {
	var list []string
	for _, t := range r {
		if t.skipped && strings.Contains(t.output, later) {
			name, _, _ := strings.Cut(t.name, "/")
			list = append(list, t.pkg+" "+name+"\n")
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "")
}

// judge reports the skips. An error names those that should have run.
func (r report) judge(out io.Writer, allowed []string, short bool) error {
	var skipped report
	for _, t := range r {
		if t.skipped {
			skipped = append(skipped, t)
		}
	}
	if len(skipped) == len(r) {
		return fmt.Errorf("no test has run")
	}
	var forbidden []string
	left := 0
	for _, t := range skipped {
		name := t.pkg + "." + t.name
		switch {
		case short && strings.Contains(t.output, later):
			left++
		case !slices.ContainsFunc(allowed, func(p string) bool { ok, _ := path.Match(p, name); return ok }):
			forbidden = append(forbidden, name)
			fmt.Fprintf(out, "skipped, but should have run: %s\n    %s\n", name, strings.ReplaceAll(t.output, "\n", "\n    "))
		}
	}
	fmt.Fprintf(out, "skipped: %d for %s, %d for a reason of the list\n", left, later, len(skipped)-left-len(forbidden))
	if len(forbidden) > 0 {
		return fmt.Errorf("%s: skipped, but should have run (scripts/allowed-skips.txt lists those that may be, with the reason)", strings.Join(forbidden, ", "))
	}
	return nil
}
