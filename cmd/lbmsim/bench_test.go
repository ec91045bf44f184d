// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// snakeCase requires keys in snake case, as in all JSON that lbmsim writes.
func snakeCase(t *testing.T, line string) {
	t.Helper()
	var row map[string]any
	if err := json.Unmarshal([]byte(line), &row); err != nil || len(row) == 0 {
		t.Fatalf("%v: %s", err, line)
	}
	for key := range row {
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("the key %q in %s", key, line)
		}
	}
}

// Results without kernels have keys of the same form.
func TestBenchKeys(t *testing.T) {
	for _, part := range []string{"ranks", "checkpoint"} {
		r := runProgram(t, t.TempDir(), 0, "bench", "--device", "cpu", "--threads", "1", "--passes", "1", "--rounds", "1", "--json", "--only", part, "--size", "8", "--dir", t.TempDir(), "--disk-mib", "1")
		if r.code != 0 {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
		snakeCase(t, strings.TrimSpace(r.out))
	}
}

// Each model has a row, one with the eddy viscosity and the rooflines of the same turns.
func TestBenchModels(t *testing.T) {
	small := []string{"bench", "--device", "cpu", "--threads", "1", "--size", "16", "--passes", "2", "--rounds", "1", "--json"}
	for match, want := range map[string]string{
		"D3Q27 cumulant float32": "[roofline: 19 float32 in place [16 16 16], D3Q27 cumulant float32 [16 16 16], D3Q27 cumulant float32 smagorinsky [16 16 16]]",
		"bgk D2Q9 float64":       "[roofline: 19 float32 in place [256 256 1], D2Q9 bgk float64 [256 256 1], D2Q9 bgk float64 smagorinsky [256 256 1]]",
	} {
		r := runProgram(t, t.TempDir(), 0, append(small, "--match", match)...)
		if r.code != 0 {
			t.Fatalf("%s: exit code %d\n%s", match, r.code, r.out)
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
			var row struct {
				Part string
				Size [3]int
				bench.Speed
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			snakeCase(t, line)
			got = append(got, fmt.Sprint(row.Name, " ", row.Size))
			if law := strings.HasSuffix(row.Name, "smagorinsky"); row.Part != "models" || row.Ratio <= 0 || law != (row.Without > 0) {
				t.Errorf("%s", line)
			}
		}
		if all := "[" + strings.Join(got, ", ") + "]"; all != want {
			t.Errorf("%s: rows %s, want %s", match, all, want)
		}
	}
}

// A part with its own edge also respects --size: in 2D 16 times the size.
func TestBenchSize(t *testing.T) {
	for part, want := range map[string]string{"plane": "[64 64 1]", "small": "[4 4 4]"} {
		r := runProgram(t, t.TempDir(), 0, "bench", "--device", "cpu", "--threads", "1", "--passes", "2", "--rounds", "1", "--json", "--only", part, "--size", "4")
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		for _, line := range lines {
			var row struct{ Size [3]int }
			if err := json.Unmarshal([]byte(line), &row); r.code != 0 || err != nil || fmt.Sprint(row.Size) != want {
				t.Errorf("%s: exit code %d, %v, want %s: %s", part, r.code, err, want, line)
			}
		}
	}
}

// Verification alone measures nothing.
func TestBenchVerify(t *testing.T) {
	r := runProgram(t, t.TempDir(), 0, "bench", "--device", "cpu", "--threads", "1", "--size", "16", "--verify", "--match", "D2Q9 float16")
	if r.code != 0 || !strings.Contains(r.out, "verifying 10 kernels") || !strings.Contains(r.out, "all agree") || strings.Contains(r.out, "MLUPS") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}

// The tunnel is measured against the plain boxes of its size.
func TestBenchTunnel(t *testing.T) {
	r := runProgram(t, t.TempDir(), 0, "bench", "--device", "cpu", "--threads", "1", "--only", "tunnel", "--size", "32", "--rounds", "1", "--passes", "2", "--json")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	for i, line := range lines {
		var row struct {
			What       string
			Size       [3]int
			MLUPS      float64
			OfPeriodic float64 `json:"of_periodic"`
			OfWalls    float64 `json:"of_walls"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		snakeCase(t, line)
		want := []string{"periodic", "walls and a lid", "tunnel with a ball"}[i%3]
		if row.What != want || row.Size != [3]int{32, 16, 16} || row.MLUPS <= 0 || row.OfPeriodic <= 0 || row.OfWalls <= 0 || i%3 == 0 && row.OfPeriodic != 1 {
			t.Error(line)
		}
	}
	if len(lines) != 9 {
		t.Errorf("%d rows instead of 9", len(lines))
	}
}

func TestBenchRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--match D3Q15":                     "no model has all of these words; an example of a name is \"D2Q9 regularized float32\"",
		"--match cumulant --only speed":     "--only models",
		"--verify --only speed,models":      "--only models",
		"--only modells":                    "choose from speed, models, ranks",
		"--only models --match smagorinsky": "no model",
	} {
		r := runProgram(t, t.TempDir(), 0, append([]string{"bench", "--device", "cpu", "--threads", "1"}, strings.Fields(args)...)...)
		if r.code != 2 || !strings.Contains(r.out, want) {
			t.Errorf("%s: exit code %d, no %q in\n%s", args, r.code, want, r.out)
		}
	}
}

func TestMatching(t *testing.T) {
	all := bench.Catalogue()
	for words, want := range map[string]int{
		"":                              len(all),
		"cumulant":                      len(model.Lattices) * len(model.Precisions),
		"regularized":                   len(model.Lattices) * len(model.Precisions), // a word, not a part of one
		"float16  D3Q27":                len(model.Collisions),
		"D3Q19 trt float64":             1,
		"D3Q19 trt float64 regularized": 0,
	} {
		if got := matching(all, words); len(got) != want {
			t.Errorf("%q: %d models, want %d", words, len(got), want)
		}
	}
}
