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
	"lbmsim/sim/output"
	"lbmsim/sim/transfer"
)

// The state of step 0: formulas, or the flow of another run.

// origin makes the state of step 0 of a run.
type origin struct{ *run }

// state makes it. Collective.
func (r origin) state() error {
	if r.Case.Initial.From == nil {
		return r.all("initial state", r.initialize(formulas{r.stepper}))
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
		return exit.Agreed(exit.Failure, imaging{r.stepper}.load(flow.Checkpoint))
	}
	in := &another{stepper: r.stepper, flow: flow}
	flow.Prepare(r.Box, r.Share, r.Heartbeat.Mark)
	if err := exit.Agreed(exit.Failure, comm.Agree(r.Comm, r.initialize(in))); err != nil {
		return err
	}
	return r.warnOfRest(in)
}

// openFlow finds the flow that the case starts from, on rank 0, and opens it on every rank. Collective.
func (r origin) openFlow() (*transfer.Flow, error) {
	from := *r.Case.Initial.From
	r.Heartbeat.Doing("looking for the flow to start from")
	if r.found.Path == "" {
		var err error
		if r.Root {
			r.found, err = transfer.Find(from, r.outputs.Path(), r.Heartbeat.Mark)
		}
		if err := comm.Agree(r.Comm, err); err != nil {
			return nil, exit.Agreed(exit.Usage, err)
		}
		b, err := json.Marshal(r.found)
		if err != nil {
			return nil, err
		}
		if b, err = comm.Broadcast(r.Comm, b); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &r.found); err != nil {
			return nil, err
		}
	}
	r.Heartbeat.Doing("reading " + r.found.Path)
	s, err := transfer.Open(r.found.Path)
	if err := comm.Agree(r.Comm, err); err != nil {
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

// describe writes where the flow comes from into the case, once.
func (r origin) describe(flow *transfer.Flow) {
	if config.FlowSum(r.Case.Resolved) != "" && slices.ContainsFunc(r.Inputs, func(in domain.Input) bool { return in.SHA256 == r.found.SHA256 }) {
		return // the state is made once more
	}
	from := r.Case.Initial.From
	r.Case.Resolved = config.PinFlow(r.Case.Resolved, r.found.SHA256)
	r.Case.Table = append(r.Case.Table, flow.Rows(r.found.SHA256)...)
	r.Case.Warnings = append(r.Case.Warnings, r.found.Warnings()...)
	r.Case.Warnings = append(r.Case.Warnings, flow.Warnings()...)
	r.Inputs = append(r.Inputs, domain.Input{Path: r.found.Path, Shown: from.Shown, SHA256: r.found.SHA256, Beside: flow.Beside(), Flow: true})
}

// recallDrive continues with the force that kept the mean velocity of the other flow.
func (r origin) recallDrive(flow *transfer.Flow) error {
	force, ok, err := flow.Drive()
	if err := comm.Agree(r.Comm, err); err != nil {
		return exit.Agreed(exit.Failure, err)
	}
	if !ok {
		return nil
	}
	r.params.Force = force
	if r.Root {
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

// warnOfRest counts the cells that the other flow says nothing of. Collective.
func (r origin) warnOfRest(in *another) error {
	counts, err := comm.Together(r.Comm, in.deep.Load())
	if err != nil {
		return err
	}
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	if n > 0 {
		r.Case.Warnings = append(r.Case.Warnings, finding.FlowRest.Says("[initial] from: %d cells of fluid lie inside of what was solid, more than a cell from its surface: they start at rest", n))
	}
	return nil
}

// ownCase gives this rank a copy of the case that it may write to: ranks of one process share theirs.
func ownCase(p *domain.Part) {
	own := *p.Case
	own.Table, own.Warnings = slices.Clone(own.Table), slices.Clone(own.Warnings)
	p.Case = &own
}

// keepFlow takes the checksum of the flow that the run once started from out of its checkpoint: the flow itself is no
// longer needed.
func keepFlow(c *config.Case, h checkpoint.Header) {
	if c.Initial.From != nil {
		c.Resolved = config.PinFlow(c.Resolved, config.FlowSum(h.Case))
	}
}

// another is the flow of another run.
type another struct {
	*stepper
	flow *transfer.Flow
	now  transfer.Plane
	deep atomic.Int64 // fluid cells that it says nothing of
}

func (s *another) plane(k int) (err error) {
	s.now, err = s.flow.Plane(k)
	return err
}

func (s *another) row(j, k int, fields []float64) {
	y, z := j, k
	if s.Layout.Axis() == 1 {
		y, z = k, 0
	}
	n, in := s.Layout.N[0], s.Case.Initial
	moments := s.Case.Spec.Lattice.Moments()
	s.now.Row(j, func(x int, c *transfer.Cell) {
		if c.Outside && (in.Moved || in.Pressed) {
			given, _ := initialCell(in, s.centre(x, y, z), s.Case.Dims())
			if in.Pressed {
				c.Values[0] = given[0]
			}
			if in.Moved {
				copy(c.Values[1:], given[1:])
			}
		}
		if c.Deep && !c.Outside && s.Cells.At(x, y, z) == 0 {
			s.deep.Add(1)
		}
		for v, value := range c.Values[:moments] {
			fields[v*n+x] = value
		}
		if s.Case.Spec.Scalar {
			fields[moments*n+x] = s.warmth(x, y, z, c.Temperature)
		}
	})
}

// warmth is the initial temperature of a cell, against the reference.
func (s *another) warmth(x, y, z int, found float64) float64 {
	switch p := s.centre(x, y, z); {
	case !s.Warm(x, y, z):
		return 0
	case !s.flow.Warm:
		return s.Case.Temperature.Initial(p[0], p[1], p[2])
	}
	return found
}
