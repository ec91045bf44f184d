// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"unicode/utf8"

	"lbmsim/internal/plain"
)

// Errors of a file are collected, sorted by place and shown with the line, or the --set,
// they are in: a user with three mistakes should see all three.

// Problem is one error in a file.
type Problem struct {
	Path      string // of the file, as given
	Set       string // KEY=VALUE, where the mistake is in a --set of the command line and not in the file
	Line, Col int    // from 1, Col in characters; 0 when the file as a whole is meant
	Width     int    // characters to underline
	Source    string // the line, or the KEY=VALUE
	Message   string // what is wrong
	Reason    string // why, and the allowed values; may be empty or have several lines
}

// Errors are all problems of one file, in the order of the file. They are
// the user's to correct: lbmsim ends with ExitCode.
type Errors []Problem

// ExitCode of a program that stops at these errors.
func (e Errors) ExitCode() int { return 2 }

// Error shows every problem with its line and a caret.
func (e Errors) Error() string {
	var b strings.Builder
	for i, p := range e {
		if i == maxProblems {
			fmt.Fprintf(&b, "%s: and %d more\n", p.Path, len(e)-i)
			break
		}
		p.write(&b)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxProblems are shown; a file with more is not a case file.
const maxProblems = 30

// maxKept are collected; the work per problem grows with the size of the file.
const maxKept = 500

// window is the number of characters shown of a long line.
const window = 110

func (p Problem) write(b *strings.Builder) {
	margin := fmt.Sprintf("%5d | ", p.Line)
	switch {
	case p.Set != "":
		fmt.Fprintf(b, "--set %s: error: %s\n", headline(p.Set), p.Message)
		margin = "--set | "
	case p.Line > 0:
		fmt.Fprintf(b, "%s:%d:%d: error: %s\n", p.Path, p.Line, p.Col, p.Message)
	default:
		fmt.Fprintf(b, "%s: error: %s\n", p.Path, p.Message)
	}
	if p.Col > 0 {
		line, col := clip(printable(p.Source), p.Col-1)
		width := min(p.Width, len(line)-col)
		pad := make([]rune, 0, col)
		for _, r := range line[:col] {
			if r != '\t' {
				r = ' '
			}
			pad = append(pad, r)
		}
		fmt.Fprintf(b, "%s%s\n", margin, strings.TrimRight(string(line), " \t"))
		fmt.Fprintf(b, "%5s | %s^%s\n", "", string(pad), strings.Repeat("~", max(width-1, 0)))
	}
	if p.Reason != "" {
		for _, l := range strings.Split(p.Reason, "\n") {
			fmt.Fprintf(b, "    %s\n", l)
		}
	}
}

// clip cuts a window out of a long line, so that col stays inside it.
func clip(line []rune, col int) ([]rune, int) {
	col = min(max(col, 0), len(line))
	if len(line) <= window {
		return line, col
	}
	lo := max(0, min(col-window/2, len(line)-window))
	hi := min(lo+window, len(line))
	out := append([]rune{}, line[lo:hi]...)
	if lo > 0 {
		out = append([]rune("..."), out...)
		col += 3
	}
	if hi < len(line) {
		out = append(out, []rune("...")...)
	}
	return out, col - lo
}

// Mark is a range of bytes of the source; off < 0 means the file as a whole.
type Mark struct{ Off, Len int }

var Nowhere = Mark{Off: -1}

// problems collects the errors of one source.
type problems struct {
	Path   string
	Source []byte // with what --set changes
	asis   []byte // as the file has it
	edits  []edit // the changes that lead from there to src
	list   Errors
	Count  int // of all, kept or not
}

// Forget drops the errors that were added, before checks of the same source run once more.
func (p *problems) Forget() { p.list, p.Count = nil, 0 }

// Add notes an error at a place. Reason may be empty.
func (p *problems) Add(at Mark, reason, format string, args ...any) {
	if p.Count++; p.Count > maxKept {
		return
	}
	q := Problem{Path: p.Path, Message: fmt.Sprintf(format, args...), Reason: reason}
	if at.Off >= 0 && at.Off <= len(p.Source) {
		text := p.asis
		if e := p.edit(at); e != nil {
			q.Set, text, at = e.arg, []byte(e.arg), e.at(at)
		} else {
			at.Off = p.inFile(at.Off)
			q.Line = bytes.Count(text[:at.Off], []byte{'\n'}) + 1
		}
		start := bytes.LastIndexByte(text[:at.Off], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[at.Off:], '\n'); n >= 0 {
			end = at.Off + n
		}
		q.Col = utf8.RuneCount(text[start:at.Off]) + 1
		stop := min(max(at.Off+at.Len, at.Off), end)
		q.Width = max(1, utf8.RuneCount(text[at.Off:stop]))
		q.Source = strings.TrimSuffix(string(text[start:end]), "\r")
	}
	for _, o := range p.list {
		if o == q {
			return
		}
	}
	p.list = append(p.list, q)
}

// edit returns the change of the command line that a place belongs to; nil if the place is in the file.
func (p *problems) edit(at Mark) *edit {
	for i := len(p.edits) - 1; i >= 0; i-- { // a later one may lie in an earlier one
		if e := &p.edits[i]; e.Off <= at.Off && at.Off < e.Off+e.Len {
			return e
		}
	}
	return nil
}

// inFile converts an offset of src to an offset in the file.
func (p *problems) inFile(off int) int {
	grown := 0
	for _, e := range p.edits {
		if e.Off+e.Len <= off {
			grown += e.grown
		}
	}
	return min(max(off-grown, 0), len(p.asis))
}

// Where names a place in a sentence.
func (p *problems) Where(at Mark) string {
	if at.Off < 0 || at.Off > len(p.Source) {
		return "the file"
	}
	if e := p.edit(at); e != nil {
		return "--set " + headline(e.arg)
	}
	return fmt.Sprintf("line %d", bytes.Count(p.asis[:p.inFile(at.Off)], []byte{'\n'})+1)
}

// Place is the position of a value in the case file, for mistakes that are found only when
// a file that it names is read.
type Place struct{ at Problem }

// Spot stores the position of a value.
func (p *problems) Spot(at Mark) Place {
	one := problems{Path: p.Path, Source: p.Source, asis: p.asis, edits: p.edits}
	one.Add(at, "", "")
	return Place{one.list[0]}
}

// Wrong makes an error one of the case file, at this place.
func (p Place) Wrong(err error) error {
	if p.at.Path == "" || err == nil {
		return err
	}
	at := p.at
	at.Message = plain.Text(err)
	if errors.Is(err, fs.ErrNotExist) {
		at.Reason = "a relative path starts at the folder of the case file"
	}
	return Errors{at}
}

// Err returns the problems that were collected, in order; nil without problems.
func (p *problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	sort.SliceStable(p.list, func(i, j int) bool {
		a, b := p.list[i], p.list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Set != b.Set {
			return a.Set < b.Set
		}
		return a.Col < b.Col
	})
	return p.list
}
