// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// watched reports whether a terminal shows the output. Open MPI's launcher gives every rank a
// terminal of zero size, wherever the output goes: then the launcher's own output decides.
func watched(out *os.File) bool {
	size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return false
	}
	if size.Col > 0 {
		return true
	}
	launcher, err := os.Open(fmt.Sprintf("/proc/%d/fd/1", os.Getppid()))
	if err != nil {
		return false
	}
	defer launcher.Close()
	_, err = unix.IoctlGetWinsize(int(launcher.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// columns returns the width of a terminal; a launcher's terminal has no width.
func columns(terminal *os.File) int {
	if size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		return int(size.Col)
	}
	return 80
}
