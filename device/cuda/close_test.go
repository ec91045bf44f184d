// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"strings"
	"testing"
	"time"

	"gorgonia.org/cu"
)

// Calls after Close return an error without an endless wait. A device without a GPU suffices: its
// calls fail.
func TestClosed(t *testing.T) {
	d := &Device{gpu: cu.Device(-1), lanes: make(chan *lane, laneCount)}
	for range laneCount {
		d.lanes <- &lane{d: d}
	}
	d.copies = d.newStream(false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.Close(); err == nil {
			t.Error("closed a GPU that is not there")
		}
		if err := d.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
		b := &buffer{d: d, at: 1 << 20, bytes: 8}
		if err := b.Read(make([]byte, 8), 0); err == nil || !strings.Contains(err.Error(), "the device is closed") {
			t.Errorf("reading from a closed device: %v", err)
		}
		if err := d.NewStream(false).Record().Wait(); err == nil || !strings.Contains(err.Error(), "the device is closed") {
			t.Errorf("waiting for a closed device: %v", err)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a call after Close does not come back")
	}
}
