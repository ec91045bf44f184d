// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMeter feeds output as the testing package writes it, with a clock that a line "+5" in it puts forward.
func TestMeter(t *testing.T) {
	var now time.Duration
	var out strings.Builder
	m := newMeter(&out, func() (time.Duration, time.Duration) { return now, 2 * now })
	var want strings.Builder
	for _, line := range []string{
		"+9", // before the first test
		"\x16=== RUN   TestA", "+1", "--- PASS: TestA (0.0s) is printed by the test itself", "+2", "\x16--- PASS: TestA (0.00s)",
		"+9", // between tests
		"\x16=== RUN   TestB", "+3", "\x16=== RUN   TestB/x", "+4", "\x16=== RUN   TestB/x/deep", "+5", "\x16=== NAME  TestB/x",
		"    \x16--- PASS: TestB/x/deep (0.00s)", "\x16--- FAIL: TestB/x (0.00s)", "\x16=== RUN   TestB/y", "half a line \x16--- SKIP: TestB/y (0.00s)", "+6", "\x16--- FAIL: TestB (0.00s)",
		"\x16=== RUN   TestP", "\x16=== PAUSE TestP", "\x16=== RUN   TestQ", "\x16=== PAUSE TestQ", "+9",
		"\x16=== CONT  TestQ", "\x16=== CONT  TestP", "+8", "\x16--- PASS: TestP (0.00s)", "+1", "\x16--- PASS: TestQ (0.00s)",
	} {
		if seconds, found := strings.CutPrefix(line, "+"); found {
			d, _ := time.ParseDuration(seconds + "s")
			now += d
			continue
		}
		line += "\n"
		want.WriteString(line)
		for _, part := range []string{line[:3], line[3:]} { // as a pipe may cut it
			if n, err := m.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
	}
	if out.String() != want.String() {
		t.Errorf("passed on:\n%q\nwant\n%q", out.String(), want.String())
	}
	got := ""
	for _, r := range m.rows("p") {
		got += fmt.Sprintf("%s %g %g, ", r.name(), r.CPU, r.Elapsed)
	}
	if want := "p.TestA 3 6, p.TestB 9 18, p.TestB/x 9 18, p.TestB/y 0 0, p.TestP 4 16, p.TestQ 5 18, "; got != want {
		t.Errorf("rows %s\nwant %s", got, want)
	}
}

func TestJudge(t *testing.T) {
	r := report{
		{"sim", "TestShort", 1, 2}, {"sim", "TestLong", 50, 9}, {"sim", "", 70, 80},
		{"halo", "TestMPI", 20, 2}, {"halo", "", 25, 3},
	}
	for _, c := range []struct {
		name string
		r    report
		b    bounds
		err  string
	}{
		{"no bounds", r, bounds{}, "<nil>"},
		{"below both", r, bounds{95, 50}, "<nil>"},
		{"all of it", r, bounds{94, 50}, "the tests take 95 s of CPU time, and may take 94"},
		{"one test", r, bounds{95, 49}, "sim.TestLong takes 50 s of CPU time, and one test may take 49"},
		{"two tests", r, bounds{95, 19}, "sim.TestLong takes 50 s of CPU time, and one test may take 19: try a smaller grid, fewer steps, or internal/brief\nhalo.TestMPI takes 20 s"},
		{"nothing ran", nil, bounds{}, "no package has run"},
	} {
		var out strings.Builder
		if err := fmt.Sprint(c.r.judge(&out, c.b)); !strings.HasPrefix(err, c.err) {
			t.Errorf("%s: %s, want %s", c.name, err, c.err)
		}
		if c.r == nil {
			continue
		}
		if want := "   50.0 s CPU,    9.0 s elapsed  sim.TestLong\n   20.0 s CPU,    2.0 s elapsed  halo.TestMPI\n"; !strings.Contains(out.String(), want) {
			t.Errorf("%s: report\n%s\nshould have\n%s", c.name, out.String(), want)
		}
	}
}

// TestRun starts this test binary again by the program, as go test -exec does.
func TestRun(t *testing.T) {
	if os.Getenv("CPUTIME_CHILD") != "" {
		t.Run("asleep", func(t *testing.T) { time.Sleep(300 * time.Millisecond) })
		t.Run("subprocess", func(t *testing.T) { // bash counts, so that the time is not the binary's own
			if err := exec.Command("bash", "-c", "for ((i = 0; i < 150000; i++)); do :; done").Run(); err != nil {
				t.Fatal(err)
			}
		})
		if os.Getenv("CPUTIME_CHILD") == "fails" {
			t.Error("as it should")
		}
		return
	}
	file := filepath.Join(t.TempDir(), "times")
	for _, c := range []struct {
		child string
		code  int
	}{{"passes", 0}, {"fails", 1}} {
		t.Setenv("CPUTIME_CHILD", c.child)
		var out bytes.Buffer
		code, err := run(file, []string{os.Args[0], "-test.run=^TestRun$", "-test.v=test2json"}, &out)
		if err != nil || code != c.code || !strings.Contains(out.String(), "TestRun/asleep") {
			t.Errorf("%s: exit status %d, %v, output\n%s", c.child, code, err, &out)
		}
	}
	r, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(r) != 8 {
		t.Fatalf("%d rows of two packages with three tests each: %v", len(r), r)
	}
	for i, name := range []string{"tools/cputime.TestRun", "tools/cputime.TestRun/asleep", "tools/cputime.TestRun/subprocess", "tools/cputime"} {
		if r[i].name() != name {
			t.Errorf("row %d is of %s, want %s", i, r[i].name(), name)
		}
	}
	asleep, work, whole := r[1], r[2], r[3]
	// Counting takes bash over 0.1 s. Asleep, what remains is the testing package's own work, and a late reading of the clock: of the line
	// that starts a test it shortens the test.
	if work.CPU < 0.05 || asleep.CPU > work.CPU/2 || asleep.Elapsed < 0.15 || whole.CPU < work.CPU || whole.Elapsed < work.Elapsed+asleep.Elapsed {
		t.Errorf("work %+v, asleep %+v, package %+v", work, asleep, whole)
	}
}
