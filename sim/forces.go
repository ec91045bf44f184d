package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/stats"
	"lbmsim/io/probe"
)

// forces writes one [output.force.NAME]: a CSV row a sample, on rank 0, with the means so
// far and how well they are known.
type forces struct {
	config.ForceOutput
	rows
	at     int
	list   []config.ForceSeries
	series []stats.Series // of each number of a row, rank 0 only
}

func newForces(r *run, f config.ForceOutput) *forces {
	list := f.Series(r.Case.Dims())
	return &forces{ForceOutput: f, at: -1, list: list, series: make([]stats.Series, len(list)),
		rows: rows{kind: "force " + f.Name, key: "force/" + f.Name, path: r.outputDir("force_" + f.Name + ".csv")}}
}

func (f *forces) schedule() config.Schedule { return f.Schedule }
func (f *forces) written() int              { return f.at }

// write adds a row. A failure of the file comes out at the next sync, as of probes.
func (f *forces) write(r *run) error {
	f.at = r.n
	all, err := r.presentLoads()
	if err != nil {
		return err
	}
	if r.Root {
		values := f.values(all, 1/float64(r.loads.steps), r.Case.Units)
		if r.n >= f.Start {
			for i, v := range values {
				f.series[i].Add(r.time(), v)
			}
		}
		row := values
		for i := range values {
			e := f.series[i].Estimate()
			row = append(row, e.Mean, e.Half)
		}
		_ = f.file.Append(int64(r.n), r.time(), row...)
	}
	return r.stopIfKnown()
}

// values of a row, in the outputs' units: share times all.
func (f *forces) values(all []device.Load, share float64, units config.Units) (values []float64) {
	var sum device.Load
	for _, t := range f.Types {
		sum.Add(all[t-1])
	}
	force, torque := sum.Values(f.About)
	dot := func(direction [3]float64) float64 {
		return f.Coefficient * (force[0]*direction[0] + force[1]*direction[1] + force[2]*direction[2])
	}
	for _, s := range f.list {
		var v float64
		switch axis := int(s.Name[len(s.Name)-1]) - 'x'; s.Name {
		case "heat":
			v = -sum.Lost()
		case "nusselt":
			v = -f.Nusselt * sum.Lost()
		case "drag":
			v = dot(f.Drag)
		case "lift":
			v = dot(f.Lift)
		case "force_x", "force_y", "force_z":
			v = force[axis]
		default:
			v = torque[axis]
		}
		values = append(values, units.Factor(s.Dim)*share*v)
	}
	return values
}

// header names the columns.
func (f *forces) header(r *run) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	unit := func(s config.ForceSeries) string { return unitOf(u, s.Dim) }
	for _, s := range f.list {
		h.Columns = append(h.Columns, probe.Column{Name: s.Name, Unit: unit(s)})
	}
	for _, s := range f.list {
		h.Columns = append(h.Columns, probe.Column{Name: "mean " + s.Name, Unit: unit(s)}, probe.Column{Name: "+- " + s.Name, Unit: unit(s)})
	}
	return h
}

// loads is what the fluid does to all walls at a step, on rank 0: several outputs ask.
type loads struct {
	known bool
	at    int
	all   []device.Load // of so many steps, added up
	steps int
	past  stepLoads
}

// stepLoads is those of the step that led to another; checkpoints keep them. nil: not known.
type stepLoads struct {
	at  int
	all []device.Load
}

// presentLoads is the force at this step. nil on other ranks than 0. Collective.
//
// Links pass between two steps, so the force at a step is the mean of those of the step before and
// of the coming one (Ladd, J. Fluid Mech. 271 (1994) 285, section 3). It is more than a matter of
// order: close to tau = 1/2 stresses at walls change their sign with every step and hardly decay,
// and samples an even number of steps apart would take one of the two for the force.
func (r *run) presentLoads() ([]device.Load, error) {
	if r.loads.known && r.loads.at == r.n {
		return r.loads.all, nil
	}
	past, err := r.pastLoads()
	if err != nil {
		return nil, err
	}
	all, err := r.comingLoads()
	if err != nil {
		return nil, err
	}
	r.loads.known, r.loads.at, r.loads.all, r.loads.steps = true, r.n, all, 1
	if past != nil {
		r.loads.steps++
	}
	for k := range past {
		all[k].Add(past[k])
	}
	return all, nil
}

// pastLoads are those of the step that led here, on rank 0; nil before the first step, and after a restart
// from a checkpoint that lacks them. Collective.
func (r *run) pastLoads() ([]device.Load, error) {
	if p := &r.loads.past; r.n > r.first && p.at != r.n { // what that step started from is still there, with its ghost cells
		all, err := r.sumLoads(r.state[1])
		if err != nil {
			return nil, err
		}
		*p = stepLoads{r.n, all}
	}
	if r.loads.past.at != r.n {
		return nil, nil
	}
	return r.loads.past.all, nil
}

// comingLoads are those of the coming step, on rank 0. Collective.
func (r *run) comingLoads() ([]device.Load, error) {
	if r.timed != nil { // the force at this step, which outputs ask for, stays
		if err := r.timed.Foresee([]device.Moment{{Time: float64(r.n) + 0.5, Force: r.params.Force}}); err != nil {
			return nil, r.loadsFailed(err)
		}
		r.retime()
	}
	r.fillFaces(r.state[0])
	return r.sumLoads(r.state[0])
}

// sumLoads adds up what the ranks have of the step from a state: integers, so that no cut changes the sums.
func (r *run) sumLoads(from device.Buffer) ([]device.Load, error) {
	if err := r.sync(); err != nil {
		return nil, r.loadsFailed(err)
	}
	mine, err := r.program.Forces(from, r.params)
	if err != nil {
		return nil, r.loadsFailed(err)
	}
	const numbers = 7 // of a load
	b := make([]byte, 0, 8*numbers*len(mine))
	for _, l := range mine {
		for _, v := range append(append(l.Force[:], l.Torque[:]...), l.Scalar) {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	parts, err := comm.Gather(r.Comm, b)
	if err != nil {
		return nil, err
	}
	// A neighbour that goes on may write its edges into what that step started from (halo.Exchange).
	if err := comm.Barrier(r.Comm); err != nil || !r.Root {
		return nil, err
	}
	all := make([]device.Load, len(mine))
	for _, part := range parts {
		for k := range all {
			var l device.Load
			for a := range 3 {
				l.Force[a] = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+a):]))
				l.Torque[a] = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+3+a):]))
			}
			l.Scalar = int64(binary.LittleEndian.Uint64(part[8*(numbers*k+6):]))
			all[k].Add(l)
		}
	}
	return all, nil
}

func (r *run) loadsFailed(err error) error {
	return fmt.Errorf("rank %d: forces at step %d: %w", r.Rank, r.n, err)
}

// loadsMemory is what a checkpoint keeps of pastLoads, on rank 0. Collective.
func (r *run) loadsMemory() (map[int]device.Load, error) {
	if !slices.ContainsFunc(r.outputs, func(o output) bool { _, ok := o.(*forces); return ok }) {
		return nil, nil
	}
	past, err := r.pastLoads()
	if past == nil || err != nil {
		return nil, err
	}
	kept := map[int]device.Load{}
	for k, w := range r.Cells.Walls {
		if w.Measured {
			kept[k] = past[k]
		}
	}
	return kept, nil
}

// recallLoads goes on with those of a checkpoint, if they are of all types that are measured now.
func (r *run) recallLoads(kept map[int]device.Load) {
	r.loads.past = stepLoads{at: r.n}
	if !r.Root || kept == nil {
		return
	}
	all := make([]device.Load, len(r.Cells.Walls))
	for k, w := range r.Cells.Walls {
		load, known := kept[k]
		if w.Measured && !known {
			return
		}
		all[k] = load
	}
	r.loads.past.all = all
}

// seriesOf is what rank 0 keeps of a number of a force output.
func (r *run) seriesOf(output, number string) (*stats.Series, *forces) {
	for _, o := range r.outputs {
		if f, ok := o.(*forces); ok && f.Name == output {
			for i, s := range f.list {
				if s.Name == number {
					return &f.series[i], f
				}
			}
		}
	}
	return nil, nil // config has looked for it
}

// stopIfKnown ends the run on all ranks when every mean of [run] stop_when is known well
// enough. Collective.
func (r *run) stopIfKnown() error {
	if len(r.Case.Run.StopWhen) == 0 || r.reason != "" {
		return nil
	}
	var why []byte
	if r.Root {
		text, enough := r.widths()
		if enough {
			why = []byte(text)
		}
	}
	why, err := comm.Broadcast(r.Comm, why)
	if err == nil && len(why) > 0 {
		r.reason, r.converged = string(why), true
	}
	return err
}

// widths says how well the means of stop_when are known, and whether that is enough.
func (r *run) widths() (text string, enough bool) {
	enough = true
	for i, rule := range r.Case.Run.StopWhen {
		s, _ := r.seriesOf(rule.Force, rule.Series)
		e := s.Estimate()
		width := rule.Width
		if rule.Relative {
			width *= math.Abs(e.Mean)
		}
		enough = enough && e.Half <= width
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s.%s is %.5g +- %.2g", rule.Series, rule.Force, e.Mean, e.Half)
	}
	return "stop_when: " + text, enough
}

// warnOfWidths tells that the run ended before stop_when.
func (r *run) warnOfWidths() {
	if r.Root && r.reason == allDone && len(r.Case.Run.StopWhen) > 0 {
		text, _ := r.widths()
		r.options.Report.Warn("all steps are done before the means were known as wanted by " + text)
	}
}

// forceValue is a statistic of [expect.force.NAME], on rank 0.
func (r *run) forceValue(e config.Expectation) float64 {
	s, f := r.seriesOf(e.Force, e.Series)
	if len(s.Levels) == 0 { // no samples
		return math.NaN()
	}
	switch e.Statistic {
	case "min":
		return s.Min
	case "max":
		return s.Max
	case "amplitude":
		return (s.Max - s.Min) / 2
	case "last":
		return s.Last
	case "frequency":
		return s.Cycles.Frequency()
	case "strouhal": // frequencies are of the outputs' time
		return f.Strouhal * r.Case.Units.Time * s.Cycles.Frequency()
	}
	return s.Estimate().Mean
}

// forceMemory is what a checkpoint keeps of a force output.
type forceMemory struct {
	Output config.ForceOutput // what its numbers are
	Series []stats.Series
}

func (r *run) forceMemories() map[string]forceMemory {
	all := map[string]forceMemory{}
	for _, o := range r.outputs {
		if f, ok := o.(*forces); ok && r.Root {
			all[f.Name] = forceMemory{f.measured(), f.series}
		}
	}
	return all
}

// measured is the output without its schedule, which a restart may change.
func (f *forces) measured() config.ForceOutput {
	m := f.ForceOutput
	m.Schedule = config.Schedule{}
	return m
}

// recallForces goes on with statistics.
func (r *run) recallForces(all map[string]forceMemory) {
	for _, o := range r.outputs {
		f, ok := o.(*forces)
		if !ok {
			continue
		}
		m, known := all[f.Name]
		switch {
		case !known:
		case reflect.DeepEqual(m.Output, f.measured()) && len(m.Series) == len(f.series):
			f.series = m.Series
		case r.Root:
			r.options.Report.Warn(fmt.Sprintf("[output.force.%s] is another one than that of the checkpoint: its means begin anew", f.Name))
		}
	}
}
