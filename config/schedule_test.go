// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"testing"
)

// 0.5 ms are 1000 steps of 0.5 us, though their quotient is not 1000.
func TestPeriodsOfWholeStepsFireOnTheStep(t *testing.T) {
	for _, c := range []struct {
		every, step float64
		steps       int
	}{{0.5e-3, 0.5e-6, 1000}, {0.3, 0.1, 3}, {0.7e-3, 1e-4, 7}, {6e-3, 2e-6, 3000}} {
		s := Schedule{Period: c.every / c.step}
		for n := 1; n <= 10*c.steps; n++ {
			if want := n%c.steps == 0; s.Due(n) != want {
				t.Errorf("every %g with steps of %g: step %d is due: %v", c.every, c.step, n, !want)
			}
		}
		if n := s.Count(10 * c.steps); n != 10 {
			t.Errorf("every %g with steps of %g: %d times in %d steps, want 10", c.every, c.step, n, 10*c.steps)
		}
	}
}

// Next is the next step for which Due reports true.
func TestNext(t *testing.T) {
	for _, period := range []float64{1e-6, 0.3, 1, 1.5, 2, 2.5, 7, 10, 10.0000000001, 9.9999999999, 33.3, 1 / 0.003} {
		for _, from := range []int{0, 1, 20, 107, 700} {
			s := Schedule{Period: period, From: from}
			for n := 0; n < 1000; n++ {
				want := n + 1
				for !s.Due(want) {
					want++
				}
				if got := s.Next(n); got != want {
					t.Fatalf("period %g from step %d: after step %d comes %d, want %d", period, from, n, got, want)
				}
			}
			count := 0
			for n := 1; n <= 777; n++ {
				if s.Due(n) {
					count++
				}
			}
			if got := s.Count(777); got != count {
				t.Errorf("period %g from step %d: %d times, want %d", period, from, got, count)
			}
		}
	}
	if got := (Schedule{Start: true, End: true}).Next(5); got != math.MaxInt {
		t.Errorf("without a period: %d", got)
	}
	for _, period := range []float64{2 * maxSteps, 1e15, 9e18, 1e19, 1e300} { // from 2^63 on no int holds them
		if got := (Schedule{Period: period}).Next(5); got < maxSteps {
			t.Errorf("period %g, beyond all runs: %d", period, got)
		}
	}
}

// Values that the reference recommends are accepted: "0 s" turns the stall limit off, and is the start of a run.
func TestTimesThatMayBeZero(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[body.a]
shape = "cylinder"
centre = [4, 4]
radius = 2
[run]
steps = 10
%s
[output.force.a]
of = ["a"]
%s
`
	for _, c := range []struct {
		run, force string
		ok         bool
	}{
		{`stall_limit = "0 s"`, `start = "0 s"`, true}, {"", "start = 0", true}, {"", "", true},
		{`stall_limit = "-1 s"`, "", false}, {`stall_limit = "0.1 ms"`, "", false}, {`wall_time = "0 s"`, "", false},
		{"", `start = "-1 s"`, false}, {"", "start = -1", false}, {"", "every = 0", false}, {"", `every = "0 s"`, false},
	} {
		k, err := Load("a.toml", []byte(fmt.Sprintf(text, c.run, c.force)))
		if (err == nil) != c.ok {
			t.Errorf("%q %q: %v", c.run, c.force, err)
		}
		if c.run == `stall_limit = "0 s"` && err == nil && k.Run.StallLimit != 0 {
			t.Errorf("%q: %v", c.run, k.Run.StallLimit)
		}
	}
}

// An output with a start has no rows before it, except the initial state where the case asks for it.
func TestStartOfOutputs(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 100
[output.probe.p]
at = [1, 1]
every = 10
%s
`
	for _, c := range []struct {
		keys string
		want []int
	}{
		{"", []int{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
		{"start = 75", []int{80, 90, 100}},
		{"start = 80\nat_start = true", []int{0, 80, 90, 100}},
		{"start = 95", []int{100}},
		{"start = 101", nil},
		{"start = 0", []int{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
	} {
		k, err := Load("a.toml", []byte(fmt.Sprintf(text, c.keys)))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for n := range 101 {
			if k.Probes[0].Schedule.Due(n) {
				got = append(got, n)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || k.Probes[0].Schedule.Count(100) != len(got) {
			t.Errorf("%q: steps %v, want %v; %d in all", c.keys, got, c.want, k.Probes[0].Schedule.Count(100))
		}
	}
}
