// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/sim/domain"
	"lbmsim/sim/output"
)

// starting returns a flow whose boundaries change with time: inlet, pressure and a lid.
func starting(inlet, lid, outlet string) string {
	return fmt.Sprintf(`
[domain]
cells = [20, 12]
[fluid]
viscosity = 0.1
[boundary.inlet]
type = "velocity"
faces = ["x-"]
%s
[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = [0.03, 0]
%s
[boundary.floor]
type = "wall"
faces = ["y-"]
[boundary.outlet]
type = "pressure"
faces = ["x+"]
%s
[output.force.lid]
of = ["lid", "inlet"]
every = 5
`, inlet, lid, outlet)
}

// A ramp and a table do what the same factor does in an expression, on any ranks and after
// a restart.
func TestRampsAndTables(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "rise.csv")
	if err := os.WriteFile(path, []byte("# by hand\nstep,factor\n5,0.25\n10, 0.75\n25,0.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const profile = "0.02*(0.5 + y/Ly)"
	lid, outlet := fmt.Sprintf("table = %q", path), fmt.Sprintf("pressure = 2e-3\nramp = 12\ntable = %q", path)
	text := starting(fmt.Sprintf("velocity = [%q, 0]\nramp = 40\ntable = %q", profile, path), lid, outlet)
	table := "if(t < 5, 0.25, if(t < 10, 0.25 + 0.1*(t-5), if(t < 25, 0.75 - (t-10)/60, 0.5)))"
	other := starting(fmt.Sprintf("velocity = [\"%s * (1 - cos(pi*t/40))/2 * %s\", 0]", profile, table), lid, outlet)
	for _, precision := range []string{"float32", "float64"} {
		end := ending("regularized", precision, 30)
		whole := withPoint(placed(text+end, "[5.5, 4.5]", "[11.3, 2.2]"))
		dir := t.TempDir()
		trial{text: whole, ranks: 1, dir: dir}.must(t)
		want := outputsIn(t, dir)
		dir = t.TempDir()
		s := trial{text: placed(other+end, "[5.5, 4.5]", "[11.3, 2.2]"), ranks: 1, dir: dir}.must(t)
		if s.summary.Last != 30 || precision == "float64" && len(want) < 5 {
			t.Fatal("the run was not long enough")
		}
		near(t, "an expression", stateIn(t, dir), want["state"], precision)
		dir = t.TempDir()
		trial{text: whole, ranks: 3, dir: dir}.must(t)
		compare(t, "three ranks", outputsIn(t, dir), want)
		for _, later := range []string{"0000000030", "0000000020"} {
			old, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*"+later+"*"))
			if err != nil || len(old) == 0 {
				t.Fatalf("checkpoints of step %s: %v, %v", later, old, err)
			}
			for _, f := range old {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		trial{text: whole, ranks: 2, dir: dir, restart: "latest"}.must(t)
		compare(t, "after a restart", outputsIn(t, dir), want)
		if err := os.WriteFile(path, []byte("5,0.25\n10,0.75\n25,0.6\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := trial{text: whole, ranks: 2, dir: dir, restart: "latest"}.run(t)
		if code, agreed := ExitCode(err); code != ExitUsage || !agreed || !strings.Contains(fmt.Sprint(err), "sha256") {
			t.Errorf("with another table: %v", err)
		}
		if err := os.WriteFile(path, []byte("5,0.25\n10, 0.75\n25,0.5\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Wrong files end the run on every rank with
// their line.
func TestWrongTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rise.csv")
	text := starting("velocity = [0.01, 0]", fmt.Sprintf("table = %q", path), "") + "[run]\nsteps = 2\n"
	for content, want := range map[string]string{
		"-":                     "no such file",
		"time,factor\n0,1\n0,2": "[boundary.lid]: " + path + ":3: 0 does not increase from 0",
	} {
		_ = os.Remove(path)
		if content != "-" {
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := trial{text: text, ranks: 2}.run(t)
		if code, agreed := ExitCode(err); code != ExitUsage || !agreed || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
	if err := os.WriteFile(path, []byte("0,1\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := trial{text: strings.Replace(text, "table = ", "sha256 = \""+strings.Repeat("0", 64)+"\"\ntable = ", 1), ranks: 2}.run(t)
	if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(fmt.Sprint(err), "a different SHA-256") {
		t.Errorf("another checksum: %v", err)
	}
}

// near holds two states together that differ by rounding.
func near(t *testing.T, what string, got, want []byte, precision string) {
	t.Helper()
	size, limit := 4, 1e-6
	if precision == "float64" {
		size, limit = 8, 1e-14
	}
	if len(got) != len(want) {
		t.Fatalf("%s: states of %d and %d bytes", what, len(got), len(want))
	}
	most := 0.0
	for i := 0; i < len(got); i += size {
		var d float64
		if size == 4 {
			d = float64(math.Float32frombits(binary.LittleEndian.Uint32(got[i:])) - math.Float32frombits(binary.LittleEndian.Uint32(want[i:])))
		} else {
			d = math.Float64frombits(binary.LittleEndian.Uint64(got[i:])) - math.Float64frombits(binary.LittleEndian.Uint64(want[i:]))
		}
		most = math.Max(most, math.Abs(d))
	}
	if !(most <= limit) {
		t.Errorf("%s: the states differ by %.2g", what, most)
	}
}

// A profile from a file has the effect of the same curve in an expression, along an axis and
// along the radius of a disc; its checksum follows it, the checksums of surfaces follow all.
func TestProfiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "shape.csv")
	if err := os.WriteFile(path, []byte("position,factor\n0,1\n2,0.75\n4,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	solid := filepath.Join(folder, "solid.raw")
	if err := os.WriteFile(solid, []byte{1}, 0o644); err != nil {
		t.Fatal(err)
	}
	text := func(inlet string) string {
		return fmt.Sprintf(`
[domain]
cells = [14, 11, 12]
origin = [0, -1, 0]
[fluid]
viscosity = 0.1
[collision]
precision = "float64"
[boundary.inlet]
type = "velocity"
faces = ["x-"]
centre = [0, 4, 6]
radius = 4
%s
[boundary.walls]
type = "wall"
faces = ["x-", "y-", "y+", "z-", "z+"]
[boundary.outlet]
type = "pressure"
faces = ["x+"]
[body.block]
shape = "image"
file = %q
voxels = [1, 1, 1]
translate = [8, 4, 5]
[run]
steps = 20
[checkpoint]
`, inlet, solid)
	}
	const r = "sqrt((y-4)^2 + (z-6)^2)"
	curve := func(x string) string {
		return fmt.Sprintf("if(%[1]s < 2, 1 - (%[1]s)/8, max(0, 0.75 - 0.375*(%[1]s-2)))", x)
	}
	for along, expression := range map[string]string{"r": curve(r), "y": curve("max(0, y)")} {
		dir := t.TempDir()
		s := trial{text: text(fmt.Sprintf("velocity = [0.02, 0, \"0.001*z\"]\nprofile = %q\nprofile_along = %q", path, along)), ranks: 3, dir: dir}.must(t)
		got := stateIn(t, dir)
		dir = t.TempDir()
		trial{text: text(fmt.Sprintf("velocity = [\"0.02*%[1]s\", 0, \"0.001*z*%[1]s\"]", expression)), ranks: 1, dir: dir}.must(t)
		near(t, "along "+along, got, stateIn(t, dir), "float64")
		resolved := s.start.Case.Resolved
		for _, f := range []string{path, solid} {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if sum := fmt.Sprintf("sha256 = \"%x\"", sha256.Sum256(b)); strings.Count(resolved, sum) != 1 {
				t.Errorf("the resolved case lacks %s of %s:\n%s", sum, f, resolved)
			}
		}
		if again, err := config.Load("again.toml", []byte(resolved)); err != nil || again.Resolved != resolved {
			t.Errorf("the resolved case does not stand: %v", err)
		}
	}
}

// Factors from a file count in the Mach number: above 0.3 a case is refused at the file's key, above 0.1 warned of;
// factors of a time that the run does not reach do not count, unless they are repeated.
func TestFactorsAreFast(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pulse.csv")
	if err := os.WriteFile(file, []byte("0,1\n10,3\n20,12\n30,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		steps          int
		repeat         bool
		warning, wrong string
	}{
		{5, false, "", ""},
		{12, false, "with the largest factor of its files, 4.8, the Mach number of its velocity is 0.166, above 0.1", ""},
		{25, false, "", "with the largest factor of its files, 12, the Mach number of its velocity is 0.416, above 0.3"},
		{5, true, "", "above 0.3"},
	} {
		text := fmt.Sprintf("[domain]\ncells = [20, 12]\nperiodic = [\"y\"]\n[fluid]\nviscosity = 0.1\n[boundary.inlet]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [0.02, 0]\ntable = %q\nrepeat = %v\n[boundary.outlet]\ntype = \"outflow\"\nfaces = [\"x+\"]\n[run]\nsteps = %d\n", file, c.repeat, c.steps)
		cfg, err := config.Load("case.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		lines, warnings, err := domain.JudgeTables(cfg, cfg.Boundaries[0])
		warning := strings.Join(warnings.Texts(), "\n")
		if c.wrong == "" && (err != nil || len(lines) != 1) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), "case.toml:10") || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%+v: %q, error %v", c, lines, err)
		}
		if !strings.Contains(warning, c.warning) || (warning == "") != (c.warning == "") {
			t.Errorf("%+v: warning %q", c, warning)
		}
	}
}

// A profile beside its face, or in another unit, is refused at its key, in check and in the run alike; both print the mean
// factor over the face.
func TestProfileAndFaceBelongTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shape.csv")
	const text = `
[domain]
size = ["0.4 m", "0.1 m"]
cells = [40, 10]
[fluid]
viscosity = "1e-4 m2/s"
[scaling]
time_step = "0.005 s"
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["0.1 m/s", 0]
profile = %q
%s
[boundary.walls]
type = "wall"
faces = ["x-", "y-", "y+"]
[boundary.outlet]
type = "pressure"
faces = ["x+"]
[run]
steps = 2
`
	const part = "from = [0, \"0.05 m\"]\nto = [0, \"0.09 m\"]"
	for content, want := range map[string]string{
		"0,0\n0.05,1\n0.1,0\n":    "", // metres
		"0,0\n50,1\n100,0\n":      "they overlap by less than 2 %",
		"0,0\n5,1\n10,0\n":        "they overlap by less than 2 %",
		"0,0\n5e-5,1\n1e-4,0\n":   "they overlap by less than 2 %",
		"0.2,0\n0.25,1\n0.3,0\n":  "positions of the profile range from 0.2 to 0.3, cells of the face from 0.055 to 0.085",
		"-0.1,1\n0.04,0\n0.1,0\n": "the factor is 0 at all of them",
		"0.06,1\n":                "", // constant
		"0,0\n0.0001,0.5\n2,1\n":  "", // a boundary layer that is thicker than the domain
	} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		src := fmt.Sprintf(text, path, part)
		cfg, err := config.Load("case.toml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		lines, _, checked := domain.JudgeTables(cfg, cfg.Boundaries[0])
		_, ran := trial{text: src, ranks: 2}.run(t)
		if code, agreed := ExitCode(ran); want != "" && (code != ExitUsage || !agreed) {
			t.Errorf("%q: exit code %d", content, code)
		}
		for _, err := range []error{checked, ran} {
			if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":13")) {
				t.Errorf("%q: %v, want %s", content, err, want)
			}
		}
		if strings.HasPrefix(content, "0,0\n0.05") && (len(lines) != 1 || !strings.Contains(lines[0], "mean over the face 0.6 (positions 0.055 to 0.085)")) {
			t.Errorf("%q", lines)
		}
	}
	if err := os.WriteFile(path, []byte("0,0\n0.05,1\n0.1,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := trial{text: fmt.Sprintf(text, path, part), ranks: 1}.must(t)
	if !slices.ContainsFunc(s.start.Case.Table, func(r config.Row) bool {
		return r.Name == "profile of inlet" && strings.Contains(r.Lattice, "mean over the face 0.6")
	}) {
		t.Errorf("%v", s.start.Case.Table)
	}
}
