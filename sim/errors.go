package sim

import (
	"errors"

	"lbmsim/comm"
)

// Exit codes of the program, documented in the README.
const (
	ExitOK       = 0
	ExitFailure  = 1 // the machine, the files or the program failed
	ExitUsage    = 2 // the case or the command line is wrong
	ExitUnstable = 3 // the stability watch stopped the run
	ExitExpect   = 4 // an [expect] value was missed
	ExitDiffer   = 5 // outputs that were compared are not the same
)

// Error carries the exit code of an error that every rank knows of, so that all
// ranks end by themselves.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// ExitCode of an error returned by Run; agreed says whether every rank returns
// one, so that no rank is left waiting.
func ExitCode(err error) (code int, agreed bool) {
	switch e := err.(type) {
	case nil:
		return ExitOK, true
	case *Error:
		return e.Code, true
	case interface{ Unwrap() []error }: // the ranks agree when they agree on every part
		agreed = true
		for _, part := range e.Unwrap() {
			c, a := ExitCode(part)
			agreed = agreed && a
			if code == ExitOK {
				code = c
			}
		}
		return code, agreed
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return ExitCode(inner)
		}
	}
	return ExitFailure, false
}

// Agreed gives the error of a collective call its exit code when it is the one
// that the ranks agreed on. An error of the communication itself stays this
// rank's alone.
func Agreed(code int, err error) error {
	var f *comm.Failure
	if errors.As(err, &f) {
		return &Error{code, err}
	}
	return err
}
