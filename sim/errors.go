package sim

import "errors"

// Exit codes of the program, documented in the README.
const (
	ExitOK       = 0
	ExitFailure  = 1 // the machine, the files or the program failed
	ExitUsage    = 2 // the case or the command line is wrong
	ExitUnstable = 3 // the stability watch stopped the run
	ExitExpect   = 4 // an [expect] value was missed
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
	var e *Error
	if err == nil {
		return ExitOK, true
	}
	if errors.As(err, &e) {
		return e.Code, true
	}
	return ExitFailure, false
}
