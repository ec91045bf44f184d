// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/kernels"
)

// The march of a GPU computes the same bits however it is cut, here without a GPU: in marches of one plane the warps of a block
// hardly meet, in one of all planes the values that they exchange have to last until they are needed.
func TestMarchesOfAGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs for half a minute: make test-all runs it")
	}
	dir := readable(t)
	for _, c := range []struct{ lattice, collision, real string }{{"D3Q19", "Regularized", "float"}, {"D3Q27", "Cumulant", "float"}, {"D3Q19", "Cumulant", "double"}} {
		program := filepath.Join(dir, "emulate")
		build := exec.Command("g++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", "-pthread", "-I"+dir, "-DLBM_LATTICE="+c.lattice, "-DLBM_COLLISION="+c.collision,
			"-DLBM_MOMENTS=1", "-DLBM_REAL="+c.real, "-DLBM_STORED="+c.real, "testdata/emulate.cpp", "-o", program)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, out[:min(len(out), 4000)])
		}
		for _, n := range [][3]int{{70, 14, 7}, {2, 5, 9}} {
			step := func(marches int) []byte {
				file := filepath.Join(dir, "state")
				if out, err := exec.Command(program, fmt.Sprint(n[0]), fmt.Sprint(n[1]), fmt.Sprint(n[2]), fmt.Sprint(marches), file).CombinedOutput(); err != nil {
					t.Fatalf("%v %v: %v\n%s", c, n, err, out)
				}
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			planes, whole := step(n[2]), step(1)
			if !finite(planes, c.real == "double") {
				t.Errorf("%v %v: the state has numbers that were not computed", c, n)
			}
			if !bytes.Equal(planes, whole) {
				t.Errorf("%v %v: a march through all planes has other bits than one for each", c, n)
			}
		}
	}
}

// readable returns a folder with the kernels as g++ can read them.
func readable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	// GPU instructions, which g++ cannot compile.
	known := map[string]string{
		`{ asm volatile("bar.sync 0, %0;" ::"n"(THREADS) : "memory"); }`: `{ emulatedBarrier(); }`,
		`extern __shared__ uint4 memory[];`:                              `uint4* const memory = emulatedShared;`,
		`asm volatile("" : "+f"(v));`:                                    ``,
		`asm volatile("" : "+d"(v));`:                                    ``,
		`asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));`:            `f = h.bits;`,
		`asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));`:         `h.bits = f;`,
	}
	err := fs.WalkDir(kernels.Sources, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(kernels.Sources, name)
		if err != nil {
			return err
		}
		text := string(b)
		for theirs, ours := range known {
			if strings.Contains(text, theirs) {
				text = strings.Replace(text, theirs, ours, 1)
				delete(known, theirs)
			}
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	for theirs := range known {
		t.Fatalf("the kernels have no more %s: this test has to know what stands there", theirs)
	}
	return dir
}

// The GPU's pass for eddies agrees with differences cell by cell: in whole and partial tiles, through marches and across
// their ends, around periodic axes and beside solid cells.
func TestEddiesOfAGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs for half a minute: make test-all runs it")
	}
	dir := readable(t)
	for _, c := range []struct{ lattice, collision, moments, real string }{{"D3Q27", "Cumulant", "1", "float"}, {"D3Q19", "Trt", "0", "double"}, {"D2Q9", "Bgk", "0", "float"}, {"D2Q9", "Cumulant", "1", "float"}} {
		program := filepath.Join(dir, "eddies")
		build := exec.Command("g++", "-std=c++20", "-O1", "-w", "-pthread", "-I"+dir, "-DLBM_LATTICE="+c.lattice, "-DLBM_COLLISION="+c.collision, "-DLBM_LAW=Wale",
			"-DLBM_MOMENTS="+c.moments, "-DLBM_REAL="+c.real, "-DLBM_STORED="+c.real, "testdata/emulate_eddies.cpp", "-o", program)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, out[:min(len(out), 4000)])
		}
		for _, args := range []string{"70 21 19 0 1", "64 16 32 7 0", "33 9 17 5 1", "5 3 2 7 0", "100 8 16 2 0"} {
			out, err := exec.Command(program, strings.Fields(args)...).CombinedOutput()
			t.Logf("%v %s", c, out)
			if err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
}

// The GPU's kernels that couple levels agree with the CPU's: the same lists, strides and arithmetic.
func TestLevelsOfAGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for half a minute: make test-all runs it")
	}
	dir := readable(t)
	cpu, flags := filepath.Join(dir, "levels.o"), []string{"-std=c++20", "-O1", "-ffp-contract=off", "-w", "-pthread"}
	if out, err := exec.Command("g++", append(flags, "-c", "levels.cpp", "-o", cpu)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out[:min(len(out), 4000)])
	}
	for _, c := range []struct{ lattice, collision, model, real, law, kind string }{
		{"D2Q9", "Regularized", "0", "double", "Smagorinsky", "1"}, {"D3Q19", "RecursiveRegularized", "3", "float", "PowerLaw", "2"}, {"D3Q27", "Cumulant", "4", "double", "Wale", "4"}} {
		program := filepath.Join(dir, "levels")
		build := exec.Command("g++", append(flags, "-I"+dir, "-I.", "-DLBM_LATTICE="+c.lattice, "-DLBM_COLLISION="+c.collision, "-DLBM_MODEL="+c.model, "-DLBM_MOMENTS=1", "-DLBM_LAW="+c.law, "-DLBM_KIND="+c.kind,
			"-DLBM_REAL="+c.real, "-DLBM_STORED="+c.real, "testdata/emulate_levels.cpp", cpu, "-o", program)...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, out[:min(len(out), 4000)])
		}
		out, err := exec.Command(program).CombinedOutput()
		t.Logf("%v\n%s", c, out)
		if err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// finite reports whether all float32 or float64 of b are finite.
func finite(b []byte, double bool) bool {
	for len(b) > 0 {
		var v float64
		if double {
			v, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		} else {
			v, b = float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), b[4:]
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
