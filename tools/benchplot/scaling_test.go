// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"lbmsim/internal/scaling"
)

// scaled returns the output of bench scaling: the rank alone comes last, sizes that did not fit too.
func scaled(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	put := func(kind, transport string, ranks int, size [3]int, efficiency float64) {
		r := scaling.Row{Part: "scaling", Kind: kind, Version: "v1", Device: "GPU", Case: "D3Q19 m f", Transport: transport, Ranks: ranks, Size: size,
			Figures: scaling.Figures{MLUPS: 1000 * float64(ranks) * efficiency, Efficiency: efficiency, EffLow: 0.9 * efficiency, EffHigh: 1.1 * efficiency}}
		if efficiency == 0 {
			r = scaling.Row{Part: "scaling", Kind: kind, Ranks: ranks, Size: size, Skipped: "no room"}
		}
		if err := json.NewEncoder(&b).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	put(scaling.Weak, "host", 2, [3]int{64, 64, 128}, 0.8)
	put(scaling.Weak, "peer", 2, [3]int{64, 64, 128}, 0.95)
	put(scaling.Weak, "host", 4, [3]int{64, 64, 256}, 0.5)
	put(scaling.Weak, "none", 1, [3]int{64, 64, 64}, 1)
	put(scaling.Strong, "host", 2, [3]int{96, 96, 96}, 0.7)
	put(scaling.Strong, "host", 4, [3]int{96, 96, 96}, 0)
	return b.String()
}

func TestDiagrams(t *testing.T) {
	rows, err := readScaling(strings.NewReader(scaled(t)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diagrams(rows) {
		got = append(got, d.title)
		for _, s := range d.lines {
			text := s.name
			for _, r := range s.points {
				text += fmt.Sprintf(" %d:%g", r.Ranks, r.Efficiency)
			}
			got = append(got, text)
		}
	}
	want := []string{
		"weak scaling, 64 x 64 x 64 cells a rank\nGPU, D3Q19 m f (version v1)", "host 1:1 2:0.8 4:0.5", "peer 1:1 2:0.95",
		"strong scaling, 96 x 96 x 96 cells in all\nGPU, D3Q19 m f (version v1)", "host 2:0.7",
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want\n%q", got, want)
	}
}

// Points stand at the logarithms of their ranks and at their efficiencies.
func TestPointsAreToScale(t *testing.T) {
	rows, err := readScaling(strings.NewReader(scaled(t)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := diagrams(rows)[0].plot()
	if err != nil {
		t.Fatal(err)
	}
	var rec recorder.Canvas
	p.Draw(draw.NewCanvas(&rec, 400, 300))
	for _, a := range rec.Actions {
		s, ok := a.(*recorder.Stroke)
		if !ok || len(s.Path) != 3 {
			continue
		}
		// host: 100, 80 and 50 % on 1, 2 and 4 ranks
		at := s.Path
		x, y := (at[1].Pos.X-at[0].Pos.X)/(at[2].Pos.X-at[0].Pos.X), (at[0].Pos.Y-at[1].Pos.Y)/(at[0].Pos.Y-at[2].Pos.Y)
		if x < 0.499 || x > 0.501 || y < 0.399 || y > 0.401 {
			t.Errorf("the second point is at %.3f and %.3f of the way to the third", x, y)
		}
		return
	}
	t.Error("no line of three points")
}

func TestScalingPictures(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "scaling.json")
	if err := os.WriteFile(in, []byte(scaled(t)), 0o666); err != nil {
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
	for _, text := range []string{"weak scaling, 64 x 64 x 64 cells a rank", "95 %, 1,900 MLUPS", "peer"} {
		if !bytes.Contains(svg, []byte(text)) {
			t.Errorf("the picture does not say %q", text)
		}
	}
	both := filepath.Join(dir, "both.json")
	if err := os.WriteFile(both, []byte(printed(t)+scaled(t)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(filepath.Join(dir, "b.svg"), []string{both}); err == nil || !strings.Contains(err.Error(), "one by one") {
		t.Errorf("both kinds: %v", err)
	}
	bad := strings.Replace(scaled(t), `"efficiency_low":0.72`, `"efficiency_low":0.99`, 1)
	if _, err := readScaling(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1: weak scaling on 2 ranks has no efficiency") {
		t.Errorf("a wrong row: %v", err)
	}
}
