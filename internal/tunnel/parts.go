package tunnel

import (
	"fmt"
	"math"
)

// PartForce is the mean force along the flow on a solid of a surface, in newtons, with half the widths of 95 % intervals.
type PartForce struct {
	Name                       string
	Pressure, Friction         float64
	PressureHalf, FrictionHalf float64 // not finite: not known
}

// PartDrag is the same as coefficients.
type PartDrag struct {
	Part     string      `json:"part"`
	Drag     Coefficient `json:"drag"`
	Pressure Coefficient `json:"pressure"`
	Friction Coefficient `json:"friction"`
	Share    *float64    `json:"share"` // of the sum; nil where the sum is 0
}

// ByPart adds the table of drags by part; one part has no table.
func (r *Report) ByPart(p *Plan, forces []PartForce) {
	if len(forces) < 2 {
		return
	}
	factor := 2 / (p.Fluid.Density * p.Speed * p.Speed * p.Area)
	coefficient := func(symbol, meaning string, force, half float64) Coefficient {
		c := Coefficient{Symbol: symbol, Meaning: meaning}
		if v := factor * force; !math.IsNaN(v) {
			c.Value = &v
		}
		if h := factor * half; !math.IsNaN(h) && !math.IsInf(h, 0) {
			c.Half = &h
		}
		return c
	}
	sum := PartForce{Name: "sum"}
	for _, f := range forces {
		sum.Pressure, sum.Friction = sum.Pressure+f.Pressure, sum.Friction+f.Friction
		sum.PressureHalf, sum.FrictionHalf = math.Inf(1), math.Inf(1) // parts are correlated
	}
	all := sum.Pressure + sum.Friction
	r.OfParts = "C_D has no mean, and these means contain the same transient."
	if drag := r.find("C_D"); drag != nil && drag.Value != nil && *drag.Value == 0 {
		r.OfParts = "C_D is 0."
	} else if drag != nil && drag.Value != nil {
		r.OfParts = fmt.Sprintf("Their sum, of pressure and friction on the triangles, is %+.2g %% off C_D, which is by exchange of momentum and more exact.", 100*(factor*all / *drag.Value - 1))
	}
	for _, f := range append(forces, sum) {
		// The two forces may be correlated: the interval is at most as wide as both together.
		row := PartDrag{
			Part:     f.Name,
			Drag:     coefficient("C_D", "drag of "+f.Name, f.Pressure+f.Friction, f.PressureHalf+f.FrictionHalf),
			Pressure: coefficient("C_D,p", "by pressure", f.Pressure, f.PressureHalf),
			Friction: coefficient("C_D,f", "by friction", f.Friction, f.FrictionHalf),
		}
		if share := (f.Pressure + f.Friction) / all; !math.IsNaN(share) && !math.IsInf(share, 0) {
			row.Share = &share
		}
		r.Parts = append(r.Parts, row)
	}
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
