// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
)

// New relates a source to a case: factors of lengths and velocities, and whether it is the case's own state.
func New(target *config.Case, s *Source) (*Flow, error) {
	f := &Flow{Source: s, target: target, Length: target.Initial.From.Length, Velocity: target.Initial.From.Velocity}
	if s.Dims() != target.Dims() {
		return nil, Wrong(*target.Initial.From, fmt.Errorf("%s is a %dD flow, but this case is %dD", s.Path, s.Dims(), target.Dims()))
	}
	was, is := s.Case.Scales(), target.Scales()
	unlike := s.Case.Units.Physical != target.Units.Physical
	if f.Length == 0 {
		f.Length = ratio(is.Length, was.Length)
		if target.Units.Physical && !unlike || f.Length == 0 && !unlike {
			f.Length = 1
		}
	}
	if f.Velocity == 0 {
		if f.Velocity = ratio(is.Velocity, was.Velocity); f.Velocity == 0 && !unlike {
			f.Velocity = 1
		}
	}
	if f.Length == 0 || f.Velocity == 0 {
		return nil, Wrong(*target.Initial.From, fmt.Errorf("the source is in %s and this case in %s: set scale_length and scale_velocity, or length and velocity in [fluid] of both cases", unitsOf(s.Case), unitsOf(target)))
	}
	f.Same = s.Checkpoint != nil && f.Length == 1 && f.Velocity == 1 && s.Cells == target.Cells && s.Case.Spec.String() == target.Spec.String() && len(f.changes("")) == 0
	return f, nil
}

// unitsOf names the units of a case.
func unitsOf(c *config.Case) string {
	if c.Units.Physical {
		return "SI units"
	}
	return "lattice units"
}

// ratio of two known numbers, exactly 1 up to rounding; 0 if one is unknown.
func ratio(is, was float64) float64 {
	if is == 0 || was == 0 {
		return 0
	}
	if r := is / was; math.Abs(r-1) > 1e-9 {
		return r
	}
	return 1
}

// changes lists the keys below a table that differ between the source's case and this one, and that a restart may not
// change. Checksums of files count where both have them.
func (f *Flow) changes(table string) (keys []string) {
	for _, line := range config.Diff(f.Case.Resolved, f.target.Resolved, config.RestartMayChange) {
		key, _, _ := strings.Cut(line, ": ")
		unread := strings.HasSuffix(key, "sha256") && !pinned(f.target)
		if strings.HasPrefix(key, table) && !strings.HasPrefix(key, "initial.") && !unread {
			keys = append(keys, line)
		}
	}
	return keys
}

// pinned reports whether the files of a case have been read.
func pinned(c *config.Case) bool { return strings.Contains(c.Resolved, "sha256 = ") }

// Rows describe the flow in the derived table of the case.
func (f *Flow) Rows(sum string) []config.Row {
	at := fmt.Sprintf("%s of step %s", f.Kind, language.Grouped(int(f.Step)))
	si := ""
	if f.Case.Units.Physical {
		si = language.Short(f.Time) + " s, "
	}
	rows := []config.Row{{Name: "initial flow", Lattice: at, SI: fmt.Sprintf("%s%s, SHA-256 %.12s...", si, f.Path, sum)}}
	if f.Same {
		return append(rows, config.Row{Name: "initial state", Lattice: "the same case: copied bit for bit, as in a restart; time starts at 0"})
	}
	what := "density, velocity"
	switch {
	case f.Warm && f.target.Spec.Scalar:
		what += ", temperature"
	case f.target.Spec.Scalar:
		what += " (temperature from [temperature])"
	}
	dims := f.Dims()
	rows = append(rows, config.Row{Name: "interpolated", Lattice: fmt.Sprintf("%s; stress from gradients", what),
		SI: fmt.Sprintf("%s to %s cells", language.Crossed(f.Cells[:dims]), language.Crossed(f.target.Cells[:dims]))})
	if f.Length != 1 || f.Velocity != 1 {
		rows = append(rows, config.Row{Name: "scaled by", Lattice: fmt.Sprintf("%s (velocities)", language.Short(f.Velocity)), SI: language.Short(f.Length) + " (lengths)"})
	}
	return rows
}

// Warnings returns findings that need attention before the run.
func (f *Flow) Warnings() (list finding.List) {
	if late := f.timed(); len(late) > 0 {
		list = append(list, finding.FlowTime.Says("[initial] from: time starts at 0, so %s starts over, but the flow is from step %d", strings.Join(late, ", "), f.Step))
	}
	if f.Same {
		return list
	}
	if keys := f.changes("body."); len(keys) > 0 && f.Length == 1 { // otherwise all lengths differ
		const most = 3
		text := strings.Join(keys[:min(most, len(keys))], "; ")
		if n := len(keys) - most; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		list = append(list, finding.FlowBodies.Says("[initial] from: the bodies differ (the source's value / this case's: %s): fluid cells that were solid start from values extrapolated from the adjacent fluid, or at rest further inside", text))
	}
	if share := f.covered(); share < 1-1e-9 {
		rest := "is filled with the nearest values at its faces"
		if f.target.Initial.Moved || f.target.Initial.Pressed {
			rest = "is initialized from [initial]"
		}
		list = append(list, finding.FlowCoverage.Says("[initial] from: the box of the source covers %.3g %% of the domain; the rest %s", 100*share, rest))
	}
	if axes := f.seams(); axes != "" {
		list = append(list, finding.FlowSeam.Says("[initial] from: along %s the source is periodic with a length that does not divide the domain's: the initial flow has a seam there", axes))
	}
	if f.Case.Units.Physical != f.target.Units.Physical {
		list = append(list, finding.FlowUnits.Says("[initial] from: the source is in %s and this case in %s: lengths are multiplied by %s, velocities by %s", unitsOf(f.Case), unitsOf(f.target), language.Short(f.Length), language.Short(f.Velocity)))
	}
	return list
}

// timed lists time-dependent quantities that would not match the flow's time.
func (f *Flow) timed() (list []string) {
	if f.Step == 0 {
		return nil
	}
	for _, b := range f.target.Boundaries {
		for what, on := range map[string]bool{"the ramp": b.Ramp > 0, "the table": b.Table != nil, "the velocity": b.Timed, "the turbulence": b.Inflow != nil} {
			if on {
				list = append(list, what+" of [boundary."+b.Name+"]")
			}
		}
	}
	if f.target.Force.At != nil {
		list = append(list, "[force]")
	}
	slices.Sort(list)
	return list
}

// covered returns the share of this case's box that the source covers.
func (f *Flow) covered() float64 {
	share := 1.0
	for a := range f.Dims() {
		if f.Case.Periodic[a] {
			continue
		}
		lo, hi := f.span(a)
		n := float64(f.Cells[a])
		share *= math.Max(0, math.Min(hi, n)-math.Max(lo, 0)) / (hi - lo)
	}
	return share
}

// span returns the box of this case along an axis, in cells of the source.
func (f *Flow) span(axis int) (lo, hi float64) {
	u := f.target.Units
	at := func(cells int) float64 {
		return ((f.target.Origin[axis]+float64(cells)*u.Length)/f.Length - f.Corner[axis]) / f.Spacing
	}
	return at(0), at(f.target.Cells[axis])
}

// seams returns the axes along which periodic flows do not match.
func (f *Flow) seams() string {
	var axes []string
	for a := range f.Dims() {
		if !f.Case.Periodic[a] || !f.target.Periodic[a] {
			continue
		}
		lo, hi := f.span(a)
		if times := (hi - lo) / float64(f.Cells[a]); math.Abs(times-math.Round(times)) > 1e-6 {
			axes = append(axes, "xyz"[a:a+1])
		}
	}
	return strings.Join(axes, " and ")
}

// Fastest returns the factor from lattice velocities of the source to lattice velocities of this case.
func (f *Flow) Fastest() float64 {
	was, is := f.Case.Units, f.target.Units
	return f.Velocity * (was.Length / was.Time) / (is.Length / is.Time)
}

// Force converts a body force of the source, in lattice units, to this case: with the same ratio to rho u^2/L.
func (f *Flow) Force(was [3]float64) (is [3]float64) {
	square := f.Fastest() * f.Fastest() * f.target.Units.Length / (f.Length * f.Case.Units.Length)
	for a := range was {
		is[a] = was[a] * square
	}
	return is
}

// Drive returns the force that kept the mean velocity of the source; ok is false if there is no such force, or this case
// does not use one.
func (f *Flow) Drive() (force [3]float64, ok bool, err error) {
	if f.Checkpoint == nil || f.target.Force.Drive == nil {
		return force, false, nil
	}
	m, err := Memory(f.Checkpoint)
	if err != nil || m.Drive == nil {
		return force, false, err
	}
	return f.Force(m.Drive.Force), true, nil
}
