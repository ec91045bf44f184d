// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os/exec"
	"strings"
	"testing"

	"lbmsim/sim/output"
)

// A run finds its folder taken by another process, reports it, and leaves everything as it was.
func TestFolderOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 10))
	trial{text: text, ranks: 1, dir: dir}.must(t)
	before := outputsIn(t, dir)
	if _, err := exec.LookPath("flock"); err != nil {
		t.Fatal("flock, a part of util-linux, is not here")
	}
	other := exec.Command("flock", "--no-fork", dir+"/"+output.LockName, "sh", "-c", "echo there; exec cat")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2} {
		if _, err := (trial{text: text, ranks: ranks, dir: dir}).run(t); err == nil || !strings.Contains(err.Error(), "another run is writing to the output folder") {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	in.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	compare(t, "after the runs that were refused", outputsIn(t, dir), before)
	trial{text: text, ranks: 2, dir: dir}.must(t)
}
