// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"syscall"
	"time"
)

// precise makes this thread's sleeps end on time: by default the kernel adds up to 50 us to each,
// several times what a small exchange takes.
func precise() {
	const setTimerSlack = 29 // PR_SET_TIMERSLACK, prctl(2); 1 ns is the least
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
}

// sleep for tens of microseconds: time.Sleep rounds up to a millisecond when no
// goroutine is running (golang.org/issue/44343). A signal ends it early, which is harmless.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
