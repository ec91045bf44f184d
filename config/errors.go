package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"unicode/utf8"
)

// Errors of a case file are collected, sorted by place and shown with the line
// they are in: whoever has three mistakes should learn of three.

// Problem is one error in a case file.
type Problem struct {
	Path      string // of the file, as given
	Line, Col int    // from 1, Col in characters; 0 when the file as a whole is meant
	Width     int    // characters to underline
	Source    string // the line
	Message   string // what is wrong
	Reason    string // why, and what is allowed; may be empty or have several lines
}

// Errors are all problems of one case file, in the order of the file. They are
// the user's to correct: the program ends with ExitCode.
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

// window is how much of a long line is shown.
const window = 110

func (p Problem) write(b *strings.Builder) {
	if p.Line == 0 {
		fmt.Fprintf(b, "%s: error: %s\n", p.Path, p.Message)
	} else {
		fmt.Fprintf(b, "%s:%d:%d: error: %s\n", p.Path, p.Line, p.Col, p.Message)
		line, col := clip(printable(p.Source), p.Col-1)
		margin := fmt.Sprintf("%5d | ", p.Line)
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

// printable replaces what a terminal would act on.
func printable(s string) []rune {
	r := []rune(strings.ToValidUTF8(s, "?"))
	for i, c := range r {
		if c < ' ' && c != '\t' || c == 0x7f {
			r[i] = '?'
		}
	}
	return r
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

// mark is a range of bytes of the source; off < 0 means the file as a whole.
type mark struct{ off, len int }

var nowhere = mark{off: -1}

// problems collects the errors of one source.
type problems struct {
	path  string
	src   []byte
	list  Errors
	count int // of all, kept or not
}

// add notes an error at a place. Reason may be empty.
func (p *problems) add(at mark, reason, format string, args ...any) {
	if p.count++; p.count > maxKept {
		return
	}
	q := Problem{Path: p.path, Message: fmt.Sprintf(format, args...), Reason: reason}
	if at.off >= 0 && at.off <= len(p.src) {
		start := bytes.LastIndexByte(p.src[:at.off], '\n') + 1
		end := len(p.src)
		if n := bytes.IndexByte(p.src[at.off:], '\n'); n >= 0 {
			end = at.off + n
		}
		q.Line = bytes.Count(p.src[:at.off], []byte{'\n'}) + 1
		q.Col = utf8.RuneCount(p.src[start:at.off]) + 1
		stop := min(max(at.off+at.len, at.off), end)
		q.Width = max(1, utf8.RuneCount(p.src[at.off:stop]))
		q.Source = strings.TrimSuffix(string(p.src[start:end]), "\r")
	}
	for _, o := range p.list {
		if o == q {
			return
		}
	}
	p.list = append(p.list, q)
}

// line is the line number of a place, from 1.
func (p *problems) line(at mark) int {
	if at.off < 0 || at.off > len(p.src) {
		return 0
	}
	return bytes.Count(p.src[:at.off], []byte{'\n'}) + 1
}

// Place is where a value stands in the case file, for what is found wrong with it only when
// something is read that it names.
type Place struct{ at Problem }

// spot remembers where a value stands.
func (p *problems) spot(at mark) Place {
	one := problems{path: p.path, src: p.src}
	one.add(at, "", "")
	return Place{one.list[0]}
}

// Wrong makes an error one of the case file, at this place.
func (p Place) Wrong(err error) error {
	if p.at.Path == "" || err == nil {
		return err
	}
	at := p.at
	at.Message = err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		at.Reason = "a relative name counts from the folder of the case file"
	}
	return Errors{at}
}

// err is nil when nothing was collected.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	sort.SliceStable(p.list, func(i, j int) bool {
		a, b := p.list[i], p.list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return p.list
}
