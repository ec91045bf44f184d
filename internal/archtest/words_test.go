// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNoExitBelowCmd: a rank that exits alone leaves the others waiting
// in MPI indefinitely. Packages below cmd return errors, and cmd ends all ranks.
func TestNoExitBelowCmd(t *testing.T) {
	exits := map[string][]string{
		"os":      {"Exit"},
		"log":     {"Fatal", "Fatalf", "Fatalln"},
		"syscall": {"Exit"},
	}
	for _, f := range goFiles(t) {
		if f.test || strings.HasPrefix(f.path, "cmd/") || strings.HasPrefix(f.path, "tools/") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", f.path, err)
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := call.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, name := range exits[pkg.Name] {
				if call.Sel.Name == name {
					t.Errorf("%s:%d: %s.%s ends one rank and leaves the others hanging: return an error; cmd/lbmsim ends all ranks",
						f.path, set.Position(n.Pos()).Line, pkg.Name, name)
				}
			}
			return true
		})
	}
}

// TestLongTestsNameTheirTarget: a test that -short skips has "make test-all runs it" in its reason. Otherwise tools/skips
// reports it, half an hour later, as one that should have run.
func TestLongTestsNameTheirTarget(t *testing.T) {
	skip := regexp.MustCompile(`testing\.Short\(\)[^\n]*\n\s*t\.Skipf?\(([^\n]*)`)
	found := 0
	for _, f := range goFiles(t) {
		for _, m := range skip.FindAllStringSubmatch(read(t, f.path), -1) {
			found++
			if !strings.Contains(m[1], "make test-all") {
				t.Errorf("%s: t.Skip(%s: the reason lacks \"make test-all runs it\"", f.path, m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("found only %d long tests", found)
	}
}

// Forbidden words are concatenated here, so that this file does not contain them.
var forbidden = []struct {
	pattern *regexp.Regexp
	reason  string
}{
	{
		regexp.MustCompile("-f" + "fast-math|(^|[^-])-O" + "fast|use_" + "fast_math"),
		"fast math makes the result depend on the decomposition; N ranks must give the bits of one",
	},
	{
		regexp.MustCompile("(^|[^A-Za-z0-9_.~$})/-])/(root|home|work|farm|scratch)/"),
		"a path of one machine, which others lack",
	},
}

// TestForbiddenWords checks all text of the tree except prose (.md), which may
// name the words.
func TestForbiddenWords(t *testing.T) {
	looked := 0
	for _, p := range treeFiles(t) {
		if strings.HasSuffix(p, ".md") {
			continue
		}
		text := read(t, p)
		if strings.Contains(text, "\x00") { // not text
			continue
		}
		looked++
		for i, line := range strings.Split(text, "\n") {
			for _, f := range forbidden {
				if word := f.pattern.FindString(line); word != "" {
					t.Errorf("%s:%d: %q: %s", p, i+1, strings.TrimSpace(word), f.reason)
				}
			}
		}
	}
	if looked < 20 {
		t.Fatalf("read only %d files", looked)
	}
}

// TestForbiddenWordsAreFound verifies that the patterns match the words.
func TestForbiddenWordsAreFound(t *testing.T) {
	for line, want := range map[string]bool{
		"CXXFLAGS: -O3 -f" + "fast-math":   true,
		"nvrtc: --use_" + "fast_math":      true,
		"CXXFLAGS: -O" + "fast":            true,
		"nvrtc: --O" + "fast-compile=min":  false,
		"cd /wo" + "rk/main":               true,
		`open("/ho` + `me/x/case.toml")`:   true,
		"#cgo CXXFLAGS: -O3 -std=c++17":    false,
		"$PWD/work/file, ./root/x, a/home": false,
	} {
		got := false
		for _, f := range forbidden {
			got = got || f.pattern.MatchString(line)
		}
		if got != want {
			t.Errorf("%q: found %v, want %v", line, got, want)
		}
	}
}
