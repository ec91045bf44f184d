// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/io/fields"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// counting counts the collective calls of a rank.
type counting struct {
	comm.Comm
	comm.Collective
	calls int
}

func (c *counting) Barrier() error { c.calls++; return c.Collective.Barrier() }
func (c *counting) Bcast(data []byte, root int) error {
	c.calls++
	return c.Collective.Bcast(data, root)
}
func (c *counting) MaxInt64(x []int64) error { c.calls++; return c.Collective.MaxInt64(x) }
func (c *counting) Gather(data []byte, root int) ([][]byte, error) {
	c.calls++
	return c.Collective.Gather(data, root)
}

// ones is a state that reads ones, and takes snapshots of them.
type ones struct {
	derive.State
	step                   int
	takes, broken, crowded bool
	values                 int
}

func (o *ones) Step() int { return o.step }

// onesOf adds the other methods of State.
type onesOf struct {
	State
	*ones
}

func (onesOf) Fill() error { return nil }

func (o onesOf) Snapshots() Snapshotter {
	if o.takes {
		return o.ones
	}
	return nil
}

func (o *ones) Fields(_ decomp.Box, values []float64) error {
	for i := range values {
		values[i] = 1
	}
	if o.broken {
		return errors.New("the device is gone")
	}
	return nil
}

func (o *ones) Prepare(decomp.Box) error { return nil }
func (o *ones) Await(device.Event)       {}
func (o *ones) Take(box decomp.Box) (device.Snapshot, error) {
	if o.crowded {
		return nil, errors.New("out of memory")
	}
	values := make([]float64, o.values*box.Cells())
	return shotOfOnes(values), o.Fields(box, values)
}

type shotOfOnes []float64

func (s shotOfOnes) Taken() device.Event { return nil }
func (s shotOfOnes) Close()              {}
func (s shotOfOnes) Wait() (single []float32, double []float64, err error) {
	return nil, s, nil
}

// writing lets three ranks write fields twice, and returns the errors, warnings and number of collective calls of each.
func writing(t *testing.T, more, dir string, state func(rank int) *ones) (errs [3]error, calls [3]int, warned []string) {
	t.Helper()
	c, err := config.Load("t.toml", []byte("[domain]\ncells = [8, 9]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 9\n[output]\ndir = \""+dir+"\"\n[output.fields]\nevery = 1\n"+more))
	if err != nil {
		t.Fatal(err)
	}
	err = comm.RunLocal(3, func(ranks comm.Comm) error {
		n := &counting{Comm: ranks, Collective: ranks.(comm.Collective)}
		on := rank.New(n, 1, func(f finding.Finding) { warned = append(warned, f.Text) })
		p, err := domain.New(on, c)
		if err != nil {
			return err
		}
		p.Layout = p.Plan.Layout(on.ID, 1)
		p.Cells = boundary.NewCells(p.Box.Size())
		o := state(on.ID)
		o.values = c.Spec.FieldValues()
		v := derive.View{Rank: on, Case: p.Case, Part: p, State: o}
		s := &Set{Run: &Run{Rank: on, Case: p.Case, View: v, State: onesOf{ones: o}, Files: NewFiles(v, func(string, string) {})}, missed: map[Output]bool{}}
		f := fieldOutputs(s)[0]
		for range 2 {
			o.step++
			if errs[on.ID] = f.Write(s.Run); errs[on.ID] != nil {
				break
			}
		}
		errs[on.ID] = errors.Join(errs[on.ID], s.Files.CommitAll())
		calls[on.ID] = n.calls
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return errs, calls, warned
}

// A file of fields costs three collective calls, whatever the device, and one that lies in several files costs no more.
func TestCollectiveCallsOfFields(t *testing.T) {
	for _, more := range []string{"", "files = 3\n"} {
		for _, takes := range []bool{false, true} {
			dir := t.TempDir()
			os.Mkdir(filepath.Join(dir, "fields"), 0o777)
			errs, calls, _ := writing(t, more, dir, func(int) *ones { return &ones{takes: takes} })
			s := fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}
			for rank := range 3 {
				if errs[rank] != nil || calls[rank] > 2*3 {
					t.Errorf("%q, snapshots %v: rank %d makes %d collective calls for 2 files (%v)", more, takes, rank, calls[rank], errs[rank])
				}
			}
			for step := range int64(2) {
				if err := fields.Verify(s.Path(1 + step)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Where a rank's device has no memory for snapshots, no rank takes any from then on, and the files are written.
func TestOneDeviceIsCrowded(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "fields"), 0o777)
	errs, _, warned := writing(t, "", dir, func(rank int) *ones {
		return &ones{takes: true, crowded: rank == 1}
	})
	if errs != [3]error{} || len(warned) != 1 || !strings.Contains(warned[0], "steps wait for each output of fields: rank 1: out of memory") {
		t.Errorf("%v, %q", errs, warned)
	}
	for step := range int64(2) {
		if err := fields.Verify(fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Path(1 + step)); err != nil {
			t.Error(err)
		}
	}
}

// A rank that cannot read its fields ends the run of all, also where files may be missing; one that cannot write them does not.
func TestFieldsThatFail(t *testing.T) {
	for _, broken := range []bool{true, false} {
		dir := t.TempDir()
		if broken {
			os.Mkdir(filepath.Join(dir, "fields"), 0o777)
		}
		errs, _, warned := writing(t, "[checkpoint]\n", dir+"\"\non_error = \"go_on", func(rank int) *ones { return &ones{broken: broken && rank == 2} })
		for rank, err := range errs {
			if broken && (!exit.IsAgreed(err) || !strings.Contains(fmt.Sprint(err), "reading the fields: rank 2: ")) || !broken && err != nil {
				t.Errorf("broken %v, rank %d: %v", broken, rank, err)
			}
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "fields")); len(left) > 0 || !broken && len(warned) != 2 {
			t.Errorf("broken %v: left %v, %q", broken, left, warned)
		}
	}
}
