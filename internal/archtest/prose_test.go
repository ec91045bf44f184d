// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The README and the pages under docs are read by people in a hurry, many of whom learnt English late:
// sentences are short, and comparisons are tables.
const (
	longestSentence = 35 // words
	medianSentence  = 15 // of a page, at most
	medianReadme    = 14
)

// A sentence of a page, and the line that it begins in.
type sentence struct {
	line  int
	words int
	text  string
}

var (
	inlineCode = regexp.MustCompile("``[^`]+``|`[^`]*`")
	image      = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link       = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	comment    = regexp.MustCompile(`<!--.*?-->`)
	item       = regexp.MustCompile(`^\s*([-*+]|\d+\.)\s+`)
	fence      = regexp.MustCompile("^\\s*(```|~~~)")
	heading    = regexp.MustCompile(`^#+\s`)
	// Words with a full stop that do not end a sentence: abbreviations, journals, initials.
	abbreviation = regexp.MustCompile(`(^|[\s(])(e\.g|i\.e|cf|vs|al|approx|resp|r\.m\.s|Eqs?|Figs?|Vol|Phys|Rev|Mech|Sci|Comput|Int|Math|Appl|Lett|Proc|Soc|Numer|Eng|Trans|Chem|Braz|Ann|[A-Z])\.$`)
)

// sentences splits the prose of a page. Code blocks, tables, headings, pictures and comments are
// left out; code within a line is one word, a link has the words of its text.
func sentences(page string) []sentence {
	var all []sentence
	type word struct {
		text string
		line int
	}
	var block []string // lines
	first := 0         // of the page's lines
	end := func() {
		var words []word
		for i, line := range strings.Split(plain(strings.Join(block, "\n")), "\n") {
			for _, w := range strings.Fields(line) {
				words = append(words, word{w, first + i})
			}
		}
		var s sentence
		var text []string
		close := func() {
			if s.words > 0 {
				s.text = strings.Join(text, " ")
				all = append(all, s)
			}
			s, text = sentence{}, nil
		}
		for i, w := range words {
			if s.line == 0 {
				s.line = w.line
			}
			text = append(text, w.text)
			if strings.ContainsFunc(w.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				s.words++
			}
			bare := strings.TrimRight(w.text, `)"*'_`)
			last := bare != "" && strings.ContainsAny(bare[len(bare)-1:], ".!?")
			if last && !abbreviation.MatchString(bare) && (i+1 == len(words) || begins(words[i+1].text)) {
				close()
			}
		}
		close()
		block = nil
	}
	code, blank, list, remark := false, true, false, false
	for i, line := range strings.Split(page, "\n") {
		if fence.MatchString(line) {
			end()
			code = !code
			continue
		}
		if code {
			continue
		}
		line = comment.ReplaceAllString(line, "")
		if remark {
			_, after, found := strings.Cut(line, "-->")
			if remark = !found; remark {
				continue
			}
			line = after
		}
		if before, _, found := strings.Cut(line, "<!--"); found {
			line, remark = before, true
		}
		trimmed := strings.TrimSpace(line)
		isItem := item.MatchString(line)
		switch {
		case trimmed == "":
			end()
			blank = true
			continue
		case strings.HasPrefix(line, "    ") && !isItem && (blank && !list || blank && strings.HasPrefix(line, "        ")):
			continue // an indented block of code
		case heading.MatchString(line), strings.HasPrefix(trimmed, "|"):
			end()
			list, blank = false, true
			continue
		}
		if isItem {
			end()
			list = true
			line = item.ReplaceAllString(line, "")
		} else if blank && !strings.HasPrefix(line, " ") {
			list = false
		}
		blank = false
		if len(block) == 0 {
			first = i + 1
		}
		block = append(block, line)
	}
	end()
	return all
}

// plain returns a block of prose without markup: pictures are removed, code is one word, a link its text.
// Line breaks stay, so that a place in it is a place on the page.
func plain(text string) string {
	keep := func(pattern *regexp.Regexp, by string) {
		text = pattern.ReplaceAllStringFunc(text, func(s string) string {
			return pattern.ReplaceAllString(s, by) + strings.Repeat("\n", strings.Count(s, "\n")-strings.Count(pattern.ReplaceAllString(s, by), "\n"))
		})
	}
	keep(image, "")
	keep(inlineCode, "Code")
	keep(link, "$1")
	return text
}

// cells returns the sentences in the tables of a page, without code blocks. In a table a key or a name in
// lower case begins a sentence, too.
func cells(page string) []sentence {
	var all []sentence
	code := false
	for i, line := range strings.Split(page, "\n") {
		if fence.MatchString(line) {
			code = !code
		}
		if code || !strings.HasPrefix(strings.TrimSpace(line), "|") {
			continue
		}
		for _, cell := range strings.Split(strings.ReplaceAll(plain(line), `\|`, " "), "|") {
			s := sentence{line: i + 1}
			for _, w := range strings.Fields(cell) {
				s.text += " " + w
				if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
					s.words++
				}
				if strings.ContainsAny(w[len(w)-1:], ".!?") && !abbreviation.MatchString(w) {
					all, s = append(all, s), sentence{line: i + 1}
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// begins reports whether a word can be the first of a sentence.
func begins(w string) bool {
	w = strings.TrimLeft(w, `("*'_[`)
	for _, r := range w {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '-'
	}
	return false
}

// median of the lengths, the upper one of two.
func median(all []sentence) int {
	n := make([]int, len(all))
	for i, s := range all {
		n[i] = s.words
	}
	slices.Sort(n)
	return n[len(n)/2]
}

// A commit's hash: hexadecimal, with letters and digits, not a part of a longer word or number.
var commitHash = regexp.MustCompile(`(^|[^0-9A-Za-z_.+-])([0-9a-f]{7,40})($|[^0-9A-Za-z_.+-])`)

func hashIn(line string) string {
	for _, m := range commitHash.FindAllStringSubmatch(line, -1) {
		if strings.ContainsAny(m[2], "0123456789") && strings.ContainsAny(m[2], "abcdef") {
			return m[2]
		}
	}
	return ""
}

// TestProse bounds the length of the pages' sentences, and rejects commit hashes, which readers
// of a release cannot use.
func TestProse(t *testing.T) {
	pages := 0
	for _, p := range treeFiles(t) {
		limit := medianSentence
		switch {
		case p == "README.md":
			limit = medianReadme
		case path.Dir(p) != "docs" || path.Ext(p) != ".md":
			continue
		}
		pages++
		text := read(t, p)
		all := sentences(text)
		if len(all) == 0 {
			t.Errorf("%s has no prose", p)
			continue
		}
		longest := 0
		for _, s := range append(cells(text), all...) {
			longest = max(longest, s.words)
			if s.words > longestSentence {
				t.Errorf("%s:%d: a sentence of %d words, at most %d: split it, or make it a list or a table: %s",
					p, s.line, s.words, longestSentence, s.text)
			}
		}
		if m := median(all); m > limit {
			t.Errorf("%s: the median sentence has %d words, at most %d", p, m, limit)
		}
		for i, line := range strings.Split(text, "\n") {
			if h := hashIn(line); h != "" {
				t.Errorf("%s:%d: %s looks like a commit: readers of a release cannot use it", p, i+1, h)
			}
		}
		t.Logf("%s: %d sentences, median %d, longest %d words", p, len(all), median(all), longest)
	}
	if pages < 5 {
		t.Fatalf("read only %d pages", pages)
	}
}

func TestSentences(t *testing.T) {
	page := strings.Join([]string{
		"# A heading. Not prose.",
		"<!-- written by",
		"a program -->",
		"One two `three four` [five six](x.md). Seven, by Croci et al., J. Fluid Mech. 3 (1980) 1:",
		"",
		"    code is not. Prose",
		"",
		"| a table. | Is not |",
		"|---|---|",
		"- an item",
		"- another, e.g. this one.",
		"  Its second sentence: 1.5 of it - no more!",
		"",
		"```",
		"code",
		"```",
		"*Last* one? `Yes` it (is). Code `over two",
		"lines. Is` one. [A link",
		"too](x.md).",
	}, "\n")
	var got []string
	for _, s := range sentences(page) {
		got = append(got, fmt.Sprint(s.line, ":", s.words))
	}
	want := []string{"4:5", "4:11", "10:2", "11:4", "12:8", "17:2", "17:3", "17:3", "18:3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: %+v", got, want, sentences(page))
	}
}

func TestCells(t *testing.T) {
	var got []int
	for _, s := range cells("| `a \\| b` | one two. three four five |\n|---|---|\ntext | not") {
		if s.words > 0 {
			got = append(got, s.words)
		}
	}
	if want := []int{1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHashIn(t *testing.T) {
	for line, want := range map[string]string{
		"at commit 1a2b3c4 it was": "1a2b3c4",
		"(0f54a6f9d1c2b3a4)":       "0f54a6f9d1c2b3a4",
		"1234567 cells":            "",
		"defaced":                  "",
		"2e9abcdx, x1a2b3c4":       "",
		"1e-0051234":               "",
	} {
		if got := hashIn(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
