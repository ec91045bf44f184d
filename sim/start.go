package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"lbmsim/comm"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
)

// start builds the parts of a run and its first state: the initial fields or a
// checkpoint.
func start(o Options) (*run, error) {
	r := &run{options: o, files: map[string]string{}, took: map[string]time.Duration{}}
	part, err := domain.New(o.Case, o.Comm, threads(o), warner(o))
	if err != nil {
		return r, exit.With(exit.Usage, err) // the same on every rank
	}
	r.stepper = &stepper{Part: part, device: o.Device, params: o.Case.Params()}
	r.anew = o.Restart == ""
	r.Pulse.Doing("starting")
	r.Pulse.Guard(o.Case.Run.StallLimit)
	r.last = o.Case.Run.Steps
	if err := r.LoadTables(); err != nil {
		return r, err
	}
	r.Pulse.Doing("starting: reading the files of bodies")
	if err := r.LoadFiles(); err != nil {
		return r, err
	}
	r.Pulse.Doing("starting: making cells, kernels and memory")
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
	if r.Pulse.Doing("starting: initial state"); r.options.Restart != "" {
		err = r.restart()
	} else if err = r.all("initial state", r.initialize()); err == nil {
		r.provenance = r.provenance.and(r.leg())
		err = r.openOutputs(r.newTable)
	}
	if err != nil {
		return r, err
	}
	if err := r.fillGhosts(); err != nil {
		return r, err
	}
	for _, o := range r.outputs {
		if f, ok := o.(*fieldFiles); ok {
			f.prepare(r)
		}
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
func warner(o Options) func(string) {
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
		r.options.Report.Start(s)
	}
	r.first = r.n
	r.watch.at, r.watch.gridAt = -1, -1
	if err := r.findRoom(); err != nil {
		return err
	}
	if err := r.lookForTrouble(); err != nil {
		return err
	}
	if r.n > 0 && r.snapshot.room { // else the initial state can be made again
		if err := r.keep(); err != nil {
			return err
		}
	}
	if r.n == 0 {
		r.watch.start, r.watch.gridStart = r.watch.totals, r.watch.grid
		for _, o := range r.outputs {
			if o.schedule().Due(0) {
				if err := r.write(o); err != nil {
					return err
				}
			}
		}
	}
	now := time.Now()
	r.control.began, r.control.met, r.control.metAt, r.control.next = now, now, r.n, r.n+1
	r.control.wallDue = make([]time.Time, len(r.outputs))
	for k := range r.control.wallDue {
		r.control.wallDue[k] = now
	}
	return r.meet() // the run's time may be over already
}

// table gathers one line a rank for the report.
func (r *run) table() ([]RankInfo, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	b, err := json.Marshal(RankInfo{
		Rank: r.Rank, Host: host, Lo: r.Box.Lo, Hi: r.Box.Hi,
		Device: r.options.Device.Info(), Transport: r.halo.Describe(), Routes: r.routes(), Bytes: r.state[0].Bytes() + r.state[1].Bytes() + r.program.Bytes(),
	})
	if err != nil {
		return nil, err
	}
	parts, err := comm.Gather(r.Comm, b)
	if err != nil || !r.Root {
		return nil, err
	}
	var table []RankInfo
	for _, p := range parts {
		var i RankInfo
		err = errors.Join(err, json.Unmarshal(p, &i))
		table = append(table, i)
	}
	return table, err
}

// allRoutes is the links of all ranks.
func allRoutes(ranks []RankInfo) (list []Routes) {
	for _, i := range ranks {
		for _, l := range i.Routes {
			list = addRoutes(list, l)
		}
	}
	return list
}

func addRoutes(list []Routes, more Routes) []Routes {
	for i, l := range list {
		if l.Transport == more.Transport && l.Why == more.Why {
			list[i].Links += more.Links
			return list
		}
	}
	return append(list, more)
}

// summarize adds the ranks' times up and reports the end.
func (r *run) summarize(verdicts []Verdict) error {
	c := &r.clock
	stats := r.halo.Stats()
	c.exchange += stats.Seconds
	// A recorded exchange is counted once: bytes are those of one exchange, on average.
	bytes := float64(stats.Bytes) / float64(max(stats.Exchanges, 1))
	mine := []float64{c.compute, c.exposed(), c.hidden(), c.output, c.watch, bytes, c.ending}
	parts, err := comm.Gather(r.Comm, domain.Float64Bytes(mine))
	if err != nil || !r.Root {
		return err
	}
	mean := make([]float64, len(mine))
	slowest := 0.0
	for _, p := range parts {
		for i := range mean {
			mean[i] += domain.Float64At(p, i) / float64(r.Size)
		}
		slowest = max(slowest, domain.Float64At(p, 0))
	}
	s := Summary{
		Case: r.Case, Reason: r.reason, Steps: r.n - r.first, Last: r.n, Cells: r.watch.totals.Cells,
		Elapsed: time.Since(r.control.began), Files: r.files, Expect: verdicts, LeftOut: maps.Clone(r.faults.counts),
		Health: r.health(), Times: Times{Compute: mean[0], Exposed: mean[1], Hidden: mean[2], Output: mean[3], Watch: mean[4], Ending: mean[6]},
	}
	if s.Steps > 0 {
		s.Times.Bytes = mean[5]
		s.MLUPS = float64(s.Steps) * float64(r.Case.Box().Cells()) / c.wall / 1e6
		s.Imbalance = slowest/mean[0] - 1
		if r.limit > 0 {
			s.Roofline = s.MLUPS / r.limit
		}
	}
	r.options.Report.Finish(s)
	return nil
}
