// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// A row has the model, what eddies cost it, and nothing of other boxes.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	put := func(name string, size [3]int, mlups, ratio, share, without float64) {
		r := row{"models", "closed box", "GPU", "v1", size, bench.Speed{
			Name: name, Cells: 1, MLUPS: mlups, Low: mlups, High: mlups, Traffic: 80, GBps: mlups * 0.08, Ratio: ratio, Share: share, Without: without,
		}}
		if !strings.HasPrefix(name, "roofline") {
			r.Bytes = 81.94
		}
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	cube, plane := [3]int{512, 512, 512}, [3]int{8192, 8192, 1}
	for _, mlups := range []float64{50000, 52000} {
		put("roofline: 19 float32 in place", cube, mlups, 1, 1, 0)
		put("D3Q27 cumulant float32", cube, 1, 1, 1, 0) // measured again below
		put("D3Q27 cumulant float32 smagorinsky", cube, 1, 1, 1, 1)
	}
	put("D3Q27 cumulant float32", cube, 41234, 0.8, 0.805, 0)
	put("D3Q27 cumulant float32 smagorinsky", cube, 37000, 0.7, 0.75, 0.897)
	put("D3Q19 bgk float32", cube, 26000, 0.9, 0, 0)
	put("D2Q9 bgk float32", plane, 58000, 1, 1, 0)
	dir := t.TempDir()
	in := filepath.Join(dir, "bench.json")
	if err := os.WriteFile(in, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printTables(&out, []string{in}); err != nil {
		t.Fatal(err)
	}
	want := `GPU, 512 x 512 x 512 cells, closed box (version v1):

|  | MLUPS | GB/s | by 19 float32 in place | of the faster roofline | bytes per cell | MLUPS with eddy viscosity | relative to without |
|---|---|---|---|---|---|---|---|
| roofline: 19 float32 in place | 51,000 | 4,080 |  |  |  |  |  |
| D3Q27 cumulant float32 | 41,234 | 3,299 | 0.80 | 80 % | 81.9 | 37,000 | 0.90 |
| D3Q19 bgk float32 | 26,000 | 2,080 | 0.90 |  | 81.9 |  |  |

GPU, 8192 x 8192 cells, closed box (version v1):

|  | MLUPS | GB/s | by the first row | of the faster roofline | bytes per cell |
|---|---|---|---|---|---|
| D2Q9 bgk float32 | 58,000 | 4,640 | 1.00 | 100 % | 81.9 |
`
	if out.String() != want {
		t.Errorf("\n%s\nwant\n%s", out.String(), want)
	}
	if err := os.WriteFile(in, []byte(`{"Part":"checkpoint"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := printTables(&out, []string{in}); err == nil || !strings.Contains(err.Error(), "no speeds of kernels") {
		t.Errorf("without kernels: %v", err)
	}
}

// Every model has its own colour.
func TestColours(t *testing.T) {
	seen := map[color.Color]string{bar{roofline: true}.colour(): "rooflines"}
	for _, spec := range model.Pairs() {
		c := bar{name: spec.String()}.colour()
		if other, ok := seen[c]; ok && other != spec.Collision.Name {
			t.Errorf("%s looks like %s", spec.Collision.Name, other)
		}
		seen[c] = spec.Collision.Name
	}
}
