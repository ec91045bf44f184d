package archtest

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// accents are turns of phrase that a reader of English technical prose does not expect, with the most that there may be
// in a thousand lines of comments and string literals. Limits only go down; each ends below 1.
var accents = []struct {
	pattern string
	limit   float64
}{
	{`tells?`, 0.2},
	{`that of|those of|the one of`, 1},
	{`nobody|somebody`, 0.4},
	{`anew`, 0.2},
	{`for ever`, 0},
	{`in vain`, 0},
	{`in turns`, 0},
	{`is none( of)?`, 0.2},
	{`(is|are) another( one)? than`, 0},
	{`go(es)? on`, 0.4},
	{`held against|holds? [a-z]+ against`, 0.2},
	{`outside of|inside of`, 0.2},
	{`is no (number|unit|regular file)`, 0.2},
	{`look(s|ed)? at`, 0.4},
	{`by the way of|of its own`, 0.4},
}

// ownList is this file, which has the words for what they are.
const ownList = "internal/archtest/accent_test.go"

// TestAccents compares the counts of all Go files with the limits.
func TestAccents(t *testing.T) {
	var text strings.Builder
	for _, f := range goFiles(t) {
		if f.path != ownList {
			spoken(&text, read(t, f.path))
		}
	}
	thousands := float64(strings.Count(text.String(), "\n")) / 1000
	if thousands < 10 {
		t.Fatalf("read only %.1f thousand lines", thousands)
	}
	for _, a := range accents {
		n := len(regexp.MustCompile(`(?i)\b(`+a.pattern+`)\b`).FindAllString(text.String(), -1))
		if rate := float64(n) / thousands; rate > a.limit {
			t.Errorf("%q: %.2f per thousand lines of comments and strings (%d), at most %g. Readers find this phrase odd: "+
				"name the subject or use the term of the field (git grep -niE finds the new place)", a.pattern, rate, n, a.limit)
		}
	}
}

// spoken appends the comments and string literals of a Go file, each on lines of its own.
func spoken(to *strings.Builder, source string) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(source)), []byte(source), nil, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.COMMENT, token.STRING:
			to.WriteString(strings.ReplaceAll(literal, "\n//", " "))
			to.WriteByte('\n')
		}
	}
}

func TestSpoken(t *testing.T) {
	var b strings.Builder
	spoken(&b, "package p // one\nvar s = \"two\" + f()\n")
	if got := b.String(); got != "// one\n\"two\"\n" {
		t.Errorf("%q", got)
	}
}
