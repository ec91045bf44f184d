// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"slices"
	"sync/atomic"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/transfer"
)

// The state of step 0: formulas, or the flow of another run.

// origin creates the state of step 0 of a run.
type origin struct{ *run }

// state creates it. Collective.
func (r origin) state() error {
	if r.Case.Initial.From == nil {
		if r.grid != nil {
			return r.all("initial state", r.grid.Initialize())
		}
		return r.all("initial state", r.level.Initialize(&level.Formulas{Part: r.level.Part}))
	}
	flow, err := r.openFlow()
	if err != nil {
		return err
	}
	defer flow.Close()
	r.describe(flow)
	if err := r.recallDrive(flow); err != nil {
		return err
	}
	if h := r.outputs.Header(); flow.Same && flow.Checkpoint.Header.PlaneBytes() == h.PlaneBytes() && flow.Checkpoint.Header.Planes == h.Planes {
		err := level.Image{Level: r.level}.Load(flow.Checkpoint)
		if err == nil && r.grid != nil {
			err = loadPatches(r.run, flow.Checkpoint)
		}
		return exit.Agreed(exit.Failure, err)
	}
	if r.grid != nil {
		return r.levels(flow)
	}
	in := &another{flow: flow, given: &level.Formulas{Part: r.level.Part}}
	flow.Prepare(r.level.Part.Box, r.Rank.Share, r.Rank.Heartbeat.Mark)
	if err := exit.Agreed(exit.Failure, comm.Agree(r.Rank.Comm, r.level.Initialize(in))); err != nil {
		return err
	}
	return r.warnOfRest(in.deep.Load())
}

// levels sets the cells of a refined grid from a flow. Collective.
func (r origin) levels(flow *transfer.Flow) error {
	deep := int64(0)
	var last *another
	err := r.grid.InitializeFrom(func(p *domain.Part) (level.Initial, error) {
		if last != nil {
			deep += last.deep.Load()
		}
		own, err := transfer.New(p.Case, flow.Source)
		if err != nil {
			return nil, err
		}
		own.Length, own.Velocity = flow.Length, flow.Velocity
		own.Prepare(p.Box, r.Rank.Share, r.Rank.Heartbeat.Mark)
		last = &another{flow: own, given: &level.Formulas{Part: p}}
		return last, nil
	})
	if err := exit.Agreed(exit.Failure, comm.Agree(r.Rank.Comm, err)); err != nil {
		return err
	}
	return r.warnOfRest(deep + last.deep.Load()) // each rank has cells of level 0
}

// openFlow finds the flow that the case starts from, on rank 0, and opens it on every rank. Collective.
func (r origin) openFlow() (*transfer.Flow, error) {
	from := *r.Case.Initial.From
	r.Rank.Heartbeat.Doing("searching for the initial flow")
	if r.found.Path == "" {
		var err error
		if r.Rank.Root {
			r.found, err = transfer.Find(from, r.outputs.Path(), r.Rank.Heartbeat.Mark)
		}
		if err := comm.Agree(r.Rank.Comm, err); err != nil {
			return nil, exit.Agreed(exit.Usage, err)
		}
		b, err := json.Marshal(r.found)
		if err != nil {
			return nil, err
		}
		if b, err = comm.Broadcast(r.Rank.Comm, b); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &r.found); err != nil {
			return nil, err
		}
	}
	r.Rank.Heartbeat.Doing("reading " + r.found.Path)
	s, err := transfer.Open(r.found.Path)
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		if s != nil {
			s.Close()
		}
		return nil, exit.Agreed(exit.Failure, err)
	}
	flow, err := transfer.New(r.Case, s)
	if err != nil { // the same on every rank
		s.Close()
		return nil, exit.With(exit.Usage, err)
	}
	return flow, nil
}

// describe records the source of the flow in the case, once.
func (r origin) describe(flow *transfer.Flow) {
	if config.FlowSum(r.Case.Resolved) != "" && slices.ContainsFunc(r.level.Part.Inputs, func(in domain.Input) bool { return in.SHA256 == r.found.SHA256 }) {
		return // the state is created a second time
	}
	from := r.Case.Initial.From
	r.Case.Resolved = config.PinFlow(r.Case.Resolved, r.found.SHA256)
	r.Case.Table = append(r.Case.Table, flow.Rows(r.found.SHA256)...)
	r.Case.Warnings = append(r.Case.Warnings, r.found.Warnings()...)
	r.Case.Warnings = append(r.Case.Warnings, flow.Warnings()...)
	r.level.Part.Inputs = append(r.level.Part.Inputs, domain.Input{Path: r.found.Path, Shown: from.Shown, SHA256: r.found.SHA256, Beside: flow.Beside(), Flow: true})
}

// recallDrive continues with the force that maintained the mean velocity of the other flow.
func (r origin) recallDrive(flow *transfer.Flow) error {
	force, ok, err := flow.Drive()
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return exit.Agreed(exit.Failure, err)
	}
	if !ok {
		return nil
	}
	r.driver.start(force)
	if r.Rank.Root {
		r.driver.drive = output.Drive{Force: force}
	}
	if flow.Same {
		m, err := transfer.Memory(flow.Checkpoint)
		if err == nil {
			r.driver.recall(m.Drive)
		}
		return err
	}
	return nil
}

// warnOfRest counts the cells that the other flow does not cover. Collective.
func (r origin) warnOfRest(deep int64) error {
	counts, err := comm.Together(r.Rank.Comm, deep)
	if err != nil {
		return err
	}
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	if n > 0 {
		r.Case.Warnings = append(r.Case.Warnings, finding.FlowRest.Says("[initial] from: %d fluid cells are inside former solids, more than a cell from the surface: they start at rest", n))
	}
	return nil
}

// keepFlow takes the checksum of the run's initial flow from its checkpoint: the flow itself is no longer needed.
func keepFlow(c *config.Case, h checkpoint.Header) {
	if c.Initial.From != nil {
		c.Resolved = config.PinFlow(c.Resolved, config.FlowSum(h.Case))
	}
}

// another is the flow of another run, as initial values.
type another struct {
	flow  *transfer.Flow
	now   transfer.Plane
	given *level.Formulas // where the flow has no values
	deep  atomic.Int64    // fluid cells that it does not cover
}

// Plane implements level.Initial.
func (s *another) Plane(k int) (err error) {
	s.now, err = s.flow.Plane(k)
	return err
}

// Row implements level.Initial.
func (s *another) Row(j, k int, fields []float64) {
	part := s.given.Part
	y, z := j, k
	if part.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n, in := part.Layout.N[0], part.Case.Initial
	moments := part.Case.Spec.Lattice.Moments()
	var row []float64
	given := func(value, x int) float64 { // by the case
		if row == nil {
			row = make([]float64, len(fields))
			s.given.Row(j, k, row)
		}
		return row[value*n+x]
	}
	s.now.Row(j, func(x int, c *transfer.Cell) {
		if c.Outside {
			for v := range moments {
				if v == 0 && in.Pressed || v > 0 && in.Moved {
					c.Values[v] = given(v, x)
				}
			}
		}
		if c.Deep && !c.Outside && part.Cells.At(x, y, z) == 0 {
			s.deep.Add(1)
		}
		for v, value := range c.Values[:moments] {
			fields[v*n+x] = value
		}
		if part.Case.Spec.Scalar {
			if fields[moments*n+x] = c.Temperature; !s.flow.Warm || !part.Warm(x, y, z) {
				fields[moments*n+x] = given(moments, x)
			}
		}
	})
}
