// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package allowance bounds the share of a run's time that secondary work takes: a share of all time, of which some may be saved up, so
// that the first pieces of work after a pause start at once.
package allowance

import "time"

// Allowance is an account of time. It begins full.
type Allowance struct {
	share int           // one part of so many of the time
	most  time.Duration // that may be saved up
	left  time.Duration
	at    time.Time
}

// New returns an account that receives one part of `share` of the time from now on, up to `most`.
func New(share int, most time.Duration, now time.Time) *Allowance {
	return &Allowance{share, most, most, now}
}

// Left reports whether there is time left to spend.
func (a *Allowance) Left(now time.Time) bool {
	a.left = min(a.left+now.Sub(a.at)/time.Duration(a.share), a.most)
	a.at = now
	return a.left > 0
}

// Spend takes time from the account, which may be overdrawn: the cost of a piece of work is known afterwards.
func (a *Allowance) Spend(took time.Duration) { a.left -= took }
