// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package terminal

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// answerWithin limits the wait for an answer, which over ssh takes a round trip. It is long, since the shell would read a later answer as
// typed text.
const answerWithin = 2 * time.Second

// attributes is a terminal's answer to the request for its primary device attributes: DEC, VT330/VT340 Programmer Reference Manual,
// volume 1, chapter 4.
var attributes = regexp.MustCompile("\x1b\\[\\?([0-9;]*)c")

// sixelAttribute is the attribute of terminals that show sixel.
const sixelAttribute = "4"

// Asked asks a terminal whether it shows sixel, and returns None where it does not, or cannot be asked: the process must be in the
// terminal's foreground, since a change of its settings stops any other. Multiplexers answer for themselves. Text that is typed meanwhile is
// lost; Ctrl-C interrupts the process once the settings are restored.
func Asked(tty *os.File) Method {
	fd := int(tty.Fd())
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return None
	}
	if mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || mode&unix.O_ACCMODE != unix.O_RDWR {
		return None // its answer would be read by the shell
	}
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return None
	}
	silent := *before
	silent.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG // the answer is read as it comes and not shown, and so is Ctrl-C
	silent.Cc[unix.VMIN], silent.Cc[unix.VTIME] = 0, 0
	if unix.IoctlSetTermios(fd, unix.TCSETS, &silent) != nil {
		return None
	}
	found, interrupted := None, false
	if _, err := tty.WriteString("\x1b[c"); err == nil {
		found, interrupted = answer(fd)
	}
	_ = unix.IoctlSetTermios(fd, unix.TCSETS, before)
	if interrupted {
		_ = unix.Kill(unix.Getpid(), unix.SIGINT)
	}
	return found
}

// interrupt is what Ctrl-C types.
const interrupt = 3

// answer reads what is typed, up to the attributes or Ctrl-C.
func answer(fd int) (found Method, interrupted bool) {
	var text []byte
	piece := make([]byte, 256)
	for end := time.Now().Add(answerWithin); time.Now().Before(end); {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, 100); err == unix.EINTR || err == nil && n == 0 {
			continue
		}
		n, err := unix.Read(fd, piece)
		if err != nil || n == 0 { // the terminal is gone, or closed to readers
			return None, false
		}
		text = append(text, piece[:n]...)
		if slices.Contains(piece[:n], interrupt) {
			return None, true
		}
		if parts := attributes.FindSubmatch(text); parts != nil {
			if slices.Contains(strings.Split(string(parts[1]), ";"), sixelAttribute) {
				return Sixel, false
			}
			return None, false
		}
	}
	return None, false
}
