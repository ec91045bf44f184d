// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"math"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/sim/level"
)

// at is an event at a time.
type at float64

func (at) Done() bool         { return true }
func (at) Wait() error        { return nil }
func (a at) Seconds() float64 { return float64(a) }

// One of the queued steps is sampled: its exchange time is hidden as long as the bulk runs, and exposed beyond it.
func TestSampleOfQueuedSteps(t *testing.T) {
	for name, c := range map[string]struct {
		step            level.Ends
		exposed, hidden float64 // of ten steps
	}{
		"behind the bulk":      {level.Ends{Edges: at(1), Exchanged: at(3), Bulk: at(8)}, 0, 20},
		"longer than the bulk": {level.Ends{Edges: at(1), Exchanged: at(9), Bulk: at(8)}, 10, 70},
		"the bulk ends first":  {level.Ends{Edges: at(5), Exchanged: at(8), Bulk: at(3)}, 30, 0},
		"no stream waited":     {level.Ends{Edges: at(2), Exchanged: at(2), Bulk: at(8)}, 0, 0},
		"all at once":          {level.Ends{Edges: at(8), Exchanged: at(8), Bulk: at(8)}, 0, 0},
	} {
		var s stopwatch
		s.steps(100*time.Second, at(0), at(100))
		s.sample(10, c.step)
		if math.Abs(s.exposed()-c.exposed) > 1e-9 || math.Abs(s.hidden()-c.hidden) > 1e-9 {
			t.Errorf("%s: %g s exposed and %g s hidden, want %g and %g", name, s.exposed(), s.hidden(), c.exposed, c.hidden)
		}
	}
}

// The time in which a device waits for the host to queue the next step does not count as computing.
func TestIdleBetweenSteps(t *testing.T) {
	var s stopwatch
	s.steps(100*time.Second, at(0), at(100))
	s.idle(level.Ends{Edges: at(2), Bulk: at(8)}, at(9))    // after both
	s.idle(level.Ends{Edges: at(12), Bulk: at(11)}, at(14)) // after the edges, which end last
	s.idle(level.Ends{Edges: at(16), Bulk: at(20)}, at(18)) // while the bulk computes
	if want := 3.0; math.Abs(s.exposed()-want) > 1e-9 {
		t.Errorf("%g s exposed, want %g", s.exposed(), want)
	}
}

// The speed is averaged over one to two seconds of steps.
func TestPace(t *testing.T) {
	var p pace
	if p.at(0, 0) != 0 {
		t.Error("a speed before the first step")
	}
	steps, seconds := 0, 0.0
	for i := range 100 {
		rate := 100
		if i >= 50 {
			rate = 200
		}
		steps, seconds = steps+rate/10, seconds+0.1
		got := p.at(steps, seconds)
		if i < 50 && math.Abs(got-100) > 1e-9 || i >= 72 && math.Abs(got-200) > 1e-9 || got < 99.9 || got > 200.1 {
			t.Errorf("%d steps, %.1f s: %g steps a second", steps, seconds, got)
		}
	}
}

// A run with slow files shows the speed of its steps, as its summary does.
func TestProgressIsOfSteps(t *testing.T) {
	const text = `
[domain]
cells = [96, 96]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 60
[output.fields]
every = 1
`
	report := &silent{slow: 20 * time.Millisecond}
	o, err := trial{text: text, threads: 1, dir: t.TempDir()}.options(comm.Serial(), report)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Device.Close()
	if err := Run(o); err != nil {
		t.Fatal(err)
	}
	if len(report.progress) == 0 {
		t.Fatal("no progress")
	}
	got, want := report.progress[len(report.progress)-1].MLUPS, report.summary.MLUPS
	if math.Abs(got-want) > 0.5*want {
		t.Errorf("%.3g MLUPS while it runs, %.3g at the end", got, want)
	}
}
