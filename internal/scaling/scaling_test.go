// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package scaling

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/model"
	"lbmsim/sim"
)

// measure lets ranks of one process measure; change may replace a rank's device.
func measure(t *testing.T, ranks int, counts []int, change func(rank int, d device.Device) device.Device, do func(*Measurement) error) (rows []Row, said []error) {
	t.Helper()
	said = make([]error, ranks)
	err := comm.RunLocal(ranks, func(c comm.Comm) error {
		own, err := cpu.New(1)
		if err != nil {
			return err
		}
		defer own.Close()
		var d device.Device = own
		if change != nil {
			d = change(c.Rank(), own)
		}
		m, err := New(Options{
			Comm: c, Device: d, Threads: 1, Version: "test", Model: "regularized", Precision: "float32",
			Ranks: counts, Transports: []string{Auto}, Rounds: 3, Steps: 4, Done: func(r Row) { rows = append(rows, r) },
		})
		if err == nil {
			defer m.Close()
			err = do(m)
		}
		said[c.Rank()] = err
		if _, agreed := sim.ExitCode(err); agreed {
			return comm.Barrier(c)
		}
		return err
	})
	if err != nil {
		t.Logf("ended by %v", err)
	}
	return rows, said
}

func TestScale(t *testing.T) {
	n := [3]int{24, 20, 18}
	rows, said := measure(t, 4, Counts(3), nil, func(m *Measurement) error {
		return errors.Join(m.Scale(Weak, n), m.Scale(Strong, n))
	})
	for rank, err := range said {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.Kind, " ", r.Ranks, r.Size, r.Nodes, r.TurnsMeasured, r.Steps))
		alone := r.Ranks == 1
		rate := count(r.Size) / r.Step / 1e6
		if r.Skipped != "" || !(r.Low <= r.MLUPS && r.MLUPS <= r.High) || r.MLUPS <= 0 || rate < 0.99*r.Low || rate > 1.01*r.High {
			t.Errorf("speed: %+v", r)
		}
		if r.EffLow > r.Efficiency || r.Efficiency > r.EffHigh || alone && r.Efficiency != 1 || !alone && r.Efficiency <= 0 {
			t.Errorf("efficiency: %+v", r)
		}
		if r.Compute <= 0 || r.Compute > count(r.Size)/r.Low/1e6 || (r.Bytes > 0) == alone || (r.Verified != "") == alone {
			t.Errorf("parts: %+v", r)
		}
	}
	want := []string{
		"weak 2 [24 20 36] 1 3 4", "weak 3 [24 20 54] 1 3 4", "weak 1 [24 20 18] 1 6 4",
		"strong 2 [24 20 18] 1 3 4", "strong 3 [24 20 18] 1 3 4", "strong 1 [24 20 18] 1 6 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%q, want\n%q", got, want)
	}
	// The same states are compared by their hashes, however they are cut.
	if rows[0].Verified == rows[1].Verified {
		t.Errorf("states of different sizes have one hash %s", rows[0].Verified)
	}
	if len(rows) == 6 && rows[0].Verified != rows[3].Verified {
		t.Errorf("the same thin boxes have hashes %s and %s", rows[0].Verified, rows[3].Verified)
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{1: "[]", 2: "[2]", 3: "[2 3]", 6: "[2 4 6]", 8: "[2 4 8]"} {
		if got := fmt.Sprint(Counts(n)); got != want {
			t.Errorf("%d ranks: %s, want %s", n, got, want)
		}
	}
}

// sloppy computes one cell of its range too little where the range is one plane.
type sloppy struct {
	device.Device
	here bool
}
type sloppyProgram struct {
	device.Program
	here bool
}

func (d sloppy) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := d.Device.Load(s, l, periodic, cells)
	return sloppyProgram{p, d.here}, err
}

func (p sloppyProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	if p.here && box.Hi[2]-box.Lo[2] == 1 {
		box.Lo[1]++
	}
	p.Program.Step(s, in, out, box, q)
}

// Ranks with wrong results are not timed, and every rank knows it, those
// without a part in the work as well.
func TestWrongStatesAreNotTimed(t *testing.T) {
	rows, said := measure(t, 3, []int{2}, func(rank int, d device.Device) device.Device {
		return sloppy{d, rank == 1}
	}, func(m *Measurement) error { return m.Scale(Strong, [3]int{16, 12, 12}) })
	for rank, err := range said {
		if err == nil || !strings.Contains(err.Error(), "2 ranks (transport auto) do not reproduce the state of one rank") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if len(rows) > 0 {
		t.Errorf("rows: %+v", rows)
	}
}

// small is a device with little memory.
type small struct {
	device.Device
	most int
}

func (d small) Alloc(bytes int) (device.Buffer, error) {
	if bytes > d.most {
		return nil, errors.New("out of memory")
	}
	return d.Device.Alloc(bytes)
}

// A case that does not fit is reported and omitted.
func TestTooLarge(t *testing.T) {
	rows, said := measure(t, 3, []int{2, 3}, func(rank int, d device.Device) device.Device {
		return small{d, 32 * 20 * 20 * 10 * 4}
	}, func(m *Measurement) error {
		for _, n := range [][3]int{{16, 20, 40}, {16, 20, 16}, {16, 18, 2}} {
			if err := m.Scale(Strong, n); err != nil {
				return err
			}
		}
		return nil
	})
	for rank, err := range said {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%d %v %q", r.Ranks, r.Size, r.Skipped))
	}
	want := []string{
		`1 [16 20 40] "step 0: setting up: 1 MiB for the state: out of memory"`,
		`2 [16 20 16] ""`, `3 [16 20 16] ""`, `1 [16 20 16] ""`,
		`2 [16 18 2] ""`, `3 [16 18 2] ""`, `1 [16 18 2] ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// group notes when it is freed.
type group struct {
	comm.Comm
	n     int
	freed *[]int
}

func (g group) Finalize() { *g.freed = append(*g.freed, g.n) }

// Freeing a group is collective, and a map's order differs between ranks.
func TestGroupsAreFreedInOneOrder(t *testing.T) {
	for range 20 {
		var freed []int
		m := &Measurement{groups: map[int]comm.Comm{16: nil}}
		for _, n := range []int{8, 1, 4, 2} {
			m.groups[n] = group{n: n, freed: &freed}
		}
		if m.Close(); !slices.Equal(freed, []int{1, 2, 4, 8}) {
			t.Fatalf("groups are freed in the order %v", freed)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, counts := range [][]int{nil, {1}, {3, 2}, {2, 2}, {2, 4}} {
		_, said := measure(t, 3, counts, nil, func(*Measurement) error { return nil })
		for rank, err := range said {
			if code, agreed := sim.ExitCode(err); err == nil || code != sim.ExitUsage || !agreed {
				t.Errorf("%v on rank %d: %v", counts, rank, err)
			}
		}
	}
}
