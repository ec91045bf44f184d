// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/picture"
	"lbmsim/io/status"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// Process is the run of this process. For the run it is a reporter, a source of orders and a viewer; it only copies the run's
// reports.
type Process struct {
	status func() status.State // as the run's reporters have it; called by the run alone
	log    *report.Text
	lines  *lines
	queue  *requestQueue

	mu       sync.Mutex
	caseFile *config.Case // nil before the start
	ranks    []sim.RankInfo
	state    State
	history  history
	order    sim.Order
}

// NewProcess returns a run that is about to begin. status returns the state kept by other reporters; Process comes after
// them in their list.
func NewProcess(status func() status.State) *Process {
	p := &Process{status: status, lines: &lines{}, queue: newRequestQueue()}
	p.log = report.NewLog(p.lines)
	p.state.Standing = starting
	return p
}

// starting is the status of a run before its first step.
const starting = "starting"

// update stores the state after an event.
func (p *Process) update(also func(*State)) {
	s := p.status()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.State = s
	p.state.Standing, p.state.Bad = cmp.Or(string(s.Phase), starting), s.Phase == status.Failed
	if also != nil {
		also(&p.state)
	}
}

// Start implements sim.Reporter.
func (p *Process) Start(s sim.Start) {
	p.log.Start(s)
	p.mu.Lock()
	p.caseFile, p.ranks = s.Case, s.Ranks
	p.mu.Unlock()
	p.queue.start(s.Ranks[0].Device.Name == "cpu")
	p.update(nil)
}

// Progress implements sim.Reporter.
func (p *Process) Progress(r sim.Progress) {
	p.log.Progress(r)
	p.update(func(s *State) {
		times := r.Times
		s.Elapsed, s.Roofline, s.Communication, s.Times = r.Elapsed.Seconds(), r.Roofline, r.Communication, &times
		p.history.add(Sample{Step: r.Step, Time: s.Elapsed, MLUPS: r.MLUPS, Mach: r.MaxMach, Drift: r.Health.DensityDrift, Grid: r.Health.GridScale})
	})
}

// Wrote implements sim.Reporter.
func (p *Process) Wrote(kind, path string) {
	p.log.Wrote(kind, path)
	p.update(nil)
}

// Warn implements sim.Reporter.
func (p *Process) Warn(w finding.Finding) {
	p.log.Warn(w)
	p.update(nil)
}

// Finish implements sim.Reporter.
func (p *Process) Finish(s sim.Summary) {
	p.log.Finish(s)
	p.queue.end()
	p.update(func(to *State) { to.Elapsed, to.Times = s.Elapsed.Seconds(), &s.Times })
}

// Fail implements report.Reporter. An error after the end of the run leaves its state as it was.
func (p *Process) Fail(err error) {
	text := report.Failure(err)
	fmt.Fprintln(p.lines, text)
	p.queue.end()
	p.update(func(s *State) {
		if s.Phase == status.Running || s.Phase == "" {
			s.Phase, s.Error = status.Failed, text
			s.Standing, s.Bad = string(status.Failed), true
		}
	})
}

// Note implements report.Reporter.
func (p *Process) Note(message string) { p.log.Note(message) }

// State implements Run.
func (p *Process) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state // replaced, never changed
}

// Folder implements Run.
func (p *Process) Folder() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.caseFile == nil {
		return ""
	}
	return p.caseFile.OutputDir
}

// History implements Historian.
func (p *Process) History() []Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Sample{}, p.history.list...)
}

// Lines implements Run.
func (p *Process) Lines(from int) ([]string, int) { return p.lines.after(from) }

// About implements Run.
func (p *Process) About() About {
	p.mu.Lock()
	c, ranks, running := p.caseFile, p.ranks, p.state.Phase == status.Running
	p.mu.Unlock()
	a := About{Live: true, Orders: []string{}}
	if c == nil {
		return a
	}
	a.Case, a.Refined = c.Resolved, len(c.Refine) > 0
	for _, r := range ranks {
		l := rankLine{Rank: r.Rank, Host: r.Host, Device: r.Device.Model}
		for k := range l.Cells {
			l.Cells[k] = r.Hi[k] - r.Lo[k]
		}
		a.Ranks = append(a.Ranks, l)
	}
	if running {
		a.Orders = ordersOf(c)
		a.Fields, a.Axes = seenOf(c)
		a.View = viewOf(c)
	}
	return a
}

// ordersOf lists the orders that a case can follow.
func ordersOf(c *config.Case) []string {
	list := []string{stopOrder}
	if c.Checkpoint.On {
		list = append(list, saveOrder)
	}
	if len(c.Pictures)+len(c.Views) > 0 {
		list = append(list, drawOrder)
	}
	if config.HasAverages(c) {
		list = append(list, meanOrder)
	}
	return list
}

// Find implements Seen.
func (p *Process) Find(kind string, keys url.Values) (output.Request, error) {
	p.mu.Lock()
	c := p.caseFile
	p.mu.Unlock()
	if c == nil {
		return nil, errNotBegun
	}
	read := sliceOf
	if kind == viewWord {
		read = orbitOf
	}
	request, err := read(keys)
	if err == nil {
		err = request.Check(c)
	}
	return request, err
}

// See implements Seen.
func (p *Process) See(ctx context.Context, of output.Request) (picture.Bare, error) {
	return p.queue.wait(ctx, of)
}

// Order implements Run. The run executes it at the next synchronization of its ranks.
func (p *Process) Order(o sim.Order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch c := p.caseFile; {
	case c == nil:
		return fmt.Errorf("%w: Ctrl-C ends it", errNotBegun)
	case p.state.Phase != status.Running:
		return errEnded
	case o.Save && !c.Checkpoint.On:
		return errors.New("the case has no [checkpoint]")
	case o.Draw && len(c.Pictures)+len(c.Views) == 0:
		return errors.New("the case has no [output.picture] and no [output.view.NAME]")
	case o.Mean && !config.HasAverages(c):
		return errors.New("no output of the case has averages")
	}
	p.order = p.order.And(o)
	return nil
}

// Take implements sim.Orders.
func (p *Process) Take() sim.Order {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.order
	p.order = sim.Order{}
	return o
}

// Viewer returns the viewer that the run queries for pictures.
func (p *Process) Viewer() sim.Viewer { return p.queue }

// patience is the time after which a viewer gets an error instead of a picture: the run may be writing a large file, or its
// steps take long.
const patience = 30 * time.Second
