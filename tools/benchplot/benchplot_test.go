// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"lbmsim/device/bench"
)

// printed returns what bench prints: each kernel of a GPU takes turns with its own
// rooflines; parts without kernels stand between.
func printed(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	put := func(device, what, name string, traffic int, gbps, share float64) {
		mlups := gbps * 1e3 / float64(traffic)
		r := row{"speed", what, device, "v1", [3]int{512, 512, 512}, bench.Speed{
			Name: name, Cells: 1, MLUPS: mlups, Low: 0.9 * mlups, High: 1.2 * mlups, Traffic: traffic, GBps: gbps, Ratio: 1, Share: share,
		}}
		if !strings.HasPrefix(name, "roofline") {
			r.Bytes = 84
		}
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	put("GPU", "closed box", "roofline: 19 in place", 152, 4000, 1)
	put("GPU", "closed box", "roofline: 10 in place", 80, 4100, 1)
	put("GPU", "closed box", "D3Q19 regularized float32", 80, 3690, 0.9)
	b.WriteString(`{"Part":"ranks","Version":"v1","Size":[8,8,8],"OneRank":3,"TwoRanks":4,"Ratio":1.3,"Waited":0.1}` + "\n\n")
	put("GPU", "closed box", "roofline: 19 in place", 152, 4200, 1)
	put("GPU", "closed box", "roofline: 10 in place", 80, 4000, 1)
	put("GPU", "closed box", "D3Q19 bgk float32", 152, 2100, 0.5)
	put("CPU", "other precisions", "D3Q19 bgk float64", 304, 20, 0)
	return b.String()
}

// A kernel is marked with the fastest roofline of its turns, not of others.
func TestPanels(t *testing.T) {
	rows, err := read(strings.NewReader(printed(t)))
	if err != nil {
		t.Fatal(err)
	}
	all := panels(rows)
	if len(all) != 2 || all[0].title != "GPU, 512 x 512 x 512 cells, closed box (version v1)" || len(all[0].bars) != 4 || len(all[1].bars) != 1 {
		t.Fatalf("%+v", all)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }
	for i, want := range []bar{
		{name: "roofline: 19 in place", gbps: 4100, low: 3600, high: 5040, label: "4,100 GB/s"},
		{name: "roofline: 10 in place", gbps: 4050, low: 3600, high: 4920, label: "4,050 GB/s"},
		{name: "D3Q19 regularized float32", gbps: 3690, low: 3321, high: 4428, mark: 4100, label: "90 %, 3,690 GB/s, 46,125 MLUPS"},
		{name: "D3Q19 bgk float32", gbps: 2100, low: 1890, high: 2520, mark: 4200, label: "50 %, 2,100 GB/s, 13,816 MLUPS"},
	} {
		got := all[0].bars[i]
		if got.name != want.name || got.label != want.label || !near(got.gbps, want.gbps) || !near(got.low, want.low) || !near(got.high, want.high) || got.mark != want.mark || got.roofline != (i < 2) {
			t.Errorf("bar %d is\n%+v, want\n%+v", i, got, want)
		}
	}
	if b := all[1].bars[0]; b.mark != 0 || b.label != "20 GB/s, 66 MLUPS" {
		t.Errorf("without a roofline: %+v", b)
	}
}

// Bars are as long as their speeds, from zero on.
func TestBarsAreToScale(t *testing.T) {
	rows, err := read(strings.NewReader(printed(t)))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := chart(panels(rows))
	var rec recorder.Canvas
	p.Draw(draw.NewCanvas(&rec, width, 400))
	var lengths []float64
	for _, a := range rec.Actions {
		if f, ok := a.(*recorder.Fill); ok && len(f.Path) == 5 {
			lo, hi := f.Path[0].Pos.X, f.Path[0].Pos.X
			for _, c := range f.Path {
				if c.Type != vg.CloseComp {
					lo, hi = min(lo, c.Pos.X), max(hi, c.Pos.X)
				}
			}
			lengths = append(lengths, float64(hi-lo))
		}
	}
	// The first path is the background.
	if len(lengths) != 6 {
		t.Fatalf("%d areas: %v", len(lengths), lengths)
	}
	for i, gbps := range []float64{4100, 4050, 3690, 2100, 20} {
		if got := lengths[1+i] / lengths[1] * 4100; math.Abs(got-gbps) > 0.01*gbps {
			t.Errorf("bar %d stands for %.0f GB/s, want %.0f", i, got, gbps)
		}
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "bench.json")
	if err := os.WriteFile(in, []byte(printed(t)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.svg", "a.png"} {
		if err := run(filepath.Join(dir, name), []string{in}); err != nil {
			t.Fatal(err)
		}
	}
	svg, err := os.ReadFile(filepath.Join(dir, "a.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"D3Q19 regularized float32", "90 %, 3,690 GB/s, 46,125 MLUPS", "GPU, 512 x 512 x 512 cells"} {
		if !bytes.Contains(svg, []byte(text)) {
			t.Errorf("the picture does not say %q", text)
		}
	}
	f, err := os.Open(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                                    "no speeds in",
		"MLUPS 3":                             "line 1 is no JSON",
		`{"Part":"checkpoint"}`:               "no speeds in",
		`{"Name":"x","MLUPS":0,"Traffic":80}`: "line 1: x has no speed",
		`{"Name":"x","MLUPS":5,"Low":6,"High":7,"Traffic":80}`:       "line 1: x has no speed",
		strings.Repeat("\n", 3) + `{"Name":"x","MLUPS":"fast"}` + "": "line 4 is no JSON",
	} {
		in := filepath.Join(dir, "in.json")
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(filepath.Join(dir, "out.svg"), []string{in}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	in := filepath.Join(dir, "in.json")
	if err := os.WriteFile(in, []byte(printed(t)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(filepath.Join(dir, "out.jpeg"), []string{in}); err == nil || !strings.Contains(err.Error(), ".svg or .png") {
		t.Errorf("a .jpeg: %v", err)
	}
}
