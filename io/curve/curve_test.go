// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package curve

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCurve(t *testing.T) {
	for name, text := range map[string]string{
		"with names":     "# measured\ntime, factor\n0, 1\n2,3\r\n 4 ,2\n",
		"without":        "0,1\n2,3\n4,2",
		"with a comment": "0,1\n# in the middle\n\n2,3\n4,2\n",
	} {
		c, err := Parse("flow.csv", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for x, want := range map[float64]float64{-1: 1, 0: 1, 0.5: 1.5, 2: 3, 3: 2.5, 4: 2, 9: 2} {
			if got := c.At(x); got != want {
				t.Errorf("%s: %v at %v, want %v", name, got, x, want)
			}
		}
		if lo, hi := c.Range(); lo != 1 || hi != 3 {
			t.Errorf("%s: from %v to %v", name, lo, hi)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "flow.csv has no numbers",
		"time,factor\n":        "flow.csv has no numbers",
		"time,factor\nt,f\n":   `flow.csv:2: "t" is not a number`,
		"0,1\n1,2,3\n":         "flow.csv:2: expected two comma-separated columns, got 3",
		"0,1\n\n# x\n1,fast\n": `flow.csv:4: "fast" is not a number`,
		"0,1\n2,1\n2,3\n":      "flow.csv:3: 2 does not increase from 2",
		"0,inf\n":              `flow.csv:1: "inf" is not a number`,
		"0,1\n1,\"2\n":         `flow.csv:2: extraneous or missing " in quoted-field`,
		"0,1\n1,1_0\n":         `flow.csv:2: "1_0" is not a number`,
		"0,1\n0x10,2\n":        `flow.csv:2: "0x10" is not a number`,
		"0;1\n":                "flow.csv:1: expected two comma-separated columns, got 1 (columns need a comma between them, numbers a decimal point)",
	} {
		_, err := Parse("flow.csv", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	data, sum, err := Read(path)
	if err != nil || string(data) != "abc" || sum != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("%q, %s, %v", data, sum, err)
	}
	if _, _, err := Read(path + "x"); err == nil {
		t.Error("a file that is not there was read")
	}
}

// A period repeats on both sides, to the bit.
func TestCycle(t *testing.T) {
	c := Curve{X: []float64{1, 2, 5}, Y: []float64{3, 7, 3}}
	for _, x := range []float64{1, 1.25, 2, 3, 4.75} {
		for _, turns := range []float64{-3, -1, 0, 1, 250} {
			if got, want := c.Cycle(x+4*turns), c.At(x); got != want {
				t.Errorf("at %g, %g periods later: %g, want %g", x, turns, got, want)
			}
		}
	}
	if err := c.Closes("c"); err != nil {
		t.Error(err)
	}
	for _, bad := range []Curve{{X: []float64{1}, Y: []float64{2}}, {X: []float64{1, 2}, Y: []float64{2, 3}}} {
		if bad.Closes("c") == nil {
			t.Errorf("%v closes", bad)
		}
	}
}
