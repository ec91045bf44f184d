// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// ends returns a case with a body and a force whose axes are periodic or end at walls, one
// of which moves: bit 0 of mask for y, bit 1 for z. It writes every kind of output.
func ends(mask int, model, precision string, steps int) string {
	periodic, walls := `"x"`, ""
	for i, axis := range []string{"y", "z"} {
		if mask>>i&1 == 1 {
			periodic += fmt.Sprintf(", %q", axis)
			continue
		}
		walls += fmt.Sprintf(`
[boundary.low_%[1]s]
type = "wall"
faces = ["%[1]s-"]
[boundary.high_%[1]s]
type = "moving_wall"
velocity = [0.03, 0, 0]
faces = ["%[1]s+"]
`, axis)
	}
	return fmt.Sprintf(`
[domain]
cells = [37, 14, 5]
periodic = [%s]
[fluid]
viscosity = 0.05
[force]
acceleration = [1e-5, 3e-6, -2e-6]
%s
[body.ball]
shape = "sphere"
centre = [14, 6.8, 2.6]
radius = 2
[initial]
velocity = ["0.02*sin(2*pi*z/Lz)", "0.01*cos(2*pi*x/Lx)", "0.005*sin(2*pi*y/Ly)"]
[output.picture]
field = "vorticity"
normal = "x"
every = 10
[expect]
mass_error = 1
[expect.max_speed]
value = 1
within = 100
[expect.kinetic_energy]
value = 1
within = 100
[expect.mean_velocity]
value = 1
within = 100
[expect.velocity]
reference = ["0.01", "0.001*z", "0.001*x"]
l2 = 1e6
linf = 1e6
[expect.line.across]
along = "y"
through = [20, 7, 2.5]
extremum = "max"
value = 1
within = 100
`, periodic, walls) + placed(ending(model, precision, steps), "[20.5, 12.5, 4.5]", "[3.2, 1.1, 0.4]")
}

// everything that a run leaves, the measured values of [expect] included.
func everything(t *testing.T, dir string, s *silent) map[string][]byte {
	t.Helper()
	out := outputsIn(t, dir)
	pictures, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("no pictures in %s (%v)", dir, err)
	}
	for _, f := range pictures {
		out[filepath.Base(f)] = contents(t, f)
	}
	if len(s.summary.Expect) < 7 {
		t.Fatalf("only %d values are expected", len(s.summary.Expect))
	}
	for _, v := range s.summary.Expect {
		out[v.Quantity] = comm.Float64Bytes([]float64{v.Got})
	}
	return out
}

// models and precisions of the tests of pencils, by the ends of the axes.
var pencilSpecs = [][2]string{{"regularized", "float32"}, {"bgk", "float64"}, {"trt", "float16"}, {"regularized", "float16"}}

func TestEveryCutGivesTheSameBits(t *testing.T) {
	for mask := range 4 {
		for i := range 2 {
			spec := pencilSpecs[(mask+i)%len(pencilSpecs)]
			text := ends(mask, spec[0], spec[1], 20)
			t.Run(fmt.Sprintf("periodic %02b %s %s", mask, spec[0], spec[1]), func(t *testing.T) {
				if testing.Short() && i > 0 {
					t.Skip("the same cuts of another model: make test-all runs it")
				}
				dir := t.TempDir()
				want := everything(t, dir, trial{text: text, ranks: 1, dir: dir}.must(t))
				for k, cut := range [][3]int{{1, 2, 1}, {1, 1, 5}, {1, 2, 2}, {1, 3, 2}, {1, 2, 5}, {1, 4, 3}, {1, 12, 1}, {0, 0, 4}} {
					if testing.Short() && (k+mask)%2 == 1 {
						continue // another mask has it; the skipped ones say so
					}
					ranks := cut[1] * cut[2]
					if ranks == 0 {
						ranks = 12
					}
					dir := t.TempDir()
					s := trial{text: text, ranks: ranks, cut: cut, dir: dir}.must(t)
					compare(t, fmt.Sprintf("%v parts", cut), everything(t, dir, s), want)
				}
			})
		}
	}
}

// The same where ranks write into each other's memory and steps are queued and recorded
// from hook to hook.
func TestQueuedPencilsAreTheSame(t *testing.T) {
	brief.Fewer(t, "cuts")
	for mask := range 4 {
		spec := pencilSpecs[mask]
		text := ends(mask, spec[0], spec[1], 41)
		dir := t.TempDir()
		plain := func(d device.Device) device.Device { return &recorder{Device: d} } // fields as peers take them
		want := everything(t, dir, trial{text: text, ranks: 1, wrap: plain, dir: dir}.must(t))
		cuts := [][3]int{{1, 2, 1}, {1, 3, 2}, {1, 2, 2}, {1, 2, 5}}
		if testing.Short() {
			cuts = cuts[mask%2:][:1]
		}
		for _, cut := range cuts {
			dir, town := t.TempDir(), &town{}
			s := trial{text: text, ranks: cut[1] * cut[2], cut: cut, wrap: town.move, dir: dir}.must(t)
			compare(t, fmt.Sprintf("periodic %02b, %v parts", mask, cut), everything(t, dir, s), want)
			if len(s.start.Routes) != 1 || s.start.Routes[0].Transport != "peer" {
				t.Errorf("%v parts: routes %+v", cut, s.start.Routes)
			}
		}
	}
}

// More ranks than planes are no error any more: the run cuts y by itself, and one more
// rank than rows is refused with the number that is possible.
func TestMoreRanksThanPlanes(t *testing.T) {
	text := ends(2, "regularized", "float32", 20)
	dir := t.TempDir()
	want := everything(t, dir, trial{text: text, ranks: 1, dir: dir}.must(t))
	for _, ranks := range []int{6, 7, 8, 12} {
		dir := t.TempDir()
		s := trial{text: text, ranks: ranks, dir: dir}.must(t)
		compare(t, fmt.Sprintf("%d ranks for 5 planes", ranks), everything(t, dir, s), want)
		rows := map[[2]int]bool{}
		for _, r := range s.start.Ranks {
			rows[[2]int{r.Lo[1], r.Hi[1]}] = true
		}
		if len(rows) < 2 {
			t.Errorf("%d ranks: y is not cut: %+v", ranks, s.start.Ranks)
		}
	}
	_, err := trial{text: text, ranks: 17, dir: t.TempDir()}.run(t)
	if code, agreed := ExitCode(err); err == nil || code != ExitUsage || !agreed || !strings.Contains(err.Error(), "the next smaller valid number is 16") {
		t.Errorf("17 ranks for 14 x 5 rows: %v (%d, %v)", err, code, agreed)
	}
}

// A run resumes from a checkpoint on another cut, and ends as if it had never stopped.
func TestRestartOnAnotherCut(t *testing.T) {
	brief.Fewer(t, "pairs of cuts")
	for mask := range 4 {
		spec := pencilSpecs[mask]
		text := ends(mask, spec[0], spec[1], 40)
		straight := t.TempDir()
		want := everything(t, straight, trial{text: text, ranks: 1, dir: straight}.must(t))
		pairs := [][2][3]int{{{1, 1, 1}, {1, 3, 2}}, {{1, 4, 3}, {1, 1, 2}}, {{1, 2, 1}, {1, 3, 4}}, {{1, 5, 1}, {1, 2, 1}}}
		if testing.Short() {
			pairs = pairs[mask:][:1]
		}
		for _, cuts := range pairs {
			dir := t.TempDir()
			from, to := cuts[0], cuts[1]
			trial{text: text, ranks: from[1] * from[2], cut: from, dir: dir}.must(t)
			files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
			if err != nil || len(files) != 4 {
				t.Fatalf("%d checkpoints, %v", len(files), err)
			}
			for _, later := range files[:2] {
				if err := os.Remove(later); err != nil {
					t.Fatal(err)
				}
			}
			s := trial{text: text, ranks: to[1] * to[2], cut: to, dir: dir, restart: "latest"}.must(t)
			if s.summary.Steps != 20 {
				t.Errorf("%d steps after the restart, want 20", s.summary.Steps)
			}
			compare(t, fmt.Sprintf("periodic %02b, restart from %v on %v parts", mask, from, to), everything(t, dir, s), want)
		}
	}
}

// A damaged checkpoint is found by ranks that read only parts of its planes, and the
// one before it is taken.
func TestPencilsRefuseADamagedCheckpoint(t *testing.T) {
	text := ends(3, "regularized", "float32", 20)
	dir := t.TempDir()
	want := trial{text: text, ranks: 6, cut: [3]int{1, 3, 2}, dir: dir}.must(t)
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d checkpoints, %v", len(files), err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	state := stateIn(t, dir)
	at := strings.Index(string(b), string(state))
	if at < 0 {
		t.Fatal("the state is not in the file as one piece")
	}
	b[at+len(state)/2] ^= 4
	if err := os.WriteFile(files[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	s := trial{text: text, ranks: 4, cut: [3]int{1, 2, 2}, dir: dir, restart: "latest"}.must(t)
	if s.start.First != 10 || len(s.warned) == 0 || !strings.Contains(s.warned[0], "plane 2 does not match its checksum") {
		t.Errorf("the run starts at step %d, warnings %q", s.start.First, s.warned)
	}
	if fmt.Sprintf("%+v", s.summary.Expect) != fmt.Sprintf("%+v", want.summary.Expect) { // NaN is not NaN
		t.Errorf("it ends with %+v instead of %+v", s.summary.Expect, want.summary.Expect)
	}
}
