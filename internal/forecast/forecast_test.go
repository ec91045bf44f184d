// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"strings"
	"testing"

	"lbmsim/config"
)

func TestLargestCube(t *testing.T) {
	text := func(cells, precision string) string {
		return "[domain]\ncells = " + cells + "\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[collision]\nprecision = \"" + precision + "\"\n" +
			"[boundary.w]\ntype = \"wall\"\nfaces = [\"z-\", \"z+\"]\n[run]\nsteps = 1\n"
	}
	const memory = 139 << 30
	// 80, 160 and 40 bytes per cell, in rows of whole 32 cells.
	for precision, bytes := range map[string]int64{"float32": 80, "float64": 160, "float16": 40} {
		c := load(t, text("[8, 8, 8]", precision))
		n := int64(LargestCube(c, memory))
		if n*n*n*bytes+n*n*n/gpuCellsPerByte+gpuReserve > memory || n*n*n*bytes < memory*8/10 {
			t.Errorf("%s: %d^3 cells have %.3g bytes", precision, n, float64(n*n*n*bytes))
		}
	}
	flat := strings.Replace(text("[8, 8]", "float32"), "[boundary.w]\ntype = \"wall\"\nfaces = [\"z-\", \"z+\"]\n", "", 1)
	if n := int64(LargestCube(load(t, flat), memory)); n*n*48+n*n/gpuCellsPerByte+gpuReserve > memory || n*n*48 < memory*97/100 {
		t.Errorf("2D: %d^2 cells", n)
	}
	if n := LargestCube(load(t, flat), 1<<20); n != 0 {
		t.Errorf("%d^2 cells in 1 MiB", n)
	}
}

// Sizes of a case.
func TestForecast(t *testing.T) {
	c := load(t, plain+"[scaling]\ntau = 0.65\n[checkpoint]\nevery = 300\nkeep = 3\n[output.fields]\nevery = 500")
	// 3 ranks: at most 17 planes and two ghosts, 6 moments, rows of 128, float32, twice.
	if got, want := StateBytes(c, 3), int64(2*19*6*128*4); got != want {
		t.Errorf("state %d, want %d", got, want)
	}
	if got, want := CheckpointBytes(c), int64(50*128*6*4); got != want {
		t.Errorf("checkpoint %d, want %d", got, want)
	}
	if got, want := c.Fields.Bytes(c.Cells), int64(5000*4*4); got != want {
		t.Errorf("fields %d, want %d", got, want)
	}
	if got, want := FieldsSnapshotBytes(c, 3), int64(17*100*4*4); got != want {
		t.Errorf("fields snapshot %d, want %d", got, want)
	}
	if all, gpu := OnHost(c, 3, false), OnHost(c, 3, true); Table(c, 3)[7].SI != Bytes(all) || all-gpu != StateBytes(c, 3) || OnGPU(c, 3) <= StateBytes(c, 3)+gpuReserve {
		t.Errorf("%d bytes, %d beside a GPU and %d on it; %q", all, gpu, OnGPU(c, 3), Table(c, 3)[7])
	}
	rows := Table(c, 3)
	if len(rows) != 11 || !strings.Contains(rows[9].Lattice, "7 times, 3 files") || !strings.HasPrefix(rows[8].Lattice, "4 times") {
		t.Errorf("%q", rows)
	}
}

// The forecast follows the parts that the case sets.
func TestForecastOfParts(t *testing.T) {
	c := load(t, "[domain]\ncells = [128, 30, 20]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.05\n[run]\nsteps = 10\nranks = [1, 2, 4]")
	// A part of 15 rows and 5 planes, one ghost on each side of both, 10 moments.
	if got, want := StateBytes(c, 8), int64(2*17*7*128*10*4); got != want {
		t.Errorf("state %d, want %d", got, want)
	}
	if got, want := SnapshotBytes(c, 8), int64(15*5*128*10*4); got != want || CheckpointBytes(c) != 8*want {
		t.Errorf("snapshot %d, want %d; checkpoint %d", got, want, CheckpointBytes(c))
	}
	if rows := Table(c, c.LeastRanks()); rows[0].Lattice != "128 x 15 x 5" || rows[0].SI != "1 x 2 x 4 parts" {
		t.Errorf("%q", rows[0])
	}
}

// load reads a text that must be valid.
func load(t *testing.T, src string) *config.Case {
	t.Helper()
	c, err := config.Load("test.toml", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return c
}

// plain is a case in SI without its scaling.
const plain = `
[domain]
size = ["1 m", "0.5 m"]
cells = [100, 50]
periodic = ["x"]
[fluid]
density = "1000 kg/m3"
viscosity = "1e-3 m2/s"
[boundary.walls]
type = "moving_wall"
faces = ["y-", "y+"]
velocity = ["0.1 m/s", 0]
[run]
time = "10 s"
`
