package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// twoBoxes has three levels, of which the second has a concave interface.
const twoBoxes = `
[domain]
cells = [24, 16]
periodic = ["x"]
[fluid]
viscosity = 0.1
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[collision]
precision = "float64"
[refine.near]
level = 1
from = [6, 3]
to = [18, 11]
[refine.beside]
level = 1
from = [6, 11]
to = [11, 16]
[refine.inner]
level = 2
from = [8, 5]
to = [14, 9]
`

// A linear field is linear along lines that cross three levels, and a probe of an expectation reads the finest cell.
func TestRefinedLinesOfALinearField(t *testing.T) {
	text := twoBoxes + `
[initial]
velocity = ["0.001*y", "0.002 + 0.0005*y"]
[run]
steps = 1
[output.probe.inside]
at = [11.5, 6.5]
[expect.probe.inside]
field = "velocity"
component = "x"
[output.series.turn]
lines = ["turn"]
at_start = true
[expect.line.turn]
along = "x"
through = [0, 6.5]
component = "x"
extremum = "max"
`
	for name, ends := range map[string]string{
		"across": "from = [9.3, 0.5]\nto = [9.3, 15.5]\npoints = 301", "diagonal": "from = [0.2, 0.7]\nto = [23.7, 15.1]\npoints = 500", "edge": "from = [6, 1]\nto = [6, 15]",
	} {
		text += fmt.Sprintf("[output.line.%s]\n%s\nfields = [\"velocity\", \"vorticity\"]\nat_start = true\n", name, ends)
	}
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		s := trial{text: text, ranks: ranks, dir: dir}.must(t)
		for _, name := range []string{"across", "diagonal", "edge"} {
			c := table(t, filepath.Join(dir, "line_"+name+".csv"))
			for i, step := range c["step"] {
				if step > 0 {
					continue
				}
				y := c["y"][i]
				if got, want := c["velocity x"][i], 0.001*y; math.Abs(got-want) > 1e-15 {
					t.Fatalf("%s: velocity x is %.17g at %g %g, want %g", name, got, c["x"][i], y, want)
				}
				if got, want := c["velocity y"][i], 0.002+0.0005*y; math.Abs(got-want) > 1e-15 {
					t.Fatalf("%s: velocity y is %.17g at %g %g, want %g", name, got, c["x"][i], y, want)
				}
				if got := c["vorticity z"][i]; y > 1.5 && y < 14.5 && math.Abs(got+0.001) > 1e-15 { // not in cells beside walls
					t.Fatalf("%s: vorticity is %.17g at %g %g, want -0.001", name, got, c["x"][i], y)
				}
			}
		}
		// The probe's cell is the one above the middle, at 6.625. A step changes the velocity by about v du/dy = 5e-6.
		if got := s.summary.Expect[0].Got; math.Abs(got-0.006625) > 2e-5 {
			t.Errorf("the probe has the velocity %g", got)
		}
		if got := table(t, filepath.Join(dir, "series_turn.csv"))["turn"][0]; math.Abs(got-0.0065) > 1e-15 {
			t.Errorf("the largest velocity x at y = 6.5 is %.17g", got)
		}
	}
}

// Extrema and crossings of a parabola are exact on a line through cells of three levels.
func TestRefinedNumbersOfLines(t *testing.T) {
	text := twoBoxes + `
[initial]
velocity = ["0.001*(y - 0.3)*(13 - y)", 0]
[run]
steps = 1
[output.series.numbers]
lines = ["top", "place", "turn", "few"]
at_start = true
[expect.line.top]
along = "y"
through = [11.8, 0]
component = "x"
extremum = "max"
[expect.line.place]
along = "y"
through = [11.8, 0]
component = "x"
extremum = "max"
measure = "position"
[expect.line.turn]
along = "y"
through = [11.8, 0]
component = "x"
crossing = "last"
[expect.line.few]
along = "y"
through = [11.8, 0]
component = "x"
extremum = "min"
from = 6.6
to = 6.9
`
	var first string
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		trial{text: text, ranks: ranks, dir: dir}.must(t)
		path := filepath.Join(dir, "series_numbers.csv")
		if b := string(contents(t, path)); first == "" {
			first = b
		} else if b != first {
			t.Errorf("%d ranks: another series", ranks)
		}
		c := table(t, path)
		u := func(y float64) float64 { return 0.001 * (y - 0.3) * (13 - y) }
		turn := 12.5 + u(12.5)/(u(12.5)-u(13.5)) // between centres of level 0
		for name, want := range map[string]float64{"top": u(6.65), "place": 6.65, "turn": turn, "few": u(6.875)} {
			if got := c[name][0]; math.Abs(got-want) > 1e-13*math.Abs(want) {
				t.Errorf("%s is %.17g, want %.17g", name, got, want)
			}
		}
	}
}
