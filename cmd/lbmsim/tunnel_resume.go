// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"lbmsim/internal/tunnel"
)

// written has the properties of an earlier tunnel run from its case file.
type written struct {
	args  []string // of lbmsim tunnel; nil: not its file
	cells int      // along the body
	body  []byte   // without the line of the command, which may have other flags
}

// Lines of a case file by tunnel.Plan.Case.
const writtenBy = "# Written by lbmsim tunnel "

var writtenCells = regexp.MustCompile(`(?m)^# grid +(\d+) cells along the body`)

// readWritten reads the case file; found reports whether there is one.
func readWritten(path string) (w written, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return w, false, nil
	} else if err != nil {
		return w, false, err
	}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	w.body = rest
	if line, ours := strings.CutPrefix(string(first), writtenBy); ours {
		w.args = unquoted(line)
	}
	if m := writtenCells.FindSubmatch(rest); m != nil {
		w.cells, _ = strconv.Atoi(string(m[1])) // digits
	}
	return w, true, nil
}

// caseBody returns the text of a plan's case as readWritten has it.
func caseBody(p *tunnel.Plan) []byte {
	_, rest, _ := bytes.Cut([]byte(p.Case()), []byte{'\n'})
	return rest
}

// unquoted splits a line of quoted.
func unquoted(line string) (words []string) {
	var word strings.Builder
	inside, any := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			inside, any = !inside, true
		case c == '\\' && !inside && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == ' ' && !inside:
			if any || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteByte(c)
		}
	}
	if any || word.Len() > 0 {
		words = append(words, word.String())
	}
	return words
}

// resumeCommand returns the command line that resumes a run of these arguments of lbmsim tunnel, on a grid of a number of
// cells along the body: --time would measure another grid.
func resumeCommand(args []string, cells int) string {
	var kept []string
	timed := false
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch name {
		case "--overwrite", "--resume", "--dry-run":
			continue
		case "--time":
			timed = true
			if !joined {
				i++
			}
			continue
		}
		kept = append(kept, args[i])
	}
	if timed {
		kept = append(kept, "--cells", strconv.Itoa(cells))
	}
	return "lbmsim tunnel " + quoted(append(kept, "--resume"))
}

// otherFlags lists the flags that differ between two command lines of lbmsim tunnel, of those that the case follows from:
// "--cells 20 instead of 40".
func otherFlags(now, before []string, cells int) (list []string) {
	a, b := tunnelCommand(), tunnelCommand()
	if a.ParseFlags(now) != nil || b.ParseFlags(before) != nil { // of another version
		return nil
	}
	for _, name := range []string{"speed", "unit", "ground", "clearance", "rotate", "yaw", "fluid", "length", "area", "cells", "uniform", "wheels", "repair"} {
		is, was := a.Flags().Lookup(name).Value.String(), b.Flags().Lookup(name).Value.String()
		if name == "cells" {
			was = strconv.Itoa(cells)
		}
		if is != was {
			list = append(list, fmt.Sprintf("--%s %s instead of %s", name, quoted([]string{is}), quoted([]string{was})))
		}
	}
	return list
}

// mayWrite refuses to replace a case file without request, or to resume a run whose case differs from the plan's.
func (f *tunnelFlags) mayWrite(p *tunnel.Plan) error {
	old, found, err := readWritten(f.caseFile)
	if err != nil || !found || f.run.overwrite || bytes.Equal(old.body, caseBody(p)) {
		return err
	}
	if !f.resume {
		return fmt.Errorf("%s exists: --overwrite replaces it, --case FILE writes another", f.caseFile)
	}
	if old.args == nil {
		return fmt.Errorf("--resume: %s is not a case by lbmsim tunnel: give the --case of the run", f.caseFile)
	}
	reason := "it was edited, or the surface or lbmsim has changed since: lbmsim run resumes a case that was edited"
	if other := otherFlags(f.args, old.args, old.cells); len(other) > 0 {
		reason = fmt.Sprintf("%s\n  to resume that run: %s", strings.Join(other, ", "), resumeCommand(old.args, old.cells))
	}
	return fmt.Errorf("--resume: %s is the case of another run: %s", f.caseFile, reason)
}

// resumesInATime refuses --resume with --time, which would choose another grid.
func (f *tunnelFlags) resumesInATime() error {
	const reason = "--resume with --time: the grid is the interrupted run's"
	if old, found, err := readWritten(f.caseFile); err == nil && found && old.args != nil {
		return fmt.Errorf("%s\n  to resume it: %s", reason, resumeCommand(old.args, old.cells))
	}
	return fmt.Errorf("%s: give its --cells, which its case file states; %s is not one", reason, f.caseFile)
}
