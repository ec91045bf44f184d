// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package exit attaches lbmsim's exit codes to errors, and distinguishes errors agreed by all ranks, after which each ends
// by itself, from errors of a single rank.
package exit

import (
	"errors"
	"fmt"

	"lbmsim/comm"
)

// Exit codes of lbmsim, documented in docs/run.md.
const (
	OK       = 0
	Failure  = 1 // the machine, the files or lbmsim failed
	Usage    = 2 // the case or the command line is wrong
	Unstable = 3 // the stability watch stopped the run
	Expect   = 4 // an [expect] value was missed
	Differ   = 5 // compared outputs differ
)

// Error carries the exit code of an error known to every rank, so that all ranks end by themselves.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Code of an error; agreed reports whether every rank has one, so that no rank is left
// waiting.
func Code(err error) (code int, agreed bool) {
	switch e := err.(type) {
	case nil:
		return OK, true
	case *Error:
		return e.Code, true
	case interface{ Unwrap() []error }: // the ranks agree when they agree on every part
		agreed = true
		for _, part := range e.Unwrap() {
			c, a := Code(part)
			agreed = agreed && a
			if code == OK {
				code = c
			}
		}
		return code, agreed
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return Code(inner)
		}
	}
	return Failure, false
}

// IsAgreed reports whether an error is known to every rank, or nil.
func IsAgreed(err error) bool {
	_, agreed := Code(err)
	return agreed
}

// Agreed gives the error of a collective call its exit code when it is the error that the ranks agreed on. An error of the
// communication itself stays this rank's alone.
func Agreed(code int, err error) error {
	var f *comm.Failure
	if errors.As(err, &f) {
		return With(code, err)
	}
	return err
}

// AtStep adds its step and subject to an error of all ranks.
func AtStep(step int, what string, err error) error {
	return Agreed(Failure, placed(step, what, err))
}

// All makes an error of one rank at a step an error of all, so that every rank takes the same exit
// path. Collective.
func All(c comm.Comm, step int, what string, err error) error {
	return Agreed(Failure, comm.Agree(c, placed(step, what, err)))
}

func placed(step int, what string, err error) error {
	if err != nil {
		err = fmt.Errorf("step %d: %s: %w", step, what, err)
	}
	return err
}

// With attaches an exit code to an error of all ranks.
func With(code int, err error) error { return &Error{Code: code, Err: err} }
