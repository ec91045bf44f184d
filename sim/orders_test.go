// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lbmsim/sim/output"
)

// endless returns a run that ends on an order.
func endless(checkpoint string) string {
	return withPoint(variety["closed box"] + `
[collision]
model = "bgk"
precision = "float64"
[run]
steps = 2000000000
[output.probe.middle]
at = POINT
every = 1000000
` + checkpoint)
}

func put(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Error(err)
	}
}

// await waits until there is a file of such a name.
func await(pattern string) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return
		}
	}
}

// Orders left over from an ended run do not end the next one.
func TestOldOrdersAreRemoved(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, StopFile))
	put(t, filepath.Join(dir, SaveFile))
	s := trial{text: withPoint(variety["closed box"] + ending("bgk", "float64", 20)), ranks: 2, dir: dir}.must(t)
	warned := strings.Join(s.warned, "\n")
	if s.summary.Reason != allDone || !strings.Contains(warned, StopFile+" was in "+dir) || !strings.Contains(warned, SaveFile+" was in "+dir) {
		t.Errorf("ended for %q, warned %q", s.summary.Reason, s.warned)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.now")); err != nil || len(left) > 0 {
		t.Errorf("orders are left: %v %v", left, err)
	}
}

// A run writes a checkpoint and continues, then ends, as ordered.
func TestOrders(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, output.CheckpointDir, "*")
	go func() {
		await(filepath.Join(dir, "probe_middle.csv")) // the run has begun
		put(t, filepath.Join(dir, SaveFile))
		await(saved)
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless("[checkpoint]\nevery = 1000000000\nkeep = 5\n"), ranks: 2, dir: dir}.must(t)
	if s.summary.Reason != ordered || s.summary.Last < 1 {
		t.Errorf("the run ended for %q at step %d", s.summary.Reason, s.summary.Last)
	}
	if found, err := filepath.Glob(saved); err != nil || len(found) != 2 {
		t.Errorf("checkpoints %v, want one that was asked for and one of the end (%v)", found, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.now")); err != nil || len(left) > 0 {
		t.Errorf("orders are left: %v %v", left, err)
	}
}

// Pictures are written on an order, all at the same step, and only on an order here.
func TestPicturesOnOrder(t *testing.T) {
	dir := t.TempDir()
	pictures := filepath.Join(dir, "*.png")
	go func() {
		await(filepath.Join(dir, "probe_middle.csv"))
		put(t, filepath.Join(dir, DrawFile))
		await(filepath.Join(dir, "b_*.png"))
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless("[output.picture.a]\nat_end = false\nevery = 1000000000\n[output.picture.b]\nfield = \"density\"\nat_end = false\nevery = 1000000000\n"), ranks: 2, dir: dir}.must(t)
	found, err := filepath.Glob(pictures)
	if err != nil || s.summary.Reason != ordered || len(found) != 2 || found[0][len(found[0])-14:] != found[1][len(found[1])-14:] {
		t.Errorf("the run ended for %q with %v (%v)", s.summary.Reason, found, err)
	}
}

func TestOrderThatCannotBeObeyed(t *testing.T) {
	dir := t.TempDir()
	go func() {
		await(filepath.Join(dir, "probe_middle.csv"))
		put(t, filepath.Join(dir, SaveFile))
		put(t, filepath.Join(dir, DrawFile))
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless(""), ranks: 1, dir: dir}.must(t)
	warned := strings.Join(s.warned, "\n")
	if s.summary.Reason != ordered || !strings.Contains(warned, "no [checkpoint]") || !strings.Contains(warned, "no [output.picture]") {
		t.Errorf("%q, warned %q", s.summary.Reason, s.warned)
	}
}

// script is a source that returns one order after the other at each poll.
type script struct{ asked int }

func (s *script) Take() Order {
	s.asked++
	return Order{Stop: s.asked == 3, Save: s.asked == 2}
}

// A source of the caller is used in addition to the folder: all ranks write a checkpoint, then end.
func TestOrdersOfACaller(t *testing.T) {
	dir := t.TempDir()
	source := &script{}
	s := trial{text: endless("[checkpoint]\nevery = 1000000000\nkeep = 5\n"), ranks: 2, dir: dir, orders: []Orders{source}}.must(t)
	if s.summary.Reason != ordered || source.asked != 3 {
		t.Errorf("the run ended for %q after %d questions", s.summary.Reason, source.asked)
	}
	if found, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*")); err != nil || len(found) != 2 {
		t.Errorf("checkpoints %v, want one that was asked for and one of the end (%v)", found, err)
	}
}
