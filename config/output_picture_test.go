package config

import (
	"fmt"
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
