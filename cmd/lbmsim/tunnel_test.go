// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/tunnel"
)

// ballIn writes a ball of diameter 2 around the origin, and returns its folder.
func ballIn(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ball.stl"), sphereSTL(40, 1), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Flags become a valid case, relative to the case's folder, which is never replaced without request.
func TestTunnelWritesACase(t *testing.T) {
	dir := ballIn(t)
	cases := []struct {
		args []string
		want []string // in the case
	}{
		{[]string{"--ground", "none"}, []string{`faces = ["y-", "y+", "z-", "z+"]`, `file = "../ball.stl"`, `unit = "1 m"`, `density = "1.204 kg/m3"`, `velocity = "40 m/s"`, `lift_direction = [0, 0, 1]`}},
		{nil, []string{"[boundary.road]", `type = "moving_wall"`, `translate = ["0 m", "0 m", "1 m"]`}}, // below the ground as in the file
		{[]string{"--ground", "fixed", "--clearance", "5 cm", "--fluid", "water", "--unit", "mm", "--area", "3 mm2", "--length", "1 mm"}, []string{"[boundary.floor]", `unit = "1 mm"`, `translate = ["0 m", "0 m", "0.051`, `density = "998.2 kg/m3"`, `area = "3e-06 m2"`, `length = "0.001 m"`}},
		{[]string{"--uniform"}, []string{`spacing = "0.1 m"` + "\n"}},
		{[]string{"--rotate", "90 0 10", "--yaw", "5"}, []string{"rotate = [90, 0, 15]", "about = [0, 0, 0]"}},
		{[]string{"--wheels", "ball.stl"}, []string{"[body.wheel_1]", `angular_velocity = "40`, "spin_axis = [0, -1, 0]", `spin_centre = ["`, "[body.wheel_1_patch_1]", `of = ["body", "wheel_1", "wheel_1_patch_1"]`}},
	}
	for _, c := range cases {
		args := append([]string{"tunnel", "ball.stl", "--speed", "40 m/s", "--cells", "20", "--dry-run", "--case", "cases/ball.toml", "--overwrite"}, c.args...)
		if err := os.MkdirAll(filepath.Join(dir, "cases"), 0o777); err != nil {
			t.Fatal(err)
		}
		r := runProgram(t, dir, 0, args...)
		if r.code != 0 || !strings.Contains(r.out, "frontal area") || !strings.Contains(r.out, "wrote cases/ball.toml") {
			t.Fatalf("%v: code %d\n%s", c.args, r.code, r.out)
		}
		text := string(contentOf(t, filepath.Join(dir, "cases", "ball.toml")))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %q is not in\n%s", c.args, want, text)
			}
		}
		loaded, err := config.Load(filepath.Join(dir, "cases", "ball.toml"), []byte(text))
		if err != nil {
			t.Errorf("%v: %v", c.args, err)
		} else if _, err := loaded.Hierarchy(4); err != nil || (len(loaded.Refine) == 0) != slices.Contains(c.args, "--uniform") {
			t.Errorf("%v: %d boxes, %v", c.args, len(loaded.Refine), err)
		}
		if r := runProgram(t, dir, 0, "check", "cases/ball.toml"); r.code != 0 {
			t.Errorf("%v: check\n%s", c.args, r.out)
		}
	}
	again := []string{"tunnel", "ball.stl", "--speed", "40 m/s", "--cells", "20", "--dry-run", "--wheels", "ball.stl", "--case", "cases/ball.toml", "--threads", "1"}
	if r := runProgram(t, dir, 0, again...); r.code != 0 { // as the last time, with a flag that is not of the case
		t.Errorf("code %d\n%s", r.code, r.out)
	}
	edited := filepath.Join(dir, "ball_tunnel.toml")
	if err := os.WriteFile(edited, []byte("# mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runProgram(t, dir, 0, "tunnel", "ball.stl", "--speed", "40 m/s", "--dry-run")
	if r.code != 2 || !strings.Contains(r.out, "ball_tunnel.toml exists: --overwrite replaces it") || string(contentOf(t, edited)) != "# mine\n" {
		t.Errorf("code %d\n%s", r.code, r.out)
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Meaningless flags are refused with a correction, before any file is written.
func TestTunnelRefuses(t *testing.T) {
	dir := ballIn(t)
	if err := os.WriteFile(filepath.Join(dir, "open.stl"), []byte(openBlock), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "huge.stl"), sphereSTL(10, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ball.stl"}, `--speed is missing: --speed "40 m/s"`},
		{[]string{}, "expected one STL file, got 0 arguments"},
		{[]string{"none.stl", "--speed", "1 m/s"}, "none.stl: there is no such file"},
		{[]string{"ball.stl", "--speed", "40"}, `--speed "40": give a unit`},
		{[]string{"ball.stl", "--speed", "-1 m/s"}, "it must be above 0"},
		{[]string{"ball.stl", "--speed", "40 m"}, "must be a velocity"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--ground", "road"}, "--ground road: must be one of none, moving, fixed"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--fluid", "oil"}, "--fluid oil: must be air or water"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--unit", "furlong"}, `--unit "1 furlong"`},
		{[]string{"ball.stl", "--speed", "1 m/s", "--rotate", "90"}, "must be three angles"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--cells", "2"}, "--cells 2: must be from 16"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--clearance", "-1 m"}, "--clearance"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--ground", "none", "--clearance", "1 m"}, "there is no ground"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--ground", "fixed", "--wheels", "ball.stl"}, "wheels roll on --ground moving only"},
		{[]string{"open.stl", "--speed", "1 m/s"}, "--repair closes it"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--yaw", "3", "--wheels", "ball.stl"}, "wheels roll along the flow only"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--cells", "20", "--grids", "3"}, "the coarsest would have 9 cells along the body, fewer than 12: at least --cells 27"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--set", "output.force.total.area = 3"}, "--set output.force.total.area: the report relies on this key"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--set", "fluid.density=3"}, "the report relies on this key"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--resume", "--overwrite"}, "use one of them"},
		{[]string{"huge.stl", "--speed", "1 m/s"}, "huge.stl is 2000 m long, if 1 in the file is 1 m: --unit mm makes it 2 m, --unit cm makes it 20 m, --unit inch makes it 50.8 m, --unit m keeps it"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--time", "10 min", "--cells", "50"}, "--time chooses the number of cells: use --time or --cells"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--time", "10 min", "--resume"}, "give its --cells, which its case file states; ball_tunnel.toml is not one"},
		{[]string{"ball.stl", "--speed", "1 m/s", "--time", "10 m"}, "must be a time (s), not a length (m)"},
	} {
		r := runProgram(t, dir, 0, append([]string{"tunnel", "--dry-run"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.out, c.want) {
			t.Errorf("%v: code %d, want %q in\n%s", c.args, r.code, c.want, r.out)
		}
	}
	if b := contentOf(t, filepath.Join(dir, "open_tunnel_surface.png")); !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Error("no picture of an open surface")
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an output folder was touched: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.toml")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

// On two ranks two grids run one after the other, and the report of the second compares them. Its numbers agree with the run's
// status, and its page has the picture.
func TestTunnelRuns(t *testing.T) {
	dir := ballIn(t)
	r := runProgram(t, dir, 2, "tunnel", "ball.stl", "--speed", "1 m/s", "--ground", "none", "--cells", "20", "--grids", "2", "--device", testDevice(), "--set", "device.share=true",
		"--set", `run.time="1.3 s"`, "--set", `output.force.total.start="0.5 s"`, "--set", `output.surface.body.start="0.5 s"`, "--set", `output.picture.side.every="0.5 s"`)
	if r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	for _, want := range []string{"grid 1 of 2: 13 cells along the body", "grid 2 of 2: 20 cells along the body", "report out/ball_tunnel/report.html"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
	var got tunnel.Report
	folder := filepath.Join(dir, "out", "ball_tunnel")
	if err := json.Unmarshal(contentOf(t, filepath.Join(folder, "report.json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict == "" || got.Grids == nil || len(got.Grids.Cells) != 2 || len(got.Numbers) < 5 || len(got.Walls) != 1 {
		t.Errorf("%+v", got)
	}
	if text := string(contentOf(t, filepath.Join(folder, "report.txt"))); !strings.HasPrefix(text, got.Verdict+"\n") || !strings.Contains(r.out, text) {
		t.Errorf("%s", text)
	}
	if page := string(contentOf(t, filepath.Join(folder, "report.html"))); strings.Count(page, "data:image/png;base64,") != len(tunnel.Pictures())+2 || !strings.Contains(page, "pressure coefficient on the surface") || !strings.Contains(page, "friction coefficient on the surface") {
		t.Error("not the pictures of the flow and two of the surface in the page")
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "ball_tunnel_grids", "1", "report.json")); err != nil {
		t.Error(err)
	}
	if r := runProgram(t, dir, 0, "tunnel", "ball.stl", "--speed", "1 m/s", "--ground", "none", "--cells", "20", "--grids", "2"); r.code != 2 || !strings.Contains(r.out, "ball_tunnel_grids/1 has results of another run") {
		t.Errorf("code %d\n%s", r.code, r.out)
	}
}

// twoSolids is a block above a plate of a twentieth of a metre, in ASCII; the block faces inwards where it is turned.
func twoSolids(turned bool) []byte {
	var b bytes.Buffer
	for name, box := range map[string][2][3]float64{"block": {{0, 0, 0.1}, {2, 1, 1}}, "plate": {{0, 0, 1.3}, {2, 1, 1.35}}} {
		fmt.Fprintf(&b, "solid %s\n", name)
		corner := func(k int) string {
			return fmt.Sprintf("vertex %g %g %g ", box[k&1][0], box[k>>1&1][1], box[k>>2][2])
		}
		for _, q := range [][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			for _, k := range [][2]int{{1, 2}, {2, 3}} {
				c := [3]int{q[0], q[k[0]], q[k[1]]}
				if turned {
					c[1], c[2] = c[2], c[1]
				}
				fmt.Fprintf(&b, "facet normal 0 0 0 outer loop %s%s%sendloop endfacet\n", corner(c[0]), corner(c[1]), corner(c[2]))
			}
		}
		b.WriteString("endsolid\n")
	}
	return b.Bytes()
}

// A file that is inside out, with two solids of which one is thin, runs: the report has the drag of each solid, the defects of the
// surface and a picture of it, and pictures of the means. A surface without defects has none of them.
func TestTunnelOfParts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parts.stl"), twoSolids(true), 0o666); err != nil {
		t.Fatal(err)
	}
	r := runProgram(t, dir, 2, "tunnel", "parts.stl", "--speed", "1 m/s", "--cells", "20", "--device", testDevice(), "--set", "device.share=true",
		"--set", `run.time="3 s"`, "--set", `output.force.total.start="1 s"`, "--set", `output.surface.body.start="1 s"`, "--set", `output.surface.body.sample_every="0.05 s"`, "--set", `output.picture.side.every="1 s"`)
	if r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	folder := filepath.Join(dir, "out", "parts_tunnel")
	var got tunnel.Report
	if err := json.Unmarshal(contentOf(t, filepath.Join(folder, "report.json")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Parts) < 3 || got.Parts[len(got.Parts)-1].Part != "sum" || len(got.Surfaces) != 2 || got.Surfaces[0].Done != "turned back" || !strings.Contains(got.Surfaces[1].What, "parts thinner than 2 cells") {
		t.Fatalf("%+v\n%+v", got.Parts, got.Surfaces)
	}
	sum := 0.0
	for _, p := range got.Parts[:len(got.Parts)-1] {
		sum += *p.Drag.Value
		solid := p.Part == "block" || p.Part == "plate"
		if !solid && p.Part != tunnel.NotAttributed || solid && (p.Pressure.Half == nil || p.NoPressure == nil || !(*p.NoFriction <= 1)) {
			t.Errorf("%+v", p)
		}
	}
	if all := *got.Parts[len(got.Parts)-1].Drag.Value; sum-all > 1e-12 || all-sum > 1e-12 || !(all > 0) {
		t.Errorf("the parts have %g, their sum is %g", sum, all)
	}
	picture, page := contentOf(t, filepath.Join(folder, "surface.png")), string(contentOf(t, filepath.Join(folder, "report.html")))
	if !bytes.HasPrefix(picture, []byte("\x89PNG")) {
		t.Error("surface.png is not a picture")
	}
	for _, want := range []string{`alt="the surface: defects are red"`, "Drag by part", "inside out", "pressure coefficient on the surface"} {
		if !strings.Contains(page, want) {
			t.Errorf("%.40q is not in the page", want)
		}
	}
	dir = ballIn(t)
	if r := runProgram(t, dir, 0, "tunnel", "ball.stl", "--speed", "1 m/s", "--cells", "20", "--dry-run"); r.code != 0 || strings.Contains(r.out, "surface.png") {
		t.Errorf("code %d\n%s", r.code, r.out)
	}
}

// Forces by part are found by their place, whatever solids are called; without samples, or without the table, the list is empty.
func TestPartForces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("# lbmsim\n# [output]\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var head, last []string
	for i, mark := range []string{"", "mean ", "+- "} {
		for k, solid := range []string{"wheels", "mean wheels"} {
			for j, force := range []string{"pressure_x", "pressure_y", "pressure_z", "friction_x", "friction_y", "friction_z"} {
				head, last = append(head, mark+solid+" "+force+" (N)"), append(last, fmt.Sprint(100*i+10*k+j))
			}
		}
	}
	const areas = ",area (m2),area_without_pressure (m2),area_without_friction (m2)"
	write("parts_body.csv", "step,time (s),"+strings.Join(head, ",")+areas+areas+"\n1,0.5,"+strings.Repeat("7,", 41)+"7\n2,1,"+strings.Join(last, ",")+",8,1,2,4,0,3\n")
	body := []tunnel.Part{{Name: "body"}}
	got, err := partForces(dir, body)
	want := []tunnel.PartForce{{Name: "wheels", Pressure: 100, PressureHalf: 200, Friction: 103, FrictionHalf: 203, Area: 8, NoPressure: 1, NoFriction: 2}, {Name: "mean wheels", Pressure: 110, PressureHalf: 210, Friction: 113, FrictionHalf: 213, Area: 4, NoFriction: 3}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	one := "step,time (s),pressure_x (N),b,c,d,e,f,mean pressure_x (N),h,i,j,k,l,m,n,o,p,q,r" + areas + "\n"
	write("surface_wheel_1.csv", one+"2,1,0,0,0,0,0,0,5,0,0,6,0,0,+Inf,0,0,+Inf,0,0,1,0,0\n")
	got, err = partForces(dir, append(body, tunnel.Part{Name: "wheel_1"}))
	if err != nil || len(got) != 3 || got[0].Name != "body: wheels" || got[2].Name != "wheel_1" || got[2].Pressure != 5 || got[2].Friction != 6 {
		t.Errorf("%+v, %v", got, err)
	}
	for name, text := range map[string]string{"no rows": one, "no samples": one + "2,1,0,0,0,0,0,0,NaN,0,0,NaN,0,0,NaN,0,0,NaN,0,0,1,0,0\n", "no means": "step,time (s),pressure_x (N),b,c,d,e,f" + areas + "\n2,1,0,0,0,0,0,0,1,0,0\n"} {
		write("surface_wheel_1.csv", text)
		if got, err := partForces(dir, []tunnel.Part{{Name: "wheel_1"}}); err != nil || got != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := partForces(dir, []tunnel.Part{{Name: "other"}}); err != nil || got != nil {
		t.Errorf("no table: %+v, %v", got, err)
	}
}

// With a time the number of cells follows from the speed that all ranks measured, and the case has them.
func TestTunnelInATime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parts.stl"), twoSolids(false), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(time string) result {
		return runProgram(t, dir, 2, "tunnel", "parts.stl", "--speed", "1 m/s", "--ground", "none", "--time", time, "--dry-run", "--device", testDevice(), "--set", "device.share=true")
	}
	r := run("1 ms")
	_, need, found := strings.Cut(r.out, "the fewest that are worth a run, take up to ")
	words := strings.Fields(need)
	if r.code != 2 || !found {
		t.Fatalf("1 ms: code %d\n%s", r.code, r.out)
	}
	least, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	r = run(fmt.Sprintf("%g %s", 4*least, words[1])) // the machine may be slower by then
	_, line, found := strings.Cut(r.out, "  time ")
	if r.code != 0 || !found || !strings.Contains(r.out, "wrote parts_tunnel.toml") {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	text := string(contentOf(t, filepath.Join(dir, "parts_tunnel.toml")))
	if !strings.Contains(line, "; the time allows no more   --time ") {
		t.Errorf("the limit is not named: %s", line)
	}
	if cells := strings.Fields(line)[0]; !strings.Contains(text, "# grid             "+cells+" cells along the body") || cells == "120" {
		t.Errorf("%s cells, and the case\n%s", cells, text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(left) > 0 {
		t.Errorf("the trial has left %v", left)
	}
	// The speed decides whether the plate is thin on that grid.
	r = runProgram(t, dir, 0, "tunnel", "parts.stl", "--speed", "1 m/s", "--ground", "none", "--cells", "40", "--dry-run", "--overwrite")
	if b := contentOf(t, filepath.Join(dir, "parts_tunnel_surface.png")); r.code != 0 || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("no picture of thin parts beside the case: code %d\n%s", r.code, r.out)
	}
}

// The trial opens the device of the runs: the reason for the CPU is a warning of the runs.
func TestTunnelInATimeKeepsTheNote(t *testing.T) {
	dir := ballIn(t)
	f := tunnelFlags{ground: "none", fluid: "air", grids: 1, caseFile: filepath.Join(dir, "case.toml")}
	f.size.speed, f.size.time = "1 m/s", "1 ms"
	f.run.output, f.run.threads, f.run.device = filepath.Join(dir, "out"), 1, "auto"
	var opened device.Device
	c := comm.Serial()
	if err := f.fit(c, filepath.Join(dir, "ball.stl"), machine{}, &opened); err == nil || !strings.Contains(err.Error(), "the fewest that are worth a run") || opened == nil {
		t.Fatal(err) // after the trial
	}
	defer opened.Close()
	flow, err := config.Load("case.toml", []byte("[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if on, err := openFor(c, flow, f.run, machine{}, &opened); err != nil || on.note != "no GPU: there is no driver; computing on the CPU" {
		t.Errorf("%+v, %v", on, err)
	}
}

// --resume with another grid names the option and the command that resumes; so does --resume of a run that --time began. With --time a
// case of another body is refused before the speed is measured.
func TestTunnelNamesTheOtherOption(t *testing.T) {
	dir := ballIn(t)
	dry := func(more ...string) result {
		return runProgram(t, dir, 0, append([]string{"tunnel", "ball.stl", "--dry-run", "--device", testDevice()}, more...)...)
	}
	if r := dry("--speed", "1 m/s", "--cells", "24", "--ground", "none"); r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	resume := "to resume that run: lbmsim tunnel ball.stl --device " + testDevice() + " --speed '1 m/s' --cells 24 --ground none --resume\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--speed", "1 m/s", "--ground", "none", "--resume"}, "--resume: ball_tunnel.toml is the case of another run: --cells 120 instead of 24\n  " + resume},
		{[]string{"--speed", "2 m/s", "--cells", "24", "--resume"}, "--speed '2 m/s' instead of '1 m/s', --ground moving instead of none\n  " + resume},
		{[]string{"--speed", "1 m/s", "--ground", "none", "--resume", "--time", "1 h"}, "to resume it: " + strings.TrimPrefix(resume, "to resume that run: ")},
		{[]string{"--speed", "2 m/s", "--ground", "none", "--time", "1 h"}, "ball_tunnel.toml exists: --overwrite replaces it"},
		{[]string{"--speed", "2 m/s", "--ground", "none", "--time", "1 h", "--case", "none/case.toml"}, "--case none/case.toml: "},
	} {
		r := dry(c.args...)
		if r.code != 2 || !strings.Contains(r.out, c.want) || strings.Contains(r.out, "--overwrite") && slices.Contains(c.args, "--resume") || strings.Contains(r.out, "measuring") {
			t.Errorf("%v: code %d, want %q in\n%s", c.args, r.code, c.want, r.out)
		}
	}
	if r := dry("--speed", "1 m/s", "--cells", "24", "--ground", "none", "--resume"); r.code != 0 {
		t.Errorf("the same grid: code %d\n%s", r.code, r.out)
	}
}

// The command that resumes a run is its own one without flags that start over, and with the cells instead of a time.
func TestResumeCommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`car.stl --speed '40 m/s'`, `lbmsim tunnel car.stl --speed '40 m/s' --resume`},
		{`'my car.stl' --overwrite --time '30 min' --yaw 3`, `lbmsim tunnel 'my car.stl' --yaw 3 --cells 64 --resume`},
		{`car.stl --time=1h --resume --set 'a="it'\''s"'`, `lbmsim tunnel car.stl --set 'a="it'\''s"' --cells 64 --resume`},
		{`car.stl --case ''`, `lbmsim tunnel car.stl --case '' --resume`},
	} {
		if got := resumeCommand(unquoted(c.args), 64); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
}

// An interrupted tunnel run continues without recomputing completed grids; a failed run leaves a report of the failure, and
// no outdated one.
func TestTunnelEnds(t *testing.T) {
	dir := ballIn(t)
	run := func(ranks int, more ...string) (result, string) {
		args := []string{"tunnel", "ball.stl", "--speed", "1 m/s", "--ground", "none", "--cells", "18", "--grids", "2", "--device", testDevice(), "--set", "device.share=true",
			"--set", `run.time="1.3 s"`, "--set", `output.force.total.start="0.5 s"`, "--set", `output.picture.side.every="0.5 s"`}
		r := runProgram(t, dir, ranks, append(args, more...)...)
		text, _ := os.ReadFile(filepath.Join(dir, "out", "ball_tunnel", "report.txt"))
		return r, string(text)
	}
	r, text := run(0, "--set", `run.wall_time="0.1 s"`)
	if r.code != 0 || strings.Contains(r.out, "grid 2 of 2") || text != "" || !strings.Contains(r.out, "NO DRAG") {
		t.Errorf("stopped: code %d, report %q\n%s", r.code, text, r.out)
	}
	if _, resume, told := strings.Cut(r.out, "to resume: lbmsim tunnel ball.stl --speed '1 m/s' --ground none --cells 18 "); !told || !strings.Contains(resume, " --resume\n") || strings.Contains(r.out, "lbmsim run ") {
		t.Errorf("stopped, and how to resume is not by tunnel\n%s", r.out)
	}
	r, text = run(2, "--resume")
	if r.code != 0 || !strings.Contains(r.out, "restart   from") || !strings.Contains(r.out, "grid 2 of 2") || text == "" {
		t.Errorf("resumed: code %d, report %q\n%s", r.code, text, r.out)
	}
	r, again := run(0, "--resume")
	if r.code != 0 || strings.Contains(r.out, "grid 2 of 2") || again != text {
		t.Errorf("resumed when done: code %d, report %q, was %q\n%s", r.code, again, text, r.out)
	}
	r, text = run(0, "--overwrite", "--grids", "1", "--set", "run.max_mach=0.01")
	if r.code != 3 || !strings.HasPrefix(text, "NO DRAG: the run failed: ") {
		t.Errorf("failed: code %d, report %q\n%s", r.code, text, r.out)
	}
}
