// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package live shows runs on a page while they compute: a server that is part of lbmsim, its page, and the sources of the
// page's numbers, which are a run of this process (Process) or the files of a run anywhere (Folder).
//
// A run never waits for a viewer. It passes on its usual reports; viewers copy them on request, each at the rate of its
// connection. Slices and views are computed only while a viewer waits for one (sim.Viewer).
package live

import (
	"context"
	"net/url"

	"lbmsim/io/picture"
	"lbmsim/io/status"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// Run is a run shown by the page. Viewers call its methods at any time, from several goroutines; none waits for the run.
type Run interface {
	State() State
	// Folder returns the folder of the run's outputs; "" if not yet known.
	Folder() string
	// About returns the constant information.
	About() About
	// Lines returns the log from line `from` on and the number of the next line. Older lines may be dropped.
	Lines(from int) (lines []string, next int)
	// Order passes an order to the run.
	Order(sim.Order) error
}

// Historian is a run with the history of its speed and stability checks from before a viewer
// connected.
type Historian interface{ History() []Sample }

// Seen is a run that can show pictures of its present state.
type Seen interface {
	// See waits for a picture, until the context is done or the run does not answer.
	See(context.Context, output.Request) (picture.Bare, error)
	// Find returns the request for the kind and keys of a viewer; errNotBegun before the start, otherwise an error with the
	// wrong key.
	Find(kind string, keys url.Values) (output.Request, error)
}

// State is the state of a run: status.json, plus further reports of a run of this process.
type State struct {
	status.State
	Standing      string     `json:"standing"` // the phase, or the reason why it is out of date
	Bad           bool       `json:"bad"`      // the run needs attention
	Elapsed       float64    `json:"elapsed"`  // seconds since the first step, or since the start
	Roofline      float64    `json:"roofline,omitempty"`
	Communication float64    `json:"communication,omitempty"`
	Times         *sim.Times `json:"times,omitempty"`
}

// About is the constant information about a run.
type About struct {
	Live    bool       `json:"live"` // the run is in the process of the server
	Case    string     `json:"case"` // resolved
	Ranks   []rankLine `json:"ranks,omitempty"`
	Fields  []field    `json:"fields,omitempty"` // that slices show
	Axes    []axis     `json:"axes,omitempty"`   // across slices
	View    *view      `json:"view,omitempty"`   // nil: no views
	Orders  []string   `json:"orders"`           // orders that the run accepts
	Refused string     `json:"refused,omitempty"`
	// Refined reports whether there are cells finer than level 0; Ranks and Axes count level 0.
	Refined bool `json:"refined,omitempty"`
}

type rankLine struct {
	Rank   int    `json:"rank"`
	Host   string `json:"host"`
	Device string `json:"device"`
	Cells  [3]int `json:"cells"`
}

type field struct {
	Name       string   `json:"name"`
	Components []string `json:"components,omitempty"` // of a vector, the default first
}

// view is the initial content of views.
type view struct {
	Surface string   `json:"surface"`
	Value   *float64 `json:"value,omitempty"` // nil: the run chooses
	Colour  string   `json:"colour"`
}

type axis struct {
	Name   string  `json:"name"`
	Cells  int     `json:"cells"`
	First  float64 `json:"first"` // centre of the first cell, in the case's unit
	Step   float64 `json:"step"`
	Unit   string  `json:"unit"`
	Across bool    `json:"across"` // slices may be normal to it
}

// Sample is a run's speed and the result of a stability check at a step.
type Sample struct {
	Step  int     `json:"step"`
	Time  float64 `json:"elapsed"`
	MLUPS float64 `json:"mlups"`
	Mach  float64 `json:"max_mach"`
	Drift float64 `json:"density_drift"`
	Grid  float64 `json:"grid_scale"`
}

// The words of orders.
const (
	stopOrder = "stop"
	saveOrder = "checkpoint"
	drawOrder = "picture"
	meanOrder = "averages"
)

// orderOf returns the order of a word.
func orderOf(word string) (o sim.Order, ok bool) {
	switch word {
	case stopOrder:
		o.Stop = true
	case saveOrder:
		o.Save = true
	case drawOrder:
		o.Draw = true
	case meanOrder:
		o.Mean = true
	default:
		return o, false
	}
	return o, true
}
