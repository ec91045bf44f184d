package config

import (
	"reflect"
	"strings"
	"testing"
)

// Where a case does not say which lines it means, its walls and periodic axes do. The resolved copy says it, and means the same.
func TestLinesOfSpectra(t *testing.T) {
	const text = `
[domain]
cells = CELLS
periodic = PERIODIC
origin = ORIGIN
[fluid]
viscosity = 0.1
WALLS
[output.spectrum.s]
along = "x"
KEYS
[run]
steps = 10
`
	wall := func(faces string) string { return "[boundary.walls]\ntype = \"wall\"\nfaces = [" + faces + "]\n" }
	for _, c := range []struct {
		cells, periodic, walls, keys string
		normal                       int
		at                           []int
		resolved                     string
	}{
		{"[8, 10, 12]", `["x", "y", "z"]`, "", "", 2, nil, ""},
		{"[8, 10, 12]", `["x", "z"]`, wall(`"y-", "y+"`), "", 1, []int{5}, "normal = \"y\"\nat = [6.5]\n"},
		{"[8, 10, 12]", `["x", "y"]`, wall(`"z-", "z+"`), "at = [2, 12.5]", 2, []int{1, 11}, "normal = \"z\"\nat = [2, 12.5]\n"},
		{"[8, 10, 12]", `["x", "z"]`, wall(`"y-", "y+"`), `normal = "z"`, 2, []int{6}, "normal = \"z\"\nat = [7.5]\n"},
		{"[8, 10, 12]", `["x"]`, wall(`"y-", "y+", "z-", "z+"`), "normal = \"y\"\nat = [1]", 1, []int{0}, "normal = \"y\"\nat = [1]\n"},
		{"[8, 10]", `["x", "y"]`, "", "", 1, nil, ""},
		{"[8, 10]", `["x", "y"]`, "", "at = [3]", 1, []int{2}, "normal = \"y\"\nat = [3]\n"},
		{"[8, 10]", `["x"]`, wall(`"y-", "y+"`), "", 1, []int{5}, "normal = \"y\"\nat = [6.5]\n"},
	} {
		origin := "[1, 1, 1]"
		if strings.Count(c.cells, ",") == 1 {
			origin = "[1, 1]"
		}
		src := strings.NewReplacer("CELLS", c.cells, "PERIODIC", c.periodic, "ORIGIN", origin, "WALLS", c.walls, "KEYS", c.keys).Replace(text)
		k, err := Load("a.toml", []byte(src))
		if err != nil {
			t.Errorf("%s\n%v", src, err)
			continue
		}
		s := k.Spectra[0]
		if s.Normal != c.normal || !reflect.DeepEqual(s.At, c.at) || !strings.Contains(k.Resolved, "along = \"x\"\n"+c.resolved) {
			t.Errorf("%s\nnormal %d, at %v:\n%s", src, s.Normal, s.At, k.Resolved)
		}
		again, err := Load("a.toml", []byte(k.Resolved))
		if err != nil || !reflect.DeepEqual(again.Spectra, k.Spectra) || again.Resolved != k.Resolved {
			t.Errorf("the resolved copy reads %+v (%v) instead of %+v", again.Spectra, err, k.Spectra)
		}
	}
}
