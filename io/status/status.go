// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package status keeps a small file that reports how a run is doing, for people and for
// programs that watch it: DIR/status.json, replaced whole, so that readers never
// see an incomplete one. `lbmsim status` prints it.
package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lbmsim/internal/finding"
	"lbmsim/io/internal/joint"
)

// Name of the file in a run's output folder.
const Name = "status.json"

// Phase is the state of a run: running, or its end.
type Phase string

// The phases of a run.
const (
	Running  Phase = "running"
	Finished Phase = "finished" // its last step
	Stopped  Phase = "stopped"  // before it, by a limit, an order or a signal; Reason says which
	Failed   Phase = "failed"   // Error says why
)

// The units of a case.
const (
	SI      = "SI"
	Lattice = "lattice"
)

// State is the state of a run, one flat JSON object. Times are seconds, simulated ones in the case's unit.
type State struct {
	Phase Phase `json:"phase"`
	Identity
	Progress
	Health
	Outputs
	Outcome
}

// Identity describes a run and its machine, as known at its start.
type Identity struct {
	Case    string `json:"case"` // path of the case file
	Title   string `json:"title,omitempty"`
	Version string `json:"version"` // of lbmsim
	Units   string `json:"units"`   // of times, speeds and results: SI or Lattice
	Host    string `json:"host"`    // of rank 0
	Process int    `json:"process"` // of rank 0
	Job     string `json:"job,omitempty"`
	Ranks   int    `json:"ranks"`
}

// Progress is a run's progress at the time of the last update.
type Progress struct {
	Started time.Time `json:"started"`
	Updated time.Time `json:"updated"`
	Every   float64   `json:"every"` // between two updates of the file while the run continues

	First int     `json:"first_step"` // the run began with
	Step  int     `json:"step"`
	Last  int     `json:"last_step"` // the run is to end with
	Time  float64 `json:"time"`      // simulated
	MLUPS float64 `json:"mlups"`     // of the latest steps alone, at the end of all
	ETA   float64 `json:"eta"`       // seconds left
}

// Health is the latest measurement of the stability watch.
type Health struct {
	MaxMach      float64        `json:"max_mach"`
	MaxSpeed     float64        `json:"max_speed"`          // in the case's unit
	DensityDrift float64        `json:"density_drift"`      // relative change of the mean density since the start
	GridScale    float64        `json:"grid_scale"`         // fraction of the kinetic energy at grid scale
	Temperature  float64        `json:"temperature_excess"` // overshoot of the range that the case imposes, by its span
	Warned       map[string]int `json:"warned,omitempty"`   // checks that warned, by the kind of the warning
}

// Outputs are the files that a run read at its start and has written.
type Outputs struct {
	Restart    string            `json:"restart,omitempty"` // checkpoint that the run began with
	Checkpoint string            `json:"checkpoint,omitempty"`
	Files      map[string]string `json:"files,omitempty"`    // the last complete one of each kind
	LeftOut    map[string]int    `json:"left_out,omitempty"` // files that the run continued without, by kind
}

// Outcome is a run's own report: its warnings and, at the end, its results and how it ended.
type Outcome struct {
	Warnings finding.List   `json:"warnings,omitempty"`
	Results  []Result       `json:"results,omitempty"`
	Walls    []ModelledWall `json:"walls,omitempty"`
	Expect   []Number       `json:"expect,omitempty"` // what [expect] measured, of a run that came to its end
	Reason   string         `json:"reason,omitempty"`
	Error    string         `json:"error,omitempty"`
	ExitCode *int           `json:"exit_code,omitempty"`
}

// silent is the delay of the file beyond its due time after which a run counts as silent.
const silent = 30 * time.Second

// Silent reports how long ago a running run should have written its state again, 0 where
// all is well: it was killed, its machine died, or its disk hangs.
func (s State) Silent(now time.Time) time.Duration {
	late := now.Sub(s.Updated) - time.Duration(s.Every*float64(time.Second))
	if s.Phase != Running || late < silent {
		return 0
	}
	return now.Sub(s.Updated)
}

// Read reads the state of the run whose outputs lie in a folder.
func Read(dir string) (s State, err error) {
	path := filepath.Join(dir, Name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("there is no %s: %s is not the output folder of a run, or its run has not begun", path, dir)
	}
	if err != nil {
		return s, fmt.Errorf("reading the state of a run: %w", err)
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&s); err != nil {
		var when *time.ParseError
		if errors.As(err, &when) {
			return s, fmt.Errorf("%s is not the state of a run: %q is not a time", path, when.Value)
		}
		return s, fmt.Errorf("%s is not the state of a run: %w", path, err)
	}
	switch s.Phase {
	case Running, Finished, Stopped, Failed:
	default:
		return s, fmt.Errorf("%s is not the state of a run: its phase is %q", path, s.Phase)
	}
	return s, nil
}

// Fail records on behalf of rank 0, which may have died, why a run has ended abruptly.
// It leaves alone the state of another run, and one that already has an end.
func Fail(dir, job string, started time.Time, text string, code int) error {
	s, err := Read(dir)
	if err != nil || s.Phase != Running || s.Job != job || s.Started.Before(started) {
		return err
	}
	s.Phase, s.Error, s.ExitCode, s.Updated = Failed, text, &code, time.Now()
	return write(filepath.Join(dir, Name), s)
}

// Writer writes the newest state from a separate goroutine: a slow disk does not hold
// the run up.
type Writer struct {
	path string
	mu   sync.Mutex
	next *State // to be written
	busy bool
	idle sync.Cond
	err  error
}

// NewWriter writes to a folder that exists.
func NewWriter(dir string) *Writer {
	w := &Writer{path: filepath.Join(dir, Name)}
	w.idle.L = &w.mu
	return w
}

// Write takes a state; of those that arrive while the disk is busy only the last is written.
func (w *Writer) Write(s State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = &s
	if !w.busy {
		w.busy = true
		go w.work()
	}
}

func (w *Writer) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.next != nil {
		s := *w.next
		w.next = nil
		w.mu.Unlock()
		var err error
		if !w.failed(s) {
			err = write(w.path, s)
		}
		w.mu.Lock()
		w.err = err
	}
	w.busy = false
	w.idle.Broadcast()
}

// failed reports whether another rank has written that the run failed. A rank 0 that was stopped may run once more, for a
// moment, when its launcher ends it.
func (w *Writer) failed(next State) bool {
	if next.Phase != Running {
		return false
	}
	old, err := Read(filepath.Dir(w.path))
	return err == nil && old.Phase == Failed && old.Started.Equal(next.Started)
}

func write(path string, s State) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = joint.Replace(path, append(b, '\n'))
	}
	return err
}

// Close waits until the last state is on disk; it returns the error of the last write.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy {
		w.idle.Wait()
	}
	return w.err
}
