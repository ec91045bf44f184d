// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels_test

import (
	"math"
	"path"
	"strings"
	"testing"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/kernels"
	"lbmsim/model"
)

// Each collision model and each lattice is one header and one row of model.
func TestHeadersAndRows(t *testing.T) {
	check := func(dir, catalogue string, rows []string) {
		names := map[string]bool{}
		for _, r := range rows {
			names[strings.ToLower(r)] = true
		}
		files, err := kernels.Sources.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			stem := strings.TrimSuffix(f.Name(), ".h")
			if !names[stem] {
				t.Errorf("kernels/%s/%s has no row named %q in %s: add the row, or remove the header", dir, f.Name(), stem, catalogue)
			}
			delete(names, stem)
			text, _ := kernels.Sources.ReadFile(path.Join(dir, f.Name()))
			if dir == "lattice" {
				continue
			}
			for i, word := range []string{"// What:", "// Equation:", "// Source:", "// Storage:", "// Limits:"} {
				const licence = 3 // lines of the licence
				if lines := strings.Split(string(text), "\n"); !strings.HasPrefix(lines[licence+i], word) {
					t.Errorf("kernels/%s/%s: line %d does not begin with %q", dir, f.Name(), licence+i+1, word)
				}
			}
		}
		for n := range names {
			t.Errorf("row %q of %s has no header kernels/%s/%s.h: write the header, or remove the row", n, catalogue, dir, n)
		}
	}
	var collisions, lattices, laws []string
	for _, c := range model.Collisions {
		collisions = append(collisions, c.Name)
	}
	for _, l := range model.Lattices {
		lattices = append(lattices, l.Name)
	}
	for _, l := range model.ViscosityLaws {
		laws = append(laws, l.Name)
	}
	check("viscosity", "model.ViscosityLaws", laws)
	check("collision", "model.Collisions", collisions)
	check("lattice", "model.Lattices", lattices)
}

func TestLatticeTables(t *testing.T) {
	for k, l := range model.Lattices {
		for i := range l.Velocities {
			c, w, o, q := kernels.Direction(k, i)
			if c != l.Velocities[i] || w != l.Weights[i] || o != l.Opposite(i) || q != l.Q() {
				t.Errorf("%s direction %d: header has c %v, w %g, opposite %d of %d; model has %v, %g, %d of %d",
					l.Name, i, c, w, o, q, l.Velocities[i], l.Weights[i], l.Opposite(i), l.Q())
			}
		}
	}
}

func TestLayout(t *testing.T) {
	for _, ghost := range [][3]int{{0, 0, 1}, {0, 1, 0}, {0, 1, 1}} {
		for _, nx := range []int{7, 32, 100} {
			l := decomp.NewLayout([3]int{nx, 5, 4}, ghost, 10)
			for _, p := range [][4]int{{0, 0, 0, 0}, {nx - 1, 4, 3, 9}, {3, -ghost[1], -ghost[2], 5}, {1, 4 + ghost[1], 3 + ghost[2], 2}} {
				if a, b := l.At(p[0], p[1], p[2], p[3]), kernels.LayoutAt(l.N, l.Ghost, l.Components, l.Pitch, p[0], p[1], p[2], p[3]); a != b {
					t.Errorf("n %v, ghost %v: value %v is at %d in Go, at %d in kernels/layout.h", l.N, ghost, p, a, b)
				}
			}
		}
	}
}

// The portable conversions follow IEEE 754: to the nearest, ties to even. The tests of device/cpu
// compare the hardware's with them.
func TestHalves(t *testing.T) {
	number := func(h uint16) float64 { // by definition; infinity continues the finite ones
		exponent, digits := int(h>>10&31), float64(h&1023)
		v := math.Ldexp(digits, -24)
		if exponent > 0 {
			v = math.Ldexp(1024+digits, exponent-25)
		}
		if h>>15 == 1 {
			return -v
		}
		return v
	}
	check := func(f float64, want uint16) {
		if got := kernels.Half(float32(f)); got != want {
			t.Fatalf("%g is half %04x, must be %04x", f, got, want)
		}
	}
	for i := range 1 << 16 {
		h := uint16(i)
		f := float64(kernels.HalfNumber(h))
		switch {
		case h&0x7fff > 0x7c00:
			if !math.IsNaN(f) || kernels.Half(float32(f))&0x7fff <= 0x7c00 {
				t.Fatalf("half %04x is no number, but %g, and back %04x", h, f, kernels.Half(float32(f)))
			}
			continue
		case h&0x7fff == 0x7c00:
			if !math.IsInf(f, 0) || math.Signbit(f) != (h>>15 == 1) {
				t.Fatalf("half %04x is %g, not an infinity", h, f)
			}
			check(f, h)
			continue
		case f != number(h) || math.Signbit(f) != (h>>15 == 1):
			t.Fatalf("half %04x is %g, must be %g", h, f, number(h))
		}
		check(f, h)
		// Half-way to the next one, and a little before and after.
		mid := (f + number(h+1)) / 2
		even := h + h&1
		check(mid, even)
		check(float64(math.Nextafter32(float32(mid), float32(f))), h)
		check(float64(math.Nextafter32(float32(mid), float32(number(h+1)))), h+1)
	}
}

// The Go structs are read by C: their sizes must equal the sizes in cpu/api.h.
func TestStructs(t *testing.T) {
	for name, sizes := range kernels.StructSizes() {
		if sizes[0] != sizes[1] {
			t.Errorf("%s has %d bytes in Go, %d in C", name, sizes[0], sizes[1])
		}
	}
	if unsafe.Offsetof(kernels.Case{}.Rows) != 48 {
		t.Error("Case.Rows is not where lbm_case.rows is")
	}
}
