// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"time"
)

// Schedules of events during a run.

// Schedule determines the steps of an event: whenever step/Period passes
// a whole number (Period in steps, any positive real), WallTime has gone by since
// the last time, at the start, or at the end.
type Schedule struct {
	Period   float64 // steps; 0 = never
	WallTime time.Duration
	From     int // the first step that counts
	Start    bool
	End      bool
}

// Due reports whether step n (counted from 0 at the initial state) is on the
// schedule's period.
func (s Schedule) Due(n int) bool {
	if s.Period <= 0 || n == 0 {
		return n == 0 && s.Start
	}
	return n >= s.From && s.passed(n) > s.passed(n-1)
}

// Next returns the first step after n that is Due, or a step beyond all runs.
func (s Schedule) Next(n int) int {
	if s.Period <= 0 {
		return math.MaxInt
	}
	n = max(n, s.From-1)
	if s.Period <= 1 {
		return n + 1
	}
	passed := s.passed(n)
	next := float64(passed+1) * s.Period
	if next > 2*maxSteps { // no int may hold it, and counting there by ones takes forever
		return math.MaxInt
	}
	m := max(n+1, int(next))
	// The product is rounded, and so is what passed counts.
	for m > n+1 && s.passed(m-1) > passed {
		m--
	}
	for s.passed(m) == passed {
		m++
	}
	return m
}

// Count returns the number of firings of the schedule in a run of so many steps;
// firings by wall time are unknown beforehand and left out.
func (s Schedule) Count(steps int) int {
	n := 0
	if s.Start {
		n++
	}
	if s.Period > 0 {
		n += s.periods(steps)
	}
	if s.End && steps >= s.From && (steps > 0 && !s.Due(steps) || steps == 0 && !s.Start) {
		n++
	}
	return n
}

// periods returns the number of steps from 1 to steps that are Due. A period below
// one step fires at every step, once.
func (s Schedule) periods(steps int) int {
	before := min(max(s.From-1, 0), steps)
	if s.Period <= 1 {
		return steps - before
	}
	return s.passed(steps) - s.passed(before)
}

// passed returns the number of periods over at step n. Periods that are whole
// numbers of steps in the case's units miss that by rounding.
func (s Schedule) passed(n int) int { return int(float64(n) / s.Period * (1 + 1e-12)) }
