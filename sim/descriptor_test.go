// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// replaceDescriptor replaces this process's open file by another one, as if its disk had changed.
func replaceDescriptor(t *testing.T, path string, by *os.File) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		var fd int
		target, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil && target == path {
			if err := unix.Dup3(int(by.Fd()), fd, unix.O_CLOEXEC); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("%s is not open", path)
}
