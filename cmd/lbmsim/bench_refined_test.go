// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/device/bench"
	"lbmsim/model"
)

// The levels have as many cells and updates as the rows say, and the uniform tunnel as many cells within its even edges.
func TestBenchRefinedCells(t *testing.T) {
	cells, updates := refinedShare()
	spec := bench.Specs("D3Q19", model.Float32, "regularized")[0]
	for _, n := range []int{32, 48, 160} {
		text := whole(spec, [3]int{n, n / 2, n / 2}, fmt.Sprintf(throughTunnel, float64(n)/4, float64(n)/4, float64(n)/64)+refinedBoxes(n), 0.01, 1)
		c, err := config.Load("bench", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.Hierarchy(1)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for l := range h.Levels {
			got += h.Counted(l)
		}
		volume := float64(n * n * n / 4)
		if len(h.Levels) != refinedLevels+1 || float64(got) != cells*volume || h.Updates() != updates*volume {
			t.Errorf("%d: %d levels, %d cells, %g updates; want %g and %g", n, len(h.Levels), got, h.Updates(), cells*volume, updates*volume)
		}
	}
}

// Levels are measured against the uniform tunnel, on ranks, after verification with a wave.
func TestBenchRefined(t *testing.T) {
	const ranks = "2"
	r := runProgram(t, t.TempDir(), 0, "bench", "--device", "cpu", "--threads", "1", "--only", "refined", "--size", "32", "--ranks", ranks, "--rounds", "1", "--passes", "1", "--json")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	var edge [2]float64
	for i, line := range lines {
		var row struct {
			What      string
			Size      [3]int
			MLUPS     float64
			Ranks     json.Number
			OfUniform float64 `json:"of_uniform"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		snakeCase(t, line)
		want := []string{"uniform tunnel with a ball", "three levels around the ball"}[i%2]
		if row.What != want || row.MLUPS <= 0 || row.OfUniform <= 0 || i%2 == 0 && row.OfUniform != 1 || row.Ranks.String() != ranks {
			t.Error(line)
		}
		edge[i%2] = float64(row.Size[0])
	}
	cells, _ := refinedShare()
	if len(lines) != 4 || edge[1] != 32 || math.Abs(edge[0]-32*math.Cbrt(cells)) > 1 {
		t.Errorf("%d rows of %v cells along the tunnel", len(lines), edge)
	}
}
