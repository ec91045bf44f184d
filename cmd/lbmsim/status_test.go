// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"testing"

	"lbmsim/io/status"
	"lbmsim/sim"
)

// The exit code of status shows whether a run needs attention.
func TestStatusExitCodes(t *testing.T) {
	for phase, want := range map[status.Phase]int{status.Stopped: 0, status.Finished: 0, status.Failed: sim.ExitFailure} {
		dir := t.TempDir()
		f := status.NewWriter(dir)
		f.Write(status.State{Phase: phase, Identity: status.Identity{Case: "a.toml"}, Outcome: status.Outcome{Error: "too fast"}})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if code := execute([]string{"status", dir}); code != want {
			t.Errorf("%s: exit code %d", phase, code)
		}
	}
	if code := execute([]string{"status", t.TempDir()}); code != sim.ExitFailure {
		t.Errorf("exit code %d without a run", code)
	}
	if code := execute([]string{"status"}); code != sim.ExitUsage {
		t.Errorf("exit code %d without a folder", code)
	}
}
