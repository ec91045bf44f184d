// Command testreport turns the stream of `go test -json` into a short report: go
// test's own line for each package, the whole output of each test that failed, and
// a closing count. A skipped test fails the run unless a list names it with the
// reason: on the machine where everything is installed a skip hides a test.
//
//	go test -json ./... | go run ./scripts/testreport [-allow LIST] [-log FILE]
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"
)

// event is one line of `go test -json` (see go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// name is how the list of allowed skips writes a test.
func (e event) name() string { return e.Package + "." + e.Test }

func main() {
	allowFile := flag.String("allow", "", "list of tests that may be skipped: PACKAGE.TEST pattern, reason")
	logFile := flag.String("log", "", "keep the whole output of all tests in this file")
	flag.Parse()
	var log io.Writer = io.Discard
	if *logFile != "" {
		f, err := os.Create(*logFile)
		if err != nil {
			fmt.Fprintln(os.Stderr, "testreport:", err)
			os.Exit(2)
		}
		defer f.Close()
		log = f
	}
	allowed, err := readAllowed(*allowFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	ok, err := report(os.Stdin, os.Stdout, log, allowed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
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

// report reads the events and writes what a person wants to see of them.
// It says whether all is well: something ran, nothing failed, no skip that is not allowed.
func report(in io.Reader, out, log io.Writer, allowed []string) (bool, error) {
	output := map[string]*strings.Builder{} // by test, package ("PACKAGE.") or build
	var passed, failed, skipped int
	var forbidden, broken []string
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil && err != io.EOF {
			return false, err
		}
		var e event
		if json.Unmarshal(line, &e) != nil || e.Action == "" {
			fmt.Fprintf(out, "%s", line) // the go command itself speaks, not a test
			continue
		}
		key := e.name()
		if e.ImportPath != "" {
			key = e.ImportPath
		}
		text := output[key]
		if text == nil {
			text = &strings.Builder{}
			output[key] = text
		}
		switch {
		case e.Action == "output" || e.Action == "build-output":
			io.WriteString(log, e.Output)
			switch {
			case e.Test != "" || e.Package == "":
				text.WriteString(e.Output)
			case packageLine(e.Output):
				io.WriteString(out, e.Output)
			case e.Output != "PASS\n" && e.Output != "FAIL\n":
				text.WriteString(e.Output)
			}
		case e.Action == "pass" && e.Test != "":
			passed++
			delete(output, key)
		case e.Action == "skip" && e.Test != "":
			skipped++
			if reason := strings.TrimSpace(text.String()); !matches(allowed, e.name()) {
				forbidden = append(forbidden, e.name()+"\n    "+strings.ReplaceAll(reason, "\n", "\n    "))
			}
			delete(output, key)
		case e.Action == "fail" && e.Test != "":
			failed++
			io.WriteString(out, shorten(text.String()))
			delete(output, key)
		case e.Action == "fail":
			broken = append(broken, e.Package)
			if b := output[e.FailedBuild]; e.FailedBuild != "" && b != nil {
				io.WriteString(out, shorten(b.String()))
			}
			// What tests left unfinished (a panic, a time-out) is told too.
			for k, t := range output {
				if strings.HasPrefix(k, e.Package+".") {
					io.WriteString(out, shorten(t.String()))
				}
			}
		}
	}
	sort.Strings(forbidden)
	for _, s := range forbidden {
		fmt.Fprintln(out, "skipped, but should have run: "+s)
	}
	if len(forbidden) > 0 {
		fmt.Fprintln(out, "(scripts/allowed-skips.txt lists the tests that may be skipped, with the reason)")
	}
	if len(broken) > 0 {
		fmt.Fprintln(out, "failed: "+strings.Join(broken, ", "))
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed == 0 && len(broken) == 0 && len(forbidden) == 0 && passed > 0, nil
}

// packageLine tells go test's one line about a package from the rest of its output.
func packageLine(s string) bool {
	return strings.HasPrefix(s, "ok  \t") || strings.HasPrefix(s, "FAIL\t")
}

// shorten leaves out the middle of a long output: the first lines tell what went
// wrong, the last how it ended, and the log has them all.
func shorten(s string) string {
	const first, last = 20, 20
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= first+last+1 {
		return s
	}
	return strings.Join(lines[:first], "") +
		fmt.Sprintf("    ... %d lines left out here ...\n", len(lines)-first-last) +
		strings.Join(lines[len(lines)-last:], "")
}

func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}
