// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package archtest enforces the rules of this tree that no compiler checks: permitted
// imports of each package, forbidden words, sizes, prose. It reads the
// source files themselves, so files behind every build tag are covered at once.
package archtest

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const module = "lbmsim"

// why ends every message: read this page before changing a rule.
const why = "docs/architecture.md explains the packages; internal/archtest/imports_test.go contains the table"

// place is the position of a package: its level, and the packages of this module it
// may import. Every import leads to a lower level, so that physics, ranks and
// files can each be read, tested and replaced alone.
type place struct {
	level   int
	imports []string
}

var places = map[string]place{
	"cmd/lbmsim": {13, []string{"live", "internal/plain", "internal/finding", "sim", "sim/domain", "sim/output", "sim/transfer", "internal/forecast", "internal/ram", "internal/watchdog", "internal/scaling", "internal/study", "internal/propose", "internal/tunnel", "internal/compare", "internal/doctor", "report", "config", "config/language", "model", "boundary", "cases/robustness", "comm", "comm/mpi", "device", "device/bench", "device/cpu", "device/cuda", "geometry", "geometry/intake", "geometry/mesh", "io/checkpoint", "io/fields", "io/film", "io/paint", "io/picture", "io/relief", "io/status", "internal/slurm", "internal/terminal", "cases/demo", "cases/examples"}},
	// The live page of runs, and its server.
	"live":               {12, []string{"internal/web", "internal/allowance", "internal/finding", "report", "sim", "sim/output", "config", "model", "io/picture", "io/status"}},
	"internal/web":       {0, nil},                         // HTTP/1.1 of a page
	"internal/render":    {1, []string{"internal/vector"}}, // 3D pictures of a field of cells and of solids
	"internal/allowance": {0, nil},                         // budget for work beside a run
	// What a run reports, to people and to programs.
	"report":            {11, []string{"internal/plain", "internal/finding", "sim", "sim/output", "config", "io/status"}},
	"internal/handlers": {0, nil},                                                                                                                                                // Go's handlers of signals, which libraries replace
	"internal/plain":    {0, nil},                                                                                                                                                // errors of libraries, reworded for users
	"internal/finding":  {1, []string{"internal/plain"}},                                                                                                                         // the list of all warnings
	"cases/examples":    {0, nil},                                                                                                                                                // the cases that come with lbmsim
	"cases/demo":        {0, nil},                                                                                                                                                // the cases of `lbmsim demo`
	"internal/scaling":  {11, []string{"internal/finding", "sim", "config", "model", "decomp", "comm", "device", "device/bench"}},                                                // measures runs
	"internal/propose":  {11, []string{"internal/finding", "internal/plain", "sim", "sim/domain", "config", "config/language", "model", "boundary", "comm", "decomp", "device"}}, // refinement boxes from a coarse run
	"internal/study":    {11, []string{"internal/finding", "sim", "sim/domain", "config", "model", "comm", "device"}},                                                            // runs a case on several grids
	"internal/tunnel":   {4, []string{"internal/finding", "internal/plain", "config/language", "geometry", "geometry/mesh", "io/status"}},
	"internal/compare":  {11, []string{"sim/output", "config", "model", "kernels", "io/checkpoint", "io/fields", "io/picture"}}, // compares outputs
	"sim":               {10, []string{"internal/allowance", "internal/finding", "internal/parallel", "sim/level", "sim/postmortem", "sim/transfer", "sim/output", "sim/watch", "sim/derive", "sim/domain", "sim/refined", "sim/rank", "sim/exit", "config", "model", "decomp", "comm", "device", "halo", "io/checkpoint", "io/status"}},
	// A rank's patches of a refined grid, and the steps of their levels.
	"sim/refined": {6, []string{"internal/finding", "sim/derive", "sim/level", "sim/domain", "sim/rank", "sim/exit", "config", "model", "boundary", "geometry", "decomp", "device", "halo", "comm"}},
	// Everything for stepping one box of a rank's cells.
	"sim/level": {5, []string{"sim/domain", "sim/rank", "sim/exit", "config", "model", "decomp", "device", "halo", "io/checkpoint"}},
	// The flow of another run as the initial state of this one.
	"sim/transfer": {7, []string{"internal/finding", "sim/output", "config", "config/language", "model", "decomp", "kernels", "io/checkpoint", "io/fields"}},
	// The first bad cell of an unstable run, found by computing its end again.
	"sim/postmortem": {7, []string{"internal/raw", "internal/finding", "sim/output", "sim/derive", "sim/domain", "config", "model", "decomp", "comm", "internal/ram"}},
	// The stability watch: present and predicted failures.
	"sim/watch": {6, []string{"internal/finding", "sim/derive", "config", "model", "boundary", "decomp", "comm"}},
	// Outputs of a case during the run, which see a narrow view of it.
	"sim/output": {6, []string{"internal/raw", "internal/ram", "internal/parallel", "internal/render", "internal/finding", "sim/derive", "sim/domain", "sim/rank", "sim/exit", "config", "model", "decomp", "comm", "device", "io/fields", "io/checkpoint", "io/picture", "io/probe", "io/status", "internal/stats"}},
	// The state of a run as fields and as sums of the whole domain.
	"sim/derive": {5, []string{"internal/vector", "sim/domain", "sim/rank", "config", "model", "boundary", "decomp", "comm", "device"}},
	// One rank's part of the domain: cells, boundaries and bodies from files, sums independent of the decomposition.
	"sim/domain":         {4, []string{"internal/raw", "internal/finding", "sim/rank", "sim/exit", "config", "model", "boundary", "geometry", "geometry/intake", "geometry/mesh", "decomp", "comm", "io/checkpoint", "io/curve"}},
	"internal/forecast":  {4, []string{"internal/finding", "internal/render", "config", "config/language", "model", "boundary", "decomp", "geometry"}}, // the resources of a run, reported before it starts
	"sim/rank":           {2, []string{"internal/finding", "comm"}},                                                                                    // messages, threads and warnings of one rank
	"sim/exit":           {2, []string{"comm"}},                                                                                                        // errors agreed by all ranks, and lbmsim's exit codes
	"internal/doctor":    {4, []string{"internal/plain", "comm", "halo", "decomp", "device", "device/bench", "model"}},
	"device/cpu":         {3, []string{"internal/raw", "internal/parallel", "device", "kernels", "kernels/lookup", "model", "boundary", "decomp"}},
	"device/cuda":        {3, []string{"internal/handlers", "internal/raw", "internal/parallel", "internal/render", "device", "device/hostmem", "kernels", "kernels/lookup", "model", "boundary", "decomp"}},
	"device/hostmem":     {0, nil},                                                                                                                       // shared by the processes of a machine
	"device/bench":       {3, []string{"device", "model", "boundary", "decomp", "internal/ref"}},                                                         // verifies, then times, any device
	"device/accuracy":    {3, []string{"device", "model", "boundary", "decomp"}},                                                                         // compares precisions, on any device
	"device/devicetest":  {4, []string{"device", "device/accuracy", "internal/render", "model", "boundary", "decomp", "internal/ref", "internal/brief"}}, // requirements of every device, for the tests of each
	"halo":               {3, []string{"device", "decomp", "comm", "halo/transport"}},
	"halo/transport":     {0, nil},
	"comm/mpi":           {3, []string{"comm", "comm/internal/wire"}},
	"io/fields":          {3, []string{"decomp", "comm", "io/internal/h5", "io/internal/joint"}},
	"io/checkpoint":      {3, []string{"comm", "io/internal/h5", "io/internal/joint"}},
	"io/paint":           {1, nil}, // colours, and the frame of an image
	"io/picture":         {2, []string{"io/paint"}},
	"io/film":            {3, []string{"io/picture"}},
	"io/relief":          {2, []string{"io/paint", "internal/vector"}},
	"io/probe":           {2, nil},
	"io/curve":           {0, nil},
	"io/status":          {3, []string{"internal/finding", "io/internal/joint"}},
	"device":             {2, []string{"internal/render", "model", "boundary", "decomp"}},
	"kernels":            {0, nil}, // no imports: Go recompiles all C++ when a package changes that this one imports
	"kernels/lookup":     {2, []string{"kernels", "model"}},
	"geometry":           {2, []string{"internal/parallel", "internal/vector", "model", "boundary", "decomp"}},
	"geometry/intake":    {3, []string{"geometry", "geometry/mesh", "geometry/stl", "model"}},
	"geometry/mesh":      {1, []string{"internal/vector"}},
	"geometry/stl":       {0, nil},
	"config/language":    {1, []string{"internal/plain", "model"}}, // text to values; of model only dimensions
	"config":             {3, []string{"internal/finding", "config/language", "halo/transport", "model", "boundary", "decomp", "geometry", "cases/robustness"}},
	"cases/robustness":   {0, nil}, // the stable range of each model, as measured
	"internal/ref":       {2, []string{"model", "boundary", "decomp"}},
	"comm":               {1, []string{"comm/internal/wire", "internal/plain"}},
	"comm/internal/wire": {0, nil},
	"internal/watchdog":  {2, []string{"comm"}},
	"comm/commtest":      {2, []string{"comm"}},                                                                 // for the tests of each implementation
	"halo/halotest":      {4, []string{"halo", "comm", "decomp", "device", "device/hostmem", "internal/brief"}}, // a device in host memory, for tests
	"comm/mpi/mpitest":   {4, []string{"comm", "comm/mpi"}},                                                     // starts a test as MPI ranks
	"io/internal/joint":  {2, []string{"comm"}},
	"io/internal/h5":     {1, nil},
	"internal/ram":       {0, nil},
	"internal/parallel":  {-1, nil},                                                                // ranges of work for the threads of a process, in the lowest packages too
	"internal/vector":    {0, nil},                                                                 // products of 3D vectors
	"internal/raw":       {0, nil},                                                                 // bytes of a slice
	"boundary":           {1, []string{"internal/parallel", "internal/vector", "model", "decomp"}}, // faces and walls: kinds, rules of ghost cells, laws of links
	"model":              {0, nil},
	"decomp":             {0, []string{"internal/parallel"}},
	"internal/stats":     {0, nil},
	"internal/terminal":  {0, nil},                                                          // pictures on terminals that show them
	"internal/slurm":     {0, nil},                                                          // the SLURM job of a run
	"internal/brief":     {0, nil},                                                          // parts of tests that short runs omit
	"internal/promise":   {0, nil},                                                          // names that every 1.x keeps, for tests
	"internal/facets":    {0, nil},                                                          // STL files of tools
	"internal/harness":   {0, nil},                                                          // runs lbmsim for tools
	"internal/archtest":  {0, nil},                                                          // tests only
	"tools/ahmed":        {1, []string{"internal/facets"}},                                  // writes cases/validation/ahmed_*.stl
	"tools/accuracy":     {4, []string{"device", "device/accuracy", "device/cpu", "model"}}, // `make accuracy`
	"tools/benchplot":    {12, []string{"device/bench", "internal/scaling"}},                // plots the output of `lbmsim bench --json`
	"tools/cputime":      {0, nil},                                                          // a tool of `make test`
	"tools/catalogue":    {1, []string{"model"}},                                            // writes kernels/catalogue.h
	"tools/mutate":       {0, nil},                                                          // `make mutate`
	"tools/robustness":   {12, []string{"model", "cases/robustness", "internal/harness"}},   // `make robustness`
	"tools/scaling":      {12, []string{"decomp", "internal/scaling"}},                      // forecasts: docs/scaling.md
	"tools/soak":         {12, []string{"internal/compare", "io/checkpoint"}},               // `make soak`
	"tools/skips":        {0, nil},                                                          // a tool of `make test`
	"tools/validate":     {12, []string{"model", "internal/harness", "internal/stats"}},     // `make validate`
	"tools/trampolines":  {0, nil},                                                          // writes device/cuda/trampolines.c
	"tools/wing":         {1, []string{"internal/facets"}},                                  // writes cases/validation/naca_0012.stl
}

// thirdParty lists the packages that may import each third-party module: few, so that a module
// can be replaced, and its pitfalls are known, in one place.
var thirdParty = map[string][]string{
	"github.com/BurntSushi/toml":            {"config/language"},
	"gonum.org/v1/gonum":                    {"tools/validate", "internal/stats", "sim/derive"}, // least squares; Student's distribution; Fourier transforms
	"gonum.org/v1/hdf5":                     {"io/internal/h5"},
	"gonum.org/v1/plot":                     {"io/paint", "tools/benchplot", "tools/robustness", "tools/validate"},
	"golang.org/x/image":                    {"io/paint", "tools/benchplot"},
	"gorgonia.org/cu":                       {"device/cuda"},
	"golang.org/x/sys":                      {"cmd/lbmsim", "report", "internal/terminal", "device/hostmem"},
	"golang.org/x/text":                     {"geometry/stl"},
	"github.com/btracey/mpi":                {"comm", "comm/internal/wire"}, // elsewhere comm.Comm and comm.Raw
	"github.com/spf13/cobra":                {"cmd/lbmsim"},
	"github.com/KimMachineGun/automemlimit": {"internal/ram"}, // limits of control groups
}

// TestImports checks every import in code that is not a test against the table. A test may
// import any package: the compiler forbids cycles, and no program contains it.
func TestImports(t *testing.T) {
	homeless := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		here, known := places[f.pkg]
		if !known {
			if !homeless[f.pkg] {
				t.Errorf("%s: package %s is not in the table: add its level and imports; %s", f.path, f.pkg, why)
			}
			homeless[f.pkg] = true
			continue
		}
		for _, imported := range f.imports {
			if err := allowed(f.pkg, here, imported); err != nil {
				t.Errorf("%s: %v; %s", f.path, err, why)
			}
		}
	}
}

// TestPermissionsAreUsed finds entries of the tables that no import needs any more.
func TestPermissionsAreUsed(t *testing.T) {
	used := map[[2]string]bool{}
	for _, f := range goFiles(t) {
		for _, imported := range f.imports {
			ours, _ := strings.CutPrefix(imported, module+"/")
			if !f.test {
				used[[2]string{f.pkg, ours}] = true
			}
			for mod := range thirdParty { // a module may be there for a test
				if imported == mod || strings.HasPrefix(imported, mod+"/") {
					used[[2]string{f.pkg, mod}] = true
				}
			}
		}
	}
	for pkg, here := range places {
		for _, imported := range here.imports {
			if !used[[2]string{pkg, imported}] {
				t.Errorf("the table lets %s import %s, but it does not: remove the entry; %s", pkg, imported, why)
			}
		}
	}
	for mod, users := range thirdParty {
		for _, pkg := range users {
			if !used[[2]string{pkg, mod}] {
				t.Errorf("the table lets %s import %s, but it does not: remove the entry; %s", pkg, mod, why)
			}
		}
	}
}

// TestTableLeadsDownwards finds cycles in the table and names of packages that do not
// exist.
func TestTableLeadsDownwards(t *testing.T) {
	for pkg, here := range places {
		for _, imported := range here.imports {
			there, known := places[imported]
			if !known {
				t.Errorf("the table lets %s import %s, which has no row", pkg, imported)
			} else if there.level >= here.level {
				t.Errorf("the table lets %s (level %d) import %s (level %d): imports lead downwards only", pkg, here.level, imported, there.level)
			}
		}
	}
	for mod, users := range thirdParty {
		for _, pkg := range users {
			if _, known := places[pkg]; !known {
				t.Errorf("the table lets %s import %s, but has no row for it", pkg, mod)
			}
		}
	}
}

// TestViolationsAreFound verifies that the rules can fail, and their messages.
func TestViolationsAreFound(t *testing.T) {
	for _, c := range []struct{ pkg, imported, want string }{
		{"model", "lbmsim/decomp", "model imports decomp, but may import nothing of this module"},
		{"halo", "lbmsim/sim", "halo imports sim, but may import only device, decomp, comm, halo/transport of this module"},
		{"sim", "github.com/BurntSushi/toml", "sim imports github.com/BurntSushi/toml, but only config/language may"},
		{"sim", "example.org/new/sub", "sim imports example.org/new/sub, a module that no rule allows yet"},
		{"io/fields", "gonum.org/v1/hdf5", "io/fields imports gonum.org/v1/hdf5, but only io/internal/h5 may"},
		{"sim", "lbmsim/device/cpu", "sim imports device/cpu, but may import only " + strings.Join(places["sim"].imports, ", ") + " of this module"},
		{"sim/level", "lbmsim/halo", ""},
		{"config/language", "github.com/BurntSushi/toml", ""},
		{"config", "math", ""},
		{"comm/mpi", "C", ""},
	} {
		err := allowed(c.pkg, places[c.pkg], c.imported)
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("%s importing %s: got %v, want %q", c.pkg, c.imported, err, c.want)
		}
	}
}

// allowed returns nil, or an error with the reason why the import is not allowed.
func allowed(pkg string, here place, imported string) error {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		switch {
		case slices.Contains(here.imports, ours):
			return nil
		case len(here.imports) == 0:
			return fmt.Errorf("%s imports %s, but may import nothing of this module", pkg, ours)
		}
		return fmt.Errorf("%s imports %s, but may import only %s of this module", pkg, ours, strings.Join(here.imports, ", "))
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") { // the standard library, and cgo's "C"
		return nil
	}
	for mod, users := range thirdParty {
		if imported != mod && !strings.HasPrefix(imported, mod+"/") {
			continue
		}
		if slices.Contains(users, pkg) {
			return nil
		}
		return fmt.Errorf("%s imports %s, but only %s may", pkg, imported, strings.Join(users, ", "))
	}
	return fmt.Errorf("%s imports %s, a module that no rule allows yet", pkg, imported)
}

// goFile is a Go file of the tree; path and pkg are relative to its root.
type goFile struct {
	path, pkg string
	test      bool
	imports   []string
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, p := range treeFiles(t) {
		if !strings.HasSuffix(p, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, p), nil, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		g := goFile{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go")}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			g.imports = append(g.imports, name)
		}
		files = append(files, g)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files: the rules were not checked", len(files))
	}
	return files
}

// root is the tree's root as seen from this package's folder.
const root = "../.."

// treeFiles lists the tree's own files, sorted, without built, downloaded or written ones.
func treeFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			skip := strings.HasPrefix(name, ".") && name != "." && name != ".ci" || name == "bin" || name == "out" || name == "dist" || name == "gpu-tests"
			if skip {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && name != ".git" { // a file in a worktree
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	return files
}

// read returns a file of the tree.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
