// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"errors"
	"reflect"
	"testing"

	"lbmsim/internal/finding"
	"lbmsim/sim"
)

// heard is a reporter that records its calls in a list shared with others.
type heard struct {
	name string
	all  *[]string
}

func (h heard) add(what string)        { *h.all = append(*h.all, h.name+": "+what) }
func (h heard) Start(s sim.Start)      { h.add("start " + s.Version) }
func (h heard) Progress(sim.Progress)  { h.add("progress") }
func (h heard) Wrote(kind, p string)   { h.add("wrote " + kind + " " + p) }
func (h heard) Warn(w finding.Finding) { h.add("warn " + w.Text) }
func (h heard) Finish(s sim.Summary)   { h.add("finish " + s.Reason) }
func (h heard) Fail(err error)         { h.add("fail " + err.Error()) }
func (h heard) Note(message string)    { h.add("note " + message) }

// Each call reaches each reporter, the first one first.
func TestManyForwards(t *testing.T) {
	var all []string
	m := Many{heard{"a", &all}, heard{"b", &all}}
	m.Start(sim.Start{Version: "v"})
	m.Progress(sim.Progress{})
	m.Wrote("fields", "f")
	m.Warn(finding.Speed.Says("fast"))
	m.Finish(sim.Summary{Reason: "done"})
	m.Fail(errors.New("x"))
	m.Note("y")
	var want []string
	for _, what := range []string{"start v", "progress", "wrote fields f", "warn fast", "finish done", "fail x", "note y"} {
		want = append(want, "a: "+what, "b: "+what)
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("%q, want %q", all, want)
	}
}
