package config

import "testing"

// Every quantity of the catalogue can be asked for.
func TestQuantities(t *testing.T) {
	c := load(t, plain+`
[scaling]
tau = 0.65
[output.probe.p]
at = ["0.5 m", "0.25 m"]
[expect]
mass_error = 1e-6
[expect.max_speed]
value = "0.1 m/s"
within = "5 %"
[expect.kinetic_energy]
value = "1 Pa"
within = "0.1 J/m3"
[expect.mean_velocity]
component = "y"
value = 0
within = "1 um/s"
[expect.velocity]
reference = ["0.1 m/s", 0]
l2 = 0.1
linf = 0.2
[output.force.walls]
velocity = "0.1 m/s"
length = "1 m"
[expect.force.walls]
value = 1
within = "1 %"
[expect.probe.p]
field = "pressure"
value = "1 Pa"
within = "1 %"
[expect.line.a]
along = "x"
through = [0, "0.25 m"]
extremum = "min"
value = "1 m/s"
within = "1 %"
[expect.line.b]
along = "x"
through = [0, "0.25 m"]
extremum = "max"
field = "density"
value = "1000 kg/m3"
within = "1 %"
`)
	asked := map[string]Expectation{}
	for _, e := range c.Expect {
		asked[e.Quantity] = e
	}
	for _, q := range Quantities() {
		e, ok := asked[q.Name]
		if !ok {
			t.Errorf("%s is missing", q.Name)
			continue
		}
		want := q.Dim
		if q.PerField {
			want = e.Field.Dim
		}
		if e.Dim != want || !(e.Tolerance > 0) || e.Name == "" {
			t.Errorf("%+v", e)
		}
	}
	if len(asked) != len(Quantities()) {
		t.Errorf("%d quantities, %d in the catalogue", len(asked), len(Quantities()))
	}
	if e := asked[MaxSpeed]; e.Value != 0.1 || e.Tolerance < 0.00499 || e.Tolerance > 0.00501 {
		t.Errorf("%+v", e)
	}
	if e := asked[ProbeValue]; e.Probe != "p" || e.Cell != [3]int{50, 25, 0} {
		t.Errorf("%+v", e)
	}
}
