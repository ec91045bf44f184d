// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/internal/handlers"
	"lbmsim/internal/raw"
	"lbmsim/internal/render"
	"lbmsim/kernels"
	"lbmsim/model"
)

// compilerForTest returns this machine's NVRTC. `make test` fetches it and skips no test
// for lack of it.
func compilerForTest(t *testing.T) *compiler {
	t.Helper()
	c, err := openCompiler(0, 0)
	if err != nil {
		if os.Getenv("LBMSIM_REQUIRE_NVRTC") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(c.close)
	return c
}

// compileFile translates a file of kernels for GPUs of compute capability arch (90 for sm_90), and returns the machine
// code. A short run skips passes of the optimizer for all but the default model, with a scalar between levels, whose whole
// compilation is what most users run: the passes take a third of the time, and what a test looks for is in the result without them.
func compileFile(file string, spec model.Spec, arch int, more ...string) ([]byte, error) {
	c, err := openCompiler(0, arch)
	if err != nil {
		return nil, err
	}
	defer c.close()
	plain := arch == 90 && spec.Collision.Name == "cumulant" && !spec.Local() && len(more) == 0 && (!spec.Scalar || file == levelsFile && spec.Lattice.Q() == 19)
	if testing.Short() && !plain && c.major*100+c.minor >= 1208 {
		more = append(more, "--Ofast-compile=min")
	}
	j, err := newJobOf(c, file, spec, 0, arch, more...)
	if err != nil {
		return nil, err
	}
	return j.compile()
}

// everyInstance reports whether a short run too compiles each model, with scalars and laws of the viscosity, as CI asks.
func everyInstance() bool { return os.Getenv("LBMSIM_REQUIRE_INSTANCES") != "" }

// architectures of the supported GPUs: V100, A100, H100 and B200.
var architectures = []int{70, 80, 90, 100}

// TestCompile compiles the kernels for every supported GPU known to the compiler, and checks for
// the symbols that the host needs.
func TestCompile(t *testing.T) {
	c := compilerForTest(t)
	t.Logf("%s knows %v", c, c.archs)
	for _, arch := range architectures {
		if !slices.Contains(c.archs, arch) {
			t.Logf("sm_%d is not compiled for: %s does not know it", arch, c)
			continue
		}
		for _, spec := range instances(arch) {
			t.Run(fmt.Sprintf("sm_%d/%s", arch, spec), func(t *testing.T) {
				if testing.Short() && !(spec.Precision == model.Float32 && (arch == 90 || spec.Lattice.Q() == 27)) {
					t.Skip("the same text for another precision or GPU: make test-all runs it")
				}
				if testing.Short() && spec.Scalar && spec.Local() && (spec.Collision.Scheme == model.Moments) != (spec.Lattice.Q() == 27) {
					t.Skip("the other scheme has this lattice: make test-all runs it")
				}
				if testing.Short() && !everyInstance() && (spec.Scalar || spec.Local() || spec.Collision.Name == "bgk" || spec.Collision.Name == "recursive_regularized") {
					t.Skip("much of it is in the others' text: .ci/run and make test-all run it")
				}
				t.Parallel()
				start := time.Now()
				code, err := compileFile(instanceFile, spec, arch)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d bytes in %.1f s", len(code), time.Since(start).Seconds())
				// The kernels for special cells on the newest GPU alone: they are plain C++.
				if arch == 90 {
					special, err := compileFile(specialFile, spec, arch)
					if err != nil {
						t.Fatal(err)
					}
					faces, err := compileFile(facesFile, spec, arch)
					if err != nil {
						t.Fatal(err)
					}
					special = append(special, faces...)
					names := []string{"lbm_special", "lbm_forces", "lbm_faces", "lbm_outflow"}
					if spec.Collision.Scheme == model.Populations {
						fields, err := compileFile(stepFieldsFile, spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						special, names = append(special, fields...), append(names, "lbm_step_fields", "lbm_fields_at", "lbm_step_fields_shape")
					}
					// No collision is in these.
					carries := spec.Collision.Name == "bgk" && spec.Scalar && (spec.Lattice.Q() == 9 || !testing.Short())
					if (spec.Collision.Name == "regularized" && !spec.Scalar || carries) && !spec.Local() && (spec.Precision == model.Float32 || !testing.Short()) {
						statistics, err := compileFile(statisticsFile, spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						special, names = append(special, statistics...), append(names, "lbm_sample", "lbm_average", "lbm_profile", "lbm_statistics_numbers")
						cast, err := compileFile(castFile, spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						special, names = append(special, cast...), append(names, "lbm_evaluate", "lbm_put", "lbm_extend", "lbm_ends", "lbm_count", "lbm_bricks", "lbm_cast")
					}
					if spec.Viscosity.LooksAround() {
						eddies, err := compileFile(eddiesFile, spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						special, names = append(special, eddies...), append(names, "lbm_eddies")
					}
					if spec.Scalar {
						scalar, err := compileFile(scalarFile, spec, arch)
						if err != nil {
							t.Fatal(err)
						}
						special, names = append(special, scalar...), append(names, "lbm_correct", "lbm_recompute", "lbm_lost")
					}
					for _, name := range names {
						if !bytes.Contains(special, []byte(name)) {
							t.Errorf("there is no kernel %s", name)
						}
					}
				}
				if several := spec.Collision.Scheme == model.Populations && !spec.Scalar; several != bytes.Contains(code, []byte("lbm_steps")) {
					t.Errorf("a kernel lbm_steps: %v, want %v", !several, several)
				}
				if s := findShape(t, code); int(s[5]) > sharedLimit(arch) {
					t.Errorf("a block has %d bytes of shared memory, and sm_%d only %d", s[5], arch, sharedLimit(arch))
				}
			})
		}
	}
}

// instances returns the specs that TestCompile translates for an architecture: every model
// on every lattice in every precision, and with each law of the viscosity. All of them take
// minutes: unless LBMSIM_ALL_INSTANCES is 1, sm_90 has every model once and every law with
// some, and the other architectures, which get the same text, the usual models alone. A short run
// skips most of these too, unless everyInstance.
func instances(arch int) (list []model.Spec) {
	all := os.Getenv("LBMSIM_ALL_INSTANCES") == "1"
	turn := 0
	for _, spec := range model.Pairs() {
		for _, spec.Precision = range model.Precisions {
			usual := spec.Collision.Name == "cumulant" || spec.Lattice.Q() < 27 && slices.Contains([]string{"regularized", "bgk", "trt"}, spec.Collision.Name)
			if usual || all || arch == 90 {
				list = append(list, spec)
			}
			if carries := spec; arch == 90 && (all || slices.Contains([]string{"regularized float64", "bgk float32", "trt float16", "cumulant float32", "cumulant float16"}, spec.Collision.Name+" "+spec.Precision.String())) {
				carries.Scalar = true
				list = append(list, carries)
				if spec.Precision == model.Float32 && spec.Lattice.Q() != 19 || all { // eddies carry it
					for _, carries.Viscosity = range []model.ViscosityLaw{model.Smagorinsky, model.Wale} {
						list = append(list, carries)
					}
				}
			}
			for k := range 2 * len(model.ViscosityLaws) {
				spec := spec
				spec.Viscosity, spec.Bulk = model.ViscosityLaw(k/2), k%2 == 1
				if turn++; spec.Local() && (all || arch == 90 && turn%29 == 0) {
					list = append(list, spec)
				}
			}
		}
	}
	return list
}

// findShape looks for all kernels and returns the shape of lbm_step's blocks.
func findShape(t *testing.T, code []byte) (shape stepShape) {
	// A cubin's e_version is CUDA's (129 for 12.9), which debug/elf refuses.
	code = slices.Clone(code)
	if len(code) > 24 && string(code[:4]) == elf.ELFMAG {
		binary.LittleEndian.PutUint32(code[20:], uint32(elf.EV_CURRENT))
	}
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		t.Fatalf("the result is no cubin: %v", err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	size := map[string]uint64{}
	for _, s := range symbols {
		size[s.Name] = s.Size
		if s.Name == "lbm_step_shape" && int(s.Section) < len(f.Sections) {
			if data, err := f.Sections[s.Section].Data(); err == nil && s.Value+s.Size <= uint64(len(data)) {
				copy(raw.Bytes(shape[:]), data[s.Value:])
			}
		}
	}
	for _, name := range []string{"lbm_step", "lbm_init", "lbm_fields", "lbm_fields32", "lbm_rows", "lbm_planes", "lbm_update", "lbm_copy"} {
		if size[name] == 0 {
			t.Errorf("there is no kernel %s", name)
		}
	}
	if want := uint64(unsafe.Sizeof(stepShape{})); size["lbm_step_shape"] != want {
		t.Errorf("lbm_step_shape has %d bytes, not %d", size["lbm_step_shape"], want)
	}
	if shape[0] < 32 || shape[1] < 1 {
		t.Errorf("blocks of %d x %d threads", shape[0], shape[1])
	}
	return shape
}

// GPUs with less shared memory get smaller blocks, also if an older compiler does not know them.
func TestSharedMemory(t *testing.T) {
	brief.Fewer(t, "GPUs")
	c := compilerForTest(t)
	collision, _ := model.FindCollision("cumulant")
	for _, arch := range []int{75, 86, 89, 120} {
		if !slices.Contains(c.archs, arch) {
			continue
		}
		for _, name := range []string{"D3Q19", "D3Q27"} {
			for _, p := range []model.Precision{model.Float64, model.Float16} {
				if testing.Short() && !(arch == 75 && name == "D3Q27") {
					continue // 75 has the least; TestCompile says what else test-all compiles
				}
				lattice, _ := model.FindLattice(name)
				spec := model.Spec{Lattice: lattice, Collision: collision, Precision: p}
				code, err := compileFile(instanceFile, spec, arch)
				if err != nil {
					t.Fatal(err)
				}
				if s := findShape(t, code); int(s[5]) > sharedLimit(arch) {
					t.Errorf("sm_%d has %d bytes of shared memory a block, and the march of %s wants %d", arch, sharedLimit(arch), spec, s[5])
				}
			}
		}
	}
}

// An older compiler generates code that a newer GPU's driver can translate.
func TestNewerGPU(t *testing.T) {
	c := compilerForTest(t)
	option, real, err := c.target(999)
	if want := fmt.Sprintf("--gpu-architecture=compute_%d", c.archs[len(c.archs)-1]); real || option != want || err != nil {
		t.Errorf("for a GPU from the future: %s, want %s, error %v", option, want, err)
	}
	spec := model.Spec{Lattice: model.Lattices[0], Collision: model.Collisions[1]}
	code, err := compileFile(instanceFile, spec, 999)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(code, []byte(".entry lbm_step(")) {
		t.Error("the result is no PTX with lbm_step")
	}
}

// A box on one rank may have blocks of other rows than its parts on several have: no row's numbers may depend on that.
// Whether a product and a sum become one instruction is the compiler's choice, and PTX shows it.
func TestRowsOfABlockDoNotChangeTheArithmetic(t *testing.T) {
	c := compilerForTest(t)
	arithmetic := regexp.MustCompile(`\b(?:fma|add|sub|mul|neg)\.(?:rn\.)?(?:ftz\.)?f(?:32|64)\b`)
	for _, name := range []string{"regularized", "recursive_regularized", "cumulant"} {
		for _, precision := range []model.Precision{model.Float32, model.Float16} {
			if testing.Short() && (name != "regularized" || precision != model.Float32) {
				continue // the others take a minute
			}
			spec := model.Spec{Precision: precision}
			spec.Lattice, _ = model.FindLattice("D3Q19")
			spec.Collision, _ = model.FindCollision(name)
			var usual []string
			for rows := usualRows; rows >= leastRows; rows-- {
				j, err := newJobOf(c, instanceFile, spec, 128, 999, fmt.Sprintf("-DLBM_ROWS=%d", rows))
				if err != nil {
					t.Fatal(err)
				}
				code, err := j.compile()
				if err != nil {
					t.Fatal(err)
				}
				_, ptx, found := strings.Cut(string(code), ".entry lbm_step(")
				if !found {
					t.Fatal("the result is no PTX with lbm_step")
				}
				ptx, _, _ = strings.Cut(ptx, ".entry ")
				got := arithmetic.FindAllString(ptx, -1)
				if usual == nil {
					usual = got
				}
				if len(got) < 500 || !slices.Equal(got, usual) {
					t.Errorf("%s: %d rows make %d instructions, %d rows %d, or others", spec, rows, len(got), usualRows, len(usual))
				}
			}
		}
	}
}

// A compiler that no longer supports a GPU reports this: its code for newer ones would fail to
// load.
func TestOlderGPU(t *testing.T) {
	c := &compiler{major: 13, archs: []int{75, 80, 90}, path: "libnvrtc.so.13"}
	if option, _, err := c.target(70); err == nil || !strings.Contains(err.Error(), "sm_75 and newer, not for sm_70") {
		t.Errorf("%q, error %v", option, err)
	}
}

// The Go structs have the memory layout of the C++ ones, as reported by the compiler.
func TestABI(t *testing.T) {
	c := compilerForTest(t)
	text := ""
	for _, name := range []string{"gpu/api.h", "gpu/barrier.h", "gpu/special.h", "gpu/face.h", "outflow.h", "gpu/scalar.h", "gpu/modelled.h", "gpu/levels.h", "gpu/timed.h", "gpu/cast.h"} {
		part, err := source(kernels.Sources, name)
		if err != nil {
			t.Fatal(err)
		}
		text += part
	}
	var fields, places []string
	var want []uint64
	for name, v := range map[string]any{"Block": block{}, "Case": boxABI{}, "Sums": sumsABI{}, "Barrier": barrierABI{}, "Links": linksABI{}, "Modelled": modelledABI{}, "Gathered": gatheredABI{}, "LayerCell": kernels.LayerCell{}, "lbm_conversion": kernels.Conversion{}, "lbm_copied": decomp.Copied{}, "lbm_extrapolated": decomp.Extrapolated{}, "lbm_parent": decomp.Parent{}, "lbm_family": decomp.Family{}, "lbm_corrected": decomp.Corrected{}, "lbm_upstream": boundary.Upstream{}, "lbm_carrier": boundary.Carrier{}, "lbm_crossing": boundary.Crossing{}, "lbm_crossed": boundary.Crossed{}, "Passage": passageABI{}, "LinkCell": boundary.LinkCell{}, "RowEnd": rowEndABI{}, "ScalarWalls": scalarABI{}, "ScalarLink": boundary.ScalarLink{}, "ScalarPlace": boundary.ScalarPlace{}, "FaceCell": boundary.FaceCell{}, "OutletCell": boundary.OutletCell{}, "Later": laterABI{}, "Term": termABI{}, "Clock": clockABI{}, "Volume": volumeABI{}, "Optics": render.Optics{}, "Shown": device.Shown{}, "Seen": hitABI{}} {
		of, in := reflect.TypeOf(v), "lbm::"
		if strings.HasPrefix(name, "lbm_") {
			in = "" // plain C
		}
		fields, places, want = append(fields, "size of "+name), append(places, "sizeof("+in+name+")"), append(want, uint64(of.Size()))
		add := func(base uintptr, f reflect.StructField) {
			if f.Name == "_" { // padding
				return
			}
			fields = append(fields, name+"."+f.Name)
			places = append(places, fmt.Sprintf("(unsigned long long)&((%s*)0)->%s", in+name, strings.ToLower(f.Name[:1])+f.Name[1:]))
			want = append(want, uint64(base+f.Offset))
		}
		for i := 0; i < of.NumField(); i++ {
			f := of.Field(i)
			if f.Type != reflect.TypeOf(kernels.Numbers{}) {
				add(0, f)
				continue
			}
			for j := 0; j < f.Type.NumField(); j++ {
				n := f.Type.Field(j)
				n.Name = "numbers." + strings.ToLower(n.Name[:1]) + n.Name[1:]
				add(f.Offset, n)
			}
		}
	}
	numbers := map[string]uint64{"lbm::MOVING": movingBit, "lbm::MARGIN": render.Margin, "lbm::Shot::X": shotX, "lbm::Shot::Y": shotY, "lbm::Shot::DEPTH": shotDepth, "lbm::BINS": device.VolumeBins, "lbm::RAYS_X": raysX, "lbm::RAYS_Y": raysY, "lbm::BRICK": render.BrickShift, "lbm::PILE": render.PileShift, "(unsigned long long)(lbm::SLACK * 1e18 + 0.5)": uint64(render.Slack * 1e18),
		"lbm::EXCESS": uint64(device.Excess), "lbm::SPEED": uint64(device.Speed), "lbm::SCALAR": uint64(device.Scalar), "lbm::VORTICITY": uint64(device.Vorticity), "lbm::STRAIN": uint64(device.StrainRate), "lbm::INVARIANT": uint64(device.Invariant), "(unsigned long long)(lbm::NEVER / 1e37f + 0.5f)": never / 1e37, "lbm::ROW_END_NONE": rowEndNone, "lbm::ROW_END_BOUNCES": rowEndBounces, "lbm::ROW_END_OWN": rowEndOwn,
		"lbm::ROW_END_GHOST": rowEndGhost, "lbm::ROW_END_OUTLET": rowEndOutlet, "lbm::ROW_END_INNER": rowEndInner, "lbm::ROW_END_COPY": rowEndCopy, "ROW": rowThreads, "lbm::Special::LANES": specialLanes, "lbm::Special::CELLS": specialCells, "lbm::CORNERS": modelledCorners, "lbm::LevelsOf::FACES": levelFaces, "lbm::LevelsOf::PARTS": levelParts, "lbm::PARTIES": device.MaxParties,
		"lbm::MORE_CONSERVE": boundary.MoreConserve, "lbm::MORE_RATES": boundary.MoreRates, "lbm::MORE_SHIFT": boundary.MoreShift,
		"lbm::LINK_NUMBERS": boundary.LinkNumbers, "lbm::ENTERING": boundary.EnteringPer, "lbm::FACE_NUMBERS": boundary.FaceNumbers, "lbm::OUTLET_NUMBERS": boundary.OutletNumbers, "lbm::OUTLET_BITS": boundary.OutletBits, "lbm::MOMENT_FORCE": 1, "lbm::MOMENT_WALLS": 2, "lbm::WALL_NUMBERS": 2, "lbm::GHOST_LINK": boundary.GhostLink, "lbm::MODELLED_LINK": boundary.ModelledLink, "lbm::MODELLED_NUMBERS": boundary.ModelledCount, "lbm::MODELLED_RESULTS": kernels.ModelledResults, "lbm::PLUS_COUNT": boundary.PlusCount,
		"(unsigned long long)lbm::FORCE_UNITS": device.ForceUnits, "(unsigned long long)lbm::TORQUE_UNITS": device.TorqueUnits,
		"(unsigned long long)lbm::SCALAR_UNITS": device.ScalarUnits, "lbm::SCALAR_FIXED": uint64(boundary.ScalarFixed), "lbm::SCALAR_FLUX": uint64(boundary.ScalarFlux), "lbm::SCALAR_OPEN": uint64(boundary.ScalarOpen), "lbm::SCALAR_INLET": uint64(boundary.ScalarInlet), "lbm::SCALAR_OUTLET": uint64(boundary.ScalarOutlet), "lbm::SCALAR_HALFWAY": boundary.ScalarHalfway,
		"lbm::LEVEL_CARRIED": boundary.Carried, "lbm::LEVEL_ENTERS": boundary.Enters, "lbm::LEVEL_REFLECTED": boundary.Reflected, "lbm::LEVEL_SLIDES": boundary.Slides, "lbm::LEVEL_GAINED": boundary.Gained,
	}
	for name, v := range numbers {
		fields, places, want = append(fields, name), append(places, name), append(want, v)
	}
	// There is no offsetof in constant expressions here: a kernel that stores the
	// numbers is compiled, and its assembly read.
	text += "extern \"C\" __global__ void layout(unsigned long long* to) {\n"
	for i, p := range places {
		text += fmt.Sprintf("\tto[%d] = %s;\n", i, p)
	}
	text += "}\n"
	oldest := c.archs[slices.IndexFunc(c.archs, func(a int) bool { return a >= architectures[0] })]
	code, log, err := c.compile(text, "abi.cu", []string{"--std=c++17", "--device-as-default-execution-space", "-DLBM_LATTICE=D2Q9", "-DLBM_COLLISION=Regularized", "-DLBM_MOMENTS=1", "-DLBM_REAL=float", "-DLBM_STORED=float", "-DLBM_VELOCITIES=", "-DLBM_MODES=", fmt.Sprintf("--gpu-architecture=compute_%d", oldest)}, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	got := stored(t, string(code))
	if len(got) != len(want) || len(want) < 28 {
		t.Fatalf("%d numbers of C++, %d of Go", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s is %d in C++, %d in Go", fields[i], got[i], want[i])
		}
	}
}

// stored returns the constants that a kernel in PTX stores to 8-byte places, in the order
// of the places: mov.u64 %rd4, 40; ... st.global.u64 [%rd2+16], %rd4;
func stored(t *testing.T, ptx string) []uint64 {
	t.Helper()
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil && s != "" {
			t.Fatal(err)
		}
		return n
	}
	_, ptx, _ = strings.Cut(ptx, ".entry layout") // other kernels store addresses
	values := map[string]uint64{}
	for _, m := range regexp.MustCompile(`mov\.[bu]64\s+(%rd\d+), (\d+);`).FindAllStringSubmatch(ptx, -1) {
		values[m[1]] = number(m[2])
	}
	places := map[uint64]uint64{}
	for _, m := range regexp.MustCompile(`st\.global\.[bu]64\s+\[%rd\d+\+?(\d*)\], (%rd\d+|\d+);`).FindAllStringSubmatch(ptx, -1) {
		value, ok := values[m[2]]
		if !ok {
			value = number(m[2])
		}
		places[number(m[1])/8] = value
	}
	list := make([]uint64, len(places))
	for i := range list {
		value, ok := places[uint64(i)]
		if !ok {
			t.Fatalf("no number %d in\n%s", i, ptx)
		}
		list[i] = value
	}
	return list
}

// The kernel of barriers is compiled alone, for every supported GPU.
func TestCompileBarrier(t *testing.T) {
	c := compilerForTest(t)
	for _, arch := range architectures {
		if !slices.Contains(c.archs, arch) {
			t.Logf("sm_%d is not compiled for: %s does not know it", arch, c)
			continue
		}
		j, err := barrierJob(c, arch)
		if err != nil {
			t.Fatal(err)
		}
		code, err := j.compile()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(code, []byte("lbm_barrier")) {
			t.Errorf("sm_%d: there is no kernel lbm_barrier", arch)
		}
	}
}

// A compilation restores Go's signal handlers: NVRTC drops their alternative stack.
func TestSignalsAfterCompilation(t *testing.T) {
	c := compilerForTest(t)
	before := handlers.Save()
	text := "extern \"C\" __global__ void k(float* a) { a[0] = 1; }"
	if _, log, err := c.compile(text, "k.cu", []string{fmt.Sprintf("--gpu-architecture=compute_%d", c.archs[0])}, false); err != nil {
		t.Fatal(err, log)
	}
	if n := before.Changed(); n != 0 {
		t.Errorf("%d signals have other handlers", n)
	}
}

// An error in a header is reported with our file and line.
func TestMessages(t *testing.T) {
	c := compilerForTest(t)
	files := fstest.MapFS{
		"gpu/instance.h": {Data: []byte("// one\n#include \"../a/wrong.h\"\n\nint after = undefined;\n")},
		"a/wrong.h":      {Data: []byte("#ifndef WRONG\n#define WRONG\n#include \"right.h\"\nint x = missing;\n#endif\n")},
		"a/right.h":      {Data: []byte("#ifndef RIGHT\n#define RIGHT\n#include \"wrong.h\"\n#endif\n")},
	}
	text, err := source(files, instanceFile)
	if err != nil {
		t.Fatal(err)
	}
	_, log, err := c.compile(text, "kernels/"+instanceFile, []string{fmt.Sprintf("--gpu-architecture=compute_%d", c.archs[0])}, false)
	if err == nil {
		t.Fatal("compiled")
	}
	for _, want := range []string{"kernels/a/wrong.h(4): error", "kernels/gpu/instance.h(4): error"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
	delete(files, "a/right.h")
	if _, err := source(files, instanceFile); err == nil || !strings.Contains(err.Error(), "kernels/a/right.h, included from kernels/gpu/instance.h, kernels/a/wrong.h") {
		t.Errorf("a header that is not there: %v", err)
	}
}

// An unknown name is an error with this name.
func TestNamedCompiler(t *testing.T) {
	t.Setenv("LBMSIM_NVRTC", "nowhere/libnvrtc.so")
	if _, err := openCompiler(0, 0); err == nil || !strings.Contains(err.Error(), "LBMSIM_NVRTC: nowhere/libnvrtc.so: ") {
		t.Errorf("error %v", err)
	}
}

// Faces that prescribe the direction of inflow have separate kernels, which no other instance compiles.
func TestCompileDirected(t *testing.T) {
	c := compilerForTest(t)
	for _, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		spec := model.Spec{Precision: model.Float32}
		for _, s := range model.Pairs() {
			if s.Lattice.Name == lattice && s.Collision.Name == "cumulant" {
				spec.Lattice, spec.Collision = s.Lattice, s.Collision
			}
		}
		j, err := newJobOf(c, instanceFile, spec, 0, 90, directed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.compile(); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Walls with a model have separate kernels, and a layer has separate steps.
func TestCompileModelled(t *testing.T) {
	compilerForTest(t)
	for _, s := range model.Pairs() {
		if s.Lattice.Dims == 2 || s.Collision.Scheme != model.Moments || testing.Short() && s.Collision.Name == "recursive_regularized" {
			continue
		}
		for _, precision := range []model.Precision{model.Float32, model.Float64} {
			for k, file := range map[string]string{"lbm_step": instanceFile, "lbm_special": specialFile, "lbm_modelled": modelledFile, "lbm_recompute": scalarFile} {
				spec := model.Spec{Lattice: s.Lattice, Collision: s.Collision, Precision: precision, Viscosity: model.Smagorinsky}
				// A scalar beside the flow adds to all of them.
				spec.Scalar = file == scalarFile || s.Collision.Name == "cumulant"
				t.Run(fmt.Sprintf("%s/%s", k, spec), func(t *testing.T) {
					if testing.Short() && precision == model.Float64 && (s.Lattice.Q() == 27 || s.Collision.Name != "cumulant") {
						t.Skip("the same text for another precision: make test-all runs it")
					}
					t.Parallel()
					code, err := compileFile(file, spec, 90, modelledOption, layerOption)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Contains(code, []byte(k)) {
						t.Errorf("there is no kernel %s", k)
					}
				})
			}
		}
	}
}

// Programs of patches have separate kernels, for every model of moments with each viscosity law.
func TestCompileLevels(t *testing.T) {
	brief.Fewer(t, "GPUs, laws and precisions")
	c := compilerForTest(t)
	names := []string{"lbm_level_gather", "lbm_level_scatter", "lbm_level_values", "lbm_level_extrapolate", "lbm_level_prolong", "lbm_level_restrict", "lbm_level_send", "lbm_level_send_modelled", "lbm_level_carry", "lbm_level_count", "lbm_level_heat", "lbm_level_correct"}
	compiles := func(spec model.Spec, arch int) {
		t.Run(fmt.Sprintf("sm_%d/%s", arch, spec), func(t *testing.T) {
			t.Parallel()
			code, err := compileFile(levelsFile, spec, arch)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !bytes.Contains(code, []byte(name)) {
					t.Errorf("there is no kernel %s", name)
				}
			}
		})
	}
	for _, spec := range model.Pairs() {
		for _, spec.Precision = range []model.Precision{model.Float32, model.Float64} {
			usual := spec.Collision.Name == "cumulant"
			// Another precision is the same text, too.
			if spec.Collision.Scheme != model.Moments || testing.Short() && spec.Precision == model.Float64 && !(usual && spec.Lattice.Q() == 27) {
				continue
			}
			for _, arch := range architectures {
				if slices.Contains(c.archs, arch) && (arch == 90 || !testing.Short() && usual) {
					compiles(spec, arch)
				}
			}
			for law := range model.ViscosityLaws { // independent of the closure
				spec.Viscosity = model.ViscosityLaw(law)
				if law > 0 && slices.Contains(c.archs, 90) && usual && (spec.Lattice.Name == "D3Q19" || !testing.Short()) {
					compiles(spec, 90)
				}
			}
			spec.Viscosity = model.Newtonian
			if spec.Scalar = true; slices.Contains(c.archs, 90) && (usual || !testing.Short()) {
				compiles(spec, 90)
			}
			spec.Scalar = false
		}
	}
}

// Time dependence is compiled for a case: its velocities may call all functions of expressions.
func TestCompileTimed(t *testing.T) {
	c := compilerForTest(t)
	all := "1"
	for _, one := range []string{"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "fabs", "floor"} {
		all += " + " + one + "(x*t)"
	}
	for _, two := range []string{"atan2", "pow", "fmod", "smaller", "larger"} {
		all += " + " + two + "(x, y + z)"
	}
	waves := boundary.Spectrum{Length: 9, Modes: 2000, Dims: 3, Mean: [3]float64{0.05, 0, 0}}
	inflow := func(rms string) boundary.Motion {
		return boundary.Turbulent{Mean: boundary.Formula{Code: [3]string{"x", "0", "0"}}, Waves: &boundary.Turbulence{Modes: waves.Draw(), Code: rms}}
	}
	walls := []boundary.Wall{{}, {Motion: boundary.Formula{Timed: true, Code: [3]string{all, "(x != 0 ? 1. : (-1*(0x1p+1023 + 0x1p+1023)))", "(0x1.8p+01)"}}},
		{Motion: inflow("0.1*speed")}, {Motion: boundary.Scaled{Motion: inflow("0.1")}}}
	for _, precision := range model.Precisions {
		j, err := timedJob(c, model.Spec{Precision: precision}, walls, 90)
		if err != nil {
			t.Fatal(err)
		}
		code, err := j.compile()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(code, []byte("lbm_advance")) {
			t.Errorf("%s: there is no kernel lbm_advance", precision)
		}
	}
	for _, m := range []boundary.Motion{boundary.Formula{Timed: true}, boundary.Turbulent{Mean: boundary.Constant{}}} {
		if _, err := timedJob(c, model.Spec{}, []boundary.Wall{{Motion: m}}, 90); err == nil {
			t.Errorf("%#v has no code and was compiled", m)
		}
	}
}
