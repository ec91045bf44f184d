package sim

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/internal/finding"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
	"lbmsim/sim/watch"
)

// start builds the parts of a run and its first state: the initial fields or a
// checkpoint.
func start(o Options) (*run, error) {
	r := &run{options: o, anew: o.Restart == ""}
	part, err := domain.New(o.Case, o.Comm, threads(o), warner(o))
	if err != nil {
		return r, exit.With(exit.Usage, err) // the same on every rank
	}
	if o.Case.Initial.From != nil {
		ownCase(part)
	}
	r.stepper = &stepper{Part: part, device: o.Device, params: o.Case.Params()}
	r.Heartbeat.Doing("starting")
	r.Heartbeat.Guard(o.Case.Run.StallLimit)
	r.last = o.Case.Run.Steps
	if err := r.LoadTables(); err != nil {
		return r, err
	}
	r.Heartbeat.Doing("starting: reading the files of bodies")
	if err := r.LoadFiles(); err != nil {
		return r, err
	}
	r.Heartbeat.Doing("starting: making cells, kernels and memory")
	if err := r.all("setting up", r.build()); err != nil {
		return r, err
	}
	if err := r.CountCells(); err != nil {
		return r, err
	}
	if err := r.connect(); err != nil {
		return r, err
	}
	r.makeOutputs()
	if o.Case.ShowsField("wall_distance") {
		if r.Distance, err = r.WallDistance(); err != nil {
			return r, fmt.Errorf("rank %d: distances to the walls: %w", r.Rank, err)
		}
	}
	if err := r.chooseRestart(); err != nil {
		return r, err
	}
	if r.ranks, err = r.table(); err != nil {
		return r, err
	}
	if r.Heartbeat.Doing("starting: initial state"); r.options.Restart != "" {
		err = r.restart()
	} else if err = (origin{r}).state(); err == nil {
		err = r.open(nil)
	}
	if err != nil {
		return r, err
	}
	if err := r.fillGhosts(); err != nil {
		return r, err
	}
	if err := r.outputs.Prepare(); err != nil {
		return r, err
	}
	r.limit, err = r.roofline()
	return r, err
}

// threads of the host that a rank may keep busy.
func threads(o Options) int {
	if o.Threads > 0 {
		return o.Threads
	}
	return max(1, o.Device.Info().Threads)
}

// warner is how rank 0 warns; nil on the others.
func warner(o Options) func(finding.Finding) {
	if o.Comm.Rank() != 0 {
		return nil
	}
	return o.Report.Warn
}

// begin reports the start and writes what is due before the first step.
func (r *run) begin() error {
	if r.Root {
		s := Start{
			Case: r.Case, Version: r.options.Version, Transport: r.halo.Describe(), Ranks: r.ranks, First: r.n,
			Restart: r.options.Restart, Output: r.Case.OutputDir, Roofline: r.limit, Routes: allRoutes(r.ranks),
		}
		if d, ok := r.Comm.(comm.Describer); ok {
			s.MPI = d.Describe()
		}
		if l, ok := r.Comm.(comm.Located); ok {
			s.MPIFound, s.MPITakes = l.Located(), comm.TakesGPUMemory(r.Comm)
		}
		r.options.Report.Start(s)
	}
	r.first = r.n
	if err := r.postmortem.FindRoom(); err != nil {
		return err
	}
	if err := r.Look(); err != nil {
		return err
	}
	again := r.n == 0 && r.Case.Initial.From == nil // the initial state can be made once more
	if !again && r.postmortem.HasRoom() {
		if err := r.postmortem.Keep(); err != nil {
			return err
		}
	}
	if r.n == 0 {
		r.watch.Begins()
		if err := r.outputs.Due(); err != nil {
			return err
		}
	}
	r.control.begin(r.n, len(r.outputs.List))
	return r.synchronize() // the run's time may be over already
}

// makeOutputs lists what the case writes, and gives it its view of the run.
func (r *run) makeOutputs() {
	r.loads.stepper = r.stepper
	r.watch = watch.New(r.view())
	r.driver.stepper, r.driver.watch = r.stepper, r.watch
	view := &output.Run{
		View: r.view(), State: r.stepper, Watch: r.watch, Look: r.Look, Loads: &r.loads, Files: output.NewFiles(r.view(), func(kind, path string) { r.options.Report.Wrote(kind, path) }),
		Sampled: r.stopIfKnown, Remember: r.remember, Version: r.options.Version,
	}
	r.outputs, r.postmortem = output.New(view), postmortem.New(view, replay{r})
}

// remember adds what the run itself must know to go on from a checkpoint.
func (r *run) remember(m *output.Memory) {
	m.Start, m.GridScale, m.Fastest, m.Drive = r.watch.Start, r.watch.GridStart, r.watch.Fastest, r.driver.memory()
}
