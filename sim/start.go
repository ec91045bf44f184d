// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/internal/finding"
	"lbmsim/internal/parallel"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
	"lbmsim/sim/rank"
	"lbmsim/sim/watch"
)

// start builds the parts of a run and its first state: the initial fields or a
// checkpoint.
func start(o Options) (*run, error) {
	r := &run{options: o, fromStart: o.Restart == "", viewing: viewing{viewer: o.Viewer}}
	on := rank.New(o.Comm, threads(o), warner(o))
	parallel.Limit(on.Threads)
	part, err := domain.New(on, o.Case)
	if err != nil {
		return r, exit.With(exit.Usage, err) // the same on every rank
	}
	r.stepper = &stepper{Rank: on, Case: part.Case}
	r.Rank.Heartbeat.Doing("starting")
	r.Rank.Heartbeat.Guard(o.Case.Run.StallLimit)
	r.last = o.Case.Run.Steps
	if err := part.LoadTables(r.Rank); err != nil {
		return r, err
	}
	r.Rank.Heartbeat.Doing("starting: reading the files of bodies")
	near, err := nearLevels(r)
	if err != nil {
		return r, err
	}
	if err := part.LoadFiles(r.Rank, o.Shelf, near...); err != nil {
		return r, err
	}
	r.Rank.Heartbeat.Doing("starting: generating cells, loading kernels, allocating memory")
	if err := build(r, part); err != nil {
		return r, err
	}
	r.makeOutputs()
	if err := r.all("friction of walls", r.friction.recall(nil)); err != nil {
		return r, err
	}
	if o.Case.ShowsField("wall_distance") {
		if err := wallDistances(r, part); err != nil {
			return r, fmt.Errorf("rank %d: distances to the walls: %w", r.Rank.ID, err)
		}
	}
	if err := r.chooseRestart(); err != nil {
		return r, err
	}
	if r.ranks, err = r.table(); err != nil {
		return r, err
	}
	if r.Rank.Heartbeat.Doing("starting: initial state"); r.options.Restart != "" {
		err = r.restart()
	} else if err = (origin{r}).state(); err == nil {
		err = r.open(nil)
	}
	if err != nil {
		return r, err
	}
	if r.grid == nil { // steps of refined grids fill ghost cells themselves
		if err := r.level.FillGhosts(); err != nil {
			return r, err
		}
	}
	if err := r.outputs.Prepare(); err != nil {
		return r, err
	}
	r.limit, err = r.roofline()
	return r, err
}

// build makes cells, kernels, memory and exchanges. Collective.
func build(r *run, part *domain.Part) error {
	if len(r.Case.Refine) > 0 {
		return refine(r, part)
	}
	r.level = level.New(r.Rank, part, r.options.Device)
	if err := r.all("setting up", r.level.Build()); err != nil {
		return err
	}
	if err := part.CountCells(r.Rank); err != nil {
		return err
	}
	return r.level.Connect()
}

// threads of the host that a rank may keep busy.
func threads(o Options) int {
	if o.Threads > 0 {
		return o.Threads
	}
	return max(1, o.Device.Info().Threads)
}

// warner returns the function by which rank 0 warns; nil on the others.
func warner(o Options) func(finding.Finding) {
	if o.Comm.Rank() != 0 {
		return nil
	}
	return o.Report.Warn
}

// begin reports the start and writes the outputs due before the first step.
func (r *run) begin() error {
	if r.Rank.Root {
		s := Start{
			Case: r.Case, Version: r.options.Version, Transport: r.level.Halo.Describe(), Ranks: r.ranks, First: r.Step(),
			Restart: r.options.Restart, Output: r.Case.OutputDir, Roofline: r.limit, Routes: allRoutes(r.ranks),
		}
		if d, ok := r.Rank.Comm.(comm.Describer); ok {
			s.MPI = d.Describe()
		}
		if l, ok := r.Rank.Comm.(comm.Located); ok {
			s.MPIFound, s.MPITakes = l.Located(), comm.TakesGPUMemory(r.Rank.Comm)
		}
		r.options.Report.Start(s)
	}
	r.first = r.Step()
	if err := r.postmortem.FindRoom(); err != nil {
		return err
	}
	if err := r.Look(); err != nil {
		return err
	}
	again := r.Step() == 0 && r.Case.Initial.From == nil // the initial state can be made once more
	if !again && r.postmortem.HasRoom() {
		if err := r.postmortem.Keep(); err != nil {
			return err
		}
	}
	if r.Step() == 0 {
		r.watch.Begins()
		if err := r.outputs.Due(); err != nil {
			return err
		}
	}
	r.control.begin(r.Step(), len(r.outputs.List))
	return r.synchronize() // the run's time may be over already
}

// makeOutputs creates the outputs of the case, with their view of the run.
func (r *run) makeOutputs() {
	r.loads.stepper = r.stepper
	r.watch = watch.New(r.view())
	r.driver.stepper, r.driver.watch = r.stepper, r.watch
	r.friction.stepper, r.friction.watch = r.stepper, r.watch
	view := &output.Run{
		Rank: r.Rank, Case: r.Case, View: r.view(), State: state{r.stepper}, Watch: r.watch, Look: r.Look, Loads: &r.loads, Files: output.NewFiles(r.view(), func(kind, path string) { r.options.Report.Wrote(kind, path) }),
		Sampled: r.stopIfKnown, Remember: r.remember, Version: r.options.Version,
	}
	r.outputs, r.postmortem = output.New(view), postmortem.New(view, replay{r})
}

// remember adds the run's own memory for resuming from a checkpoint.
func (r *run) remember(m *output.Memory) {
	m.Start, m.GridScale, m.Fastest, m.Drive = r.watch.Start, r.watch.GridStart, r.watch.Fastest, r.driver.memory()
	m.Walls = r.friction.memory()
}
