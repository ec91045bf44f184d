// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/forecast"
	"lbmsim/internal/tunnel"
	"lbmsim/model"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/domain"
)

// Limits of the trial that measures the speed of the ranks on a tunnel.
const (
	trialFirst   = 2 // untimed steps
	trialSeconds = 3 // of timed steps
	trialLarger  = 2 // times the cells along the body of a second trial, where the time allows so many: GPUs are slow on few cells
)

// fit chooses the cells along the body by --time and the measured speed: on the coarsest useful grid and, if the time is
// long, on a larger one. Collective.
func (f *tunnelFlags) fit(c comm.Comm, path string, from gpuSource, opened *device.Device) error {
	seconds, err := language.ReadQuantity("--time", f.size.time, model.Time, language.Above(0))
	var s *standing
	if err == nil && c.Rank() == 0 {
		if s, err = f.read(path); err == nil {
			err = f.refusesAnyGrid(s)
		}
	}
	if err := comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitUsage, err)
	}
	f.cells = tunnel.LeastTimed
	for tried := f.cells; ; tried *= trialLarger {
		var plan *tunnel.Plan
		if c.Rank() == 0 {
			at := s.wanted
			at.Cells = tried
			plan, err = tunnel.New(s.body, at)
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitUsage, err)
		}
		step, err := f.trial(c, plan, from, opened)
		if err != nil {
			return err
		}
		has, err := roomOf(c, *opened)
		if err != nil {
			return err
		}
		var found tunnel.Timed
		var speed float64
		if c.Rank() == 0 {
			speed = plan.Updates() / plan.Steps() / step
			found, err = tunnel.Fit(s.body, s.wanted, f.grids, coarser, seconds, speed, func(p *tunnel.Plan) (tunnel.Memory, error) { return f.memory(p, s, has, c.Size()) })
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitUsage, err)
		}
		b, err := comm.Broadcast(c, comm.Float64Bytes([]float64{float64(found.Cells)}))
		if err != nil {
			return err
		}
		if f.cells = int(comm.Float64At(b, 0)); tried > tunnel.LeastTimed || f.cells < trialLarger*tried {
			if c.Rank() == 0 {
				fmt.Fprintf(stdout, "  %-16s %d cells along the body, up to %s at %.3g million updates per second; %s   --time %s\n", "time", f.cells, tunnel.Duration(found.Seconds), speed/1e6, found.Limit, f.size.time)
			}
			return nil
		}
	}
}

// refusesAnyGrid checks, before the speed is measured, for reasons of refusal on any grid: a case file and results of
// another run.
func (f *tunnelFlags) refusesAnyGrid(s *standing) error {
	if folder := filepath.Dir(f.caseFile); folder != "." {
		if _, err := os.Stat(folder); err != nil {
			return fmt.Errorf("--case %s: %w", f.caseFile, err)
		}
	}
	if !f.dry {
		if err := f.hasRoom(); err != nil {
			return err
		}
	}
	old, found, err := readWritten(f.caseFile)
	if err != nil || !found || f.run.overwrite {
		return err
	}
	at := s.wanted // the measured speed may give the same grid again
	at.Cells = max(old.cells, tunnel.LeastTimed)
	p, err := tunnel.New(s.body, at)
	if err != nil {
		return err
	}
	return f.mayWrite(p)
}

// memory returns the share of a rank's memory that a plan needs. Rank 0 has the plan.
func (f *tunnelFlags) memory(p *tunnel.Plan, s *standing, has room, ranks int) (m tunnel.Memory, err error) {
	flow, err := config.Load(f.caseFile, []byte(p.Case()), f.run.set...)
	if err == nil {
		_, err = flow.Hierarchy(ranks)
	}
	if err != nil {
		return m, err
	}
	var sizes []config.SolidSize
	for i, source := range s.sources {
		move, err := motionOf(s.wanted.Parts[i])
		if err != nil {
			return m, err
		}
		inCells := func(v [3]float64) [3]float64 {
			v = move.Apply(v)
			for a := range v {
				v[a] /= p.Finest()
			}
			return v
		}
		sizes = append(sizes, config.SolidSize{Body: s.wanted.Parts[i].Name, Memory: source.Surface.Memory(), Surface: source.Surface.Faces(inCells)})
	}
	m = tunnel.Memory{Need: forecast.OnHost(flow, ranks, has.onGPU, sizes...), Free: has.host}
	if on := (tunnel.Memory{Need: forecast.OnGPU(flow, ranks, sizes...), Free: has.gpu}); has.onGPU && on.Tighter(m) {
		m = on
	}
	return m, nil
}

// trial returns the seconds of a step of level 0 on these ranks. Rank 0 has the plan. Collective.
func (f *tunnelFlags) trial(c comm.Comm, p *tunnel.Plan, from gpuSource, opened *device.Device) (step float64, err error) {
	var text []byte
	if c.Rank() == 0 {
		text = []byte(p.Case())
	}
	if text, err = comm.Broadcast(c, text); err != nil {
		return 0, err
	}
	usage := func(err error) error { return &sim.Error{Code: sim.ExitUsage, Err: err} }
	var shelf domain.Shelf
	whole, err := loadCase(f.caseFile, text, shelf.Extents(c), f.run.set...)
	if err != nil { // the same bytes give the same error everywhere
		return 0, usage(err)
	}
	bare, err := loadCase(f.caseFile, config.Without(whole.Source, func(at []string) bool {
		return slices.Contains([]string{"output", "expect", "checkpoint"}, at[0]) || slices.Equal(at, []string{"run", "stop_when"})
	}), shelf.Extents(c))
	if err != nil {
		return 0, usage(err)
	}
	bare.OutputDir = filepath.Join(f.run.output, "trial") // which a run without outputs does not make
	bare.Run.Forensics, bare.Run.WallTime = false, 0
	done := func() {}
	if c.Rank() == 0 {
		done = working(fmt.Sprintf("measuring the speed with %d cells along the body", p.Wanted.Cells))
	}
	defer done()
	on, err := openFor(c, bare, f.run, from, opened)
	if err != nil {
		return 0, err
	}
	f.run.note = on.note // a warning of the runs
	_, onCPU := (*opened).(*cpu.Device)
	if err := enoughMemory(c, bare, onCPU); err != nil {
		return 0, err
	}
	t, err := sim.NewTrial(sim.Options{Case: bare, Shelf: &shelf, Comm: c, Device: *opened, Threads: on.threads, Report: report.Many{}, Version: version})
	if err != nil {
		return 0, err
	}
	_, err = t.Steps(trialFirst)
	for n, spent := 1, 0.0; err == nil && spent < trialSeconds; n *= 2 {
		var turn sim.Turn
		if turn, err = t.Steps(n); err == nil { // all ranks have the same seconds
			step, spent = turn.Seconds/float64(n), spent+turn.Seconds
		}
	}
	if _, agreed := sim.ExitCode(err); err == nil || agreed {
		t.Close()
	}
	return step, err
}
