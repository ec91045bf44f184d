// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/config"
	"lbmsim/io/picture"
)

// Request is a picture of the present state that a viewer requests: a Slice or an Orbit. Requests are compared with ==.
type Request interface {
	// Check explains why a case has no such picture.
	Check(*config.Case) error
	// Code packs the request into two non-negative numbers, by which all ranks receive it.
	Code() [2]int64
	// Budget returns the account that pays for the picture.
	Budget() Budget
	// show computes the picture, on rank 0. Collective.
	show(*Set) (Painter, error)
}

// Painter paints the data of a request while the steps continue.
type Painter interface {
	Bare() (picture.Bare, error)
}

// Budget is an account of time for pictures of one kind.
type Budget int

// The accounts: views that follow a camera while it turns do not use up what views at rest may cost, and slices are apart from both.
const (
	Slices Budget = iota
	Views
	Turns
	Budgets int = iota
)

// The first number of a code: its highest bits are the kind of the request. Forget, which is not a request, frees the fields that
// turning views keep.
const (
	sliceCode = 1 << 62
	orbitCode = 1 << 61
	Forget    = 1 << 60
)

// RequestOf returns the request of a code.
func RequestOf(code [2]int64) Request {
	if code[0]&sliceCode != 0 {
		return sliceOf(code[0])
	}
	return orbitOf(code)
}

// Show returns what a code requests of the present state, on rank 0. Collective.
func Show(s *Set, code [2]int64) (Painter, error) {
	if code[0] == Forget {
		thaw(s)
		return nil, nil
	}
	return RequestOf(code).show(s)
}
