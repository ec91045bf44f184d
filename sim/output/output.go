// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package output writes what a case asks for while it runs: fields, pictures, planes,
// averages and checkpoints, and tables of probes, lines, forces and series. Outputs see
// a narrow view of the run (Run). A kind of output is one file and one line of kinds;
// its keys are in config.
package output

import (
	"path/filepath"
	"strings"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// Run is the outputs' view of a run.
type Run struct {
	Rank  *rank.Rank
	Case  *config.Case
	View  derive.View
	State State
	Watch Watch
	// Look is the stability watch: an error, on all ranks, when the state has gone wrong. Collective.
	Look  func() error
	Loads Loads
	Files *Files
	// Sampled is called when forces have one more sample: the run may end for it. Collective.
	Sampled func() error
	// Remember adds the run's own record to a checkpoint.
	Remember func(*Memory)

	Version    string
	Provenance Provenance // on rank 0

	averagesFrom int          // first step after the last order to restart averages; 0: there was none
	recalled     finding.List // warnings of the checkpoint that is being recalled, on rank 0: it may be abandoned halfway
}

// State is the present state as outputs read it.
type State interface {
	// Force is the body force at the present step, in lattice units.
	Force() [3]float64
	// ReadImage copies this rank's own cells, and what beside them the coming steps depend on, into domain.Part.Bytes: the
	// rows of a checkpoint.
	ReadImage(image []byte) error
	// ReadPatch does so for a patch of a refined grid, by its place in derive.Refined.Patches, overlap included.
	ReadPatch(k int, image []byte) error
	// Fill gives the cells beside the rank's own, which outputs may read, their values at the present step. Collective.
	Fill() error
	// Snapshots of the state beside the steps; nil: the device makes none.
	Snapshots() Snapshotter
	// Statistics of the state that stay with the device: of the rank's part of the domain (0), or of a patch of a refined grid, by
	// its place in derive.Refined.Patches.
	Statistics(k int) Statistics
	// Rays through the same cells, on the device.
	Rays(k int) Rays
}

// Rays casts rays through cells on the device.
type Rays interface {
	// NewVolume allocates a volume; nil: the host has to cast.
	NewVolume(at device.VolumeBox, fields [2]device.Shown) device.Volume
	// Evaluate computes both fields of a local box of the present state, and Sample one field.
	Evaluate(v device.Volume, box decomp.Box) error
	Sample(v device.Volume, field int, box decomp.Box, values []float32) error
}

// Statistics accumulates sums on the device.
type Statistics interface {
	// Averages over time in the device's memory; nil: it keeps none. Take continues with sample n.
	Averages(of model.AverageSums) (device.Averages, error)
	Take(a device.Averages, n int64)
	// AddSample continues averages in the host's memory with sample n; false: the device cannot.
	AddSample(sums []float64, of model.AverageSums, n int64) (bool, error)
	// PrepareProfile gets the device ready to sum planes. An error means that the host has to.
	PrepareProfile() error
}

// Snapshotter reads fields beside the steps.
type Snapshotter interface {
	// Prepare takes the memory for snapshots of a box, local.
	Prepare(box decomp.Box) error
	// Take begins one of the present step.
	Take(box decomp.Box) (device.Snapshot, error)
	// Await makes the coming steps wait for an event of the device.
	Await(e device.Event)
}

// Watch is the stability watch's knowledge of the present step. All is collective; values
// are rank 0's.
type Watch interface {
	// Totals of the whole domain.
	Totals() (derive.Totals, error)
	// GridScale is the share of the kinetic energy at the scale of the grid.
	GridScale() (float64, error)
	// Drift of the mean density since the start, as a share. Not collective.
	Drift(derive.Totals) float64
}

// Loads provides the loads of the fluid on each type of wall, in lattice units, on rank 0. Collective.
type Loads interface {
	// Present returns the loads of the present step times `of`.
	Present() (all []device.Load, of int, err error)
	// Past returns the loads of the step that led here; nil: not known.
	Past() ([]device.Load, error)
	// Walls returns the flow of the present state at walls with a model, on all ranks.
	Walls() ([]derive.WallSum, error)
}

// Occasion is an event on which outputs may be written beside their schedules.
type Occasion int

const (
	CaseEnds  Occasion = iota // the run has reached the end that its case sets
	EndsEarly                 // it ends before that
	SaveOrder                 // a checkpoint was ordered
	DrawOrder                 // pictures were ordered
	Unstable                  // the watch is about to stop it
)

// Output is something written on a schedule.
type Output interface {
	When() config.Schedule
	DueOn(Occasion) bool
	// Written is the step of the last write, -1 when there was none.
	Written() int
	// Write takes the output of the present step. Collective.
	Write(*Run) error
	Close()
}

// base is the common part of outputs.
type base struct {
	when config.Schedule
	at   int // step of the last write
}

func newBase(when config.Schedule) base { return base{when, -1} }

func (b *base) When() config.Schedule { return b.when }
func (b *base) Written() int          { return b.at }
func (b *base) Close()                {}

// DueOn reports whether the occasion is the end and the schedule includes it.
func (b *base) DueOn(o Occasion) bool { return b.when.End && (o == CaseEnds || o == EndsEarly) }

// Step returns the number of the present step.
func (r *Run) Step() int { return r.View.Step() }

// Time returns the time of the present step, in the case's unit.
func (r *Run) Time() float64 { return r.View.Time() }

// All makes an error of one rank an error of all, so that every rank takes the same path
// out. Collective.
func (r *Run) All(what string, err error) error { return exit.All(r.Rank.Comm, r.Step(), what, err) }

// Path returns a path below the run's output folder.
func (r *Run) Path(parts ...string) string {
	return filepath.Join(append([]string{r.Case.OutputDir}, parts...)...)
}

// Grid returns the grid of all cells for files of fields.
func (r *Run) Grid() fields.Grid { return r.GridOf(derive.Region{Box: decomp.Box{Hi: r.Case.Cells}}) }

// GridOf returns the grid of a region for files of fields.
func (r *Run) GridOf(at derive.Region) fields.Grid {
	g := fields.Grid{N: at.Size(), Spacing: r.spacing(at.Level)}
	for a := range g.Origin {
		g.Origin[a] = r.centre(at, a)
	}
	return g
}

// spacing returns the distance between two cells of a level in the case's unit.
func (r *Run) spacing(level int) float64 { return r.Case.Units.Length / float64(int(1)<<level) }

// centre returns the place of the first cells of a region along an axis, in the case's unit.
func (r *Run) centre(at derive.Region, axis int) float64 {
	if axis >= r.Case.Dims() { // it has one cell on every level
		return r.Case.Origin[axis] + r.Case.Units.Length/2
	}
	return r.Case.Origin[axis] + (float64(at.Lo[axis])+0.5)*r.spacing(at.Level)
}

// Listed returns fields as a file of them has them.
func (r *Run) Listed(list []model.Field, precision model.Precision) (in []fields.Field) {
	t := fields.Float32
	if precision == model.Float64 {
		t = fields.Float64
	}
	for _, m := range list {
		in = append(in, fields.Field{Name: m.Name, Unit: r.Case.Units.Symbol(m.Dim), Components: m.Components, Type: t})
	}
	return in
}

// Meta returns the origin of a file of the present step.
func (r *Run) Meta() fields.Meta {
	return fields.Meta{Case: r.Case.Resolved, Version: r.Version, Provenance: r.Provenance.String(), Step: int64(r.Step()), Time: r.Time()}
}

// comments returns the lines at the top of files of rows; the case comes last.
func (r *Run) comments() []string {
	c := []string{"lbmsim " + r.Version, r.Case.Path, r.Case.Title}
	for i := range c {
		c[i] = strings.Join(strings.Fields(c[i]), " ") // a line each
	}
	return append(c, ProvenanceMark+r.Provenance.String(), CaseMark, r.Case.Resolved)
}
