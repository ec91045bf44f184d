// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/internal/brief"
	"lbmsim/io/status"
)

// column returns a column of a table by the beginning of its name; a unit may follow.
func column(t *testing.T, columns map[string][]float64, name string) []float64 {
	t.Helper()
	for full, v := range columns {
		if full == name || strings.HasPrefix(full, name+" (") {
			return v
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// numberOf returns a number of a result.
func numberOf(t *testing.T, r status.Result, quantity string) status.Number {
	t.Helper()
	for _, n := range r.Numbers {
		if n.Quantity == quantity {
			return n
		}
	}
	t.Fatalf("[output.force.%s] has no %s: %+v", r.Output, quantity, r)
	return status.Number{}
}

// In a channel the friction by the law follows from the velocity where the law reads it, and is the body force on the fluid. Its
// streamwise pressure part is the momentum that the links exchange in addition to the law's. Bounds set after the first run: 6e-5
// and 1.2e-5 of the friction.
func TestFrictionOfAChannelIsTheBodyForce(t *testing.T) {
	const nu, side, height = 5e-5, 4, 20
	dir := t.TempDir()
	s := trial{ranks: 1, dir: dir, text: fmt.Sprintf(`
[domain]
cells = [%[2]d, %[3]d, %[2]d]
periodic = ["x", "z"]
[fluid]
viscosity = %[1]g
[collision]
precision = "float64"
[boundary.floor]
type = "wall_model"
faces = ["y-"]
[boundary.roof]
type = "wall_model"
faces = ["y+"]
[force]
mean_velocity = [0.1, 0, 0]
[initial]
velocity = ["0.1 + 0.005/0.384*(1 + log(min(y, Ly - y)/10))", 0, 0]
[run]
steps = 4000
[output.force.floor]
every = 20
start = 3600
velocity = 0.1
area = %[4]d
[output.force.both]
of = ["floor", "roof"]
every = 20
start = 3600
[expect.force.rest]
force = "floor"
quantity = "pressure_drag"
statistic = "last"
value = 0
within = 1e-6
[output.series.all]
quantities = ["body_force", "y_plus_min", "y_plus_mean", "y_plus_max"]
every = 20
[output.probe.read]
at = [1.5, 4.5, 1.5]
fields = ["velocity"]
every = 20
[output.probe.wall]
at = [1.5, 0.5, 1.5]
fields = ["y_plus", "wall_shear", "wall_model"]
every = 20
[output.probe.inside]
at = [1.5, 1.5, 1.5]
fields = ["y_plus", "wall_shear", "wall_model"]
every = 20
`, nu, side, height, side*side)}.must(t)
	floor, both := table(t, filepath.Join(dir, "force_floor.csv")), table(t, filepath.Join(dir, "force_both.csv"))
	series, read, wall := table(t, filepath.Join(dir, "series_all.csv")), table(t, filepath.Join(dir, "probe_read.csv")), table(t, filepath.Join(dir, "probe_wall.csv"))
	velocity := column(t, read, "velocity x")
	for k := range floor["step"] {
		i := k + 1 // force tables begin a sample later
		u := velocity[i]
		plus := boundary.PlusOf(u*4.5/nu) / 4.5 / 2
		tau := math.Pow(2*plus*nu, 2)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"friction of the floor", column(t, floor, "friction_x")[k] / (side * side), tau},
			{"wall_shear", column(t, wall, "wall_shear x")[i], tau},
			{"y_plus", column(t, wall, "y_plus")[i], plus},
			{"y_plus_min", column(t, series, "y_plus_min")[i], plus},
			{"y_plus_mean", column(t, series, "y_plus_mean")[i], plus},
			{"y_plus_max", column(t, series, "y_plus_max")[i], plus},
			{"wall_model", column(t, wall, "wall_model")[i], 1},
			{"friction_drag", column(t, floor, "friction_drag")[k], tau / (0.1 * 0.1 / 2)},
		} {
			if math.Abs(c.got/c.want-1) > 1e-3 { // of the table of the law, which is linear between its entries
				t.Errorf("sample %d: %s %g, want %g", i, c.what, c.got, c.want)
			}
		}
	}
	for name, values := range table(t, filepath.Join(dir, "probe_inside.csv")) {
		if (strings.HasPrefix(name, "wall") || name == "y_plus") && last(values) != 0 {
			t.Errorf("%s in the second cell is %g", name, last(values))
		}
	}
	friction, body := last(column(t, both, "friction_x")), last(column(t, series, "body_force x"))*side*side*height
	if math.Abs(friction/body-1) > 5e-4 {
		t.Errorf("friction %g, body force %g", friction, body)
	}
	if rest := last(column(t, both, "mean pressure_x")); math.Abs(rest) > 1e-4*friction {
		t.Errorf("pressure along the walls %g, friction %g", rest, friction)
	}
	for _, r := range s.summary.Results { // the friction still drifts: no turbulence keeps the profile
		if n := numberOf(t, r, "friction_x"); n.Note == "" {
			t.Errorf("friction_x of %s: %+v", r.Output, n)
		}
		if n := numberOf(t, r, "pressure_x"); n.Value == nil || n.Half == nil || math.Abs(*n.Value) > 1e-4*friction {
			t.Errorf("pressure_x of %s: %+v", r.Output, n)
		}
	}
	if w := s.summary.Walls[0]; w.Friction[0] != last(column(t, floor, "friction_x")) || w.HalfMean != last(column(t, series, "y_plus_mean")) {
		t.Errorf("the summary has %+v, the tables %g and %g", w, last(column(t, floor, "friction_x")), last(column(t, series, "y_plus_mean")))
	}
}

// Walls that move with the fluid have no friction, except for the first entry of the law's table: the force is the normal
// pressure force.
func TestPressureAtWallsWithoutFriction(t *testing.T) {
	dir := t.TempDir()
	trial{ranks: 1, dir: dir, text: `
[domain]
cells = [6, 12, 6]
periodic = ["x", "z"]
[fluid]
viscosity = 1e-4
[collision]
precision = "float64"
[initial]
density = 1.02
velocity = [0.05, 0, 0.02]
[boundary.belts]
type = "wall_model"
velocity = [0.05, 0, 0.02]
faces = ["y-"]
[boundary.other]
type = "wall_model"
velocity = [0.05, 0, 0.02]
faces = ["y+"]
[run]
steps = 40
[output.force.belts]
every = 1
`}.must(t)
	force := table(t, filepath.Join(dir, "force_belts.csv"))
	least := 36 * math.Pow(boundary.PlusOf(math.Ldexp(1, boundary.PlusFirst))*1e-4/4.5, 2)
	for i := range force["step"] {
		for k, want := range []float64{0, -0.02 / 3 * 36, 0} {
			axis := "xyz"[k : k+1]
			total, friction, pressure := column(t, force, "force_"+axis)[i], column(t, force, "friction_"+axis)[i], column(t, force, "pressure_"+axis)[i]
			if math.Abs(friction) > 1.1*least || math.Abs(pressure-want) > 1.1*least || math.Abs(total-want) > 1e-10 {
				t.Errorf("sample %d along %s: force %g, friction %g, pressure %g; the pressure is %g", i, axis, total, friction, pressure, want)
			}
		}
	}
}

// The parts of the force on a ball add up to it, in SI and as coefficients. Outputs of walls without a model have no parts.
// Recording does not change the flow.
func TestPartsOfTheForceOnABall(t *testing.T) {
	const text = `
[domain]
size = ["3.6 m", "2.4 m", "2.4 m"]
spacing = "0.1 m"
periodic = ["z"]
[fluid]
viscosity = "1e-4 m2/s"
density = "3 kg/m3"
velocity = "2 m/s"
[scaling]
lattice_velocity = 0.06
[initial]
velocity = ["2 m/s", "0.2*sin(2*pi*z/Lz) m/s", 0]
[boundary.inlet]
type = "velocity"
velocity = ["2 m/s", 0, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.floor]
type = "wall"
faces = ["y-"]
[boundary.roof]
type = "slip"
faces = ["y+"]
[body.ball]
type = "wall_model"
shape = "sphere"
centre = ["1.4 m", "1.23 m", "1.17 m"]
radius = "0.72 m"
[run]
steps = 320
[checkpoint]
at_end = true
`
	const outputs = `
[output.force.ball]
velocity = "2 m/s"
area = "0.85 m2"
drag_direction = [2, 1, 0]
every = 8
start = "0.3 s"
[output.force.floor]
every = 8
[output.force.together]
of = ["floor", "ball"]
every = 8
[output.series.y]
quantities = ["y_plus_min", "y_plus_max"]
every = 4
`
	dir, bare := t.TempDir(), t.TempDir()
	s := trial{ranks: 3, dir: dir, text: text + outputs}.must(t)
	trial{ranks: 2, dir: bare, text: text}.must(t)
	ball, together := table(t, filepath.Join(dir, "force_ball.csv")), table(t, filepath.Join(dir, "force_together.csv"))
	for i := range ball["step"] {
		for _, a := range []string{"x", "y", "z"} {
			total, friction, pressure := column(t, ball, "force_"+a)[i], column(t, ball, "friction_"+a)[i], column(t, ball, "pressure_"+a)[i]
			if math.Abs(friction+pressure-total) > 1e-12*(math.Abs(friction)+math.Abs(pressure)) || column(t, together, "friction_"+a)[i] != friction {
				t.Errorf("sample %d along %s: %g of friction and %g of pressure are not %g, or together with the floor the friction differs", i, a, friction, pressure, total)
			}
		}
		drag, friction, pressure := column(t, ball, "drag")[i], column(t, ball, "friction_drag")[i], column(t, ball, "pressure_drag")[i]
		along := (2*column(t, ball, "friction_x")[i] + column(t, ball, "friction_y")[i]) / math.Sqrt(5) / (3 * 2 * 2 * 0.85 / 2)
		if math.Abs(friction+pressure-drag) > 1e-12*(friction+math.Abs(pressure)) || math.Abs(friction-along) > 1e-12 || !(friction > 0) {
			t.Errorf("sample %d: drag %g of friction, which is %g, and %g of pressure is not %g", i, friction, along, pressure, drag)
		}
	}
	if w := s.summary.Walls[0]; len(s.summary.Walls) != 1 || math.Abs(w.Friction[0]/last(column(t, ball, "friction_x"))-1) > 1e-12 {
		t.Errorf("the summary has %+v", s.summary.Walls)
	}
	for name := range table(t, filepath.Join(dir, "force_floor.csv")) {
		if strings.Contains(name, "friction") || strings.Contains(name, "pressure") {
			t.Errorf("of a wall without a model: %s", name)
		}
	}
	for _, q := range []string{"friction_x", "pressure_y", "friction_drag", "pressure_drag"} {
		if n := numberOf(t, s.summary.Results[0], q); (n.Value == nil) != (n.Half == nil) || n.Value == nil && n.Note == "" {
			t.Errorf("%s in the summary: %+v", q, n)
		}
		sum, samples, values := 0.0, 0.0, column(t, ball, q)
		for i, at := range column(t, ball, "time") {
			if at >= 0.3 {
				sum, samples = sum+values[i], samples+1
			}
		}
		mean, half := last(column(t, ball, "mean "+q)), last(column(t, ball, "+- "+q))
		if samples < 16 || math.Abs(sum/samples-mean) > 1e-9*math.Abs(mean) || !(half > 0) || math.IsInf(half, 0) {
			t.Errorf("%s: mean %g +- %g of %g samples, want %g", q, mean, half, samples, sum/samples)
		}
	}
	if string(stateIn(t, dir)) != string(stateIn(t, bare)) {
		t.Error("outputs of the walls change the flow")
	}
}

// Where the wall has no model the field wall_model is -1, where it is laminar it is below 1, and only modelled walls have a
// traction.
func TestCellsWithoutAWallModel(t *testing.T) {
	dir := t.TempDir()
	trial{ranks: 2, dir: dir, text: `
[domain]
cells = [16, 24, 12]
periodic = ["x", "z"]
[fluid]
viscosity = 4.4e-4
[collision]
precision = "float64"
[initial]
velocity = [0.05, 0, 0]
[boundary.floor]
type = "wall_model"
faces = ["y-"]
[boundary.roof]
type = "wall_model"
faces = ["y+"]
[body.plate]
type = "wall_model"
shape = "box"
from = [-1, 10, -1]
to = [17, 11, 13]
[body.shelf]
type = "wall_model"
shape = "box"
from = [-1, 19, -1]
to = [17, 22, 13]
[run]
steps = 1
[output.line.across]
from = [5.5, 0.5, 5.5]
to = [5.5, 23.5, 5.5]
points = 24
fields = ["wall_model", "wall_shear", "y_plus"]
every = 1
`}.must(t)
	across := table(t, filepath.Join(dir, "line_across.csv"))
	values := func(name string) []float64 { v := column(t, across, name); return v[len(v)-24:] }
	model, shear, plus := values("wall_model"), values("wall_shear x"), values("y_plus")
	share := (plus[0] - boundary.LaminarPlus) / (boundary.TurbulentPlus - boundary.LaminarPlus)
	if !(share > 0.01 && share < 0.99) {
		t.Fatalf("y+ at half a cell is %g, which does not blend", plus[0])
	}
	want := map[int]float64{0: share, 9: -1, 11: -1, 18: share, 22: -1, 23: -1} // beside a plate one cell thick, and in a gap of two
	for y := range model {
		if math.Abs(model[y]-want[y]) > 1e-6 {
			t.Errorf("wall_model in cell %d is %g, want %g", y, model[y], want[y])
		}
		if (shear[y] > 0) != (want[y] > 0) {
			t.Errorf("wall_shear in cell %d is %g", y, shear[y])
		}
	}
}

// The cell that sees only the edge of a block, from where all links are bounced back across it, is shown as without a model; those
// beside its faces are not.
func TestEdgesAreShown(t *testing.T) {
	dir := t.TempDir()
	text := `
[domain]
lattice = "D3Q19"
cells = [24, 24, 24]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 5e-5
[turbulence]
model = "smagorinsky"
[initial]
velocity = [0.05, 0, 0]
[body.block]
type = "wall_model"
shape = "box"
from = [8, 8, 8]
to = [16, 16, 16]
[run]
steps = 20
`
	for name, y := range map[string]float64{"edge": 7.5, "beside": 8.5, "middle": 12.5} {
		text += fmt.Sprintf("[output.probe.%s]\nat = [7.5, %g, 12.5]\nfields = [\"wall_model\"]\nevery = 20\n", name, y)
	}
	trial{text: text, ranks: 2, dir: dir}.must(t)
	for name, model := range map[string]bool{"edge": false, "beside": true, "middle": true} {
		if got := last(table(t, filepath.Join(dir, "probe_"+name+".csv"))["wall_model"]); (got >= 0) != model || math.IsNaN(got) {
			t.Errorf("%s: wall_model is %g", name, got)
		}
	}
}

// Fluid nearly at rest between six faces with the model comes to rest: rounding must not grow where all walls are no-slip ghost cells.
// The bound is a tenth of the largest speed at the start.
func TestRestBetweenSixFaces(t *testing.T) {
	collisions := []string{"cumulant", "regularized"}
	if brief.Fewer(t, "closures"); testing.Short() {
		collisions = collisions[:1]
	}
	for _, collision := range collisions {
		dir := t.TempDir()
		trial{text: fmt.Sprintf(`
[domain]
cells = [12, 12, 12]
[collision]
model = %q
[fluid]
viscosity = 5e-5
[boundary.walls]
type = "wall_model"
faces = ["x-", "x+", "y-", "y+", "z-", "z+"]
[initial]
velocity = ["1e-6*sin(x)", "1e-6*cos(y*2+z)", "0"]
[output.series.rest]
quantities = ["max_speed"]
every = 6000
[run]
steps = 6000
`, collision), ranks: 1, dir: dir}.must(t)
		if speed := last(table(t, filepath.Join(dir, "series_rest.csv"))["max_speed"]); !(speed < 1.4e-7) {
			t.Errorf("%s: the largest speed is %g after 6000 steps", collision, speed)
		}
	}
}
