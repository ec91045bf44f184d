package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
)

// Much solid is a porous medium: its permeability follows the place of the walls.

const (
	porousShare = 0.15 // of the cells, solid
	porousSlip  = 0.02 // of Lambda, from where walls are exact
)

// Porous is a hint for a case whose walls move with the viscosity while much of it is wall; empty
// for others. Bodies from files count by their sizes.
func (c *Case) Porous(sizes ...SolidSize) string {
	f := c.Spec.Collision.WallLambda // nil for models that have it as a parameter
	if f == nil || math.Abs(f(c.Tau)-3./16) < porousSlip {
		return ""
	}
	cells, halfway := float64(c.Box().Cells()), false
	share := 0.0
	var shapes []geometry.Shape
	for _, b := range c.Bodies {
		if b.Motion != nil { // a machine, not a medium
			continue
		}
		halfway = halfway || b.Kind.Law == boundary.Bounce
		if b.Whole() {
			shapes = append(shapes, b.Shape(nil))
		}
		for _, s := range sizes {
			if s.Body == b.Name {
				share += s.Cells / cells
			}
		}
	}
	if share += c.solidShare(shapes); !halfway || !(share >= porousShare && share < 1) {
		return ""
	}
	return fmt.Sprintf("%.0f %% of the cells are solid: %q places half-way walls by the viscosity (here Lambda = %s, exact is 3/16), and permeability and drag follow; in porous media \"trt\" keeps them where they are at any viscosity (docs/models.md)",
		100*share, c.Spec.Collision.Name, language.Short(f(c.Tau)))
}

// solidShare is about the share of cells in any of some shapes, from some cells at equal distances.
func (c *Case) solidShare(shapes []geometry.Shape) float64 {
	if len(shapes) == 0 {
		return 0
	}
	n, looks := c.Cells, 32
	if c.Dims() == 2 {
		looks = 181
	}
	in, all := 0, 0
	at := func(a, i int) float64 { return float64((2*i+1)*n[a]/(2*min(looks, n[a]))) + 0.5 }
	for k := range min(looks, n[2]) {
		for j := range min(looks, n[1]) {
			for i := range min(looks, n[0]) {
				all++
				for _, s := range shapes {
					if s.Contains(at(0, i), at(1, j), at(2, k)) {
						in++
						break
					}
				}
			}
		}
	}
	return float64(in) / float64(all)
}

func (r *resolver) porous() {
	if !r.haveTime || !r.haveBox || len(r.c.Files) > 0 { // these check reads first
		return
	}
	if hint := r.c.Porous(); hint != "" {
		r.warn("%s", hint)
	}
}
