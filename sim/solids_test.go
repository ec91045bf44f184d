// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lbmsim/internal/brief"
)

// ballFile writes a sphere about the origin as a binary STL file and returns it with
// its checksum. Without its first triangles it is open.
func ballFile(t *testing.T, n int, r float64, without int) (path, sum string) {
	t.Helper()
	var b []byte
	at := func(i, j int) [3]float64 {
		if i == 0 || i == n {
			return [3]float64{0, 0, r * float64(1-2*i/n)}
		}
		th, ph := math.Pi*float64(i)/float64(n), math.Pi*float64(j%(2*n))/float64(n)
		return [3]float64{r * math.Sin(th) * math.Cos(ph), r * math.Sin(th) * math.Sin(ph), r * math.Cos(th)}
	}
	count := 0
	put := func(corners ...[3]float64) {
		if count++; count <= without {
			return
		}
		b = append(b, make([]byte, 12)...)
		for _, v := range corners {
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	for i := range n {
		for j := range 2 * n {
			if i > 0 {
				put(at(i, j), at(i+1, j), at(i, j+1))
			}
			if i < n-1 {
				put(at(i+1, j), at(i+1, j+1), at(i, j+1))
			}
		}
	}
	b = append(binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(count-without)), b...)
	path = filepath.Join(t.TempDir(), "ball.stl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	all := sha256.Sum256(b)
	return path, hex.EncodeToString(all[:])
}

// Walls with a model have the same ghost cells on a surface from a file on every cut: ranks ask for rows of cells beyond their own.
func TestWallModelOfAFileForEveryCut(t *testing.T) {
	path, _ := ballFile(t, 60, 3.3375, 0)
	text := fmt.Sprintf(strings.NewReplacer("tau = 0.8", "time_step = \"1 ms\"", "[24, 12, 12]", "[48, 24, 24]", "[checkpoint]", "[turbulence]\nmodel = \"smagorinsky\"\n[checkpoint]").Replace(around),
		fmt.Sprintf("type = \"wall_model\"\nshape = \"stl\"\nfile = %q\nunit = \"1 mm\"\ntranslate = [\"1.3 mm\", \"0.2 mm\", \"0.1 mm\"]", path))
	var want []byte
	cuts := [][3]int{{1, 1, 1}, {1, 1, 2}, {1, 4, 1}, {1, 2, 3}}
	if brief.Fewer(t, "cuts"); testing.Short() {
		cuts = cuts[:3]
	}
	for _, cut := range cuts {
		tr := trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: t.TempDir()}
		s := tr.must(t)
		got := stateIn(t, tr.dir)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || len(s.summary.Walls) != 1 || s.summary.Walls[0].Area == 0 {
			t.Errorf("%v parts differ, or have no wall: %+v", cut, s.summary.Walls)
		}
	}
}

// around is the flow around the one body of a periodic box. It reaches over a cut in
// every direction.
const around = `
[domain]
size = ["24 mm", "12 mm", "12 mm"]
cells = [24, 12, 12]
origin = ["-12 mm", "-6 mm", "-6 mm"]
periodic = ["x", "y", "z"]
[fluid]
viscosity = "1e-6 m2/s"
[scaling]
tau = 0.8
[force]
acceleration = ["1e-3 m/s2", 0, 0]
[run]
steps = 12
[checkpoint]
at_end = true
[body.ball]
%s
`

// A sphere in a file gives the bits of the sphere in closed form, on every cut. No centre
// of a cell lies between the two surfaces: squares of distances are whole 0.01 mm2. Interpolated walls would see the facets.
func TestSphereFromAFile(t *testing.T) {
	path, sum := ballFile(t, 100, 3.3375, 0)
	solid := fmt.Sprintf("type = \"wall\"\nshape = \"stl\"\nfile = %q\nunit = \"1 mm\"\ntranslate = [\"1.3 mm\", \"0.2 mm\", \"0.1 mm\"]", path)
	closed := "type = \"wall\"\nshape = \"sphere\"\ncentre = [\"1.3 mm\", \"0.2 mm\", \"0.1 mm\"]\nradius = \"3.3375 mm\""
	var want []byte
	for i, tr := range []trial{
		{text: fmt.Sprintf(around, closed), ranks: 1},
		{text: fmt.Sprintf(around, solid), ranks: 1},
		{text: fmt.Sprintf(around, solid), ranks: 4, cut: [3]int{1, 2, 2}},
		{text: fmt.Sprintf(around, solid), ranks: 6, cut: [3]int{1, 6, 1}},
		{text: fmt.Sprintf(around, solid+"\nsha256 = \""+sum+"\""), ranks: 3},
	} {
		tr.dir = t.TempDir()
		s := tr.must(t)
		got := stateIn(t, tr.dir)
		if i == 0 {
			want = got
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("run %d, on %d ranks, differs", i, tr.ranks)
		}
		if !strings.Contains(s.start.Case.Resolved, "sha256 = \""+sum+"\"\n") {
			t.Errorf("run %d: the checksum is not in the resolved case", i)
		}
	}
	// A repaired file is the same again, which is reported. A run does not resume with another file.
	open, other := ballFile(t, 100, 3.3375, 3)
	text := strings.Replace(fmt.Sprintf(around, solid+"\nrepair = true"), path, open, 1)
	tr := trial{text: text, ranks: 2, dir: t.TempDir()}
	s := tr.must(t)
	if !bytes.Equal(stateIn(t, tr.dir), want) {
		t.Error("the repaired sphere differs")
	}
	if w := strings.Join(s.start.Case.Warnings.Texts(), "\n"); !strings.Contains(w, "[body.ball] was repaired: 1 holes closed") || !strings.Contains(s.start.Case.Resolved, other) {
		t.Errorf("the report says %q", w)
	}
	over := strings.Replace(text, "1.3 mm", "9.3 mm", 1)
	if w := strings.Join((trial{text: over, ranks: 2}).must(t).start.Case.Warnings.Texts(), "\n"); !strings.Contains(w, "[body.ball] crosses a periodic face along x") {
		t.Errorf("over the face the report says %q", w)
	}
	tr.text, tr.restart = strings.Replace(text, open, path, 1), "latest"
	if _, err := tr.run(t); err == nil || !strings.Contains(err.Error(), "body.ball.sha256") {
		t.Errorf("the run goes on with another file: %v", err)
	}
}

// Half a sphere without a floor that rests on a face is the whole sphere of which the other half lies
// outside; half a cell above the face its floor would be a guess.
func TestOpenFloor(t *testing.T) {
	path, _ := ballFile(t, 100, 3.3375, 200+49*400)
	onFace := strings.Replace(around, `periodic = ["x", "y", "z"]`, "periodic = [\"x\", \"y\"]\n[boundary.ground]\ntype = \"wall\"\nfaces = [\"z-\", \"z+\"]", 1)
	half := fmt.Sprintf("type = \"interpolated_wall\"\nshape = \"stl\"\nfile = %q\nrepair = true\nunit = \"1 mm\"\nrotate = [180, 0, 0]\ntranslate = [\"1.3 mm\", \"0.2 mm\", \"-6 mm\"]", path)
	// Distances along links are those to triangles: bits are of the sphere whose surface they are.
	other, _ := ballFile(t, 100, 3.3375, 0)
	whole := strings.Replace(strings.Replace(half, path, other, 1), "repair = true\n", "", 1)
	var want []byte
	for i, tr := range []trial{
		{text: fmt.Sprintf(onFace, whole), ranks: 1},
		{text: fmt.Sprintf(onFace, half), ranks: 1},
		{text: fmt.Sprintf(onFace, half), ranks: 4, cut: [3]int{1, 2, 2}},
	} {
		tr.dir = t.TempDir()
		s := tr.must(t)
		got := stateIn(t, tr.dir)
		if i == 0 {
			want = got
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("run %d: half a sphere on the ground differs from the whole one", i)
		}
		if w := strings.Join(s.start.Case.Warnings.Texts(), "\n"); !strings.Contains(w, "1 holes closed") || !strings.Contains(w, "(0 % of the area; another 33 % is outside the domain)") {
			t.Errorf("run %d: the report says %q", i, w)
		}
	}
	above := strings.Replace(half, "-6 mm", "-5.4 mm", 1)
	if _, err := (trial{text: fmt.Sprintf(onFace, above), ranks: 1}).run(t); err == nil || !strings.Contains(err.Error(), "33.3 % of the closed surface would be guessed (at most 10 %); holes on a non-periodic face") {
		t.Errorf("above the face: %v", err)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	whole, sum := ballFile(t, 10, 3, 0)
	open, _ := ballFile(t, 10, 3, 1)
	half, _ := ballFile(t, 10, 3, 180)
	for want, body := range map[string]string{
		"there is no such file":                              "file = \"none.stl\"\nunit = \"1 mm\"",
		"is not closed: 3 open edges":                        fmt.Sprintf("file = %q\nunit = \"1 mm\"", open),
		"cannot be repaired":                                 fmt.Sprintf("file = %q\nunit = \"1 mm\"\nrepair = true", half),
		"a different SHA-256 than the case requires: " + sum: fmt.Sprintf("file = %q\nunit = \"1 mm\"\nsha256 = %q", whole, strings.Repeat("0", 64)),
		"[body.ball] has no cell":                            fmt.Sprintf("file = %q\nunit = \"1 um\"", whole),
		"there are no fluid cells":                           fmt.Sprintf("file = %q\nunit = \"1 m\"", whole),
		"away from the domain":                               fmt.Sprintf("file = %q\nunit = \"1e5 m\"", whole),
	} {
		tr := trial{text: fmt.Sprintf(around, "shape = \"stl\"\n"+body), ranks: 2, dir: t.TempDir()}
		_, err := tr.run(t)
		if code, agreed := ExitCode(err); err == nil || code != ExitUsage || !agreed || !strings.Contains(err.Error(), want) {
			t.Errorf("%v (code %d), want ... %s ...", err, code, want)
		}
	}
}

// Interpolated walls take their distances from the triangles: the flow equals the flow around the sphere in closed form, the same
// bits on every cut, and differs from the flow with half-way walls.
func TestCurvedWallFromAFile(t *testing.T) {
	path, _ := ballFile(t, 100, 3.3375, 0)
	place := "[\"1.3 mm\", \"0.2 mm\", \"0.1 mm\"]"
	closed := "shape = \"sphere\"\ncentre = " + place + "\nradius = \"3.3375 mm\""
	solid := fmt.Sprintf("type = \"interpolated_wall\"\nshape = \"stl\"\nfile = %q\nunit = \"1 mm\"\ntranslate = %s", path, place)
	var speeds []float64
	var whole []byte
	for i, tr := range []trial{
		{text: fmt.Sprintf(around, solid), ranks: 1},
		{text: fmt.Sprintf(around, solid), ranks: 4, cut: [3]int{1, 2, 2}},
		{text: fmt.Sprintf(around, "type = \"interpolated_wall\"\n"+closed), ranks: 1},
		{text: fmt.Sprintf(around, closed), ranks: 1},
	} {
		tr.dir = t.TempDir()
		tr.text += "[output.probe.wake]\nat = [\"6.5 mm\", \"0.5 mm\", \"0.5 mm\"]\nevery = 12\n[collision]\nprecision = \"float64\"\n"
		tr.must(t)
		state := stateIn(t, tr.dir)
		if i == 0 {
			whole = state
		} else if i == 1 && !bytes.Equal(state, whole) {
			t.Error("four ranks give other bits than one")
		}
		b, err := os.ReadFile(filepath.Join(tr.dir, "probe_wake.csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		u, err := strconv.ParseFloat(strings.Split(lines[len(lines)-1], ",")[6], 64)
		if err != nil {
			t.Fatal(err)
		}
		speeds = append(speeds, u)
	}
	mesh, curved, halfway := speeds[0], speeds[2], speeds[3]
	if off, step := math.Abs(mesh/curved-1), math.Abs(halfway/curved-1); off > 1e-3 || off > step/10 {
		t.Errorf("behind the sphere: %v from the mesh, %v in closed form, %v with half-way walls", mesh, curved, halfway)
	}
}

// An image whose voxels are cells gives the bits of the box that it shows.
func TestBoxFromAnImage(t *testing.T) {
	values := make([]byte, 24*12*12)
	for i := range values {
		if x, y, z := i%24, i/24%12, i/288; x >= 3 && x < 9 && y < 5 && z >= 4 && z < 11 {
			values[i] = 7
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "box.raw")
	if err := os.WriteFile(path, values, 0o600); err != nil {
		t.Fatal(err)
	}
	vti := filepath.Join(dir, "box.vti")
	head := `<VTKFile type="ImageData" header_type="UInt64"><ImageData WholeExtent="0 24 0 12 0 12" Origin="-12 -6 -6" Spacing="1 1 1">` +
		`<Piece><CellData><DataArray type="UInt8" Name="a" format="appended" offset="0"/></CellData></Piece></ImageData><AppendedData encoding="raw">_`
	if err := os.WriteFile(vti, append(binary.LittleEndian.AppendUint64([]byte(head), uint64(len(values))), values...), 0o600); err != nil {
		t.Fatal(err)
	}
	raw := fmt.Sprintf("shape = \"image\"\nfile = %q\nunit = \"1 mm\"\nvoxels = [24, 12, 12]\nsolid_range = [7, 7]\ntranslate = [\"-12 mm\", \"-6 mm\", \"-6 mm\"]", path)
	var want []byte
	for i, tr := range []trial{
		{text: fmt.Sprintf(around, "shape = \"box\"\nfrom = [\"-9 mm\", \"-6 mm\", \"-2 mm\"]\nto = [\"-3 mm\", \"-1 mm\", \"5 mm\"]"), ranks: 1},
		{text: fmt.Sprintf(around, raw), ranks: 1},
		{text: fmt.Sprintf(around, raw), ranks: 4, cut: [3]int{1, 2, 2}},
		{text: fmt.Sprintf(around, fmt.Sprintf("shape = \"image\"\nfile = %q\nunit = \"1 mm\"", vti)), ranks: 3},
	} {
		tr.dir = t.TempDir()
		s := tr.must(t)
		if got := stateIn(t, tr.dir); i == 0 {
			want = got
		} else if !bytes.Equal(got, want) || !strings.Contains(s.start.Case.Resolved, "sha256 = ") {
			t.Errorf("run %d, on %d ranks, differs", i, tr.ranks)
		}
	}
	tr := trial{text: strings.Replace(fmt.Sprintf(around, raw), "voxels = [24, 12, 12]", "voxels = [24, 12, 13]", 1), ranks: 2, dir: dir}
	if _, err := tr.run(t); err == nil || !strings.Contains(err.Error(), "are 3744 bytes, but the file has 3456") {
		t.Error(err)
	}
}

// A picture has the outline of a body from a file where its surface is, whatever the cut of the domain.
func TestOutlineInAPicture(t *testing.T) {
	const text = `
[domain]
cells = [24, 20, 18]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.05
[body.ball]
shape = "stl"
file = %q
translate = [12.2, 10, 9]
[output.picture]
normal = %q
[output.picture.middle]
field = "pressure"
[run]
steps = 1
`
	file, _ := ballFile(t, 24, 5.2, 0)
	for _, normal := range []string{"x", "y", "z"} {
		var first image.Image
		for _, ranks := range []int{1, 2, 3} {
			dir := t.TempDir()
			trial{text: fmt.Sprintf(text, file, normal), ranks: ranks, dir: dir}.must(t)
			if _, err := os.Stat(filepath.Join(dir, "middle_0000000001.png")); err != nil {
				t.Error(err)
			}
			f, err := os.Open(filepath.Join(dir, "speed_0000000001.png"))
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			white := 0
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					if first != nil && first.At(x, y) != img.At(x, y) {
						t.Fatalf("%s: pixel (%d, %d) differs on %d ranks", normal, x, y, ranks)
					}
					if r, g, b, _ := img.At(x, y).RGBA(); x > 200 && x < 600 && y > 200 && y < 600 && r+g+b > 3*0xb000 {
						white++
					}
				}
			}
			if first = img; white < 100 {
				t.Errorf("%s: %d pixels of the outline", normal, white)
			}
		}
	}
}
