// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// accents are phrases that a reader of English technical prose does not expect. The first three were counted in esbuild,
// pebble, gonum and mumax/3, which have up to 0.3 of each per thousand lines of comments. The others have the same limit,
// except where a phrase also has a plain use.
var accents = []struct {
	pattern string
	limit   float64 // per thousand lines of comments, string literals or pages
}{
	{`tells?`, 0.2},
	{`that of|those of|the one of|nobody|somebody`, 0.3},
	{`what is`, 0.3},
	{`anew`, 0.2},
	{`for ever|in vain|in turns`, 0},
	{`(is|are) none( of)?`, 0.3},
	{`(is|are) another( one)? than`, 0},
	{`(go(es)?|went) on`, 0.3},
	{`held against|holds? [a-z]+ against`, 0.2},
	{`outside of|inside of`, 0.2},
	{`is no (number|unit|regular file)`, 0.2},
	{`look(s|ed)? at`, 0.3},
	{`by the way of|of its own`, 0.3},
}

// ownList is this file, which lists the phrases.
const ownList = "internal/archtest/accent_test.go"

// corpora are the texts, each counted separately: the extensions of their files, a function that extracts the prose of a file,
// and the least number of thousands of lines that a search must find.
var corpora = []struct {
	name, ends string
	prose      func(source string) string
	least      float64
}{
	{"comments and strings of Go", ".go", spoken, 40},
	{"comments and strings of C++ and CUDA", ".h .c .cpp .cu", spoken, 2},
	{"comments and strings of Python", ".py", spokenInPython, 2},
	{"pages", ".md", func(page string) string { return page }, 8},
	{"expected messages", ".golden .txt", func(text string) string { return text }, 0.1},
}

// TestAccents compares the counts of all files with the limits.
func TestAccents(t *testing.T) {
	for _, c := range corpora {
		t.Run(c.name, func(t *testing.T) {
			var text strings.Builder
			for _, name := range treeFiles(t) {
				if end := path.Ext(name); name != ownList && end != "" && strings.Contains(c.ends+" ", end+" ") {
					text.WriteString(c.prose(read(t, name)))
				}
			}
			thousands := float64(strings.Count(text.String(), "\n")) / 1000
			if thousands < c.least {
				t.Fatalf("read only %.1f thousand lines", thousands)
			}
			one := strings.ToLower(oneLine(text.String()))
			for _, a := range accents {
				n := len(regexp.MustCompile(`\b(`+a.pattern+`)\b`).FindAllString(one, -1))
				rate := float64(n) / thousands
				if rate > a.limit {
					t.Errorf("%q: %.2f per thousand lines (%d), at most %g. Readers find this phrase odd: name the subject or "+
						"use the term of the field (git grep -niE finds the new place)", a.pattern, rate, n, a.limit)
				}
				t.Logf("%q: %d, %.2f per thousand of %.1f thousand lines", a.pattern, n, rate, thousands)
			}
		})
	}
}

// lineEnd is the end of a line and the comment mark of the next one: phrases continue across both.
var lineEnd = regexp.MustCompile(`\s*\n\s*(//|#|\*)?\s*`)

func oneLine(text string) string { return lineEnd.ReplaceAllString(text, " ") }

// spoken returns the comments and string literals of a file in Go, C or C++, each on separate lines. Go's scanner reads
// C++ as well: unknown tokens are neither.
func spoken(source string) string {
	var to strings.Builder
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(source)), []byte(source), nil, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return to.String()
		case token.COMMENT, token.STRING:
			to.WriteString(literal)
			to.WriteByte('\n')
		}
	}
}

var pythonProse = regexp.MustCompile(`(?s:""".*?""")|#[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`)

// spokenInPython returns the comments and string literals of a file in Python.
func spokenInPython(source string) string {
	return strings.Join(append(pythonProse.FindAllString(source, -1), ""), "\n")
}

func TestSpoken(t *testing.T) {
	for _, c := range []struct {
		prose        func(string) string
		source, want string
	}{
		{spoken, "package p // one\nvar s = \"two\" + f()\n", "// one\n\"two\"\n"},
		{spoken, "#include <x>\nint n = 'a'; // one\n/* two\nthree */ f(\"four\");\n", "// one\n/* two\nthree */\n\"four\"\n"},
		{spokenInPython, "\"\"\"One\ntwo.\"\"\"\nx = 'it' # \"three\n", "\"\"\"One\ntwo.\"\"\"\n'it'\n# \"three\n"},
	} {
		if got := c.prose(c.source); got != c.want {
			t.Errorf("%q: %q, want %q", c.source, got, c.want)
		}
	}
	if got, want := oneLine("// the word that\n\t// of two lines\n# is\n"), "// the word that of two lines is "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
