package live

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/model"
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
	slices *sliceQueue

	mu       sync.Mutex
	caseFile *config.Case // nil before the start
	ranks    []sim.RankInfo
	state    State
	history  history
	order    sim.Order
}

// NewProcess returns a run that is about to begin. status is the state that other reporters keep; Process comes after them in their list.
func NewProcess(status func() status.State) *Process {
	p := &Process{status: status, lines: &lines{}, slices: newSliceQueue()}
	p.log = report.NewLog(p.lines)
	p.state.Standing = starting
	return p
}

// starting is the status of a run before its first step.
const starting = "starting"

// update takes the state after an event.
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
	p.slices.start(s.Ranks[0].Device.Name == "cpu")
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
	p.slices.end()
	p.update(func(to *State) { to.Elapsed, to.Times = s.Elapsed.Seconds(), &s.Times })
}

// Fail implements report.Reporter. An error after the end of the run leaves its state as it was.
func (p *Process) Fail(err error) {
	text := report.Failure(err)
	fmt.Fprintln(p.lines, text)
	p.slices.end()
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
	}
	return a
}

// seenOf lists the fields of slices of a case, and the axes normal to them.
func seenOf(c *config.Case) (fields []field, axes []axis) {
	for _, f := range model.Fields {
		if output.Sliced(c, f) {
			fields = append(fields, fieldOf(f, c.Dims()))
		}
	}
	for k := range 3 {
		axes = append(axes, axisOf(c, k))
	}
	return fields, axes
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
	return list
}

// fieldOf lists the components that a viewer may choose: in 2D those that are not always zero.
func fieldOf(f model.Field, dims int) field {
	l := field{Name: f.Name}
	switch {
	case f.Components == 1:
	case dims == 3:
		l.Components = []string{"magnitude", "x", "y", "z"}
	case f.Name == "vorticity":
		l.Components = []string{"z", "magnitude"}
	default:
		l.Components = []string{"magnitude", "x", "y"}
	}
	return l
}

func axisOf(c *config.Case, k int) axis {
	u := c.Units
	return axis{Name: axisNames[k : k+1], Cells: c.Cells[k], First: c.Origin[k] + u.Length/2, Step: u.Length, Unit: u.Symbol(model.Length), Across: c.Dims() == 3 || k == 2}
}

const axisNames = "xyz"

// Find implements Sliced.
func (p *Process) Find(name, component, across string, at int) (s output.Slice, err error) {
	p.mu.Lock()
	c := p.caseFile
	p.mu.Unlock()
	if c == nil {
		return s, errors.New("the run has not begun")
	}
	f, ok := model.FindField(name)
	if !ok {
		return s, fmt.Errorf("there is no field %.40q", name)
	}
	s = output.Slice{Field: f, Component: index(axisNames, component), Axis: index(axisNames, across), At: at}
	if component != "" && component != "magnitude" && s.Component < 0 {
		return s, fmt.Errorf("there is no component %.40q", component)
	}
	return s, s.Check(c)
}

// index returns the place of a letter, -1 for other words.
func index(letters, word string) int {
	for k := range letters {
		if letters[k:k+1] == word {
			return k
		}
	}
	return -1
}

// Slice implements Sliced.
func (p *Process) Slice(of output.Slice, gone <-chan struct{}) (Shown, error) {
	return p.slices.wait(of, gone)
}

// Order implements Run. The run takes it at the next synchronization of its ranks.
func (p *Process) Order(o sim.Order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch c := p.caseFile; {
	case c == nil:
		return errors.New("the run has not begun: Ctrl-C ends it")
	case p.state.Phase != status.Running:
		return errors.New("the run has ended")
	case o.Save && !c.Checkpoint.On:
		return errors.New("the case has no [checkpoint]")
	case o.Draw && len(c.Pictures)+len(c.Views) == 0:
		return errors.New("the case has no [output.picture] and no [output.view.NAME]")
	}
	p.order = sim.Order{Stop: p.order.Stop || o.Stop, Save: p.order.Save || o.Save, Draw: p.order.Draw || o.Draw}
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

// Viewer returns the viewer that the run queries for slices.
func (p *Process) Viewer() sim.Viewer { return p.slices }

// patience is the time after which a viewer is told that the run shows no slice: it may be writing a large file, or its steps
// take long.
const patience = 30 * time.Second
