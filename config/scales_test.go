// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"
	"testing"
)

// Units that the number type of an output cannot hold are refused, at the responsible key. Units that
// it can hold, however far from any fluid, are not.
func TestUnitsBeyondThePrecision(t *testing.T) {
	const text = `
[domain]
spacing = %q
cells = [16, 16]
periodic = ["x", "y"]
[fluid]
density = %q
viscosity = %q
[scaling]
%s
%s
[run]
steps = 10
`
	const plain, water, fields = "0.1 m", "1000 kg/m3", "[output.fields]"
	const half = "\nprecision = \"float32\""
	for name, c := range map[string]struct{ spacing, density, viscosity, step, more, want string }{
		"water":                  {plain, water, "1e-3 m2/s", `time_step = "1 s"`, fields + half, ""},
		"1e40":                   {plain, "1e40 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, fields + half, "a.toml:7:11: error: [output.fields]"},
		"1e40, but 64 bits":      {plain, "1e40 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, fields + "\nprecision = \"float64\"", ""},
		"1e40, but no pressure":  {plain, "1e40 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, fields + "\nfields = [\"velocity\"]", ""},
		"1e40, averages":         {plain, "1e40 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, "[output.averages]\nevery = 5", "[output.averages]"},
		"1e200":                  {plain, "1e200 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, "", ""},
		"1e295":                  {"1e8 m", "1e295 kg/m3", "1e15 m2/s", `time_step = "1 s"`, "", "the run's report"},
		"1e200, a variance":      {plain, "1e200 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, "[output.profile.p]\nalong = \"y\"\nfields = [\"pressure_variance\"]", "[output.profile.p]"},
		"1e-40":                  {plain, "1e-40 kg/m3", "1e-3 m2/s", `time_step = "1 s"`, fields + half, "a.toml:7:11: error: [output.fields]"},
		"short steps":            {"1e-10 m", water, "1 m2/s", `time_step = "1e-21 s"`, fields + half + "\nfields = [\"vorticity\", \"q_criterion\"]", "a.toml:10:13: error: [output.fields]"},
		"large cells":            {"1e40 m", water, "1e78 m2/s", `time_step = "1 s"`, fields + half, "a.toml:3:11: error: [output.fields]"},
		"a star, in its fields":  {"1e8 m", water, "1e10 m2/s", `time_step = "1e4 s"`, fields + half, ""},
		"a distance from a wall": {"1e33 m", "1e-100 kg/m3", "1e60 m2/s", `time_step = "1 s"`, "[expect.max_speed]", ""},
	} {
		_, err := Load("a.toml", fmt.Appendf(nil, text, c.spacing, c.density, c.viscosity, c.step, c.more))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "error:") > 1 {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Temperatures are part of the units, in the state and in derived quantities.
func TestTemperaturesBeyondThePrecision(t *testing.T) {
	for name, c := range map[string]struct {
		hot  string
		want bool
	}{"300 K": {"300 K", true}, "1e28 K": {"1e28 K", true}, "1e33 K": {"1e33 K", false}} {
		_, err := Load("a.toml", fmt.Appendf(nil, room, "", c.hot))
		if (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
