// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO is refused at once; opening it would wait for a writer.
func TestFIFOIsNoCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("open: %v", err)
	}
	if err := Look(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("look: %v", err)
	}
}
