// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package handlers

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func TestRestore(t *testing.T) {
	h := Save()
	if n := h.Changed(); n != 0 {
		t.Fatalf("%d handlers have changed at once", n)
	}
	signal.Ignore(syscall.SIGUSR2) // changes the handler of the process
	defer signal.Reset(syscall.SIGUSR2)
	if n := h.Changed(); n != 1 {
		t.Fatalf("%d handlers have changed, want 1", n)
	}
	h.During(func() {
		if h.Restore(); h.Changed() != 0 {
			t.Error("not put back")
		}
		signal.Ignore(syscall.SIGUSR2)
	})
	if n := h.Changed(); n != 0 {
		t.Errorf("%d handlers have changed after During", n)
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1)
	defer signal.Stop(got)
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	<-got
}
