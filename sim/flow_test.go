// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/internal/brief"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// field reads one field of the last file in a folder, [z][y][x][component].
func field(t *testing.T, dir, name string) (values []float64, n [3]int) {
	t.Helper()
	path, err := fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Newest()
	if err != nil || path == "" {
		t.Fatalf("no fields in %s: %v", dir, err)
	}
	f, err := fields.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, one := range f.Fields {
		if one.Name != name {
			continue
		}
		plane := make([]float64, f.Values(i))
		for k := range f.Planes {
			if err := f.Plane(i, k, plane); err != nil {
				t.Fatal(err)
			}
			values = append(values, plane...)
		}
	}
	return values, f.N
}

// from returns a case that starts from a folder or a file.
func from(text, path string) string {
	line := fmt.Sprintf("from = %q\n", path)
	if strings.Contains(text, "[initial]\n") {
		return strings.Replace(text, "[initial]\n", "[initial]\n"+line, 1)
	}
	return text + "\n[initial]\n" + line
}

// oneStep has a run of one step that writes the initial state.
const oneStep = `
[run]
steps = 1
[output.fields]
fields = ["pressure", "velocity", "solid"]
precision = "float64"
at_start = true
at_end = false
[checkpoint]
at_start = true
at_end = false
`

const several = `
[run]
steps = 40
[checkpoint]
`

// The same case continued from its own checkpoint has the bits of a restart, whatever the model.
func TestSameCaseIsCopied(t *testing.T) {
	for name, text := range variety {
		t.Run(name, func(t *testing.T) {
			first := t.TempDir()
			trial{text: text + several, ranks: 2, dir: first}.must(t)
			whole := t.TempDir()
			trial{text: text + strings.Replace(several, "40", "70", 1), ranks: 2, dir: whole}.must(t)
			dir := t.TempDir()
			s := trial{text: from(text, first) + strings.Replace(several, "40", "30", 1), ranks: 3, dir: dir}.must(t)
			timed := strings.Contains(text, "t)") || strings.Contains(text, "ramp")
			if !timed && !bytes.Equal(stateIn(t, dir), stateIn(t, whole)) {
				t.Error("40 steps and 30 from there differ from 70 steps")
			}
			said := false
			for _, row := range s.start.Case.Table {
				said = said || row.Name == "initial state" && strings.Contains(row.Lattice, "same case")
			}
			if !said {
				t.Errorf("the run does not say that the state is copied: %v", s.start.Case.Table)
			}
		})
	}
}

// box2D and box3D are flows with a body, a temperature and open faces.
const box2D = `
[domain]
cells = [40, 24]
[fluid]
viscosity = 0.03
length = 8
[temperature]
diffusivity = 0.02
reference = 1
initial = "1 + 0.1*sin(2*pi*x/Lx)"
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
temperature = 1.1
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.floor]
type = "wall"
faces = ["y-", "y+"]
[body.ball]
type = "interpolated_wall"
shape = "cylinder"
centre = [14, 11]
radius = 4
[initial]
velocity = [0.05, "0.01*sin(2*pi*x/Lx)"]
`

const box3D = `
[domain]
cells = [28, 18, 22]
periodic = ["z"]
[fluid]
viscosity = 0.03
length = 6
[collision]
model = "trt"
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.floor]
type = "wall"
faces = ["y-", "y+"]
[body.ball]
shape = "sphere"
centre = [9, 8, 10]
radius = 3
[initial]
velocity = [0.05, 0, "0.01*sin(2*pi*z/Lz)"]
`

const inMetres = `
[domain]
size = ["0.4 m", "0.2 m"]
spacing = "0.01 m"
periodic = ["x", "y"]
[fluid]
viscosity = "1e-3 m2/s"
[scaling]
time_step = "5 ms"
`

// changed replaces parts of a text.
func changed(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// Any number of ranks gives the bits of one, from checkpoints and from fields, onto another grid.
func TestFlowOfAnotherGridOnAnyRanks(t *testing.T) {
	for _, c := range []struct{ name, text, fine string }{
		{"2D", box2D, changed(box2D, "[40, 24]", "[80, 48]", "length = 8", "length = 16", "viscosity = 0.03", "viscosity = 0.06", "[14, 11]", "[28, 22]", "radius = 4", "radius = 8")},
		{"3D", box3D, changed(box3D, "[28, 18, 22]", "[42, 27, 33]", "length = 6", "length = 9", `model = "trt"`, `model = "cumulant"`, "[9, 8, 10]", "[13.5, 12, 15]", "radius = 3", "radius = 4.5")},
		{"3D, larger and shifted", box3D, changed(box3D, "[28, 18, 22]\n", "[40, 25, 50]\norigin = [-4, -2, 3]\n", "[9, 8, 10]", "[9, 8, 20]")},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := t.TempDir()
			trial{text: c.text + several + "[output.fields]\nfields = [\"pressure\", \"velocity\"]\n", ranks: 2, dir: source}.must(t)
			for _, path := range []string{source, filepath.Join(source, "fields")} {
				var want []byte
				for ranks := 1; ranks <= 4; ranks++ {
					tr := trial{text: from(c.fine, path) + oneStep, ranks: ranks, dir: t.TempDir(), threads: ranks}
					if ranks == 4 && strings.HasPrefix(c.name, "3D") {
						tr.cut = [3]int{1, 2, 2}
					}
					tr.must(t)
					got := stateIn(t, tr.dir)
					if want == nil {
						want = got
					} else if !bytes.Equal(got, want) {
						t.Errorf("%s: %d ranks give other bits than one", path, ranks)
					}
				}
			}
		})
	}
}

// A flow that is linear in space is reproduced exactly, with its stress, on a grid of another spacing; units and densities
// are from the other case.
func TestLinearFlowIsExact(t *testing.T) {
	const shear = `
[domain]
size = ["0.4 m", "0.2 m"]
spacing = "0.01 m"
periodic = ["x"]
[fluid]
viscosity = "1e-3 m2/s"
density = "1000 kg/m3"
[scaling]
time_step = "5 ms"
[boundary.still]
type = "wall"
faces = ["y-"]
[boundary.lid]
type = "moving_wall"
velocity = ["0.1 m/s", 0]
faces = ["y+"]
[initial]
velocity = ["0.5*y m/s", 0]
pressure = "0.5 + 0.5*y Pa"
[collision]
precision = "float64"
`
	source := t.TempDir()
	trial{text: shear + oneStep, ranks: 1, dir: source}.must(t)
	fine := changed(shear, `"0.01 m"`, `"0.004 m"`, `"5 ms"`, `"1 ms"`, `[initial]`+"\n"+`velocity = ["0.5*y m/s", 0]`+"\n"+`pressure = "0.5 + 0.5*y Pa"`, "")
	dir := t.TempDir()
	trial{text: from(fine, source) + oneStep, ranks: 2, dir: dir}.must(t)
	u, n := field(t, dir, "velocity")
	p, _ := field(t, dir, "pressure")
	if n != [3]int{100, 50, 1} {
		t.Fatalf("%v cells", n)
	}
	for y := range n[1] {
		for x := range n[0] {
			at := (float64(y) + 0.5) * 0.004
			i := y*n[0] + x
			if math.Abs(u[3*i]-0.5*at) > 1e-13 || math.Abs(u[3*i+1]) > 1e-13 || math.Abs(p[i]-0.5-0.5*at) > 1e-9 {
				t.Fatalf("cell %d, %d: velocity %g, %g and pressure %g instead of %g, 0 and %g", x, y, u[3*i], u[3*i+1], p[i], 0.5*at, 0.5+0.5*at)
			}
		}
	}
	// The state with formulas has the same stress.
	exact := t.TempDir()
	trial{text: changed(shear, `"0.01 m"`, `"0.004 m"`, `"5 ms"`, `"1 ms"`) + oneStep, ranks: 1, dir: exact}.must(t)
	if a, b := floats(stateIn(t, dir)), floats(stateIn(t, exact)); !close64(a, b, 1e-12) {
		t.Error("the state differs from the one that formulas give")
	}
}

// floats returns the numbers of a float64 state.
func floats(b []byte) []float64 {
	values := make([]float64, len(b)/8)
	for i := range values {
		for k := 7; k >= 0; k-- {
			bits := math.Float64bits(values[i])<<8 | uint64(b[8*i+k])
			values[i] = math.Float64frombits(bits)
		}
	}
	return values
}

func close64(a, b []float64, most float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= most) {
			return false
		}
	}
	return len(a) == len(b)
}

// Every model, lattice and precision is read from its checkpoint as the run itself writes its fields.
func TestStateIsReadLikeFields(t *testing.T) {
	brief.Fewer(t, "precisions with and without a scalar")
	for i, spec := range model.Pairs() {
		for k, precision := range model.Precisions {
			for _, scalar := range []bool{false, true} {
				if testing.Short() && scalar != ((i+k)%2 == 0) {
					continue
				}
				name := fmt.Sprintf("%s %s %s scalar %v", spec.Lattice.Name, spec.Collision.Name, precision, scalar)
				t.Run(name, func(t *testing.T) {
					text := everyModel(spec, precision, scalar)
					source := t.TempDir()
					trial{text: text, ranks: 1, dir: source}.must(t)
					names := []string{"pressure", "velocity", "temperature"}[:2]
					if scalar {
						names = append(names, "temperature")
					}
					// Same grid, other viscosity: values are copied cell by cell.
					dir := t.TempDir()
					trial{text: from(changed(text, "viscosity = 0.03", "viscosity = 0.04", "steps = 3", "steps = 1", "at_end = true", "at_start = true\nat_end = false", "precision = \""+precision.String(), "precision = \"float64"), source), ranks: 2, dir: dir}.must(t)
					for _, name := range names {
						want, _ := field(t, source, name)
						got, _ := field(t, dir, name)
						if !close64(got, want, 1e-13) {
							t.Errorf("%s differs", name)
						}
					}
				})
			}
		}
	}
}

// everyModel returns a small case with a body force and a body.
func everyModel(s model.Spec, p model.Precision, scalar bool) string {
	cells, velocity, centre, axes := "[12, 10]", "[0.03, 0.02]", "[6, 5]", `"x", "y"`
	shape := "cylinder"
	if s.Lattice.Dims == 3 {
		cells, velocity, centre, axes, shape = "[12, 10, 6]", "[0.03, 0.02, -0.01]", "[6, 5, 3]", `"x", "y", "z"`, "sphere"
	}
	text := fmt.Sprintf(`
[domain]
cells = %s
lattice = %q
periodic = [%s]
[fluid]
viscosity = 0.03
[collision]
model = %q
precision = "%v"
[force]
acceleration = %s
[body.ball]
shape = %q
centre = %s
radius = 2
[initial]
velocity = %s
[run]
steps = 3
[checkpoint]
at_end = true
[output.fields]
precision = "float64"
at_end = true
`, cells, s.Lattice.Name, axes, s.Collision.Name, p, changed(velocity, "0.0", "0.000"), shape, centre, velocity)
	if scalar {
		text += "[temperature]\ndiffusivity = 0.05\nexpansion = 0.001\nreference = 2\ninitial = \"2 + 0.1*sin(2*pi*x/Lx)\"\ngravity = " + changed(velocity, "0.0", "0.1") + "\n"
	}
	return text
}

// A restart does not need the other flow, and keeps its checksum; reproduce finds the copy.
func TestRestartWithoutTheOtherFlow(t *testing.T) {
	source, dir := t.TempDir(), t.TempDir()
	trial{text: box2D + several, ranks: 1, dir: source}.must(t)
	text := from(changed(box2D, "viscosity = 0.03", "viscosity = 0.02"), source)
	trial{text: text + several, ranks: 2, dir: dir}.must(t)
	whole := t.TempDir()
	trial{text: text + strings.Replace(several, "40", "60", 1), ranks: 1, dir: whole}.must(t)
	want := stateIn(t, whole)
	if err := os.RemoveAll(source); err != nil {
		t.Fatal(err)
	}
	trial{text: text + strings.Replace(several, "40", "60", 1), ranks: 3, dir: dir, restart: Latest}.must(t)
	if !bytes.Equal(stateIn(t, dir), want) {
		t.Error("the restart has other bits")
	}
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := config.FlowSum(f.Header.Case)
	if _, err := os.Stat(filepath.Join(dir, output.InputDir, sum+".h5")); sum == "" || err != nil {
		t.Errorf("no copy of the flow with the checksum %q: %v", sum, err)
	}
	_, err = trial{text: text + several, ranks: 2, dir: t.TempDir()}.run(t)
	if err == nil || !strings.Contains(err.Error(), "there is no file or folder") {
		t.Errorf("the flow is gone: %v", err)
	}
}

// The force that keeps a mean velocity continues.
func TestDrivenFlowGoesOn(t *testing.T) {
	const channel = `
[domain]
cells = [16, 12]
periodic = ["x"]
[fluid]
viscosity = 0.05
[force]
mean_velocity = [0.02, 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
`
	source := t.TempDir()
	trial{text: channel + strings.Replace(several, "40", "1000", 1), ranks: 1, dir: source}.must(t)
	whole := t.TempDir()
	trial{text: channel + strings.Replace(several, "40", "1200", 1), ranks: 1, dir: whole}.must(t)
	dir := t.TempDir()
	trial{text: from(channel, source) + strings.Replace(several, "40", "200", 1), ranks: 2, dir: dir}.must(t)
	if !bytes.Equal(stateIn(t, dir), stateIn(t, whole)) {
		t.Error("the driven flow does not go on as it was")
	}
}

// Unusable sources are refused with the place in the case file, on any number of ranks.
func TestFlowsThatAreRefused(t *testing.T) {
	source := t.TempDir()
	trial{text: box2D + several + "[output.fields]\nfields = [\"speed\"]\n[output.picture]\n", ranks: 1, dir: source}.must(t)
	latest := checkpoint.Path(filepath.Join(source, output.CheckpointDir), 40)
	b, err := os.ReadFile(latest)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.h5")
	b[len(b)/2] ^= 4
	if err := os.WriteFile(damaged, b, 0o644); err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.h5")
	if err := os.WriteFile(cut, b[:len(b)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, path, want string }{
		{"missing", box2D, "nowhere", "there is no file or folder nowhere; the path is relative"},
		{"empty folder", box2D, t.TempDir(), "contains neither checkpoints nor fields"},
		{"damaged", changed(box2D, "0.03", "0.04"), damaged, "is damaged"},
		{"cut off", box2D, cut, "truncated"},
		{"not a file of lbmsim", box2D, filepath.Join(source, "fields", "fields.xdmf"), "neither an lbmsim checkpoint nor an lbmsim fields file"},
		{"not a flow", box2D, filepath.Join(source, "fields"), "cannot initialize a flow: it contains speed"},
		{"other dimensions", box3D, source, "is a 2D flow, but this case is 3D"},
		{"checksum", box2D, source + "\"\nsha256 = \"" + strings.Repeat("0", 64), "a different SHA-256"},
		{"units", inMetres, source, "the source is in lattice units and this case in SI units"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(from(c.text, "PATH"), "PATH", c.path, 1)
			_, err := trial{text: text + several, ranks: 3, dir: t.TempDir()}.run(t)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if code, agreed := ExitCode(err); !agreed || code != ExitUsage && code != ExitFailure {
				t.Errorf("exit code %d, agreed %v", code, agreed)
			}
		})
	}
	_, err = trial{text: from(box2D, source) + several, ranks: 2, dir: source, overwrite: true}.run(t)
	if err == nil || !strings.Contains(err.Error(), "in the output folder of this run") {
		t.Errorf("the run would replace what it starts from: %v", err)
	}
}

// Findings that need attention are warnings.
func TestFlowWarnings(t *testing.T) {
	source := t.TempDir()
	trial{text: box2D + several, ranks: 1, dir: source}.must(t)
	for _, c := range []struct{ name, text, kind string }{
		{"bodies", changed(box2D, "radius = 4", "radius = 2"), "flow_bodies"},
		{"inside of a solid", changed(box2D, "radius = 4", "radius = 1"), "flow_rest"},
		{"coverage", changed(box2D, "cells = [40, 24]", "cells = [60, 24]"), "flow_coverage"},
		{"time", changed(box2D, `velocity = [0.05, 0]`, "velocity = [0.05, 0]\nramp = 100"), "flow_time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := trial{text: from(c.text, source) + several, ranks: 2, dir: t.TempDir()}.must(t)
			for _, w := range s.start.Case.Warnings {
				if w.Kind == c.kind {
					return
				}
			}
			t.Errorf("no warning %s: %v", c.kind, s.start.Case.Warnings)
		})
	}
	// Undisturbed fluid is at rest to the last bit, and not solid.
	early := t.TempDir()
	still := "[domain]\ncells = [60, 24]\n[fluid]\nviscosity = 0.05\n[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [0.05, 0]\n[boundary.out]\ntype = \"outflow\"\nfaces = [\"x+\"]\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n[run]\nsteps = 10\n"
	disc := "[body.b]\nshape = \"cylinder\"\ncentre = [30, 12]\nradius = %d\n"
	trial{text: still + fmt.Sprintf(disc, 4) + "[checkpoint]\n", ranks: 1, dir: early}.must(t)
	for radius, n := range map[int]int{3: 0, 1: 1} {
		s := trial{text: from(still+fmt.Sprintf(disc, radius), early), ranks: 2, dir: t.TempDir()}.must(t)
		if got := s.start.Case.Warnings.Of(finding.FlowRest); len(got) != n || n > 0 && !strings.Contains(got[0].Text, "20 fluid cells") {
			t.Errorf("radius %d: %v", radius, got)
		}
	}
	// A body from a file is unknown there: until disturbances can have reached all of the fluid, its cells count as
	// fluid.
	surface := func(r float64) string {
		return fmt.Sprintf("[body.b]\nshape = \"stl\"\nfile = %q\n", boxFile(t, [3]float64{30 - r, 12 - r, -1}, [3]float64{30 + r, 12 + r, 2}))
	}
	for steps, n := range map[string]int{"10": 0, "100": 1} {
		dir := t.TempDir()
		text := strings.Replace(still, "steps = 10", "steps = "+steps, 1)
		trial{text: text + surface(4) + "[checkpoint]\n", ranks: 1, dir: dir}.must(t)
		s := trial{text: from(text+surface(1), dir), ranks: 2, dir: t.TempDir()}.must(t)
		if got := s.start.Case.Warnings.Of(finding.FlowRest); len(got) != n || n > 0 && !strings.Contains(got[0].Text, "32 fluid cells") {
			t.Errorf("from step %s: %v", steps, got)
		}
	}
	// A damaged newer checkpoint is skipped.
	trial{text: box2D + strings.Replace(several, "40", "50", 1), ranks: 1, dir: source, restart: Latest}.must(t)
	if err := os.Truncate(checkpoint.Path(filepath.Join(source, output.CheckpointDir), 50), 1000); err != nil {
		t.Fatal(err)
	}
	s := trial{text: from(box2D, source) + several, ranks: 2, dir: t.TempDir()}.must(t)
	if w := s.start.Case.Warnings; len(w) == 0 || w[len(w)-1].Kind != "flow_passed_over" {
		t.Errorf("no word on the damaged checkpoint: %v", w)
	}
}

// A channel that has developed on a coarse grid continues without a transient on a finer one: its profile equals the fine grid's
// up to the cells beside its walls, whose values the coarse grid does not have.
func TestDevelopedChannelGoesOn(t *testing.T) {
	const channel = `
[domain]
size = ["0.02 m", "0.1 m"]
spacing = "0.01 m"
periodic = ["x"]
[fluid]
viscosity = "1e-3 m2/s"
[scaling]
tau = 0.8
[collision]
model = "trt"
precision = "float64"
[force]
acceleration = ["0.1 m/s2", 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
`
	source := t.TempDir()
	trial{text: channel + strings.Replace(several, "40", "4000", 1), ranks: 1, dir: source}.must(t)
	for _, steps := range []string{"at_start = true", "at_end = true"} {
		dir := t.TempDir()
		text := changed(channel, `"0.01 m"`, `"0.005 m"`) + "\n[run]\nsteps = 20\n[output.fields]\n" + steps
		if steps == "at_start = true" {
			text += "\nat_end = false\n"
		}
		trial{text: from(text, source), ranks: 2, dir: dir}.must(t)
		u, n := field(t, dir, "velocity")
		for y := range n[1] {
			at := (float64(y) + 0.5) * 0.005
			want := 0.1 / 2e-3 * at * (0.1 - at)
			if got := u[3*y*n[0]]; math.Abs(got/want-1) > 0.03 {
				t.Errorf("%s: %g m/s in row %d instead of %g", steps, got, y, want)
			}
		}
	}
}

// Along a periodic axis the flow is continued: a box that is shifted and twice as long has two periods, with slopes that
// are continuous at the ends.
func TestPeriodicFlowIsContinued(t *testing.T) {
	const waves = `
[domain]
cells = [24, 6]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[collision]
precision = "float64"
[initial]
velocity = [0, "0.01*sin(2*pi*x/24)"]
`
	source, dir, exact := t.TempDir(), t.TempDir(), t.TempDir()
	trial{text: waves + oneStep, ranks: 1, dir: source}.must(t)
	long := changed(waves, "cells = [24, 6]", "cells = [48, 12]\norigin = [-9, 4]")
	trial{text: long + oneStep, ranks: 1, dir: exact}.must(t)
	long = changed(long, "velocity = [0, \"0.01*sin(2*pi*x/24)\"]", "")
	trial{text: from(long, source) + oneStep, ranks: 3, dir: dir}.must(t)
	// The stress is by differences of cells, the formula's by a derivative: sin(h)/h with h = 2 pi/24.
	if a, b := floats(stateIn(t, dir)), floats(stateIn(t, exact)); !close64(a, b, 0.0003*0.05) {
		t.Error("the periods differ from the formula")
	}
	u, _ := field(t, dir, "velocity")
	want, _ := field(t, exact, "velocity")
	if !close64(u, want, 1e-15) {
		t.Error("velocities of cells that coincide differ")
	}
}
