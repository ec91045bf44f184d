// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// judge describes the cell's values, its surroundings, and the evidence for
// which cause.
func (s *Search) judge(b *Blowup, start derive.Totals) {
	last := b.History[len(b.History)-1]
	b.What = fmt.Sprintf("Mach %.3g above the limit %.3g", last.Mach, s.Case.Run.MaxMach)
	if sum := float64(last.Density + last.Speed); derive.Finite(sum) != sum || float64(last.Speed) <= s.View.MaxSpeed() {
		b.What = "a value that is not finite"
	}
	b.found.near = s.near(b)
	for _, n := range b.found.near[:min(3, len(b.found.near))] {
		b.Borders = append(b.Borders, n.Text)
	}
	b.Evidence = s.evidence(b, start)
}

// near returns the boundaries close to the cell, in cells of its level where this rank has a part of that.
func (s *Search) near(b *Blowup) []domain.Border {
	if s.View.Refined == nil {
		return s.View.Part.Near(b.Cell)
	}
	for _, p := range s.View.Refined.Patches {
		if p.Level == b.Level {
			return p.Part.Near(b.Cell)
		}
	}
	at := b.Cell
	for a := range s.Case.Dims() {
		at[a] >>= b.Level
	}
	return s.View.Part.Near(at)
}

// clue is a sentence with a weight.
type clue struct {
	weight int
	text   string
}

type clues []clue

func (c *clues) add(weight int, format string, args ...any) {
	*c = append(*c, clue{weight, fmt.Sprintf(format, args...)})
}

// alternates reports whether a component of the velocity has another sign at each of the
// last steps.
func (b *Blowup) alternates() bool {
	for a := range 3 {
		flips := 0
		for i := 1; i < len(b.History); i++ {
			if b.History[i].Velocity[a]*b.History[i-1].Velocity[a] < 0 {
				flips++
			}
		}
		if flips == len(b.History)-1 {
			return true
		}
	}
	return false
}

// distance of two vectors.
func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// Limits beyond which the method is known to be weak.
const (
	weakMach   = 0.3  // its error grows with the square; 0.1 is usual
	weakMargin = 0.01 // tau - 1/2
	weakCell   = 20.0 // cell Reynolds number |u| dx/nu
	weakJump   = 0.05 // of prescribed velocities within a few cells
	weakRho    = 0.1  // deviation of the density
	beside     = 2    // cells
)

// advices for known failures at boundaries.
var advices = map[string]string{
	"pressure":          "vortices crossing it may reflect; move it away, or use outflow with a sponge",
	"outflow":           "vortices crossing it may reflect; move it away, or add a sponge",
	"velocity":          "use a ramp for a smooth start; its profile should fall to zero at walls",
	"interpolated_wall": "it is less robust than wall in gaps of one cell and for tau near 1/2; try wall",
}

// evidence returns the evidence for causes, the strongest first.
func (s *Search) evidence(b *Blowup, start derive.Totals) (list []string) {
	var c clues
	speed := s.intended(&c, b, start)
	s.damping(&c, b, speed)
	s.driven(&c, b)
	s.surroundings(&c, b)
	b.growth(&c)
	slices.SortStableFunc(c, func(a, b clue) int { return b.weight - a.weight })
	for _, one := range c {
		list = append(list, one.text)
	}
	if len(c) == 0 || c[0].weight < 50 {
		list = append(list, fmt.Sprintf("in general, try a smaller lattice velocity (time step), a larger tau (now %s), a finer grid, or a smoother start", config.TauText(s.Case.Tau)))
	}
	return list
}

// intended returns the speed that the case intends, and adds a clue for each fault in it.
func (s *Search) intended(c *clues, b *Blowup, start derive.Totals) float64 {
	// Bodies in the box may contribute.
	speed := derive.Finite(start.MaxSpeed)
	for _, w := range s.View.Part.Prescribed(b.Step) {
		switch mach := w.Value / derive.SoundSpeed; {
		case derive.Finite(w.Value) != w.Value:
			c.add(110, "%s prescribes a velocity that is not a number at this step: check its formula, profile or table", w.Name)
		case mach > s.Case.Run.MaxMach:
			c.add(100, "%s prescribes Mach %.3g, above the limit %.3g (max_mach): use a smaller lattice velocity or time step, for Mach 0.1 or less", w.Name, mach, s.Case.Run.MaxMach)
		case mach > weakMach:
			c.add(70, "%s prescribes Mach %.3g; the method requires Mach numbers well below %.1g: use a smaller lattice velocity or time step", w.Name, mach, weakMach)
		}
		if derive.Finite(w.Value) == w.Value {
			speed = max(speed, w.Value)
		}
	}
	if mach := start.MaxSpeed / derive.SoundSpeed; mach > weakMach {
		c.add(60, "the initial state already has Mach %.3g; the method requires Mach numbers well below %.1g", mach, weakMach)
	}
	if speed == 0 {
		speed = min(b.found.speed, s.View.MaxSpeed())
	}
	return speed
}

// damping adds a clue where the viscosity hardly damps small waves at that speed.
func (s *Search) damping(c *clues, b *Blowup, speed float64) {
	margin, of := math.Ldexp(s.Case.Tau-0.5, b.Level), ""
	if s.View.Refined != nil {
		of = fmt.Sprintf(" of level %d", b.Level)
	}
	if cell := speed / (model.CS2 * margin); margin < weakMargin || cell > weakCell {
		advice := "try a finer grid, a lower speed or a larger viscosity"
		if s := s.Case.Spec; s.Collision.Name != "cumulant" {
			advice += ", or the collision model cumulant (here " + s.Collision.Name + ")"
		} else if s.Lattice.Name == "D3Q19" {
			advice += ", or D3Q27, which supports all moments of cumulant (here D3Q19)"
		}
		c.add(80, "tau%s is %.6g, %.2g above 1/2, and the cell Reynolds number |u| dx/nu is %.3g with |u| = %.3g; beyond about %.0f grid-scale damping is almost zero: %s", of, 0.5+margin, margin, cell, speed, weakCell, advice)
	}
}

// driven adds the clues of the body force alone, and of pressure waves.
func (s *Search) driven(c *clues, b *Blowup) {
	first := b.History[0]
	force := distance(s.State.Force(), [3]float64{})
	if force*float64(b.Step) > s.View.MaxSpeed() {
		c.add(75, "the body force %.3g alone accelerates fluid from rest to the limit within %.0f steps: use a smaller force or a larger viscosity", force, math.Ceil(s.View.MaxSpeed()/force))
	}
	if d := math.Abs(float64(first.Density) - 1); d > weakRho {
		c.add(45, "the density there already deviates by %.3g %% at step %d: pressure waves of an abrupt start (use a ramp), or a pressure too high for the velocity limit", 100*d, first.Step)
	}
}

// surroundings adds clues on boundaries close by.
func (s *Search) surroundings(c *clues, b *Blowup) {
	near := slices.DeleteFunc(slices.Clone(b.found.near), func(n domain.Border) bool { return n.Distance > beside })
	for i, n := range near {
		for _, m := range near[:i] {
			if jump := distance(n.Velocity, m.Velocity); jump > weakJump {
				c.add(65, "it is a corner of %s and %s, whose velocities differ by %.3g within %d cells: let the profile fall to zero there, or use a smaller lattice velocity", m.Name, n.Name, jump, beside)
			}
		}
		if advice := advices[n.Kind]; advice != "" {
			c.add(50, "%s (%s) is %d cells away: %s", n.Name, n.Kind, n.Distance, advice)
		}
	}
}

// growth adds the clue of the development of |u| in the bad cell.
func (b *Blowup) growth(c *clues) {
	first, last := b.History[0], b.History[len(b.History)-1]
	switch g := float64(last.Speed / first.Speed); {
	case len(b.History) < 3 || first.Speed == 0 || derive.Finite(g) != g:
	case b.alternates():
		c.add(30, "the velocity there changes sign at every step: a numerical oscillation, not the flow")
	case g > 2:
		c.add(30, "|u| there grew by a factor of %.3g within %d steps: a numerical instability, not the flow", g, last.Step-first.Step)
	default:
		c.add(30, "|u| there grew by a factor of %.3g within %d steps: the flow itself accelerates", g, last.Step-first.Step)
	}
}
