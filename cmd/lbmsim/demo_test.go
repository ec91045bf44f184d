// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/cases/demo"
	"lbmsim/internal/terminal"
	"lbmsim/io/status"
	"lbmsim/sim"
)

// A demo is a case without warnings, whose animation has enough frames for smooth motion, but not too many to render.
func TestDemosAreSound(t *testing.T) {
	for _, d := range demo.All() {
		flow, err := loadCase(d.Name+".toml", []byte(d.Text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range flow.Warnings {
			t.Errorf("%s: warning: %s", d.Name, w)
		}
		if d.Title == "" || len(flow.Pictures) != 1 {
			t.Errorf("%s: title %q, %d outputs of pictures", d.Name, d.Title, len(flow.Pictures))
			continue
		}
		frames := flow.Pictures[0].Schedule.Count(flow.Run.Steps)
		if frames < 40 || frames > 60 {
			t.Errorf("%s: %d frames", d.Name, frames)
		}
		if cells := flow.Cells[0] * flow.Cells[1] * flow.Cells[2]; cells*flow.Run.Steps > 1.3e9 {
			t.Errorf("%s: %.2g cell updates: more than 20 s on two cores", d.Name, float64(cells*flow.Run.Steps))
		}
	}
}

// small returns a demo of a few steps.
func small(t *testing.T) demo.Demo {
	t.Helper()
	d := demo.All()[0]
	for was, now := range map[string]string{`spacing = "5 cm"`: `spacing = "50 cm"`, `time = "50 s"`: `time = "3 s"`, `start = "38 s"`: `start = "1 s"`, `every = "0.25 s"`: `every = "0.5 s"`, `start = "25 s"`: `start = "1 s"`} {
		if !strings.Contains(d.Text, was) {
			t.Fatalf("the demo has no %s", was)
		}
		d.Text = strings.Replace(d.Text, was, now, 1)
	}
	return d
}

// A demo writes its case, its pictures and an animation of all of them; it can be repeated, and an edited case is kept.
func TestDemo(t *testing.T) {
	d, f := small(t), demoFlags{folder: filepath.Join(t.TempDir(), "demo"), run: runFlags{device: "cpu", threads: 1}}
	for range 2 {
		if err := runDemo(d, f); err != nil {
			t.Fatal(err)
		}
	}
	film, err := os.ReadFile(filepath.Join(f.folder, "street.apng"))
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := picturesOf(filepath.Join(f.folder, "street"), "vorticity")
	if err != nil || len(pictures) != 5 { // at 1, 1.5, 2, 2.5 and 3 s
		t.Fatal(pictures, err)
	}
	if at := bytes.Index(film, []byte("acTL")); at < 0 || !bytes.HasPrefix(film[at+4:], []byte{0, 0, 0, 5}) {
		t.Error("the animation does not have 5 frames")
	}
	state := filepath.Join(f.folder, "street", status.Name)
	own := string(contentOf(t, state))
	for _, other := range []string{strings.Replace(own, `"case": "`, `"case": "/else`, 1), strings.Replace(own, `"title": "`, `"title": "not `, 1), ""} {
		if other == own {
			t.Fatal(own)
		}
		err := os.Remove(state)
		if err == nil && other != "" {
			err = os.WriteFile(state, []byte(other), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := runDemo(d, f); exitCode(err) != sim.ExitUsage {
			t.Errorf("the results of another run: %v\n%s", err, other)
		}
		if left, err := picturesOf(filepath.Join(f.folder, "street"), "vorticity"); err != nil || len(left) != 5 {
			t.Errorf("of the results of another run are left: %v, %v", left, err)
		}
	}
	path := filepath.Join(f.folder, "street.toml")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := runDemo(d, f); exitCode(err) != sim.ExitUsage {
		t.Errorf("an edited case: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("the edited case is now %q, %v", text, err)
	}
}

// Ranks share the standard output of rank 0 only with some launchers: rank 0 decides for all, and no rank ends before the
// others have begun.
func TestDemoOnRanksWithoutATerminal(t *testing.T) {
	dir := t.TempDir()
	r := runProgram(t, dir, 2, "demo", "--show", "kitty")
	if r.code != sim.ExitUsage || strings.Count(r.out, "--show kitty: the standard output is not a terminal") != 1 {
		t.Errorf("code %d\n%s", r.code, r.out)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// Impossible requests are refused before the run; escape sequences only reach terminals.
func TestDemoRefusals(t *testing.T) {
	for _, args := range [][]string{{"demo", "nope"}, {"demo", "a", "b"}, {"demo", "--list", "street"}, {"demo", "--show", "ascii"}} {
		if code := execute(args); code != sim.ExitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if terminalWidth() > 0 {
		return // a developer's terminal shows the test's output
	}
	if _, err := (demoFlags{show: "kitty"}).method(); err == nil || !strings.Contains(err.Error(), "not a terminal") {
		t.Errorf("kitty without a terminal: %v", err)
	}
	t.Setenv("KITTY_WINDOW_ID", "1")
	t.Setenv("TMUX", "")
	t.Setenv("STY", "")
	if m, err := (demoFlags{}).method(); m != terminal.None || err != nil {
		t.Errorf("kitty's variable without a terminal: %v, %v", m, err)
	}
}
