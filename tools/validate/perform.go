// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"lbmsim/internal/harness"
)

// check is one number beside what it should be.
type check struct {
	What      string
	Got, Want number
	Tolerance number // absolute
	OK        bool
	Free      bool `json:",omitempty"` // reported, without a tolerance
}

type number = harness.Number

// outcome is the result of an entry.
type outcome struct {
	ID      string
	Command string
	Version string
	Device  string
	Ranks   int
	Cells   [3]int // of the finest grid
	Steps   int
	Seconds float64
	Checks  []check
	Curves  []curve `json:",omitempty"`
	Lines   []line  `json:",omitempty"`
}

// line of a figure of the section.
type line struct {
	Figure string
	X, Y   []float64
}

// curve is the result of a study, to be drawn.
type curve struct {
	Name  string
	Cells []float64
	Error []number
}

func (o outcome) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%.3g s): %s", o.ID, o.Seconds, o.Command)
	for _, c := range o.Checks {
		mark := "ok    "
		switch {
		case !c.OK:
			mark = "MISSED"
		case c.Free:
			mark = "info  "
		}
		fmt.Fprintf(&b, "\n  %s %s = %.8g (%.8g +- %.3g)", mark, c.What, float64(c.Got), float64(c.Want), float64(c.Tolerance))
	}
	return b.String()
}

// perform runs the command of an entry.
func (o options) perform(e entry) (outcome, error) {
	dir := filepath.Join(o.root, "out", "validation", e.id)
	args := append([]string{}, e.args...)
	if e.args[0] == "study" {
		args = append(args, "--json")
	} else {
		if err := os.RemoveAll(dir); err != nil {
			return outcome{}, err
		}
		args = append(args, "--log", "json", "--output", filepath.Join("out", "validation", e.id))
	}
	p := harness.Program{Path: o.program, Root: o.root, Device: o.device, Ranks: o.ranks}
	ended, err := p.Run(args, harness.Missed, harness.Unstable)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{ID: e.id, Command: harness.CommandText(e.args), Ranks: max(1, o.ranks), Seconds: math.Round(100*ended.Seconds) / 100}
	switch {
	case e.args[0] == "study":
		err = out.takeStudy(ended.Stdout, e)
	case ended.Code == harness.Unstable:
		err = out.takeUnstable(ended.Stdout, e)
	default:
		err = out.takeRun(ended.Stdout, e, dir)
	}
	return out, err
}

// unstableAt matches the step in the error of an unstable run.
var unstableAt = regexp.MustCompile(`the run is unstable, step (\d+)`)

// takeUnstable reads where a run became unstable, which is a result where nothing is held.
func (out *outcome) takeUnstable(text []byte, e entry) error {
	if _, err := out.events(text); err != nil {
		return err
	}
	at := unstableAt.FindSubmatch(text)
	if at == nil {
		return errors.New("the run was unstable, but did not report at which step")
	}
	step, err := strconv.Atoi(string(at[1]))
	out.Steps = step
	out.Checks = []check{{What: unstable, Got: number(step), OK: e.informative, Free: true}}
	return err
}

// unstable is the name of the number of an unstable run.
const unstable = "**unstable** at step"

// measured is a value that a run has reported.
type measured struct {
	Quantity        string
	Got             any // a text where it is not a number
	Want, Tolerance float64
	OK, Free        bool
}

func (m measured) value() float64 {
	if v, ok := m.Got.(float64); ok {
		return v
	}
	return math.NaN()
}

// finish of a run.
type finish struct {
	Steps  int
	Expect []measured
}

// events reads a run's events: what it reports of its start, and its end if it has one.
func (out *outcome) events(text []byte) (*finish, error) {
	var end *finish
	for _, line := range bytes.Split(text, []byte("\n")) {
		var event struct {
			Event string
			Data  json.RawMessage
		}
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch event.Event {
		case "start":
			var d struct {
				Version string
				Ranks   []struct {
					Hi     [3]int
					Device struct{ Model string }
				}
			}
			if err := json.Unmarshal(event.Data, &d); err != nil {
				return nil, err
			}
			out.Version = d.Version
			for _, r := range d.Ranks {
				out.Device = r.Device.Model
				for a := range out.Cells {
					out.Cells[a] = max(out.Cells[a], r.Hi[a])
				}
			}
		case "finish":
			end = &finish{}
			if err := json.Unmarshal(event.Data, end); err != nil {
				return nil, err
			}
		}
	}
	return end, nil
}

// takeRun reads the events of a run.
func (out *outcome) takeRun(text []byte, e entry, dir string) error {
	end, err := out.events(text)
	if err != nil {
		return err
	}
	if end == nil {
		return errors.New("the run reported no end")
	}
	out.Steps = end.Steps
	for _, m := range end.Expect {
		out.Checks = append(out.Checks, check{
			What: strings.TrimPrefix(m.Quantity, "expect."), Got: number(m.value()), Want: number(m.Want), Tolerance: number(m.Tolerance), OK: m.OK, Free: m.Free,
		})
	}
	if e.derive != nil {
		more, err := e.derive(out.Checks, dir)
		if err != nil {
			return err
		}
		out.Checks = append(out.Checks, more...)
	}
	if e.informative {
		for i := range out.Checks {
			out.Checks[i].Free, out.Checks[i].OK = true, true
		}
	}
	if e.lines != nil {
		if out.Lines, err = e.lines(dir); err != nil {
			return err
		}
	}
	if len(out.Checks) == 0 {
		return errors.New("the run was held to nothing")
	}
	return nil
}

// takeStudy compares the orders of a study with the entry's.
func (out *outcome) takeStudy(text []byte, e entry) error {
	var s struct { // part of study.Study, whose package needs the libraries of lbmsim
		Version, Device string
		Levels          []struct {
			Cells [3]int
			Steps int
		}
		Results []struct {
			Quantity string
			Values   []number
			Order    number
		}
	}
	if err := json.Unmarshal(text[max(0, bytes.Index(text, []byte(`{"case"`))):], &s); err != nil {
		return fmt.Errorf("no study in the output: %w", err)
	}
	out.Version, out.Device = s.Version, s.Device
	var cells []float64
	for _, l := range s.Levels {
		out.Cells, out.Steps = l.Cells, l.Steps
		cells = append(cells, float64(l.Cells[e.axis]))
	}
	for _, want := range e.orders {
		found := false
		for _, r := range s.Results {
			name := strings.TrimPrefix(r.Quantity, "expect.")
			if name != want.quantity {
				continue
			}
			found = true
			c := curve{Name: name, Cells: cells}
			for _, v := range r.Values {
				d := float64(v) - want.exact
				if want.exact != 0 {
					d /= want.exact
				}
				c.Error = append(c.Error, number(math.Abs(d)))
			}
			out.Curves = append(out.Curves, c)
			out.Checks = append(out.Checks, check{
				What: "order of " + name, Got: r.Order, Want: number(want.order), Tolerance: number(want.within),
				OK: want.informative || math.Abs(float64(r.Order)-want.order) <= want.within, Free: want.informative,
			})
		}
		if !found {
			return fmt.Errorf("the study has no %s", want.quantity)
		}
	}
	return nil
}
