// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A range of colours that begins below 0 fits no magnitude: half of the colours would show nothing.
func TestSignedRangeOfAMagnitude(t *testing.T) {
	const plane = "[domain]\ncells = [16, 12]\n[fluid]\nviscosity = 0.1\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\n[run]\nsteps = 10\n[output.picture]\n%s\nrange = [-0.1, 0.1]\n"
	space := strings.NewReplacer("[16, 12]", "[16, 12, 8]", `"y+"`, `"y+", "z-", "z+"`).Replace(plane)
	for _, c := range []struct{ form, keys, want string }{
		{plane, `field = "speed"`, "a.toml:12:9: error: the range of the picture starts at -0.1, but the speed is never negative|for values of both signs use field = \"velocity\" and component"},
		{plane, `field = "velocity"`, "the magnitude of the velocity is never negative|for values of both signs use component = "},
		{plane, `field = "strain_rate"`, "the strain_rate is never negative|give a range from 0"},
		{plane, `field = "velocity"` + "\n" + `component = "y"`, ""},
		{plane, `field = "vorticity"`, ""}, // in 2D its component
		{space, `field = "vorticity"`, "the magnitude of the vorticity is never negative"},
		{plane, `field = "pressure"`, ""},
		{plane, `field = "q_criterion"`, ""},
	} {
		_, err := Load("a.toml", fmt.Appendf(nil, c.form, c.keys))
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", c.keys, err)
		}
		for _, part := range strings.Split(c.want, "|") {
			if !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("%s: %v, want %q", c.keys, err, part)
			}
		}
	}
}

// A case has one picture without a name, several with names, or both; a table that only holds others is not a picture itself.
func TestPicturesWithNames(t *testing.T) {
	const plane = "[domain]\ncells = [16, 12]\n[fluid]\nviscosity = 0.1\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\n[run]\nsteps = 10\n"
	for _, c := range []struct {
		tables string
		stems  []string
		want   string // in the error
	}{
		{"", nil, ""},
		{"[output.picture]\n", []string{"speed"}, ""},
		{"[output.picture.wake]\nfield = \"vorticity\"\n[output.picture.near]\n", []string{"wake", "near"}, ""},
		{"[output.picture]\nfield = \"pressure\"\n[output.picture.wake]\n", []string{"pressure", "wake"}, ""},
		{"[output.picture]\n[output.picture.wake]\n", []string{"wake"}, ""},
		{"[output]\npicture.wake.field = \"pressure\"\n", []string{"wake"}, ""},
		{"[output.picture]\nfield = \"speed\"\n[output.picture.speed]\n", nil, "the files of [output.picture.speed] are already written by [output.picture]"},
		{"[output.picture]\nfeild = \"speed\"\n", nil, "unknown key \"feild\" in [output.picture]; did you mean \"field\"?"},
		{"[output.picture.wake]\nfeild = \"speed\"\n", nil, "unknown key \"feild\" in [output.picture.wake]"},
		{"[output.picture.field]\nrange = [0, 1]\n", nil, "field"},
		{"[output.picture.wake]\nfield = \"speed\"\nrange = [-1, 1]\n", nil, "the range of the picture starts at -1, but the speed is never negative"},
	} {
		f, err := Load("a.toml", []byte(plane+c.tables))
		if c.want != "" || err != nil {
			if c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, want %q", c.tables, err, c.want)
			}
			continue
		}
		var stems []string
		for _, p := range f.Pictures {
			stems = append(stems, p.Stem())
		}
		if !slices.Equal(stems, c.stems) {
			t.Errorf("%q: %q, want %q", c.tables, stems, c.stems)
		}
	}
}
