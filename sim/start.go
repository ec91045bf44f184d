package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
)

// start builds the parts of a run and its first state: the initial fields or a
// checkpoint.
func start(o Options) (*run, error) {
	r := &run{options: o, params: o.Case.Params(), files: map[string]string{}, took: map[string]time.Duration{}}
	var err error
	if r.Part, err = domain.New(o.Case, o.Comm, threads(o), warner(o)); err != nil {
		return r, exit.With(exit.Usage, err) // the same on every rank
	}
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

// build makes the device's part: cells, kernels, memory and the exchange.
func (r *run) build() (err error) {
	c := r.Case
	if w, ok := r.options.Device.(device.Wrapper); ok {
		r.Plan.Wraps = w.Wraps()
	}
	r.Layout = r.Plan.Layout(r.Rank, c.Spec.Components())
	r.edges, r.inner = r.Plan.Edges(r.Rank)
	domain := r.Geometry()
	r.Cells = domain.Sample(r.Box)
	if r.program, err = r.options.Device.Load(c.Spec, r.Layout, c.Periodic, r.Cells); err != nil {
		return fmt.Errorf("building the kernels of %s on %s: %w", c.Spec, r.options.Device.Info().Name, err)
	}
	if r.Cells.Timed() || c.Force.At != nil || c.Force.Drive != nil {
		var ok bool
		if r.timed, ok = r.program.(device.Timed); !ok {
			return fmt.Errorf("%s has no walls, faces and forces that change with time", r.options.Device.Info().Name)
		}
		if err = r.foresee(1); err != nil { // what that takes is taken now
			return fmt.Errorf("what changes with time: %w", err)
		}
	}
	for i := range r.state {
		if r.state[i], err = halo.AllocState(r.options.Device, r.Layout.Len()*c.Spec.Precision.Bytes()); err != nil {
			return fmt.Errorf("%d MiB for the state: %w", r.Layout.Len()*c.Spec.Precision.Bytes()>>20, err)
		}
	}
	r.edge, r.bulk, r.reader = r.options.Device.NewStream(true), r.options.Device.NewStream(false), r.options.Device.NewStream(false)
	return nil
}

// connect makes the exchange with the neighbours. Collective.
func (r *run) connect() (err error) {
	d := r.Case.Device
	r.halo, err = halo.New(halo.Setup{
		Comm: r.Comm, Plan: r.Plan, Layout: r.Layout, ValueBytes: r.Case.Spec.Precision.Bytes(), Device: r.options.Device, States: r.state,
		Want:  map[config.Transport]halo.Transport{config.HostTransport: halo.Host, config.GPUTransport: halo.GPU, config.PeerTransport: halo.Peer}[d.Transport],
		Aware: map[config.Word]halo.Word{config.YesWord: halo.Yes, config.NoWord: halo.No}[d.GPUAware],
	})
	if err != nil && d.Transport != config.AutoTransport { // what was asked for cannot be had
		return Agreed(ExitUsage, err)
	}
	r.queued, _ = r.halo.(halo.Queued)
	return Agreed(ExitFailure, err)
}

// initialize computes the initial state from the case's expressions. The strain
// rate, by central differences of the expressions themselves, gives the
// non-equilibrium part, so that the first steps carry no start-up error.
func (r *run) initialize() error {
	n, axis := r.Layout.N, r.Layout.Axis()
	box := decomp.Box{Hi: n}
	rows := 1
	if axis == 2 {
		rows = n[1]
	}
	row := r.Case.Spec.InitValues() * n[0]
	fields := make([]float64, rows*row)
	for k := 0; k < n[axis]; k++ {
		if k == 0 || !r.Case.Initial.Uniform || r.Case.Spec.Scalar && !r.Case.Temperature.Uniform {
			err := r.Share(rows, func(lo, hi int) error {
				for j := lo; j < hi; j++ {
					r.initialRow(j, k, fields[j*row:(j+1)*row])
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		box.Lo[axis], box.Hi[axis] = k, k+1
		if err := r.program.Init(r.state[0], box, fields, r.params); err != nil {
			return err
		}
	}
	return nil
}

// initialRow is one row of plane k as [component][x].
func (r *run) initialRow(row, k int, fields []float64) {
	y, z := row, k
	if r.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n := r.Layout.N[0]
	for x := range n {
		p := [3]float64{float64(x+r.Box.Lo[0]) + 0.5, float64(y+r.Box.Lo[1]) + 0.5, float64(z+r.Box.Lo[2]) + 0.5}
		cell, count := initialCell(r.Case.Initial, p, r.Case.Dims())
		for c, v := range cell[:count] {
			fields[c*n+x] = v
		}
		if r.Case.Spec.Scalar {
			fields[count*n+x] = r.Case.Temperature.Initial(p[0], p[1], p[2])
		}
	}
}

// initialCell is rho-1, the velocity and the strain rate at a point, in the order
// of device.Program.Init, and their number.
func initialCell(in config.Initial, p [3]float64, dims int) (values [10]float64, n int) {
	put := func(v float64) {
		values[n] = v
		n++
	}
	put(in.Density(p[0], p[1], p[2]) - 1)
	for c := range dims {
		put(in.Velocity[c](p[0], p[1], p[2]))
	}
	var slope [3][3]float64 // d u_c / d x_axis
	if !in.Uniform {
		const h = config.StrainStep
		for axis := range dims {
			lo, hi := p, p
			lo[axis] -= h
			hi[axis] += h
			for c := range dims {
				u := in.Velocity[c]
				slope[c][axis] = (u(hi[0], hi[1], hi[2]) - u(lo[0], lo[1], lo[2])) / (2 * h)
			}
		}
	}
	for a := range dims {
		put(slope[a][a])
	}
	for a := range dims {
		for b := a + 1; b < dims; b++ {
			put((slope[a][b] + slope[b][a]) / 2)
		}
	}
	return values, n
}

// fillGhosts exchanges the ghost planes of the first state.
func (r *run) fillGhosts() error {
	ready := r.edge.Record()
	if err := ready.Wait(); err != nil {
		return err
	}
	if err := r.halo.Start(r.state[0], ready); err != nil {
		return fmt.Errorf("rank %d: first exchange: %w", r.Rank, err)
	}
	if err := r.halo.Finish(); err != nil {
		return fmt.Errorf("rank %d: first exchange: %w", r.Rank, err)
	}
	return nil
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

// routes is this rank's links, those alike together.
func (r *run) routes() (list []Routes) {
	for _, l := range r.halo.Routes() {
		list = addRoutes(list, Routes{Transport: l.Transport.String(), Why: l.Why, Links: 1, Example: [2]int{r.Rank, l.Rank}})
	}
	return list
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
