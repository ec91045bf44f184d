// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// doubted returns the warnings of a case that contain a word.
func doubted(c *Case, word string) (list []string) {
	for _, w := range c.Warnings.Texts() {
		if strings.Contains(w, word) {
			list = append(list, w)
		}
	}
	return list
}

// A force on walls whose layer the grid does not resolve is warned of, with y+; without a force the table of check states it.
func TestForcesOnUnresolvedWalls(t *testing.T) {
	const ball = "[body.ball]\nshape = \"sphere\"\ncentre = [40, 32, 20]\nradius = 8\n"
	const force = "[output.force.ball]\n"
	thick := strings.Replace(tunnel, "0.0005", "0.05", 1)
	for name, c := range map[string]struct{ text, want string }{
		"a force":           {tunnel + ball + force, "[output.force.ball]: y+ "},
		"no force":          {tunnel + ball, ""},
		"resolved":          {thick + ball + force, ""},
		"another":           {tunnel + ball + "[body.block]\nshape = \"box\"\nfrom = [80, 0, 0]\nto = [100, 10, 40]\n" + "[output.force.f]\nof = [\"block\", \"ball\"]\n", "at [body.ball]"},
		"a wall of a face":  {strings.NewReplacer(`"slip"`, `"wall"`, "0.0005", "0.0001").Replace(tunnel) + "[output.force.sides]\n", "at [boundary.sides]"},
		"a face that slips": {tunnel + "[output.force.sides]\n", ""},
	} {
		got := doubted(load(t, c.text), "are unreliable")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// A body from a file counts once its size is known.
	text := strings.Replace(tunnel+ball+force, "shape = \"sphere\"\ncentre = [40, 32, 20]\nradius = 8", "shape = \"stl\"\nfile = \"ball.stl\"", 1)
	c := load(t, text)
	if got := c.Doubts(SolidSize{Body: "ball", Lo: [3]float64{32, 24, 12}, Hi: [3]float64{48, 40, 28}}); len(doubted(c, "unreliable")) != 0 || len(got) != 1 || !strings.Contains(got[0].Text, "y+") {
		t.Errorf("a file: %q before, %q after", c.Warnings, got)
	}
}

// Reference values of coefficients that are far from the case probably have the wrong unit.
func TestReferenceValuesFarFromTheCase(t *testing.T) {
	const ball = "[body.ball]\nshape = \"sphere\"\ncentre = [60, 32, 20]\nradius = 8\n[output.force.ball]\n"
	for name, c := range map[string]struct{ keys, want string }{
		"right":        {"velocity = 0.05\narea = 200", ""},
		"plan view":    {"velocity = 0.05\narea = 2000", ""},
		"velocity low": {"velocity = 0.00005\narea = 200", "scales coefficients by 1e6;"},
		"velocity big": {"velocity = 50\narea = 200", "scales coefficients by 1e-6;"},
		"area low":     {"velocity = 0.05\narea = 0.02", "the reference area is 0.02"},
		"area big":     {"velocity = 0.05\narea = 2e6", "the reference area is 2e6"},
	} {
		got := doubted(load(t, strings.Replace(tunnel, "0.0005", "0.05", 1)+ball+c.keys+"\n"), "is its unit right?")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	got := doubted(load(t, disc+"[run]\nsteps = 10\n[output.force.disc]\nvelocity = \"0.5 m/s\"\nlength = \"0.2 mm\"\n"), "is its unit right?")
	if len(got) != 1 || !strings.Contains(got[0], "the reference length is 0.0002 m") {
		t.Errorf("in 2D: %q", got)
	}
}

// An outlet, or a sponge, close behind a body cuts its wake.
func TestWakesCutByOutlets(t *testing.T) {
	const cylinder = "[body.rod]\nshape = \"cylinder\"\naxis = \"z\"\ncentre = [%X, 32, 0]\nradius = 5\n"
	for name, c := range map[string]struct{ at, outlet, side, want string }{
		"one diameter":      {"105", "", "", "[boundary.out] is 1 height behind it"},
		"enough":            {"60", "", "", ""},
		"a sponge":          {"60", "\nsponge = 40", "", "the sponge of [boundary.out] is 1.5 heights behind it"},
		"the other way":     {"15", "", "turned", "[boundary.out] is 1 height behind it"},
		"the other way far": {"105", "", "turned", ""},
		"a ball":            {"ball", "", "", ""},
	} {
		text := strings.Replace(tunnel, `faces = ["x+"]`, `faces = ["x+"]`+c.outlet, 1)
		if c.side == "turned" {
			text = strings.NewReplacer(`"x-"`, `"x+"`, `"x+"`, `"x-"`, "[0.05, 0, 0]", "[-0.05, 0, 0]").Replace(text)
		}
		body := strings.Replace(cylinder, "%X", c.at, 1)
		if c.at == "ball" { // two and a half diameters, enough for a compact body
			body = "[body.ball]\nshape = \"sphere\"\ncentre = [90, 32, 20]\ndiameter = 10\n"
		}
		got := doubted(load(t, text+body), "cuts its wake")
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
