// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"lbmsim/io/fields"
	"lbmsim/sim/output"
)

// sheared is a periodic box whose velocity is linear in the middle of it.
const sheared = `
[domain]
cells = [12, 10, 9]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.1
[initial]
velocity = ["0.001*y", "0.002*z", "0.003*x"]
[collision]
precision = "float64"
[run]
steps = 20
[checkpoint]
every = 10
`

// Planes of all normals are the same for every cut and after a restart, and whole.
func TestPlanes(t *testing.T) {
	text := sheared
	for _, normal := range []string{"x", "y", "z"} {
		text += fmt.Sprintf("[output.plane.across_%[1]s]\nnormal = %[1]q\nat = 3.5\nfields = [\"velocity\", \"vorticity\", \"solid\"]\nprecision = \"float64\"\nevery = 10\nat_start = true\n", normal)
	}
	read := func(dir string) map[string][]byte {
		all := map[string][]byte{}
		files, err := filepath.Glob(filepath.Join(dir, "planes", "*", "*"))
		if err != nil || len(files) != 15 {
			t.Fatalf("files %v, %v", files, err)
		}
		for _, f := range files {
			if filepath.Ext(f) == ".hdf" {
				if err := fields.Verify(f); err != nil {
					t.Errorf("%s: %v", f, err)
				}
			}
			all[filepath.Base(f)] = contents(t, f)
		}
		return all
	}
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	want := read(dir)
	// The bytes of a value that only one plane has: velocity x of y = 3.5 at the start.
	var known bytes.Buffer
	bits := math.Float64bits(0.001 * 3.5)
	for range 8 {
		known.WriteByte(byte(bits))
		bits >>= 8
	}
	if n := bytes.Count(want["across_y_0000000000.hdf"], known.Bytes()); n != 12*9 {
		t.Errorf("the plane across y has its velocity %d times instead of once in each of %d cells", n, 12*9)
	}
	for _, cut := range [][3]int{{1, 1, 3}, {1, 2, 2}} {
		dir := t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		compare(t, fmt.Sprint("cut into ", cut), read(dir), want)
	}
	trial{text: text, ranks: 2, dir: dir, restart: filepath.Join(dir, output.CheckpointDir, "checkpoint_000000000010.h5")}.must(t)
	compare(t, "after a restart", read(dir), want)
}

// Probes record derived fields.
func TestProbeOfDerivedFields(t *testing.T) {
	dir := t.TempDir()
	trial{text: sheared + `
[output.probe.middle]
at = [5.5, 4.5, 3.5]
fields = ["vorticity", "strain_rate"]
`, ranks: 2, dir: dir}.must(t)
	c := table(t, filepath.Join(dir, "probe_middle.csv"))
	want := map[string]float64{"vorticity x": -0.002, "vorticity y": -0.003, "vorticity z": -0.001,
		"strain_rate": math.Sqrt(1e-6 + 4e-6 + 9e-6)}
	for name, w := range want {
		if len(c[name]) == 0 || math.Abs(c[name][0]-w) > 1e-12 {
			t.Errorf("%s: %v, want %v first", name, c[name], w)
		}
	}
}
