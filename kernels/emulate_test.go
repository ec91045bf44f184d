// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/render"
	"lbmsim/kernels"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
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

// The rays of a GPU, compiled without contracted operations, give the bits of package render: outside and inside the domain, in
// several blocks, beside cells without values and between two levels.
func TestRaysOfAGPU(t *testing.T) {
	dir := readable(t)
	program := filepath.Join(dir, "cast")
	build := exec.Command("g++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", "-I"+dir, "testdata/emulate_cast.cpp", "-o", program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out[:min(len(out), 4000)])
	}
	size := [3]int{48, 40, 44}
	whole := renderBlock(0, [3]int{}, size, nil)
	holed := renderBlock(0, [3]int{}, size, func(p [3]float64) bool { return p[0] > 24 && p[1] > 22 })
	fine := func(p [3]float64) bool {
		return p[0] >= 10 && p[0] < 25 && p[1] >= 8 && p[1] < 30 && p[2] >= 12 && p[2] < 40
	}
	coarse := renderBlock(0, [3]int{}, size, nil)
	for k := range size[0] * size[1] * size[2] {
		at := [3]int{k % size[0], k / size[0] % size[1], k / size[0] / size[1]}
		coarse.Finest = append(coarse.Finest, !fine([3]float64{float64(at[0]), float64(at[1]), float64(at[2])}))
	}
	outside := render.Camera{From: [3]float64{-0.6, -1, 0.5}, Up: [3]float64{0, 0, 1}, Angle: 30, W: 100, H: 80}.Fit([3]float64{}, [3]float64{48, 40, 44})
	inside := render.Camera{From: [3]float64{3.3, 4.1, 5.2}, At: [3]float64{24, 20, 22}, Up: [3]float64{0, 0, 1}, Angle: 80, W: 90, H: 70}
	for name, c := range map[string]struct {
		camera render.Camera
		finest int
		blocks []render.Block
	}{
		"whole":  {outside, 0, []render.Block{whole}},
		"inside": {inside, 0, []render.Block{whole}},
		"solids": {outside, 0, []render.Block{holed}},
		"blocks": {outside, 0, []render.Block{renderBlock(0, [3]int{}, [3]int{48, 40, 17}, nil), renderBlock(0, [3]int{0, 0, 17}, size, nil)}},
		"levels": {outside, 1, []render.Block{coarse, renderBlock(1, [3]int{20, 16, 24}, [3]int{50, 60, 80}, nil)}},
	} {
		t.Run(name, func(t *testing.T) {
			s := render.Scene{Camera: c.camera, Size: [3]float64{48, 40, 44}, Level: 0.3, Finest: c.finest}
			file := filepath.Join(dir, "scene")
			if err := os.WriteFile(file, written(s, c.blocks), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(program, file).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want []render.Hit
			caster := render.NewCaster(s, c.blocks)
			for y := range s.Rows() {
				want = append(want, caster.Row(y)...)
			}
			if len(want) < 3000 {
				t.Fatalf("%d hits", len(want))
			}
			for ray := range 4 * c.camera.W * c.camera.H {
				var seen [4]float32
				if _, err := binary.Decode(b[16*ray:], binary.LittleEndian, &seen); err != nil {
					t.Fatal(err)
				}
				expected := [4]float32{3e38}
				if len(want) > 0 && want[0].Ray == uint32(ray) {
					expected, want = [4]float32{want[0].Depth, want[0].Value, want[0].Light, want[0].Gloss}, want[1:]
				}
				if seen != expected {
					t.Fatalf("ray %d: %v instead of %v", ray, seen, expected)
				}
			}
		})
	}
}

// renderBlock returns cells of a level with the distance to a wavy ball, positive inside, coloured by x; solid cells have no values.
func renderBlock(level int, lo, hi [3]int, solid func(p [3]float64) bool) render.Block {
	b := render.Block{Level: level, Lo: lo}
	for a := range lo {
		b.N[a] = hi[a] - lo[a]
	}
	size := 1 / float64(int(1)<<level)
	for z := lo[2] - render.Margin; z < hi[2]+render.Margin; z++ {
		for y := lo[1] - render.Margin; y < hi[1]+render.Margin; y++ {
			for x := lo[0] - render.Margin; x < hi[0]+render.Margin; x++ {
				p := [3]float64{(float64(x) + 0.5) * size, (float64(y) + 0.5) * size, (float64(z) + 0.5) * size}
				v := 14 + math.Sin(p[0])*math.Cos(p[1]) - math.Sqrt((p[0]-24.3)*(p[0]-24.3)+(p[1]-20.2)*(p[1]-20.2)+(p[2]-21.6)*(p[2]-21.6))
				if solid != nil && solid(p) {
					v = math.NaN()
				}
				b.Shape, b.Colour = append(b.Shape, float32(v)), append(b.Colour, float32(p[0]))
			}
		}
	}
	return b
}

// written returns a scene as testdata/emulate_cast.cpp reads it.
func written(s render.Scene, blocks []render.Block) []byte {
	var out bytes.Buffer
	put := func(v any) { _ = binary.Write(&out, binary.LittleEndian, v) } // a buffer has room
	put(s.Optics())
	put(int32(len(blocks)))
	for _, b := range blocks {
		listed := int32(0)
		if b.Finest != nil {
			listed = 1
		}
		put([]int32{int32(b.Level), listed})
		for a := range 3 {
			put(int32(b.N[a]))
		}
		for a := range 3 {
			put(int32(b.Lo[a]))
		}
		for a := range 3 {
			put(int32(s.Size[a]) << b.Level)
		}
		put(b.Shape)
		put(b.Colour)
		put(b.Finest)
	}
	return out.Bytes()
}

// The fields of views have one definition on GPUs and on the host: of every field that a GPU evaluates, the values of random states are the
// sampler's, rounded to float32: at solid cells and beside them, at periodic and at ghost ends, with another field and alone.
func TestFieldsOfAGPU(t *testing.T) {
	dir := readable(t)
	var spec model.Spec
	spec.Lattice, _ = model.FindLattice("D3Q19")
	spec.Collision, _ = model.FindCollision("regularized")
	spec.Scalar = true
	n := [3]int{37, 11, 35} // two blocks along each axis
	random := rand.New(rand.NewSource(2))
	cells := boundary.NewCells(n)
	for i := range cells.Type {
		cells.Type[i] = uint8(max(0, random.Intn(20)-16)) // fluid, a face and bodies
	}
	for z := -1; z <= n[2]; z++ { // the box of a rank that is alone along x and, without ghosts there, along y
		for y := -1; y <= n[1]; y++ {
			cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(n[0], y, z)] = cells.At(n[0]-1, y, z), cells.At(0, y, z)
		}
	}
	for real, ghost := range map[string]int{"float": 1, "double": 0} { // ghost layers along y
		program := filepath.Join(dir, "fields"+real)
		build := exec.Command("g++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", "-pthread", "-I"+dir, "-DLBM_LATTICE=D3Q19", "-DLBM_COLLISION=Regularized", "-DLBM_MOMENTS=1",
			fmt.Sprintf("-DLBM_EXTRA=%d", spec.Components()-spec.FlowComponents()), "-DLBM_REAL="+real, "-DLBM_STORED="+real, "testdata/emulate_fields.cpp", "-o", program)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, out[:min(len(out), 4000)])
		}
		own := cells
		own.Type = slices.Clone(cells.Type)
		for z := -1; z <= n[2] && ghost == 0; z++ {
			for x := -1; x <= n[0]; x++ {
				own.Type[own.Index(x, -1, z)], own.Type[own.Index(x, n[1], z)] = own.At(x, n[1]-1, z), own.At(x, 0, z)
			}
		}
		c := &config.Case{Grid: config.Grid{Cells: n, Units: config.Units{Physical: true, Length: 1.7e-3, Time: 3.1e-2, Density: 998.2}}, Flow: config.Flow{Spec: spec}}
		c.Boundaries, c.Bodies, c.Temperature.Reference = make([]config.Boundary, 1), make([]config.Body, 3), 20
		p := &domain.Part{Case: c, Layout: decomp.NewLayout(n, [3]int{0, ghost, 1}, spec.Components()), Cells: own}
		if real == "float" {
			fieldsOfAGPU[float32](t, filepath.Join(dir, "fields"), program, p)
		} else {
			fieldsOfAGPU[float64](t, filepath.Join(dir, "fields"), program, p)
		}
	}
}

func fieldsOfAGPU[In derive.Number](t *testing.T, file, program string, p *domain.Part) {
	t.Helper()
	view := derive.View{Case: p.Case, Part: p}
	var fields []model.Field
	var shown []device.Shown
	quantities := map[device.Quantity]bool{}
	for _, f := range model.Fields {
		if s, ok := view.Shown(f); ok {
			fields, shown = append(fields, f), append(shown, s)
			quantities[s.Quantity] = true
		}
	}
	if len(quantities) != int(device.Invariant)+1 {
		t.Fatalf("no field has some of the quantities: %v", quantities)
	}
	n := p.Layout.N
	var in bytes.Buffer
	for _, v := range []any{[]int32{int32(n[0]), int32(n[1]), int32(n[2]), int32(p.Layout.Ghost[1]), int32(len(fields))}, p.Cells.Type, shown} {
		_ = binary.Write(&in, binary.LittleEndian, v) // a buffer has room
	}
	if err := os.WriteFile(file, in.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	whole := decomp.Box{Lo: [3]int{0, -p.Layout.Ghost[1], -1}, Hi: [3]int{n[0], n[1] + p.Layout.Ghost[1], n[2] + 1}}
	state := make([]In, p.Case.Spec.FieldValues()*whole.Cells())
	got := make([][]float32, 2*len(fields))
	err = binary.Read(out, binary.LittleEndian, state)
	for k := range got {
		got[k] = make([]float32, n[0]*n[1]*n[2])
		err = errors.Join(err, binary.Read(out, binary.LittleEndian, got[k]))
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range fields {
		s := derive.NewSampler[float64](p, 0, derive.Held(whole, p.Case.Spec.FieldValues(), state), f)
		values := 0
		for z := range n[2] {
			plane, err := s.Sample(f, z, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n[0] * n[1] {
				x, y := i%n[0], i/n[0]
				want := plane[i*f.Components]
				if f.Components > 1 {
					v := plane[i*f.Components:][:f.Components]
					want = math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
				}
				blank := view.Blank(f, int(p.Cells.At(x, y, z))-p.Faces())
				for _, v := range [][]float32{got[2*k], got[2*k+1]} {
					v := float64(v[z*n[0]*n[1]+i])
					if !blank && v != 0 {
						values++
					}
					if math.IsNaN(v) != blank || !blank && !(math.Abs(v-want) <= 1e-7*math.Abs(want)) { // half a last place of float32 is 6e-8
						t.Fatalf("%T, %d ghosts: %s at (%d, %d, %d) is %g, not %g (%v)", state[0], p.Layout.Ghost[1], f.Name, x, y, z, v, want, blank)
					}
				}
			}
		}
		if values < n[0]*n[1]*n[2] { // of twice as many; gradients of solid cells are 0
			t.Errorf("%s: only %d values", f.Name, values)
		}
	}
}
