// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layered lists packages whose files form layers: calls between files go downwards only.
var layered = []string{"config", "config/language", "io/paint", "io/picture", "live", "report", "sim", "sim/derive", "sim/domain", "sim/exit", "sim/level", "sim/output", "sim/postmortem", "sim/refined", "sim/watch"}

func TestFilesCallOneWay(t *testing.T) {
	for _, pkg := range layered {
		files := map[string]*ast.File{}
		set := token.NewFileSet()
		for _, f := range goFiles(t) {
			if f.pkg != pkg || f.test {
				continue
			}
			tree, err := parser.ParseFile(set, filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files[path.Base(f.path)] = tree
		}
		calls := callsBetween(pkg, set, files)
		if n := 0; len(files) > 3 {
			for _, to := range calls {
				n += len(to)
			}
			if n < len(files)/2 {
				t.Errorf("%s: only %d calls between %d files were found", pkg, n, len(files))
			}
		}
		if c := circle(calls); c != nil {
			t.Errorf("%s: files call each other in a cycle: move the code that the lower one needs down", pkg)
			for i, from := range c {
				to := c[(i+1)%len(c)]
				t.Errorf("    %s calls %s of %s", from, strings.Join(calls[from][to], ", "), to)
			}
		}
	}
}

// Cycles of two and of three files are found; a chain is not a cycle.
func TestCirclesAreFound(t *testing.T) {
	parse := func(texts map[string]string) map[string]map[string][]string {
		set, files := token.NewFileSet(), map[string]*ast.File{}
		for name, text := range texts {
			f, err := parser.ParseFile(set, name, "package p\n"+text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = f
		}
		return callsBetween("p", set, files)
	}
	chain := map[string]string{"a.go": "func a() { b(); new(T).m() }", "b.go": "import \"x/y\"\nfunc b() { y.F(c) }", "c.go": "type T struct{}\nfunc (T) m() {}\nfunc c() {}"}
	if c := circle(parse(chain)); c != nil {
		t.Errorf("a cycle in a chain: %v", c)
	}
	chain["c.go"] += "\nfunc d() { a() }"
	if c := circle(parse(chain)); len(c) < 2 {
		t.Errorf("the cycle was not found: %v", c)
	}
}

// nothing imports every package as an empty one: only calls between files of one package count.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// callsBetween returns the functions and methods of other files that each file uses.
func callsBetween(pkg string, set *token.FileSet, files map[string]*ast.File) map[string]map[string][]string {
	var list []*ast.File
	for _, f := range files {
		list = append(list, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	checked, _ := conf.Check(pkg, set, list, info) // with errors wherever other packages are needed
	calls := map[string]map[string][]string{}
	for id, o := range info.Uses {
		f, ok := o.(*types.Func)
		if !ok || f.Pkg() != checked {
			continue
		}
		from, to := path.Base(set.Position(id.Pos()).Filename), path.Base(set.Position(f.Pos()).Filename)
		if from == to {
			continue
		}
		if calls[from] == nil {
			calls[from] = map[string][]string{}
		}
		if !slices.Contains(calls[from][to], f.Name()) {
			calls[from][to] = append(calls[from][to], f.Name())
		}
	}
	return calls
}

// circle returns a cycle of files that call each other, or nil.
func circle(calls map[string]map[string][]string) []string {
	const open, done = 1, 2
	state := map[string]int{}
	var way []string
	var visit func(f string) []string
	visit = func(f string) []string {
		state[f], way = open, append(way, f)
		for to := range calls[f] {
			if state[to] == open {
				return way[slices.Index(way, to):]
			}
			if state[to] != done {
				if c := visit(to); c != nil {
					return c
				}
			}
		}
		state[f], way = done, way[:len(way)-1]
		return nil
	}
	for f := range calls {
		if state[f] == 0 {
			if c := visit(f); c != nil {
				return c
			}
		}
	}
	return nil
}
