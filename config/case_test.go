// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// load reads a text that must be valid.
func load(t *testing.T, src string) *Case {
	t.Helper()
	c, err := Load("test.toml", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return c
}

// plain is a case in SI without its scaling.
const plain = `
[domain]
size = ["1 m", "0.5 m"]
cells = [100, 50]
periodic = ["x"]
[fluid]
density = "1000 kg/m3"
viscosity = "1e-3 m2/s"
[boundary.walls]
type = "moving_wall"
faces = ["y-", "y+"]
velocity = ["0.1 m/s", 0]
[run]
time = "10 s"
`

// Every closure of the system leads to the same step.
func TestClosures(t *testing.T) {
	const dt, tau = 0.005, 0.65 // 0.1 m/s * 5 ms / 1 cm = 0.05 cells per step
	for _, s := range []string{
		"[scaling]\nlattice_velocity = 0.05",
		"[scaling]\nlattice_velocity = 0.1\nvelocity = \"0.2 m/s\"",
		"[scaling]\ntau = 0.65",
		"[scaling]\ntime_step = \"5 ms\"",
	} {
		c := load(t, plain+s)
		if math.Abs(c.Units.Time-dt) > 1e-12*dt || math.Abs(c.Tau-tau) > 1e-12 || c.Run.Steps != 2000 {
			t.Errorf("%s: dt = %v, tau = %v, %d steps", s, c.Units.Time, c.Tau, c.Run.Steps)
		}
		if v := c.Boundaries[0].Velocity; math.Abs(v[0]-0.05) > 1e-12 || v[1] != 0 {
			t.Errorf("%s: lattice velocity %v", s, v)
		}
	}
	// The same by a Reynolds number and by a dynamic viscosity.
	for _, f := range []string{
		"reynolds = 50\nlength = \"0.5 m\"\nvelocity = \"0.1 m/s\"",
		"viscosity = \"1 Pa s\"",
	} {
		c := load(t, strings.Replace(plain, `viscosity = "1e-3 m2/s"`, f, 1)+"[scaling]\ntime_step = \"5 ms\"")
		if math.Abs(c.Tau-tau) > 1e-12 {
			t.Errorf("%s: tau = %v", f, c.Tau)
		}
	}
}

// Any two of cells, size and spacing give the same domain.
func TestDomains(t *testing.T) {
	for _, d := range []string{
		`size = ["1 m", "0.5 m"]` + "\n" + `spacing = "1 cm"`,
		`cells = [100, 50]` + "\n" + `spacing = "1 cm"`,
		`cells = [100, 50]` + "\n" + `spacing = "1 cm"` + "\n" + `size = ["1 m", "0.5 m"]`,
	} {
		c := load(t, strings.Replace(plain, "size = [\"1 m\", \"0.5 m\"]\ncells = [100, 50]", d, 1)+"[scaling]\ntau = 0.65")
		if c.Cells != [3]int{100, 50, 1} || c.Units.Length != 0.01 || c.Spec.Lattice.Name != "D2Q9" {
			t.Errorf("%s: %v %v", d, c.Cells, c.Units)
		}
	}
}

func TestLatticeUnits(t *testing.T) {
	const src = `
[domain]
cells = [8, 8, 8]
periodic = ["x", "y", "z"]
[run]
time = 30
[initial]
velocity = ["0.01*x/Lx", 0, 0.02]
pressure = 0.001
`
	a, b := load(t, src+"[fluid]\nviscosity = 0.1"), load(t, src+"[scaling]\ntau = 0.8")
	for _, c := range []*Case{a, b} {
		if math.Abs(c.Tau-0.8) > 1e-12 || c.Units.Physical || c.Run.Steps != 30 || c.Units.Factor(Quantities()[2].Dim) != 1 {
			t.Errorf("%+v", c)
		}
		if v := c.Initial.Velocity[0].At(4, 1, 1); v != 0.005 || c.Initial.Uniform {
			t.Errorf("velocity %v", v)
		}
		if v := c.Initial.Density.At(4, 1, 1); math.Abs(v-1.003) > 1e-15 {
			t.Errorf("density %v", v)
		}
	}
}

// Positions, functions and values in SI come out in lattice units.
func TestConversion(t *testing.T) {
	c := load(t, `
[domain]
size = ["2 m", "1 m"]
cells = [20, 10]
periodic = ["x", "y"]
origin = ["-1 m", "3 m"]
[fluid]
density = "2 kg/m3"
viscosity = "0.1 m2/s"
[scaling]
time_step = "10 ms"
[force]
force_density = ["4 N/m3", 0]
[initial]
velocity = ["0.5*(x + 1) m/s", "(y - 3)/Ly m/s"]
pressure = "2 Pa"
[body.b]
shape = "cylinder"
centre = ["0 m", "3.5 m"]
diameter = "40 cm"
[run]
steps = 7
[output.probe.p]
at = ["-0.95 m", "3.95 m"]
every = "0.5 s"
[expect.velocity]
reference = ["x*t m/s", 0]
l2 = 0.1
[expect.line.l]
along = "y"
through = ["-0.9 m", "3 m"]
extremum = "max"
component = "y"
value = "2 m/s"
within = "1 cm/s"
`)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("force", c.Force.Density[0], 4./2*1e-4/0.1)
	near("u", c.Initial.Velocity[0].At(4, 5, 0.5), 0.5*0.4*0.1)
	near("v", c.Initial.Velocity[1].At(4, 5, 0.5), 0.5*0.1)
	near("rho", c.Initial.Density.At(1, 1, 1), 1+3*2/(2*10.*10))
	disc := c.Bodies[0].Shape(nil).(geometry.Cylinder)
	near("x", disc.Centre[0], 10)
	near("y", disc.Centre[1], 5)
	near("radius", disc.Radius, 2)
	near("period", c.Probes[0].Schedule.Period, 50)
	if c.Probes[0].Cell != [3]int{0, 9, 0} {
		t.Errorf("probe at %v", c.Probes[0].Cell)
	}
	near("reference", c.Expect[0].Reference[0](20, 0, 0, 100), 1*1*0.1)
	l := c.Expect[1]
	if l.Axis != 1 || l.Component != 1 || l.Value != 2 || l.Tolerance != 0.01 || len(l.Columns) != 2 || l.Columns[0].Cell[0] != 0 || math.Abs(l.Columns[0].Weight-0.5) > 1e-9 {
		t.Errorf("%+v", l)
	}
	v := l.Samples(func(p [3]int) (float64, bool) { return float64(p[0]) + 10*float64(p[1]), true })
	near("sample", v[3], 30.5)
}

func TestSchedule(t *testing.T) {
	for _, s := range []Schedule{
		{}, {Period: 1}, {Period: 3}, {Period: 2.5, End: true}, {Period: 0.3}, {Start: true}, {End: true},
		{Period: 7, Start: true, End: true}, {Period: 10, End: true}, {Period: 1e9, End: true},
	} {
		for _, steps := range []int{0, 1, 10, 101} {
			fired := 0
			for n := 0; n <= steps; n++ {
				if s.Due(n) || s.End && n == steps {
					fired++
				}
			}
			if got := s.Count(steps); got != fired {
				t.Errorf("%+v over %d steps: %d, fires %d times", s, steps, got, fired)
			}
		}
	}
	s := Schedule{Period: 2.5}
	var due []int
	for n := 0; n < 11; n++ {
		if s.Due(n) {
			due = append(due, n)
		}
	}
	if !reflect.DeepEqual(due, []int{3, 5, 8, 10}) {
		t.Errorf("due at %v", due)
	}
}

func TestExtremum(t *testing.T) {
	f := func(x float64) float64 { return 2 - 0.3*(x-3.3)*(x-3.3) }
	for _, places := range [][]float64{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 2.75, 3.25, 3.75, 4.5, 7}, {0, 2, 4, 4.75, 7}} {
		var v []float64
		for _, x := range places {
			v = append(v, f(x))
		}
		if m, at := Extremum(v, places, true); math.Abs(m-2) > 1e-14 || math.Abs(at-3.3) > 1e-14 {
			t.Errorf("%v at %v of %v", m, at, places)
		}
		if m, at := Extremum(v, places, false); m != v[len(v)-1] || at != 7 {
			t.Errorf("%v at %v of %v", m, at, places)
		}
	}
	for _, v := range [][]float64{nil, {1}, {1, 1, 1}} {
		Extremum(v, []float64{0, 1, 2}, true)
	}
}

func TestDefaults(t *testing.T) {
	c, err := Load("/some/where/my case.toml", []byte(plain+"[scaling]\ntau = 0.65"))
	if err != nil {
		t.Fatal(err)
	}
	if c.OutputDir != "out/my case" || c.Spec.Collision.Name != "cumulant" || c.Run.WatchEvery != 100 || c.Fields.On || c.Checkpoint.On || !c.Initial.Uniform {
		t.Errorf("%+v", c)
	}
	c = load(t, plain+"[scaling]\ntau = 0.65\n[checkpoint]\nevery_wall = \"10 min\"\n[output.picture]\nfield=\"vorticity\"")
	if !c.Checkpoint.On || c.Checkpoint.Schedule != (Schedule{WallTime: 10 * time.Minute, End: true}) || c.Checkpoint.Keep != 2 || c.Pictures[0].Component != 2 {
		t.Errorf("%+v %+v", c.Checkpoint, c.Pictures)
	}
}

// The lattice follows from the number of axes and from what the model stores.
func TestDefaultLattice(t *testing.T) {
	for _, c := range []struct{ cells, periodic, collision, want string }{
		{"[8, 8]", `["x", "y"]`, "", "D2Q9 cumulant float32"},
		{"[8, 8]", `["x", "y"]`, "model = \"bgk\"", "D2Q9 bgk float32"},
		{"[8, 8, 8]", `["x", "y", "z"]`, "", "D3Q27 cumulant float32"},
		{"[8, 8, 8]", `["x", "y", "z"]`, "precision = \"float64\"", "D3Q27 cumulant float64"},
		{"[8, 8, 8]", `["x", "y", "z"]`, "model = \"regularized\"", "D3Q27 regularized float32"},
		{"[8, 8, 8]", `["x", "y", "z"]`, "model = \"trt\"", "D3Q19 trt float32"},
	} {
		k := load(t, fmt.Sprintf("[domain]\ncells = %s\nperiodic = %s\n[fluid]\nviscosity = 0.1\n[collision]\n%s\n[run]\nsteps = 1\n", c.cells, c.periodic, c.collision))
		if got := k.Spec.String(); got != c.want {
			t.Errorf("cells %s, %q: %s, want %s", c.cells, c.collision, got, c.want)
		}
		if row := k.Table[0]; row.Name != "model" || row.Lattice != c.want {
			t.Errorf("the table begins with %v", row)
		}
		again := load(t, k.Resolved)
		if again.Spec.String() != c.want {
			t.Errorf("the resolved copy of %s has %s", c.want, again.Spec)
		}
	}
}

// same compares cases; functions by their values at a few places.
func same(t *testing.T, a, b *Case) {
	t.Helper()
	for _, p := range [][3]float64{{0.5, 0.5, 0.5}, {3.5, 1.5, 0.5}} {
		for i := range a.Initial.Velocity {
			if x, y := a.Initial.Velocity[i].At(p[0], p[1], p[2]), b.Initial.Velocity[i].At(p[0], p[1], p[2]); x != y {
				t.Errorf("initial velocity %v, %v", x, y)
			}
		}
		if x, y := a.Initial.Density.At(p[0], p[1], p[2]), b.Initial.Density.At(p[0], p[1], p[2]); x != y {
			t.Errorf("initial density %v, %v", x, y)
		}
		if f, g := a.Temperature.Initial, b.Temperature.Initial; f != nil && f.At(p[0], p[1], p[2]) != g.At(p[0], p[1], p[2]) {
			t.Error("initial temperatures differ")
		}
		if len(a.Expect) != len(b.Expect) {
			t.Fatal("expectations differ")
		}
		for i, one := range a.Boundaries {
			if f := one.Inflow; f != nil && f.RMS(p, 0.03) != b.Boundaries[i].Inflow.RMS(p, 0.03) {
				t.Error("the rms of turbulence differs")
			}
		}
		for k := range a.Expect {
			for i, f := range a.Expect[k].Reference {
				if f != nil && f(p[0], p[1], p[2], 3) != b.Expect[k].Reference[i](p[0], p[1], p[2], 3) {
					t.Error("references differ")
				}
			}
		}
	}
	bare := func(c Case) Case {
		c.Source, c.Path, c.Warnings, c.Initial.Density, c.Initial.Velocity = nil, "", nil, nil, [3]Function{}
		c.Temperature.Initial, c.examine, c.closely = nil, nil, nil
		c.Spec.Collision.WallLambda = nil
		c.Expect = append([]Expectation{}, c.Expect...)
		for i := range c.Expect {
			c.Expect[i].Reference = [3]ReferenceFunction{}
		}
		c.Bodies = append([]Body{}, c.Bodies...)
		for i := range c.Bodies {
			c.Bodies[i].Chosen = "" // the copy gives the type
		}
		c.Table = slices.DeleteFunc(slices.Clone(c.Table), func(r Row) bool { return strings.HasPrefix(r.Name, "wall of ") })
		c.Boundaries = append([]Boundary{}, c.Boundaries...)
		for i := range c.Boundaries {
			c.Boundaries[i].Profile = nil
			if f := c.Boundaries[i].Inflow; f != nil {
				c.Boundaries[i].Inflow = &Inflow{Code: f.Code, Spectrum: f.Spectrum}
			}
		}
		return c
	}
	if x, y := bare(*a), bare(*b); !reflect.DeepEqual(x, y) {
		t.Errorf("cases differ:\n%+v\n%+v", x, y)
	}
}

// The resolved copy is a case file, and reading it changes nothing, to the bit.
func TestResolvedFixedPoint(t *testing.T) {
	files, _ := filepath.Glob("../cases/examples/*.toml")
	more, _ := filepath.Glob("testdata/messages/warnings.toml")
	if len(files) < 7 {
		t.Fatal("where are the examples?")
	}
	for _, f := range append(files, more...) {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Load(f, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		b, err := Load("resolved.toml", []byte(a.Resolved))
		if err != nil {
			t.Errorf("%s: %v\n%s", f, err, a.Resolved)
			continue
		}
		same(t, a, b)
		for _, d := range Diff(a.Resolved, b.Resolved, nil) {
			t.Errorf("%s: %s", f, d)
		}
	}
}

// Examples run as tests: they have expectations, and no warnings
// except the ones that all large-eddy simulations have: a viscosity too low for the scale of a cell, and unresolved friction.
func TestExamples(t *testing.T) {
	files, _ := filepath.Glob("../cases/examples/*.toml")
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Load(f, src)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if c.Spec.Viscosity == model.Smagorinsky {
			c.Warnings = slices.DeleteFunc(c.Warnings, func(w finding.Finding) bool {
				return w.Kind == finding.CellReynolds.Name || w.Kind == finding.TauNearHalf.Name || w.Kind == finding.UnresolvedWalls.Name
			})
		}
		if len(c.Expect) == 0 || len(c.Warnings) > 0 || c.Title == "" {
			t.Errorf("%s: %d expectations, warnings %v", f, len(c.Expect), c.Warnings)
		}
	}
}

func TestDevice(t *testing.T) {
	for text, want := range map[string]Device{
		"":                         {},
		"[device]\nkind = \"cpu\"": {Kind: CPUDevice},
		"[device]\nkind = \"cuda\"\nshare = true":                {Kind: CUDADevice, Share: true},
		"[device]\ntransport = \"peer\"\ngpu_aware_mpi = \"no\"": {Transport: PeerTransport, GPUAware: NoWord},
	} {
		if c := load(t, plain+"[scaling]\ntau = 0.65\n"+text); c.Device != want {
			t.Errorf("%q: %+v, want %+v", text, c.Device, want)
		}
	}
	for _, k := range []DeviceKind{AutoDevice, CPUDevice, CUDADevice} {
		if c := load(t, plain+"[scaling]\ntau = 0.65\n[device]\nkind = "+strconv.Quote(k.String())); c.Device.Kind != k {
			t.Errorf("%v is read as %v", k, c.Device.Kind)
		}
	}
	for _, k := range []Transport{AutoTransport, HostTransport, GPUTransport, PeerTransport} {
		if c := load(t, plain+"[scaling]\ntau = 0.65\n[device]\ntransport = "+strconv.Quote(k.String())); c.Device.Transport != k {
			t.Errorf("%v is read as %v", k, c.Device.Transport)
		}
		if again, err := ParseTransport(k.String()); again != k || err != nil {
			t.Errorf("%v is parsed as %v, %v", k, again, err)
		}
	}
	if _, err := ParseTransport("mail"); err == nil || !strings.Contains(err.Error(), "auto, host, gpu, peer") {
		t.Errorf("an unknown transport: %v", err)
	}
	for _, w := range []Word{AskWord, YesWord, NoWord} {
		if c := load(t, plain+"[scaling]\ntau = 0.65\n[device]\ngpu_aware_mpi = "+strconv.Quote(w.String())); c.Device.GPUAware != w {
			t.Errorf("%v is read as %v", w, c.Device.GPUAware)
		}
	}
}

func TestDiff(t *testing.T) {
	a := load(t, plain+"[scaling]\ntau = 0.65")
	b := load(t, strings.NewReplacer("10 s", "20 s", "1e-3 m2/s", "1100 mm2/s", `"1 m"`, `"100 cm"`).Replace(plain)+"[scaling]\ntau = 0.65\n[output.fields]\nevery = 7\n[device]\nkind = \"cpu\"\n[live]\nreadonly = true\n[force]\nacceleration = [\"0.01 m/s2\", 0]")
	got := Diff(a.Resolved, b.Resolved, RestartMayChange)
	want := []string{
		"fluid.viscosity: 0.001 m2/s / 0.0011 m2/s",
		"force.acceleration: not given / [0.01 m/s2 0]",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if all := Diff(a.Resolved, b.Resolved, nil); len(all) < 5 {
		t.Errorf("%q", all)
	}
	if bad := Diff("[", b.Resolved, nil); len(bad) != 1 {
		t.Errorf("%q", bad)
	}
}

// The table names a model with a temperature in words; the name in checkpoints counts the forms of their state.
func TestTableNamesTheTemperature(t *testing.T) {
	c := load(t, "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[temperature]\ndiffusivity = 0.1\n[run]\nsteps = 1\n")
	if row := c.Table[0]; row.Lattice != "D2Q9 cumulant float32 with temperature" {
		t.Errorf("the table begins with %v", row)
	}
}

// The table prints tau's distance from 1/2 where five digits would hide it.
func TestTableOfSmallViscosities(t *testing.T) {
	for nu, want := range map[string]string{"0.1": "0.8", "1e-4": "0.5003", "1e-6": "1/2 + 3e-6"} {
		c := load(t, "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = "+nu+"\n[run]\nsteps = 1\n")
		found := false
		for _, row := range c.Table {
			if row.Name == "relaxation time tau" {
				found = true
				if row.Lattice != want {
					t.Errorf("viscosity %s: tau is shown as %s, not %s", nu, row.Lattice, want)
				}
			}
		}
		if !found {
			t.Errorf("viscosity %s: no row for tau", nu)
		}
	}
}

func TestCut(t *testing.T) {
	c := load(t, plain+"[scaling]\ntau = 0.65")
	for _, n := range []int{1, 50} {
		if p, err := c.Cut(n); err != nil || p.Ranks() != n {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
	if _, err := c.Cut(51); err == nil || !strings.Contains(err.Error(), "the next smaller valid number is 50") {
		t.Errorf("%v", err)
	}
	if _, err := c.Cut(0); err == nil {
		t.Error("no ranks accepted")
	}
}

func TestRanksOfTheCase(t *testing.T) {
	text := "[domain]\ncells = [128, 30, 20]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.05\n[run]\nsteps = 10\nranks = "
	c := load(t, text+"[1, 3, 0]")
	if p, err := c.Cut(12); err != nil || p.Parts() != [3]int{1, 3, 4} || c.LeastRanks() != 3 {
		t.Errorf("%v, %v, least %d", p.Parts(), err, c.LeastRanks())
	}
	if _, err := c.Cut(8); err == nil || !strings.Contains(err.Error(), "[run] ranks") || !strings.Contains(err.Error(), "the next smaller valid number is 6") {
		t.Errorf("%v", err)
	}
	c = load(t, text+"[1, 2, 4]")
	if _, err := c.Cut(4); err == nil || !strings.Contains(err.Error(), "start 8 ranks") {
		t.Errorf("%v", err)
	}
}

// More bodies than possible are one error, whatever else of the file needs them.
func TestTooManyBodies(t *testing.T) {
	text := "[domain]\ncells = [300, 300]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"
	for i := range 241 {
		text += fmt.Sprintf("[body.b%d]\nshape = \"cylinder\"\ncentre = [%d, %d]\nradius = 3\n[output.force.b%d]\n", i, 10+i%28*10, 10+i/28*10, i)
	}
	_, err := Load("a.toml", []byte(text))
	if err == nil || strings.Count(err.Error(), "error:") != 1 || !strings.Contains(err.Error(), "241 tables [body.NAME]; at most 240 are possible") {
		t.Errorf("%v", err)
	}
}

// A long text is not echoed, wherever it stands.
func TestLongTextsAreNotEchoed(t *testing.T) {
	long := strings.Repeat("x", 50000)
	const box = "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"
	for name, text := range map[string]string{
		"title":          "title = \"" + long + "\"\n" + box,
		"without quotes": "title = " + long + " m\n" + box,
		"key":            long + " = 1\n" + box,
		"long key":       "a" + long + " = b m\n" + box,
		"table":          box + "[" + long + "]\n",
		"name":           box + "[body." + long + "]\nshape = \"cylinder\"\n",
		"value":          strings.Replace(box, "0.1", "\""+long+"\"", 1),
		"word":           box + "[collision]\nmodel = \"" + long + "\"\n",
		"names":          box + "[output.force.f]\nof = [\"" + long + "\"]\n",
	} {
		if _, err := Load("a.toml", []byte(text)); err == nil || len(err.Error()) > 2000 {
			t.Errorf("%s: %d characters", name, len(fmt.Sprint(err)))
		}
	}
}
