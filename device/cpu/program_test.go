// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"lbmsim/kernels"
)

// Errors and panics of queued work arrive at Sync and Event.Wait; urgent work goes
// first; waiting for an event holds a queue back.
func TestQueues(t *testing.T) {
	d := newDevice(t, 1, kernels.ISAs()[0].String())
	defer d.Close()
	s, other := d.NewStream(false).(*stream), d.NewStream(true).(*stream)
	boom := errors.New("boom")
	var order []string
	note := func(name string, wait time.Duration) *operation {
		return &operation{tasks: []task{func(*worker) error {
			time.Sleep(wait)
			order = append(order, name)
			return nil
		}}}
	}
	d.pool.push(s, note("bulk 1", 20*time.Millisecond))
	d.pool.push(s, note("bulk 2", 0))
	d.pool.push(other, note("edge", 0))
	e := s.Record()
	other.After(e)
	d.pool.push(other, note("last", 0))
	if err := other.Sync(); err != nil || !e.Done() {
		t.Error(err, e.Done())
	}
	if got := fmt.Sprint(order); got != "[bulk 1 edge bulk 2 last]" && got != "[edge bulk 1 bulk 2 last]" {
		t.Error(got)
	}
	s.fail(boom)
	if err := s.Record().Wait(); !errors.Is(err, boom) {
		t.Errorf("the event after an error says %v", err)
	}
	if err := s.Sync(); !errors.Is(err, boom) {
		t.Errorf("Sync says %v", err)
	}
	p := d.NewStream(false).(*stream)
	d.pool.push(p, &operation{tasks: []task{func(*worker) error { panic("oops") }}})
	if err := p.Sync(); err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("a panic arrives as %v", err)
	}
}

// Kernels must not contain fused multiply-adds: results would depend on the instruction set.
func TestNoContraction(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed, so the machine code cannot be searched")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip("this system does not show the test's own machine code: ", err)
	}
	search := objdump + " -d --no-show-raw-insn " + self + " | grep -oE 'vfn?m(add|sub)[0-9]*p[sd]'"
	out, err := exec.Command("sh", "-c", search+" || true").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Averages fuse on purpose, in double precision, as on GPUs (kernels/cpu/statistics.h): with 11 such instructions for
	// each instruction set that has them. A compiler that contracts gives thousands.
	found := strings.Fields(string(out))
	single := slices.ContainsFunc(found, func(name string) bool { return strings.HasSuffix(name, "ps") })
	if len(found) > 50 || single {
		t.Errorf("%d fused instructions in the kernels, of single precision: %v", len(found), single)
	}
}

// This many threads would abort the Go runtime.
func TestThreadsAreBounded(t *testing.T) {
	for _, n := range []int{-1, mostThreads + 1, 1_000_000} {
		if d, err := New(n); err == nil {
			d.Close()
			t.Errorf("%d threads were started", n)
		}
	}
}
