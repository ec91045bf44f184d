package halo

import (
	"syscall"
	"time"
)

// sleep for tens of microseconds: time.Sleep rounds up to a millisecond when no
// goroutine is running (golang.org/issue/44343). A signal ends it early, which
// does no harm.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
