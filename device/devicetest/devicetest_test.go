// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/device/devicetest"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// The suite must find faults: each of these devices has one fault, and the named test has to fail.

// faulty is the CPU with a fault of one name.
type faulty struct {
	device.Device
	fault string
}

type faultyProgram struct {
	device.Program
	fault  string
	layout decomp.Layout
}

type faultyStream struct {
	device.Stream
	fault string
}

func (d faulty) Alloc(bytes int) (device.Buffer, error) {
	b, err := d.Device.Alloc(bytes)
	if err == nil && d.fault == "memory is not cleared" && bytes > 0 {
		err = b.Write([]byte{1}, bytes-1)
	}
	return b, err
}

func (d faulty) NewStream(urgent bool) device.Stream {
	return faultyStream{d.Device.NewStream(urgent), d.fault}
}

func (d faulty) Load(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := d.Device.Load(spec, l, periodic, cells)
	if err != nil {
		return nil, err
	}
	return faultyProgram{p, d.fault, l}, nil
}

func (s faultyStream) Copy(dst device.Buffer, dstOffset int, src device.Buffer, srcOffset, bytes int) {
	if s.fault == "copies end early" && bytes > 100000 {
		bytes--
	}
	s.Stream.Copy(dst, dstOffset, src, srcOffset, bytes)
}

func (s faultyStream) After(e device.Event) {
	if s.fault != "streams do not wait" {
		s.Stream.After(e)
	}
}

func (p faultyProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	switch {
	case p.fault == "a row is left out" && box.Hi[1] == p.layout.N[1] && box.Hi[1]-box.Lo[1] > 16:
		box.Hi[1]--
	case p.fault == "a step takes the whole box":
		box = decomp.Box{Hi: p.layout.N}
	case p.fault == "the cut is seen" && p.layout.N[p.layout.Axis()] == 1:
		q.Omega *= 1 + 4e-16
	case p.fault == "the force is forgotten":
		q.Force = [3]float64{}
	case p.fault == "too viscous":
		q.Omega *= 1 - 1e-6
	case p.fault == "nothing is refused" && in == out:
		return
	}
	p.Program.Step(s.(faultyStream).Stream, in, out, box, q)
}

func (p faultyProgram) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	p.Program.FillFaces(s.(faultyStream).Stream, state, exchanged)
}

func (p faultyProgram) Fields(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	err := p.Program.Fields(state, box, fields, q)
	if p.fault == "fields are rounded" {
		for i, v := range fields {
			fields[i] = float64(float32(v))
		}
	}
	return err
}

func (p faultyProgram) Planes(state device.Buffer, q model.Params) ([]device.Plane, error) {
	planes, err := p.Program.Planes(state, q)
	for i := range planes {
		switch p.fault {
		case "the next of equals":
			if planes[i].MaxSpeed < 1e-9 || planes[i].MaxSpeed > 0.015 && planes[i].MaxSpeed < 0.016 {
				planes[i].MaxAt[0]++
			}
		case "the first bad cell is missed":
			planes[i].BadAt[0]++
		}
	}
	return planes, err
}

// faults and the test that has to find each one.
var faults = map[string]string{
	"a row is left out":            "Oracle",
	"the force is forgotten":       "Oracle",
	"too viscous":                  "WallLaw",
	"the cut is seen":              "Cuts",
	"a step takes the whole box":   "Ranges",
	"fields are rounded":           "InitFields",
	"the next of equals":           "FirstOfEquals",
	"the first bad cell is missed": "Planes",
	"memory is not cleared":        "Memory",
	"copies end early":             "Memory",
	"streams do not wait":          "Streams",
	"nothing is refused":           "Refusals",
}

const child = "LBMSIM_TEST_FAULT"

func TestFaultsAreFound(t *testing.T) {
	if fault := os.Getenv(child); fault != "" { // this is the child process with the fault
		devicetest.Run(t, func(t testing.TB) device.Device {
			d, err := cpu.New(2)
			if err != nil {
				t.Fatal(err)
			}
			return faulty{d, fault}
		}, devicetest.Options{Precisions: []model.Precision{model.Float32, model.Float64}})
		return
	}
	run := func(fault, test string) (passed bool, out []byte) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFaultsAreFound$/^"+test+"$", "-test.v", "-test.short")
		cmd.Env = append(os.Environ(), child+"="+fault)
		out, err := cmd.CombinedOutput()
		return err == nil, out
	}
	brief.Fewer(t, "faults")
	seen := map[string]bool{}
	for k, fault := range slices.Sorted(maps.Keys(faults)) {
		if testing.Short() && k%2 == 1 {
			continue
		}
		test := faults[fault]
		t.Run(fault, func(t *testing.T) {
			if !seen[test] {
				seen[test] = true
				if passed, out := run("none", test); !passed {
					t.Fatalf("%s fails without a fault:\n%s", test, out)
				}
			}
			passed, out := run(fault, test)
			if passed || !regexp.MustCompile(`(?m)^    --- FAIL: TestFaultsAreFound/`+test).Match(out) {
				t.Errorf("%s does not find it:\n%s", test, out)
			}
		})
	}
}
