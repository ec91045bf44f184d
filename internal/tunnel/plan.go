// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"fmt"
	"math"
)

// Ground is the kind of ground below the body.
type Ground int

// Grounds.
const (
	Free   Ground = iota // a body in free flow
	Moving               // a road that moves with the flow
	Fixed                // the floor of a wind tunnel
)

// Grounds are the words for them.
func Grounds() []string { return []string{"none", "moving", "fixed"} }

func (g Ground) String() string { return Grounds()[g] }

// Fluid is the fluid in the tunnel.
type Fluid struct {
	Name               string
	Density, Viscosity float64 // kg/m3, m2/s
}

// Fluids are those with a name, at 20 degrees Celsius and 1 atm.
func Fluids() []Fluid {
	return []Fluid{{"air", 1.204, 1.516e-5}, {"water", 998.2, 1.004e-6}}
}

// Part is a surface from a file and its placement.
type Part struct {
	Name, File, Unit string
	Rotate           [3]float64 // degrees about x, y, z through the file's origin
	Shift            [3]float64 // m, after it
	Repair           bool
	Spins            bool // a wheel: its lowest point moves with the road
	Axis             [3]float64
	Radius           float64 // m, of a wheel
	Centre           [3]float64
	// Below returns the boxes around what is lower than a height above the ground, in m; nil: unknown.
	Below func(height float64) [][2][3]float64
}

// Wanted are the user's decisions.
type Wanted struct {
	Name         string // of the case
	Command      string // that this is
	Parts        []Part
	Speed        float64 // m/s
	Fluid        Fluid
	Ground       Ground
	Cells        int     // of the finest level along the body
	Uniform      bool    // no finer boxes
	Length, Area float64 // of the coefficients, m and m2; 0: measured
	Defects      []Defect
}

// Box is a box of finer cells.
type Box struct {
	Name   string
	Level  int
	Lo, Hi [3]float64
}

// Plan is a tunnel around a body.
type Plan struct {
	Wanted
	Body     Body
	Lo, Hi   [3]float64 // of the domain
	Cells    [3]int     // of level 0
	Spacing  float64    // of level 0
	Levels   int        // above 0
	Boxes    []Box      // from the coarsest
	Passage  float64    // s that the flow takes through the domain: samples start then
	End      float64    // s
	Decision []Decision
}

// Decision is a decision of the plan, and its reason.
type Decision struct{ What, Value, Why string }

// The rules. Lengths are in heights of the body (Body.Height).
const (
	upstream   = 6.0   // twice what docs/forces.md found necessary for a compact body
	downstream = 12.0  // likewise 2 to the outlet, and space for the wake
	blockage   = 0.015 // of the cross-section; 0.05 costs a few percent of drag
	beside     = 2.0   // least distance to a side, of long bodies
	acrossBody = 3.5   // cells of level 0 in a height, at least
	most       = 5     // levels above 0
	lattice    = 0.05  // cells per step
	shear      = 14.0  // finest cells around a body with a wall model: its ghost cells read 13 at most, and boxes grow to whole cells
	overFloor  = 14.0  // cells of a box: nearer to a floor with a wall model it reaches the floor. Below it the model reads 12, and boxes grow to whole cells
	sampled    = 40.0  // body lengths that pass in the longest run after the first passage
	contact    = 2.6   // finest cells: a lower gap between wheel and road is filled. One cell high, it is unstable within 50 steps
	flattened  = 0.1   // of a wheel's radius: likewise at most
	share      = 0.01  // of the drag: half-width of the interval that ends the run
)

// wakes are the lengths of the boxes behind the body, from the finest level on. The finest has the recirculation in it: with a box that
// ended within it, 1.6 heights behind a car, the drag was 3 % larger than on a uniform grid, and within 0.1 % with one of 5.5 heights.
func wakes() []float64 { return []float64{3, 5, 8, 10, 11} }

// New makes a plan; an error states which decision of the user must change.
func New(b Body, w Wanted) (*Plan, error) {
	p := &Plan{Wanted: w, Body: b}
	if !(b.Area > 0) || !(b.Size(0) > 0) {
		return nil, fmt.Errorf("the body has no frontal area: its extent is %s", b.extent())
	}
	if w.Ground != Free && b.Lo[2] < -1e-6*b.Size(2) {
		return nil, fmt.Errorf("the body reaches %s below the ground at z = 0", metres(-b.Lo[2]))
	}
	if p.Length == 0 {
		p.Length = b.Size(0)
	}
	if p.Area == 0 {
		p.Area = b.Area
	}
	p.grid()
	p.boxes()
	p.Passage = (p.Hi[0] - p.Lo[0]) / w.Speed
	p.End = p.Passage + sampled*max(b.Size(0), b.Height())/w.Speed
	p.explain()
	return p, nil
}

// Finest returns the spacing of the finest level.
func (p *Plan) Finest() float64 { return math.Ldexp(p.Spacing, -p.Levels) }

// grid chooses the levels and the domain, in whole cells of level 0.
func (p *Plan) grid() {
	b, h := p.Body, p.Body.Height()
	finest := b.Size(0) / float64(p.Wanted.Cells)
	p.Levels = int(min(max(math.Floor(math.Log2(h/(acrossBody*finest))), 1), most))
	if p.Uniform {
		p.Levels = 0
	}
	p.Spacing = math.Ldexp(finest, p.Levels)
	up := func(length float64) int { return int(math.Ceil(length/p.Spacing - 1e-9)) }
	across := b.Area / blockage
	width := max(math.Sqrt(across), b.Size(1)+2*beside*h)
	height := max(across/width, b.Size(2)+2*beside*h)
	if p.Ground != Free {
		width = max(math.Sqrt(2*across), b.Size(1)+2*beside*h)
		height = max(across/width, b.Hi[2]+beside*h)
	}
	ahead := up(upstream * h)
	p.Cells = [3]int{ahead + up(b.Size(0)+downstream*h), 2 * up(width/2), up(height)}
	middle := func(a int) float64 { return (b.Lo[a] + b.Hi[a]) / 2 }
	p.Lo = [3]float64{b.Lo[0] - float64(ahead)*p.Spacing, middle(1) - float64(p.Cells[1])/2*p.Spacing, 0}
	if p.Ground == Free {
		p.Cells[2] = 2 * up(height/2)
		p.Lo[2] = middle(2) - float64(p.Cells[2])/2*p.Spacing
	}
	for a := range p.Hi {
		p.Hi[a] = p.Lo[a] + float64(p.Cells[a])*p.Spacing
	}
}

// boxes puts a box of each level around the body and its near wake, from the finest on.
func (p *Plan) boxes() {
	h, dx := p.Body.Height(), p.Finest()
	box := Box{Level: p.Levels, Lo: p.Body.Lo, Hi: p.Body.Hi}
	grow := shear * dx
	for k := 0; box.Level > 0; k++ {
		for a := range box.Lo {
			box.Lo[a], box.Hi[a] = box.Lo[a]-grow, box.Hi[a]+grow
		}
		box.Hi[0] = max(box.Hi[0], p.Body.Hi[0]+wakes()[k]*h)
		if p.Ground == Fixed && box.Lo[2] < p.Lo[2]+overFloor*dx {
			box.Lo[2] = p.Lo[2]
		}
		box.Name = fmt.Sprintf("level_%d", box.Level)
		p.Boxes = append([]Box{p.clipped(box)}, p.Boxes...)
		box.Level--
		// Nesting takes 2 cells of this level, and growth to whole cells of the one below and above one each.
		dx *= 2
		grow = max(5*dx, 0.2*h)
	}
}

// patchHeight is the height below which the gap between a part and the road is filled; 0: it is not a wheel, or no cell's centre is
// lower.
func (p *Plan) patchHeight(s Part) float64 {
	height := min(contact*p.Finest(), flattened*s.Radius)
	if !s.Spins || s.Below == nil || height < 0.6*p.Finest() {
		return 0
	}
	return height
}

// patches returns the blocks that fill the gaps between wheels and road, those with a finest cell's centre in them.
func (p *Plan) patches() (list []Box) {
	for _, s := range p.Parts {
		height := p.patchHeight(s)
		if height == 0 {
			continue
		}
		count := 0
		for _, b := range s.Below(height) {
			b[0][2], b[1][2] = -p.Finest(), height
			if p.hasCentre(b) {
				count++
				list = append(list, Box{Name: fmt.Sprintf("%s_patch_%d", s.Name, count), Lo: b[0], Hi: b[1]})
			}
		}
	}
	return list
}

// hasCentre reports whether the centre of a finest cell is in a box.
func (p *Plan) hasCentre(b [2][3]float64) bool {
	for a := range p.Lo {
		first := math.Ceil((b[0][a]-p.Lo[a])/p.Finest() - 0.5 + 1e-6)
		if p.Lo[a]+(first+0.5)*p.Finest() > b[1][a]-1e-6*p.Finest() {
			return false
		}
	}
	return true
}

// clipped returns the part of a box in the domain.
func (p *Plan) clipped(b Box) Box {
	for a := range b.Lo {
		b.Lo[a], b.Hi[a] = max(b.Lo[a], p.Lo[a]), min(b.Hi[a], p.Hi[a])
	}
	return b
}

// Title names the case and its report.
func (p *Plan) Title() string { return fmt.Sprintf("%s at %.4g m/s", p.Name, p.Speed) }

// Blockage returns the part of the cross-section that the body covers.
func (p *Plan) Blockage() float64 { return p.Body.Area / ((p.Hi[1] - p.Lo[1]) * (p.Hi[2] - p.Lo[2])) }

// Reynolds returns the number by the reference length.
func (p *Plan) Reynolds() float64 { return p.Speed * p.Length / p.Fluid.Viscosity }

// explain lists the decisions.
func (p *Plan) explain() {
	add := func(what, why, format string, args ...any) {
		p.Decision = append(p.Decision, Decision{what, fmt.Sprintf(format, args...), why})
	}
	b := p.Body
	add("body", "check it: an STL file has no units; --unit, --rotate change it", "%s", b.extent())
	add("frontal area", "silhouette along x", "%.4g m2", b.Area)
	add("Reynolds number", fmt.Sprintf("by %s, %s", metres(p.Length), p.Fluid.Name), "%.3g", p.Reynolds())
	switch p.Ground {
	case Free:
		add("ground", "--ground moving or fixed for a vehicle or a building", "none")
	default:
		add("ground", "--ground none for a body in free flow", "%s, %s below the body", p.Ground, metres(b.Lo[2]))
	}
	add("domain", fmt.Sprintf("%g and %g heights (roots of the frontal area) before and behind the body", upstream, downstream), "%s x %s x %s, blockage %.2g %%", metres(p.Hi[0]-p.Lo[0]), metres(p.Hi[1]-p.Lo[1]), metres(p.Hi[2]-p.Lo[2]), 100*p.Blockage())
	levels := "the same everywhere"
	if p.Levels > 0 {
		levels = fmt.Sprintf("up to %s far away in %d levels", metres(p.Spacing), p.Levels+1)
	}
	add("grid", "--cells", "%d cells along the body, spacing %s, %s", p.Wanted.Cells, metres(p.Finest()), levels)
	for i := len(p.Boxes) - 1; i >= 0; i-- {
		box := p.Boxes[i]
		add(fmt.Sprintf("level %d", box.Level), "", "to %s behind the body, %s beside it", metres(box.Hi[0]-b.Hi[0]), metres(b.Lo[1]-box.Lo[1]))
	}
	for _, s := range p.Parts {
		if height := p.patchHeight(s); height > 0 {
			add("patches", "cells do not resolve the gap between wheel and road, which can make runs unstable", "solid where a wheel is lower than %s", metres(height))
			break
		}
	}
	add("walls", "law of the wall for a turbulent boundary layer from the nose on; laminar where y+ is small", "wall_model")
	add("end", "samples from one passage through the domain on", "when the drag is known to %g %%, at the latest after %.3g s of simulated time", 100*share, p.End)
}

// extent returns the size of a body in words.
func (b Body) extent() string {
	return fmt.Sprintf("%s long (x), %s wide (y), %s high (z)", metres(b.Size(0)), metres(b.Size(1)), metres(b.Size(2)))
}

// metres writes a length for people.
func metres(v float64) string {
	switch a := math.Abs(v); {
	case a == 0 || a >= 1:
		return fmt.Sprintf("%.4g m", v)
	case a >= 0.1:
		return fmt.Sprintf("%.3g m", v)
	}
	return fmt.Sprintf("%.3g mm", 1e3*v)
}
