// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package scaling measures how runs scale: the same kind of case on one rank, which
// computes alone, and on more of the ranks at hand. Both are set up at once and take
// turns, so that changes of the machine's speed affect both, and only ratios
// within a turn are compared. Every contender's state has matched the state of one rank, bit
// for bit, before it is timed. The timed code is a run (sim.Trial), not a separate loop.
package scaling

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/bench"
	"lbmsim/sim"
)

// Kind of scaling.
const (
	Weak   = "weak"   // as many cells for every rank
	Strong = "strong" // as many cells for all ranks together
)

// Options set the cases and the length of the measurement.
type Options struct {
	Comm      comm.Comm
	Device    device.Device
	Threads   int // of the host, for initial states
	Version   string
	Model     string // words of the case file
	Precision string
	// Transports to measure, in the words of the case file.
	Transports []string
	Ranks      []int // numbers of ranks beside 1, ascending
	Rounds     int
	Steps      int     // per turn; 0: enough for Seconds
	Seconds    float64 // of a turn
	// Done receives every row, on rank 0.
	Done func(Row)
}

// Auto leaves the transport to the run.
const Auto = "auto"

// with returns the setting of a transport.
func (m *Measurement) with(transport string) setting {
	return setting{m.Model, m.Precision, transport}
}

// Counts returns the numbers of ranks that a measurement on n ranks covers: powers of
// two, and all.
func Counts(n int) []int {
	var list []int
	for k := 2; k < n; k *= 2 {
		list = append(list, k)
	}
	if n > 1 {
		list = append(list, n)
	}
	return list
}

// Measurement is all ranks' part of the work. All ranks make the same calls.
type Measurement struct {
	Options
	groups map[int]comm.Comm // by size; nil where this rank is not in it
	nodes  map[int]int
	oracle map[int]float64 // by the length of rows
	hashes map[verification]uint64
	nb     comm.NonBlocking
}

// New makes the groups of ranks. Collective; an error is known to all ranks
// (sim.ExitCode), or this rank's alone.
func New(o Options) (*Measurement, error) {
	m := &Measurement{Options: o, groups: map[int]comm.Comm{}, nodes: map[int]int{}, oracle: map[int]float64{}, hashes: map[verification]uint64{}}
	g, ok := o.Comm.(comm.Grouper)
	nb, ok2 := o.Comm.(comm.NonBlocking)
	if !ok || !ok2 {
		return nil, &sim.Error{Code: sim.ExitFailure, Err: fmt.Errorf("%s does not support groups of ranks", comm.Describe(o.Comm))}
	}
	m.nb = nb
	twice := len(slices.Compact(slices.Clone(o.Ranks))) < len(o.Ranks)
	if len(o.Ranks) == 0 || twice || !slices.IsSorted(o.Ranks) || o.Ranks[0] < 2 || o.Ranks[len(o.Ranks)-1] > o.Comm.Size() {
		return nil, &sim.Error{Code: sim.ExitUsage, Err: fmt.Errorf("numbers of ranks %v: must be 2 to %d, in ascending order", o.Ranks, o.Comm.Size())}
	}
	for _, t := range append([]string{Auto}, o.Transports...) {
		if _, err := m.with(t).spec(); err != nil { // the same everywhere
			return nil, err
		}
	}
	places, err := comm.Together(o.Comm, first(comm.LocalRank(o.Comm)))
	if err != nil {
		return nil, err
	}
	for _, n := range append([]int{1}, o.Ranks...) {
		if m.groups[n], err = g.Group(n); err != nil {
			return nil, err
		}
		for _, local := range places[:n] {
			if local == 0 {
				m.nodes[n]++
			}
		}
	}
	return m, nil
}

func first(rank, _ int) int { return rank }

// Close frees the groups of ranks. Collective in each of them, so all ranks take them
// in one order.
func (m *Measurement) Close() {
	for _, n := range slices.Sorted(maps.Keys(m.groups)) {
		if g := m.groups[n]; g != nil {
			g.Finalize()
		}
	}
}

// contender is a trial on a group of ranks; nil on the others.
type contender struct {
	*sim.Trial
	n     int
	start sim.Start // on rank 0
}

// ready builds a contender. Every rank calls it and returns the same error, unless it
// is of the communication.
func (m *Measurement) ready(n int, text string) (contender, error) {
	c := contender{n: n}
	err := m.in(n, func(g comm.Comm) error {
		flowCase, err := load(text)
		if err != nil {
			return err
		}
		report := &listener{}
		c.Trial, err = sim.NewTrial(sim.Options{Case: flowCase, Comm: g, Device: m.Device, Threads: m.Threads, Report: report, Version: m.Version})
		c.start = report.start
		return err
	})
	return c, err
}

// turn lets the contender compute steps.
func (m *Measurement) turn(c contender, steps int) (t sim.Turn, err error) {
	err = m.in(c.n, func(comm.Comm) (err error) {
		t, err = c.Steps(steps)
		return err
	})
	return t, err
}

// close closes the trial if err is known to all ranks: closing is collective in the group.
func (c contender) close(err error) {
	if _, agreed := sim.ExitCode(err); agreed && c.Trial != nil {
		c.Close()
	}
}

// in calls f on the first n ranks. The others sleep until it is done: ranks that ask
// a busy machine continuously would slow down those that compute.
func (m *Measurement) in(n int, f func(comm.Comm) error) error {
	var err error
	if g := m.groups[n]; g != nil {
		if err = f(g); err != nil {
			if _, agreed := sim.ExitCode(err); !agreed {
				return err
			}
		}
	}
	return m.share(n, err)
}

// Scale measures one size on every number of ranks. cells is the size of a rank's part, or of
// the whole domain.
func (m *Measurement) Scale(kind string, cells [3]int) (err error) {
	alone, err := m.ready(1, m.with(Auto).timed(cells, whole))
	row := m.row(kind, "none", 1, cells)
	if err != nil {
		return m.skip(row, err)
	}
	defer func() { alone.close(err) }()
	oracle, err := m.kernels(cells[0])
	if err != nil {
		return err
	}
	ones, err := m.calibrate(alone)
	if err != nil {
		return err
	}
	var speeds []turns
	for _, n := range m.Ranks {
		for _, transport := range m.Transports {
			if err := m.beside(kind, transport, n, cells, alone, ones, oracle, &speeds); err != nil {
				return err
			}
		}
	}
	if err := m.in(1, func(comm.Comm) error { return alone.Look() }); err != nil {
		return err
	}
	var own turns
	for _, s := range speeds {
		own = append(own, s...)
	}
	if m.Comm.Rank() == 0 && len(own) > 0 {
		row.Way, row.KernelsDiffer = alone.start.Transport, oracle
		row.fill(own, own)
		m.Done(row)
	}
	return nil
}

// beside measures n ranks alternately with one.
func (m *Measurement) beside(kind, transport string, n int, cells [3]int, alone contender, ones int, oracle float64, speeds *[]turns) (err error) {
	all := cells
	if kind == Weak {
		all[2] *= n
	}
	row := m.row(kind, transport, n, all)
	row.KernelsDiffer = oracle
	if kind == Weak { // a column of the boxes that one rank computes
		row.Parts[2] = n
	} else {
		plan, err := decomp.Cut(all, [3]bool{}, 3, n, [3]int{})
		if err != nil {
			return m.skip(row, &sim.Error{Code: sim.ExitFailure, Err: err})
		}
		row.Parts = plan.Parts()
	}
	how := m.with(transport)
	v := how.thin(all, row.Parts)
	hash, err := m.verify(v)
	var not unbuilt
	if errors.As(err, &not) {
		return m.skip(row, not.error)
	} else if err != nil {
		return err
	}
	row.Verified, row.VerifiedSize = fmt.Sprintf("%016x", hash), v.cells
	c, err := m.ready(n, how.timed(all, row.Parts))
	if err != nil {
		return m.skip(row, err)
	}
	defer func() { c.close(err) }()
	many, err := m.calibrate(c)
	if err != nil {
		return err
	}
	var of1, ofN turns
	for round := -1; round < m.Rounds; round++ { // the first warms up
		t1, err := m.turn(alone, ones)
		if err != nil {
			return err
		}
		tn, err := m.turn(c, many)
		if err != nil {
			return err
		}
		if round >= 0 {
			of1, ofN = append(of1, timing{t1, 1, count(cells)}), append(ofN, timing{tn, n, count(all)})
		}
	}
	if err := m.in(n, func(comm.Comm) error { return c.Look() }); err != nil {
		return err
	}
	*speeds = append(*speeds, of1)
	if m.Comm.Rank() == 0 {
		row.Way = c.start.Transport
		row.fill(ofN, of1)
		m.Done(row)
	}
	return nil
}

// calibrate returns the number of steps of a turn, an even number: devices record two.
func (m *Measurement) calibrate(c contender) (steps int, err error) {
	if _, err := m.turn(c, 2); err != nil { // one-time work is done here
		return 0, err
	}
	if m.Steps > 0 {
		return m.Steps, nil
	}
	steps = 4
	for range 2 {
		t, err := m.turn(c, steps)
		if err != nil {
			return 0, err
		}
		nanos := []int64{0} // of a step; ranks that have no part in it hear of it
		if t.Steps > 0 {
			nanos[0] = int64(t.Seconds / float64(t.Steps) * 1e9)
		}
		if err := comm.Max(m.Comm, nanos); err != nil {
			return 0, err
		}
		steps = 2 * int(math.Ceil(max(4, m.Seconds*1e9/float64(max(nanos[0], 1)))/2))
	}
	return steps, nil
}

// kernels compares every rank's kernels for rows of a length with the oracle.
func (m *Measurement) kernels(width int) (float64, error) {
	if d, ok := m.oracle[width]; ok {
		return d, nil
	}
	var difference float64
	spec, err := m.with(Auto).spec()
	if err == nil {
		difference, err = bench.Verify(m.Device, spec, width)
	}
	if err := sim.Agreed(sim.ExitFailure, comm.Agree(m.Comm, err)); err != nil {
		return 0, err
	}
	all, err := comm.Together(m.Comm, difference)
	if err != nil {
		return 0, err
	}
	m.oracle[width] = slices.Max(all)
	return m.oracle[width], nil
}

// row returns the part of a row that is known before any measurement.
func (m *Measurement) row(kind, transport string, n int, cells [3]int) Row {
	return Row{
		Part: "scaling", Kind: kind, Version: m.Version, Device: m.Device.Info().Model, MPI: comm.Describe(m.Comm),
		Case: "D3Q19 " + m.Model + " " + m.Precision, Transport: transport, Ranks: n, Nodes: m.nodes[n], Size: cells, Parts: whole,
	}
}

// skip reports why a row has no figures: the machine has no memory for it, or no such transport
// between ranks. An error that not all ranks know of ends the measurement.
func (m *Measurement) skip(row Row, err error) error {
	if _, agreed := sim.ExitCode(err); !agreed {
		return err
	}
	if row.Skipped = err.Error(); m.Comm.Rank() == 0 {
		m.Done(row)
	}
	return nil
}
