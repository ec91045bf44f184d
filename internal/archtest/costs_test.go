// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// costs is the table "What an addition costs" of docs/architecture.md: the files where the name of an
// example of each kind is a string literal or, with a dot in front, an identifier. A
// feature whose name is needed in any other file costs more than the page states.
var costs = []struct {
	what, name string
	files      []string // named on the page
	others     []string // need no change for a new one: they use this example for another purpose
}{
	{"collision", "recursive_regularized", []string{"model/collision.go", "internal/ref/ref.go", "internal/ref/moments.go"}, []string{"cases/robustness/robustness.go"}},
	{"law of the viscosity", "carreau", []string{"model/viscosity.go"}, nil},
	{"type of boundary", "slip", []string{"boundary/catalogue.go"}, nil},
	{"motion of a wall", ".Turbulent", []string{"boundary/motion.go", "sim/domain/motion.go", "device/cuda/timed.go"}, nil},
	{"field", "q_criterion", []string{"model/field.go", "sim/derive/sampler.go", "sim/derive/shown.go", "sim/derive/source.go"}, []string{"config/output_view.go"}},
	{"statistic of a force", "strouhal", []string{"config/output_force.go", "config/expect.go", "sim/output/forces.go"}, nil},
	{"kind of output", ".probeOutputs", []string{"sim/output/probes.go", "sim/output/kinds.go"}, nil},
	{"kind of output", ".probeOutput", []string{"config/output_probe.go", "config/output_kinds.go"}, nil},
	{"kind of output", "output.probe.*", []string{"config/output_probe.go"}, nil},
	{"transport", "peer", []string{"halo/transport/transport.go"}, []string{"cmd/lbmsim/bench_scaling.go"}},
	{"reporter of a run", ".NewJSON", []string{"report/json.go", "cmd/lbmsim/report.go"}, nil},
	{"launcher", "Flux", []string{"comm/launch.go", "comm/mpi/library.go"}, nil},
}

func TestAdditionsCostWhatThePageSays(t *testing.T) {
	page := read(t, "docs/architecture.md")
	rows := map[string]string{}
	for _, line := range strings.Split(page, "\n") {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells) == 3 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells[1]
		}
	}
	found := map[string][]string{}
	for _, f := range goFiles(t) {
		if f.test || strings.HasPrefix(f.pkg, "tools/") || strings.HasSuffix(f.pkg, "test") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.Ident:
				name = "." + n.Name
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					name, _ = strconv.Unquote(n.Value)
				}
			}
			if name != "" && !slices.Contains(found[name], f.path) {
				found[name] = append(found[name], f.path)
			}
			return true
		})
	}
	for _, c := range costs {
		for _, f := range found[c.name] {
			if !slices.Contains(c.files, f) && !slices.Contains(c.others, f) {
				t.Errorf("%s %q is named in %s, which docs/architecture.md does not list for a new one", c.what, c.name, f)
			}
		}
		for _, f := range c.files {
			if !slices.Contains(found[c.name], f) {
				t.Errorf("%s %q is not named in %s", c.what, c.name, f)
			}
			if !strings.Contains(rows[c.what], "`"+f+"`") {
				t.Errorf("docs/architecture.md: the row of a new %s does not name %s", c.what, f)
			}
		}
	}
	// Each file named on the page exists.
	start := strings.Index(page, "## What an addition costs")
	end := strings.Index(page[start+1:], "\n## ")
	names := 0
	for _, word := range strings.Split(page[start:start+1+end], "`") {
		if strings.HasSuffix(word, ".go") && !strings.Contains(word, " ") {
			names++
			read(t, word)
		}
	}
	if names < 10 {
		t.Errorf("the page names %d files", names)
	}
}
