// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package status

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// Standing returns the state of a run as far as this process can know it: its phase, or why its last report is outdated; bad
// where a running run is dead, silent or cannot be judged. lock is the file by which it locks its folder. On the run's own host
// the lock and the process count, elsewhere the time of its last report.
func (s State) Standing(lock string, now time.Time) (text string, bad bool) {
	if s.Phase != Running {
		return string(s.Phase), s.Phase == Failed
	}
	host, _ := os.Hostname()
	here := host == s.Host
	late, ahead := s.Silent(now), s.Updated.Sub(now)
	switch {
	case here && !held(lock) && !exists(s.Process):
		return fmt.Sprintf("killed: process %d is gone, its last word is of %s ago", s.Process, max(0, -ahead).Round(time.Second)), true
	case ahead > mostAhead && !here:
		return fmt.Sprintf("unknown: its last word is of a time %s ahead of this machine's clock", ahead.Round(time.Second)), true
	case late > 0:
		return fmt.Sprintf("silent for %s: killed, or its machine or disk hangs", late.Round(time.Second)), true
	}
	return string(s.Phase), false
}

// mostAhead is the largest tolerated difference between the clocks of machines.
const mostAhead = 10 * time.Second

// exists reports whether a process of this machine exists and has memory: a killed one has none.
func exists(process int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process))
	return !errors.Is(err, fs.ErrNotExist) && (err != nil || len(line) > 0)
}

// held reports whether a process of this machine has locked a file. It reads the system's list: trying the lock would keep out a run
// that is just starting.
func held(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	f, err := os.Open("/proc/locks")
	if err != nil || !ok {
		return false
	}
	defer f.Close()
	inode := fmt.Sprintf(":%d", st.Ino)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// "1: FLOCK ADVISORY WRITE 708 fd:01:1234 0 EOF"
		if words := strings.Fields(lines.Text()); len(words) > 5 && words[1] != "->" && strings.HasSuffix(words[5], inode) {
			return true
		}
	}
	return false
}
