// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	le "encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sphereSTL returns a sphere as a binary STL file of 4 n (n-1) triangles.
func sphereSTL(n int, radius float64) []byte {
	at := func(i, j int) (p [3]float32) {
		if i == 0 || i == n { // a pole is one point for any j
			return [3]float32{2: float32(radius * float64(1-2*i/n))}
		}
		th, ph := math.Pi*float64(i)/float64(n), math.Pi*float64(j%(2*n))/float64(n)
		return [3]float32{float32(radius * math.Sin(th) * math.Cos(ph)), float32(radius * math.Sin(th) * math.Sin(ph)), float32(radius * math.Cos(th))}
	}
	var b bytes.Buffer
	b.Write(make([]byte, 80))
	b.Write(le.LittleEndian.AppendUint32(nil, uint32(4*n*(n-1))))
	add := func(corners ...[3]float32) {
		one := make([]byte, 12, 50) // the normal is left to the order of the corners
		for _, c := range corners {
			for _, v := range c {
				one = le.LittleEndian.AppendUint32(one, math.Float32bits(v))
			}
		}
		b.Write(append(one, 0, 0))
	}
	for i := range n {
		for j := range 2 * n {
			if i > 0 {
				add(at(i, j), at(i+1, j), at(i, j+1))
			}
			if i < n-1 {
				add(at(i+1, j), at(i+1, j+1), at(i, j+1))
			}
		}
	}
	return b.Bytes()
}

// A surface of a million triangles is read, checked, sent to two ranks and voxelized within 20 seconds on an idle machine,
// the rest of a run of one step included; beside other tests it may take three times as long.
func TestMillionTriangles(t *testing.T) {
	dir := t.TempDir()
	surface := sphereSTL(501, 40)
	triangles := (len(surface) - 84) / 50
	if triangles < 1e6 {
		t.Fatalf("%d triangles", triangles)
	}
	if err := os.WriteFile(filepath.Join(dir, "sphere.stl"), surface, 0o666); err != nil {
		t.Fatal(err)
	}
	text := `
[domain]
cells = [128, 128, 128]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.1
[initial]
velocity = [0.01, 0, 0]
[body.sphere]
type = "interpolated_wall"
shape = "stl"
file = "sphere.stl"
translate = [64, 64, 64]
[run]
steps = 1
[output.series.all]
quantities = ["mean_density"]
`
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runProgram(t, dir, 2, "run", "case.toml", "--device", testDevice())
	if r.code != 0 || !strings.Contains(r.out, fmt.Sprint(triangles)) {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	t.Logf("%d triangles, %d cells, 2 ranks: %.1f s", triangles, 128*128*128, r.elapsed.Seconds())
	if r.elapsed > 60*time.Second {
		t.Errorf("it took %v", r.elapsed)
	}
}
