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
// terminal's foreground, since a change of its settings stops any other. Multiplexers answer for themselves.
func Asked(tty *os.File) Method {
	fd := int(tty.Fd())
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return None
	}
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return None
	}
	silent := *before
	silent.Lflag &^= unix.ICANON | unix.ECHO // the answer is read as it comes and not shown
	silent.Cc[unix.VMIN], silent.Cc[unix.VTIME] = 0, 0
	if unix.IoctlSetTermios(fd, unix.TCSETS, &silent) != nil {
		return None
	}
	defer func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, before) }()
	if _, err := tty.WriteString("\x1b[c"); err != nil {
		return None
	}
	return answer(fd)
}

// answer reads what is typed, up to the attributes.
func answer(fd int) Method {
	var text []byte
	piece := make([]byte, 256)
	for end := time.Now().Add(answerWithin); time.Now().Before(end); {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, 100); err == unix.EINTR || err == nil && n == 0 {
			continue
		}
		n, err := unix.Read(fd, piece)
		if err != nil || n == 0 { // the terminal is gone, or closed to readers
			return None
		}
		text = append(text, piece[:n]...)
		if found := attributes.FindSubmatch(text); found != nil {
			if slices.Contains(strings.Split(string(found[1]), ";"), sixelAttribute) {
				return Sixel
			}
			return None
		}
	}
	return None
}
