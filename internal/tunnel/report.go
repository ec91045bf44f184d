// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/internal/finding"
	"lbmsim/internal/plain"
	"lbmsim/io/status"
)

// Report has the results of a run in a tunnel.
type Report struct {
	Verdict  string                `json:"verdict"` // the drag, or the reason against it
	Doubts   []string              `json:"doubts"`  // all of it
	Title    string                `json:"title"`
	Case     string                `json:"case"` // file
	Numbers  []Coefficient         `json:"coefficients"`
	Given    []Fact                `json:"given"` // of the plan and the run
	Walls    []status.ModelledWall `json:"walls"`
	Grids    *Grids                `json:"grids,omitempty"`
	Parts    []PartDrag            `json:"parts,omitempty"`
	OfParts  string                `json:"of_parts,omitempty"` // their uncertainty
	Surfaces []Defect              `json:"surfaces,omitempty"` // their defects
	Warnings finding.List          `json:"warnings"`
}

// Coefficient is a mean, with half the width of its 95 % interval where one is known.
type Coefficient struct {
	Symbol  string   `json:"symbol"`
	Meaning string   `json:"meaning"`
	Value   *float64 `json:"value"`
	Half    *float64 `json:"half"`
	Note    string   `json:"note,omitempty"`
	Doubt   string   `json:"doubt,omitempty"` // the kind of the warning that Note is
}

// Fact is a line of a table.
type Fact struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// Grids compares the drag on several grids.
type Grids struct {
	Cells        []int     `json:"cells"` // along the body, from the coarsest
	Drag         []float64 `json:"drag"`
	Order        *float64  `json:"order"`        // that is observed or assumed; nil: the drags do not converge
	Extrapolated *float64  `json:"extrapolated"` // likewise
	Error        *float64  `json:"error"`        // grid convergence index of the finest, by its drag; likewise
	Noise        float64   `json:"noise"`        // intervals of the last two drags, by the finest: they may differ by so much from chance
	Notes        []string  `json:"notes,omitempty"`
}

// Limits beyond which a drag is doubted.
const (
	muchBlockage  = 0.05
	muchWithout   = 0.05 // of the modelled surface
	largestYPlus  = 300  // at half a cell
	muchGridError = 0.05
	muchApart     = 0.25 // between surface integrals and exchange of momentum: bodies of 15 cells and more have less (docs/results.md)
)

// NewReport makes a report of a run of a plan. Grids may be nil.
func NewReport(p *Plan, s status.State, grids *Grids) *Report {
	r := &Report{Title: p.Title(), Case: s.Case, Walls: s.Walls, Warnings: s.Warnings, Grids: grids, Surfaces: p.Defects, Doubts: []string{}}
	var total *status.Result
	for i := range s.Results {
		if s.Results[i].Output == Force {
			total = &s.Results[i]
		}
	}
	r.coefficients(p, total)
	if c := corrected(r.find("C_D"), p.Blockage()); c != nil {
		r.Numbers = slices.Insert(r.Numbers, 1+slices.IndexFunc(r.Numbers, func(c Coefficient) bool { return c.Symbol == "C_D" }), *c)
	}
	r.doubt(p, s, total)
	r.judge()
	r.facts(p, s)
	return r
}

// judge sets the first line by the drag and its doubts.
func (r *Report) judge() {
	drag := r.find("C_D")
	switch {
	case drag == nil || drag.Value == nil:
		r.Verdict = "NO DRAG: " + r.Doubts[0]
	case len(r.Doubts) > 0:
		r.Verdict = fmt.Sprintf("DOUBTFUL: %s; C_D = %s", r.Doubts[0], drag.text())
	default:
		r.Verdict = "C_D = " + drag.text() + " (95 % interval of the mean)"
	}
}

// coefficients converts forces and torques.
func (r *Report) coefficients(p *Plan, total *status.Result) {
	q := p.Fluid.Density * p.Speed * p.Speed / 2
	force, torque := 1/(q*p.Area), 1/(q*p.Area*p.Length)
	for _, c := range []struct {
		quantity, symbol, meaning string
		factor                    float64
	}{
		{"drag", "C_D", "drag, along x", 1},
		{"pressure_drag", "C_D,p", "its part by pressure", 1},
		{"friction_drag", "C_D,f", "its part by friction", 1},
		{"lift", "C_L", "lift, along z", 1},
		{"force_y", "C_S", "side force, along y", force},
		{"torque_x", "C_Mx", "rolling moment, by the reference length", torque},
		{"torque_y", "C_My", "pitching moment", torque},
		{"torque_z", "C_Mz", "yawing moment", torque},
	} {
		n := number(total, c.quantity)
		if n == nil {
			continue
		}
		out := Coefficient{Symbol: c.symbol, Meaning: c.meaning, Note: n.Note}
		if n.Value != nil {
			v := *n.Value * c.factor
			out.Value = &v
		}
		if n.Half != nil {
			h := *n.Half * c.factor
			out.Half = &h
		}
		r.Numbers = append(r.Numbers, out)
	}
	if total == nil {
		return
	}
	for _, n := range total.Numbers {
		if n.Of != "" {
			r.Numbers = append(r.Numbers, Coefficient{Symbol: "St", Meaning: "f L/U of the strongest oscillation, in " + n.Of, Value: n.Value, Half: n.Half, Note: n.Note, Doubt: n.Doubt})
		}
	}
}

// number returns a result's quantity, nil if it does not exist.
func number(r *status.Result, quantity string) *status.Number {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.Numbers, func(n status.Number) bool { return n.Quantity == quantity }); i >= 0 {
		return &r.Numbers[i]
	}
	return nil
}

// doubt lists the reasons against the drag, the most serious first.
func (r *Report) doubt(p *Plan, s status.State, total *status.Result) {
	say := func(format string, args ...any) { r.Doubts = append(r.Doubts, fmt.Sprintf(format, args...)) }
	drag := r.find("C_D")
	switch {
	case s.Phase == status.Failed:
		say("the run failed: %s", s.Error)
	case total == nil:
		say("the run has no results: it ended at step %d of %d", s.Step, s.Last)
	case drag == nil:
		say("too few samples: %s", total.Note)
	case drag.Value == nil:
		say("not converged: %s", drag.Note)
	case drag.Half == nil || *drag.Half > share*math.Abs(*drag.Value):
		say("not converged: the 95 %% interval is wider than %g %% of the drag", 100*share)
	case drag.Note != "":
		say("not converged: %s", drag.Note)
	}
	if b := p.Blockage(); b > muchBlockage {
		say("blocked: the body covers %.2g %% of the cross-section", 100*b)
	}
	for _, w := range s.Walls {
		if w.Without > muchWithout {
			say("unresolved: %.2g %% of the surface of %s has no wall model", 100*w.Without, w.Name)
		}
	}
	for _, w := range s.Walls {
		if w.HalfMean > largestYPlus {
			say("coarse: y+ at half a cell is %.3g on %s, the law of the wall is for 30 to %g; more --cells", w.HalfMean, w.Name, float64(largestYPlus))
		}
	}
	for _, w := range s.Warnings.Of(finding.Unresolved, finding.ThinBody, finding.ReferenceValues, finding.CutWake) {
		say("%s", w.Text)
	}
	switch {
	case drag == nil || drag.Value == nil: // known already
	case r.Grids == nil:
		say("one grid: its error is not known; --grids 3 adds two coarser ones")
	case r.Grids.Error == nil:
		say("the drags on %d grids do not converge: %s", len(r.Grids.Cells), strings.Join(r.Grids.Notes, "; "))
	case len(r.Grids.Cells) < 3:
		say("two grids: the order of the error is assumed; --grids 3")
	case math.Abs(r.Grids.Drag[len(r.Grids.Drag)-1]-r.Grids.Drag[len(r.Grids.Drag)-2]) < r.Grids.Noise*math.Abs(*drag.Value):
		say("the drags on the last two grids differ by less than their intervals: the error of the grid is not known better than %.2g %%", 100*r.Grids.Noise)
	case *r.Grids.Error > muchGridError:
		say("coarse: the error of the grid is up to %.2g %% of the drag", 100**r.Grids.Error)
	}
}

// facts lists the basis of the numbers.
func (r *Report) facts(p *Plan, s status.State) {
	add := func(what, format string, args ...any) {
		r.Given = append(r.Given, Fact{what, fmt.Sprintf(format, args...)})
	}
	for _, d := range p.Decision {
		add(d.What, "%s", d.Value)
	}
	add("case", "%s", s.Case)
	add("reference", "speed %.4g m/s, area %.4g m2, length %s, density %.4g kg/m3", p.Speed, p.Area, metres(p.Length), p.Fluid.Density)
	but := ""
	if r.find("C_D,c") != nil {
		but = " but C_D,c"
	}
	add("blockage", "%.2g %% of the cross-section; no number%s is corrected for it", 100*p.Blockage(), but)
	add("run", "%d steps, %.4g s, on %s, %.4g MLUPS", s.Step, s.Time, plain.Count(s.Ranks, "rank"), s.MLUPS)
	if s.Reason != "" {
		add("end of the run", "%s", s.Reason)
	}
	for _, w := range s.Walls {
		add("wall of "+w.Name, "y+ at half a cell %.3g to %.3g, mean %.3g; %.2g %% of %.4g m2 without a model", w.HalfMin, w.HalfMax, w.HalfMean, 100*w.Without, w.Area)
	}
	if g := r.Grids; g != nil {
		for i, v := range g.Drag {
			add(fmt.Sprintf("grid %d", i+1), "%d cells along the body: C_D %.4g", g.Cells[i], v)
		}
		if g.Error != nil {
			add("error of the grid", "up to %.2g %% of the drag (grid convergence index, order %.3g), extrapolated C_D %.4g", 100**g.Error, *g.Order, *g.Extrapolated)
		}
	}
}

// find returns a coefficient, nil if it does not exist.
func (r *Report) find(symbol string) *Coefficient {
	if i := slices.IndexFunc(r.Numbers, func(c Coefficient) bool { return c.Symbol == symbol }); i >= 0 {
		return &r.Numbers[i]
	}
	return nil
}

// remark returns the meaning of the value, and a note.
func (c Coefficient) remark() string {
	switch {
	case c.Doubt != "":
		return fmt.Sprintf("%s; DOUBTFUL (%s): %s", c.Meaning, c.Doubt, c.Note)
	case c.Note != "":
		return c.Meaning + "; " + c.Note
	}
	return c.Meaning
}

// text writes a coefficient with its interval.
func (c Coefficient) text() string {
	switch {
	case c.Value == nil:
		return "-"
	case c.Half == nil:
		return fmt.Sprintf("%.4g", *c.Value)
	}
	digits := 4
	if *c.Half > 0 {
		digits = min(max(1-int(math.Floor(math.Log10(*c.Half))), 2), 6)
	}
	return fmt.Sprintf("%.*f +- %.2g", digits, *c.Value, *c.Half)
}

// Text writes the report for a terminal.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Verdict)
	for _, d := range r.Doubts[min(1, len(r.Doubts)):] {
		fmt.Fprintf(&b, "  also: %s\n", d)
	}
	for _, c := range r.Numbers {
		fmt.Fprintf(&b, "  %-6s %-22s %s\n", c.Symbol, c.text(), c.remark())
	}
	if r.Parts != nil {
		fmt.Fprintf(&b, "  %-24s %-20s %-20s %-20s %-8s %s\n", "drag by part", "C_D", "by pressure", "by friction", "share", "area without pressure, friction")
		for _, p := range r.Parts {
			fmt.Fprintf(&b, "  %-24s %-20s %-20s %-20s %-8s %s\n", p.Part, p.Drag.text(), p.Pressure.text(), p.Friction.text(), percent(p.Share), p.dry())
		}
		fmt.Fprintf(&b, "  %s\n", r.OfParts)
	}
	for _, d := range r.Surfaces {
		fmt.Fprintf(&b, "  %-18s %s; %s\n", d.File, d.What, d.Done)
	}
	for _, f := range r.Given {
		fmt.Fprintf(&b, "  %-18s %s\n", f.What, f.Value)
	}
	return b.String()
}
