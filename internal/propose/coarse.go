// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/sim"
)

// The coarse run: the same flow on few cells, without boxes and outputs, with a viscosity that these cells resolve.

// flow makes the coarse run and returns the mean vorticity on rank 0, and the speed of the run. Collective.
func (p *proposer) flow() (Flow, float64, error) {
	c, about, err := p.coarse()
	if err != nil {
		return Flow{}, 0, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	if p.Started != nil && p.Comm.Rank() == 0 {
		p.Started(about)
	}
	t, err := sim.NewTrial(sim.Options{Case: c, Comm: p.Comm, Device: p.Device, Threads: p.Threads, Report: &silent{}, Version: p.Version})
	if err != nil {
		return Flow{}, 0, fmt.Errorf("the coarse run: %w", err)
	}
	defer func() {
		if _, agreed := sim.ExitCode(err); agreed { // otherwise the ranks are ended
			t.Close()
		}
	}()
	mean, seconds, err := sample(t, about.Steps)
	if err != nil {
		return Flow{}, 0, fmt.Errorf("the coarse run: %w; --time shortens it", err)
	}
	solid, err := t.Field("solid")
	if err != nil {
		return Flow{}, 0, err
	}
	top, err := t.Field("speed")
	if err != nil || p.Comm.Rank() > 0 {
		return Flow{}, 0, err
	}
	speed := p.speed * p.base.Units.Factor(model.Velocity)
	if speed == 0 {
		speed = slices.Max(top)
	}
	scale := 0.
	if speed > 0 {
		scale = p.length * p.base.Units.Length / speed
	}
	for i := range mean {
		mean[i] *= scale * (1 - solid[i])
	}
	f := Flow{Cells: c.Cells, Vorticity: mean}
	if len(p.base.Bodies) > 0 {
		f.Layers, f.Walls = int(math.Ceil(besideWalls*about.Across)), wallsOf(c)
	}
	return f, float64(c.Box().Cells()) * float64(about.Steps) / seconds / 1e6, nil
}

// besideWalls is the distance from walls of the domain, in lengths of the flow, up to which shear makes no boxes where there are bodies.
const besideWalls = 0.4

// sample runs so many steps of a trial, and returns the mean magnitude of the vorticity in the second half on rank 0, and the seconds
// of the steps.
func sample(t *sim.Trial, steps int) (mean []float64, seconds float64, err error) {
	done, count := steps/2, 0
	turn, err := t.Steps(done)
	if err != nil {
		return nil, 0, err
	}
	seconds = turn.Seconds
	for every := max(1, (steps-done)/samples); done < steps; {
		n := min(every, steps-done)
		if turn, err = t.Steps(n); err != nil {
			return nil, 0, err
		}
		done, seconds = done+n, seconds+turn.Seconds
		now, err := t.Field("vorticity")
		if err != nil {
			return nil, 0, err
		}
		if mean == nil {
			mean = make([]float64, len(now))
		}
		for i, v := range now {
			mean[i] += v
		}
		count++
	}
	for i := range mean {
		mean[i] /= float64(count)
	}
	return mean, seconds, nil
}

// coarse returns the case of the coarse run.
func (p *proposer) coarse() (c *config.Case, about Coarse, err error) {
	base := p.base
	plan, err := p.plan()
	if err != nil {
		return nil, about, err
	}
	var changes []string
	var small []string
	for _, b := range base.Bodies {
		if p.tooSmall(b, plan.factor) {
			small = append(small, b.Name)
		} else if b.Kind.Law == boundary.ModelledWall {
			changes = append(changes, "body."+b.Name+".type=wall")
		}
	}
	modelled := func(name string) bool { return slices.Contains(changes, "body."+name+".type=wall") }
	text := config.Without(p.src, func(at []string) bool {
		switch {
		case withoutOutputs(at):
			return true
		case at[0] == "scaling":
			return plan.step > 0
		case at[0] == "body" && len(at) > 1:
			return slices.Contains(small, at[1]) || len(at) == 3 && modelled(at[1]) && slices.Contains([]string{"law", "sample", "layer", "roughness"}, at[2])
		}
		return false
	})
	if plan.step > 0 {
		changes = append(changes, fmt.Sprintf("scaling.time_step=%s s", language.Float(plan.step)))
	}
	c, err = config.LoadRefined(p.Path, text, config.Refinement{Factor: plan.factor, Scaling: config.Acoustic}, changes...)
	if err != nil {
		return nil, about, fmt.Errorf("the coarse run, with cells larger by %s:\n%w", language.Short(1/plan.factor), err)
	}
	aside(c)
	c.Run.Steps, c.Run.WarnDrift, c.Run.MaxDrift = plan.steps, 0, 0
	about = Coarse{Cells: c.Cells, Factor: 1 / plan.factor, Across: p.length * plan.factor, Steps: plan.steps, Time: float64(plan.steps) * c.Units.Time, Lengths: plan.lengths, Thicker: 1, Left: small, Physical: base.Units.Physical, Bodies: len(base.Bodies) > 0}
	if speed := plan.speed; speed > 0 {
		if least := 0.5 + 3*speed/resolved; c.Tau < least {
			about.Thicker = (least - 0.5) / (c.Tau - 0.5)
			c.Tau = least
		}
		p.stir(c, speed, about.Across)
	}
	return c, about, nil
}

// plan is the size of the coarse run.
type plan struct {
	factor  float64 // cells of the case in one of it
	step    float64 // time step of the case at which its lattice velocity is fastest; 0: its own
	speed   float64 // lattice velocity; 0: not known
	steps   int
	lengths float64
}

// plan finds the finest grid that mostUpdates allow.
func (p *proposer) plan() (s plan, err error) {
	base := p.base
	step := base.Units.Time
	if s.speed = p.speed; p.speed > 0 && base.Units.Physical {
		s.speed, s.step = fastest, step*fastest/p.speed
		step = s.step
	}
	time := float64(base.Run.Steps) * base.Units.Time // of the case
	if p.Time != "" {
		if time, err = language.ReadQuantity("--time", p.Time, model.Time, language.Above(0)); err != nil {
			return s, err
		}
	} else if p.speed > 0 {
		lengths := math.Min(longest, passes*float64(base.Cells[p.axis])/p.length)
		time = math.Min(time, lengths*p.length/p.speed*base.Units.Time)
	}
	if p.speed > 0 {
		s.lengths = time / base.Units.Time * p.speed / p.length
	}
	whole := math.Round(1 / base.Whole(base.Dims(), 0)) // the greatest number that divides all axes
	for k := whole; k >= 1; k-- {
		s.factor = k / whole
		s.steps = max(2, int(math.Ceil(time/step*s.factor)))
		cells := 1.
		for a := range base.Dims() {
			cells *= float64(base.Cells[a]) * s.factor
		}
		if cells*float64(s.steps) <= mostUpdates && p.length*s.factor <= mostAcross {
			return s, nil
		}
	}
	if s.factor == 1 {
		return s, fmt.Errorf("the coarse run has no grid: the numbers of cells along the axes have no common divisor; change [domain] size so that they have one, such as 8")
	}
	return s, nil
}

// mostAcross is the number of cells of the coarse run across the bodies that suffices.
const mostAcross = 20

// tooSmall reports whether a body certainly has no cells in the coarse run.
func (p *proposer) tooSmall(b config.Body, factor float64) bool {
	const leastCells = 1.5
	lo, hi := config.ExtentOf(p.base, b, p.extents)
	for a := range p.base.Dims() {
		if (hi[a]-lo[a])*factor < leastCells {
			return true
		}
	}
	return false
}

// stir adds a vortex to the initial state behind the largest wanted body, so that vortex shedding starts early. From
// rounding errors alone a vortex street takes longer than the run.
func (p *proposer) stir(c *config.Case, speed, across float64) {
	if c.Initial.From != nil {
		return
	}
	var centre [3]float64
	largest := 0.
	for i, b := range p.base.Bodies {
		if !p.wanted[i] {
			continue
		}
		lo, hi := config.ExtentOf(p.base, b, p.extents)
		size, middle := 1., [3]float64{}
		for a := range c.Dims() {
			n := float64(p.base.Cells[a])
			l, h := math.Max(lo[a], 0), math.Min(hi[a], n)
			size *= math.Max(h-l, 0)
			middle[a] = (l + h) / 2 / n * float64(c.Cells[a])
		}
		if size > largest {
			largest, centre = size, middle
		}
	}
	if largest == 0 {
		return
	}
	centre[p.axis] += 1.5 * across
	side := (p.axis + 1) % c.Dims()
	still := c.Initial.Velocity[side]
	c.Initial.Uniform = false
	c.Initial.Velocity[side] = func(values, x []float64, y, z float64) {
		still(values, x, y, z)
		for i := range x {
			r2 := 0.
			for a, v := range [3]float64{x[i], y, z} {
				if a < c.Dims() {
					r2 += (v - centre[a]) * (v - centre[a]) / (across * across)
				}
			}
			values[i] += 0.1 * speed * math.Exp(-r2)
		}
	}
}

// silent is a reporter that reports nothing.
type silent struct{}

func (silent) Start(sim.Start)       {}
func (silent) Progress(sim.Progress) {}
func (silent) Wrote(string, string)  {}
func (silent) Warn(finding.Finding)  {}
func (silent) Finish(sim.Summary)    {}
