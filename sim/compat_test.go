// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testdata/1.0 has the folder of a run of lbmsim 1.0.0, stopped after its checkpoint at step 20 of 40. Every 1.x resumes it
// (docs/compatibility.md): the state, the means and the rows of tables equal a run without a stop. The bound of near, 1e-6,
// allows for kernels that round in another order. The files are never written again: a 1.x that cannot read them breaks the promise.
func TestCheckpointOfOneZero(t *testing.T) {
	text, err := os.ReadFile("testdata/1.0/flow.toml")
	if err != nil {
		t.Fatal(err)
	}
	whole := t.TempDir()
	trial{text: string(text), ranks: 1, dir: whole}.must(t)
	_, want := averaged(t, whole, 40)
	for _, ranks := range []int{1, 2} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/1.0/flow")); err != nil {
			t.Fatal(err)
		}
		s := trial{text: string(text), ranks: ranks, dir: dir, restart: Latest}.must(t)
		what := fmt.Sprintf("resumed on %d ranks", ranks)
		if s.start.First != 20 || len(s.warned) > 0 {
			t.Errorf("%s: from step %d, warnings %q", what, s.start.First, s.warned)
		}
		near(t, what, stateIn(t, dir), stateIn(t, whole), "float32")
		_, got := averaged(t, dir, 40)
		for name := range want {
			for i, v := range want[name] {
				if !(math.Abs(got[name][i]-v) <= 1e-6) {
					t.Fatalf("%s: %s of cell %d is %g, want %g", what, name, i, got[name][i], v)
				}
			}
		}
		for _, name := range []string{"probe_p.csv", "force_cylinder.csv"} {
			if got, want := rows(t, filepath.Join(dir, name)), rows(t, filepath.Join(whole, name)); got != want {
				t.Errorf("%s: %s has %d rows, want %d", what, name, got, want)
			}
		}
	}
}

// rows counts the lines of a table that are not comments.
func rows(t *testing.T, path string) (n int) {
	t.Helper()
	for _, line := range strings.Split(string(read(t, path)), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}
