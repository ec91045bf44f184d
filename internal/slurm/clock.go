// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package slurm

import (
	"errors"
	"sync/atomic"
	"time"
)

// Clock knows the end of a job's time, and follows changes while the job
// runs (scontrol update).
type Clock struct {
	end  atomic.Int64 // Unix seconds; 0: not known, or no limit
	stop chan struct{}
}

// Follow starts queries of the end, in a goroutine: no answer is not an error. Where the
// environment does not give the end, it queries once before it returns: a run should not begin
// when its time is over.
func (j Job) Follow() *Clock {
	c := j.clock()
	var err error
	if c.End().IsZero() {
		err = c.ask(j.Ask)
	}
	go c.follow(j.Ask, err)
	return c
}

// clock returns the end in the environment, which may be the end of a job that is over, in a
// shell that is not.
func (j Job) clock() *Clock {
	c := &Clock{stop: make(chan struct{})}
	if time.Now().Before(j.end) {
		c.end.Store(j.end.Unix())
	}
	return c
}

// The time until the next query: short before the end, which may have been
// moved, and long while it is far, since many jobs query one controller.
const (
	askSoon   = 30 * time.Second
	askSeldom = 5 * time.Minute
)

// follow queries until the clock is closed; err is of the last query.
func (c *Clock) follow(ask func() (State, error), err error) {
	wait := askSoon
	for !errors.Is(err, ErrNoScontrol) {
		switch end := c.End(); {
		case !end.IsZero():
			wait = min(max(time.Until(end)/2, askSoon), askSeldom)
		case err != nil:
			wait = min(2*wait, askSeldom)
		default:
			wait = askSeldom
		}
		select {
		case <-c.stop:
			return
		case <-time.After(wait):
		}
		err = c.ask(ask)
	}
}

// ask queries once.
func (c *Clock) ask(ask func() (State, error)) error {
	s, err := ask()
	if err != nil || s.Name != "RUNNING" { // only of a job that runs is the end ahead
		return err
	}
	end := int64(0)
	if !s.End.IsZero() {
		end = s.End.Unix()
	}
	c.end.Store(end)
	return nil
}

// End returns the time at which the job ends; zero if it is unknown, or never.
func (c *Clock) End() time.Time {
	if end := c.end.Load(); end != 0 {
		return time.Unix(end, 0)
	}
	return time.Time{}
}

// Close ends the queries.
func (c *Clock) Close() { close(c.stop) }
