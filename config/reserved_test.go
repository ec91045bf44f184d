// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// A folder of fields or averages must not have a name that the run uses otherwise.
func TestFoldersOfOutputsAreFree(t *testing.T) {
	text := "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 10\n[output.fields]\ndir = %\n"
	for _, section := range []string{"output.fields", "output.averages"} {
		for name, free := range map[string]bool{
			"blowup": false, "blowup.txt": false, "stop.now": false, "checkpoint.now": false, "averages.now": false, "speed.mp4": false, "speed_0000000060.png": false, "probe_p.csv": false,
			".lbmsim.lock": false, "status.json": false, "./blowup/a": false, "checkpoints": false, "planes/p": false, "inputs": false,
			"mine": true, "blowup2": true, "mine/blowup": true, "probe_p": true,
		} {
			_, err := Load("test.toml", []byte(strings.Replace(strings.Replace(text, "%", `"`+name+`"`, 1), "output.fields", section, 1)))
			if (err == nil) != free || err != nil && !strings.Contains(err.Error(), "the run itself uses the name") {
				t.Errorf("[%s] dir = %q: %v", section, name, err)
			}
		}
	}
}
