// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/sim/watch"
)

// Reporter receives the events of a run. Only rank 0 calls it, from one goroutine.
type Reporter interface {
	Start(Start)
	Progress(Progress)
	// Wrote names a file that is complete on disk.
	Wrote(kind, path string)
	Warn(finding.Finding)
	Finish(Summary)
}

// Start holds all facts known before the first step.
type Start struct {
	Case      *config.Case
	Version   string
	Transport string // halo exchange method, and the reason
	MPI       string // name and version of the library
	MPIFound  string // its file and how it was found; "" without MPI
	MPITakes  string // "yes" or "no": GPU memory; "unknown"
	Ranks     []RankInfo
	First     int    // step that the run starts from
	Restart   string // checkpoint that it continues, or ""
	Output    string // folder of the outputs
	Roofline  float64
	Routes    []Routes // of ghost planes, and why so
}

// Routes groups links between neighbours with the same transport and reason.
type Routes struct {
	Transport string `json:"transport"`
	Why       string `json:"why"`
	Links     int    `json:"links"`   // messages or copies of one exchange, of all ranks
	Example   [2]int `json:"example"` // ranks at the ends of one of them
}

// RankInfo is one line of the table of ranks.
type RankInfo struct {
	Rank   int         `json:"rank"`
	Host   string      `json:"host"`
	Lo     [3]int      `json:"lo"` // its cells, global: Lo <= (x, y, z) < Hi
	Hi     [3]int      `json:"hi"`
	Device device.Info `json:"device"`
	// Transport of this rank's ghost planes: it may differ between neighbours on the same machine
	// and on others.
	Transport string   `json:"transport"`
	Routes    []Routes `json:"routes"`
	Bytes     int      `json:"bytes"` // state and flags
}

// Progress is the state of a running job.
type Progress struct {
	Step, Last    int
	Time          float64       // simulated, in the case's unit
	Elapsed       time.Duration // since the first step
	MLUPS         float64       // million lattice updates per second of the latest steps, without output and checks between them
	Roofline      float64       // share of the memory roofline, 0 when unknown
	Communication float64       // share of the time spent waiting for messages
	ETA           time.Duration
	MaxMach       float64        // at the last stability watch
	LeftOut       map[string]int // files that the run went on without (on_error), by kind
	Health        Health         // at the last stability watch
	Times         Times          // of rank 0 since the first step
}

// Summary closes a run.
type Summary struct {
	Case     *config.Case
	Reason   string // why it ended: "all steps done", "wall time limit", "signal" ...
	Steps    int    // steps of this run
	Last     int    // step reached
	Cells    int
	Elapsed  time.Duration
	MLUPS    float64 // while stepping
	Whole    float64 // MLUPS of the whole time: with outputs, checkpoints, watch
	Roofline float64 // share, 0 when unknown
	Times    Times
	// Imbalance is the slowest rank's computing time over the mean, minus 1.
	Imbalance float64
	Files     map[string]string // kind -> where
	Expect    []Verdict
	LeftOut   map[string]int // files that the run went on without (on_error), by kind
	Health    Health         // at the end
	MaxMach   float64        // of the same check
	Results   []Result       // of each [output.force.NAME]
	Walls     []ModelledWall // walls with a model
	Doubts    finding.List   // warnings from before the run that make the results unreliable
}

// Result holds what a run has measured, ModelledWall the flow at a wall with a model.
type (
	Result       = status.Result
	ModelledWall = status.ModelledWall
)

// Complete reports whether a run that ended for this reason completed its case: all steps, or means converged as in [run]
// stop_when.
func Complete(reason string) bool {
	return reason == allDone || strings.HasPrefix(reason, "stop_when: ")
}

// OutOfTime reports whether the run ended because its time ran out, not at its last step or on a
// user's order: another job may resume it.
func (s Summary) OutOfTime() bool {
	return s.Reason == wallTime || s.Reason == interrupted || s.Reason == jobTime
}

// Times splits the run's wall time; seconds, mean over the ranks.
type Times struct {
	Compute float64 `json:"compute"` // the kernels kept the run
	Exposed float64 `json:"exposed"` // no kernel ran: waiting for messages, or between kernels
	Hidden  float64 `json:"hidden"`  // messages in flight while kernels ran
	// Together is set if Compute includes the waits of steps, as on refined grids; Exposed, Hidden and the imbalance are then
	// unknown, and 0.
	Together bool    `json:"together,omitempty"`
	Output   float64 `json:"output"` // fields, pictures, probes, checkpoints: the time that steps waited for them
	Ending   float64 `json:"ending"` // the same after the last step, until all is on disk
	Watch    float64 `json:"watch"`  // stability watch and agreement between ranks
	Bytes    float64 `json:"bytes"`  // sent per rank and step
}

// Health holds the results of the stability watch.
type Health = watch.Health

// Verdict is one checked expectation.
type Verdict struct {
	Quantity             string
	Got, Want, Tolerance float64
	Half                 float64 // of the width of the 95 % interval of Got; 0 where it is not known
	OK                   bool
	Free                 bool   // measured only: there is no Want and no Tolerance
	Note                 string // why a free one has no value
}

// MarshalJSON writes a non-finite value as text, since JSON has no such numbers.
func (v Verdict) MarshalJSON() ([]byte, error) {
	var got any = v.Got
	if math.IsNaN(v.Got) || math.IsInf(v.Got, 0) {
		got = fmt.Sprint(v.Got)
	}
	return json.Marshal(struct {
		Quantity  string  `json:"quantity"`
		Got       any     `json:"got"`
		Half      float64 `json:"half,omitempty"`
		Want      float64 `json:"want"`
		Tolerance float64 `json:"tolerance"`
		OK        bool    `json:"ok"`
		Free      bool    `json:"free,omitempty"`
		Note      string  `json:"note,omitempty"`
	}{v.Quantity, got, v.Half, v.Want, v.Tolerance, v.OK, v.Free, v.Note})
}
