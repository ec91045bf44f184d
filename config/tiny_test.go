// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// Numbers so small that their squares or differences vanish are refused before the run.
func TestTinyReferences(t *testing.T) {
	for name, c := range map[string]struct{ keys, want string }{
		"a reference velocity": {"[output.force.disc]\nvelocity = \"1e-100 m/s\"\nlength = \"0.2 m\"\n", "which is out of range"},
		"a range of colours":   {"[output.picture]\nfield = \"speed\"\nrange = [\"1e-320 m/s\", \"2e-320 m/s\"]\n", "the range of the picture is too small"},
		"usual ones":           {"[output.force.disc]\nvelocity = \"0.1 m/s\"\nlength = \"0.2 m\"\n", ""},
	} {
		_, err := Load("case.toml", []byte(disc+"[run]\nsteps = 10\n"+c.keys))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A force acts at the ends of steps: there it must be a number.
func TestForceAtTheEndsOfSteps(t *testing.T) {
	for force, want := range map[string]string{
		"1e-5/(t-1)": "must be finite at every step", "1e-5/t": "must be finite at every step", "1e-5*log(t)": "must be finite at every step",
		"1e-5/(t-1.5)": "", "1e-5*sin(t)": "",
	} {
		_, err := Load("case.toml", []byte("[domain]\ncells = [20, 20]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[force]\nacceleration = [\""+force+"\", 0]\n[run]\nsteps = 10\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", force, err, want)
		}
	}
}
