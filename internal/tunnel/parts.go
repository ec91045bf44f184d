// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// PartForce is the mean force along the flow on a solid of a surface, in newtons, with half the widths of 95 % intervals.
type PartForce struct {
	Name                       string
	Pressure, Friction         float64
	PressureHalf, FrictionHalf float64 // not finite: not known
	Area                       float64 // m2
	NoPressure, NoFriction     float64 // of it, without a value
}

// PartDrag is the same as coefficients.
type PartDrag struct {
	Part       string      `json:"part"`
	Drag       Coefficient `json:"drag"`
	Pressure   Coefficient `json:"pressure"`
	Friction   Coefficient `json:"friction"`
	Share      *float64    `json:"share"`                      // of the sum; nil where the sum is 0
	NoPressure *float64    `json:"without_pressure,omitempty"` // share of the area; nil: no area
	NoFriction *float64    `json:"without_friction,omitempty"`
}

// known returns a pointer to a number, nil where it is not finite.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// number returns the value, NaN where it is not known.
func (c Coefficient) number() float64 {
	if c.Value == nil {
		return math.NaN()
	}
	return *c.Value
}

// ByPart adds the table of drags by part; one part has no table. Where C_D is known the sum is C_D, and the difference to the parts is a
// row. A large difference makes C_D doubtful.
func (r *Report) ByPart(p *Plan, forces []PartForce) {
	var all PartForce
	for _, f := range forces {
		all.Pressure, all.Friction = all.Pressure+f.Pressure, all.Friction+f.Friction
		all.Area, all.NoPressure, all.NoFriction = all.Area+f.Area, all.NoPressure+f.NoPressure, all.NoFriction+f.NoFriction
	}
	factor := 2 / (p.Fluid.Density * p.Speed * p.Speed * p.Area)
	if len(forces) > 0 {
		r.compare(factor*(all.Pressure+all.Friction), all.NoPressure/all.Area)
	}
	if len(forces) < 2 {
		return
	}
	row := func(part string, drag, pressure, friction Coefficient) {
		drag.Symbol, drag.Meaning = "C_D", "drag of "+part
		pressure.Symbol, pressure.Meaning = "C_D,p", "by pressure"
		friction.Symbol, friction.Meaning = "C_D,f", "by friction"
		r.Parts = append(r.Parts, PartDrag{Part: part, Drag: drag, Pressure: pressure, Friction: friction})
	}
	value := func(force, half float64) Coefficient {
		return Coefficient{Value: known(factor * force), Half: known(factor * half)}
	}
	for _, f := range forces {
		// The two forces may be correlated: the interval is at most as wide as both together.
		row(f.Name, value(f.Pressure+f.Friction, f.PressureHalf+f.FrictionHalf), value(f.Pressure, f.PressureHalf), value(f.Friction, f.FrictionHalf))
	}
	inf := math.Inf(1) // parts are correlated
	sum := [3]Coefficient{value(all.Pressure+all.Friction, inf), value(all.Pressure, inf), value(all.Friction, inf)}
	r.OfParts = "C_D has no mean, so the sum is of the parts. These means contain the same transient."
	if drag := r.find("C_D"); drag != nil && drag.Value != nil {
		var rest [3]Coefficient
		for i, symbol := range []string{"C_D", "C_D,p", "C_D,f"} {
			parts := sum[i].number()
			if sum[i] = (Coefficient{}); r.find(symbol) != nil {
				sum[i].Value, sum[i].Half = r.find(symbol).Value, r.find(symbol).Half
			}
			rest[i].Value = known(sum[i].number() - parts)
		}
		row(NotAttributed, rest[0], rest[1], rest[2])
		r.OfParts = "C_D is by exchange of momentum, the parts are by pressure and friction on their triangles. What these lack is not attributed: triangles without a value, patches under wheels, and the error of the sums on a coarse grid."
	}
	row("sum", sum[0], sum[1], sum[2])
	for i := range r.Parts {
		r.Parts[i].Share = known(r.Parts[i].Drag.number() / sum[0].number())
	}
	for i, f := range append(forces, all) {
		if i == len(forces) {
			i = len(r.Parts) - 1
		}
		r.Parts[i].NoPressure, r.Parts[i].NoFriction = known(f.NoPressure/f.Area), known(f.NoFriction/f.Area)
	}
}

// compare doubts a drag far from the surface integrals; dry is the share of the area without a pressure.
func (r *Report) compare(integral, dry float64) {
	drag := r.find("C_D")
	if drag == nil || drag.Value == nil {
		return
	}
	limit := muchApart * math.Abs(*drag.Value)
	if drag.Half != nil && !math.IsInf(*drag.Half, 0) {
		limit += *drag.Half
	}
	if !(math.Abs(integral-*drag.Value) > limit) {
		return
	}
	text := fmt.Sprintf("apart: pressure and friction on the surface add up to C_D %.4g, where momentum exchange has %.4g; more --cells", integral, *drag.Value)
	if dry > 0 {
		text += fmt.Sprintf("; %.2g %% of the area has no pressure", 100*dry)
	}
	first := 0 // after what makes the drag itself uncertain
	for first < len(r.Doubts) && (strings.HasPrefix(r.Doubts[first], "not converged") || strings.HasPrefix(r.Doubts[first], "the run failed")) {
		first++
	}
	r.Doubts = slices.Insert(r.Doubts, first, text)
	r.judge()
}

// NotAttributed is the row of the drag that is not attributed to a part.
const NotAttributed = "not attributed"

// dry writes the shares of the area without pressure and without friction.
func (p PartDrag) dry() string {
	if p.NoPressure == nil {
		return "-"
	}
	return percent(p.NoPressure) + ", " + percent(p.NoFriction)
}

// percent writes a share.
func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g %%", 100**share)
}

// maskell is the factor of bluff bodies in the correction for blockage: E. C. Maskell, A theory of the blockage effects on bluff bodies
// and stalled wings in a closed wind tunnel, ARC Reports and Memoranda 3400 (1963).
const maskell = 2.5

// mentioned is the blockage above which the report has a corrected drag.
const mentioned = 0.01

// corrected returns the drag in a tunnel without walls, nil where blockage is small or there is no drag: the walls accelerate the flow
// beside the wake, as if its dynamic pressure were larger by maskell C_D times the blockage.
func corrected(drag *Coefficient, blockage float64) *Coefficient {
	if drag == nil || drag.Value == nil || !(blockage > mentioned) {
		return nil
	}
	larger := 1 + maskell*math.Abs(*drag.Value)*blockage
	v := *drag.Value / larger
	c := &Coefficient{Symbol: "C_D,c", Meaning: fmt.Sprintf("C_D corrected for a blockage of %.2g %% by Maskell's formula: an estimate beside C_D, which is not corrected", 100*blockage), Value: &v}
	if drag.Half != nil {
		h := *drag.Half / (larger * larger) // dv/dC_D
		c.Half = &h
	}
	return c
}
