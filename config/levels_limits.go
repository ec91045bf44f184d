package config

import (
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// What refined grids do not have yet. It is refused by name, at the key that asks for it.

// unrefined refuses what a case with boxes of finer cells cannot have.
type unrefined struct {
	*frame
	*Flow
	*Solids
}

func (r *unrefined) refuse() {
	if len(r.All("refine")) == 0 {
		return
	}
	r.models()
	r.drives()
	r.surfaces()
	r.outputs()
}

// add reports something that a case cannot have with boxes of finer cells.
func (r *unrefined) add(at language.Mark, instead, what string) {
	reason := "remove it, or the tables [refine.NAME]"
	if instead != "" {
		reason = instead + ", or remove the tables [refine.NAME]"
	}
	r.Add(at, reason, "%s: not with [refine] yet", what)
}

// models refuses what the kernels between levels do not compute.
func (r *unrefined) models() {
	s := r.Section("collision")
	if e := s.Get("model"); e != nil && r.Spec.Collision.Scheme == model.Populations {
		r.add(e.At, `use "cumulant", "regularized" or "recursive_regularized", which store moments`, "model "+language.Quote(e.Text))
	}
	if e := s.Get("precision"); e != nil && precisionOf(e.Text) == model.Float16 {
		r.add(e.At, `use "float32" or "float64"`, "precision "+language.Quote(e.Text))
	}
	if t := r.Section("temperature"); t != nil {
		r.add(t.At, "", "[temperature]")
	}
}

// drives refuses forces and initial states that the levels do not have in common.
func (r *unrefined) drives() {
	s := r.Section("force")
	for _, key := range []string{"mean_velocity", "flow_rate"} {
		if s.Get(key) != nil {
			r.add(s.KeyAt(key), "give a constant acceleration or force_density", key)
		}
	}
	for _, key := range []string{"acceleration", "force_density"} {
		if e := s.Get(key); e != nil && r.Force.At != nil {
			r.add(e.At, "give a constant", key+" that depends on t")
		}
	}
	if s := r.Section("initial"); s.Get("from") != nil {
		r.add(s.KeyAt("from"), "give the velocity, and the density or the pressure", "[initial] from")
	}
}

// surfaces refuses boundaries that change with time, and laws of surfaces that read cells around them.
func (r *unrefined) surfaces() {
	for _, b := range r.Boundaries {
		s := r.Named("boundary", b.Name)
		for _, key := range []string{"ramp", "table", "profile", "turbulence_intensity", "turbulence_rms", "sponge"} {
			if s.Has(key) {
				r.add(s.KeyAt(key), "", s.Head()+" "+key)
			}
		}
		if b.Timed {
			r.add(s.ValueAt("velocity"), "give an expression of the position", s.Head()+" velocity that depends on t")
		}
		if b.Kind.Law == boundary.ModelledWall {
			r.add(s.ValueAt("type"), `use "wall" or "slip"`, s.Head()+" type "+language.Quote(b.Kind.Name))
		}
	}
	for _, b := range r.Bodies {
		s := r.Named("body", b.Name)
		if b.Thicken {
			r.add(s.KeyAt("thicken"), "use a level at which the body is thicker than a cell", s.Head()+" thicken")
		}
	}
	// A cell's type is a byte, and cells that no step computes have one of their own.
	if n := len(r.Boundaries) + len(r.Bodies); n >= 255 {
		r.Add(r.Named("body", r.Bodies[len(r.Bodies)-1].Name).At, "", "%d boundaries and bodies: at most 254 are possible with [refine]", n)
	}
}

// outputs refuses outputs of which only level 0 would be known, and fields of walls in outputs and expectations.
func (r *unrefined) outputs() {
	for _, s := range r.Sections {
		path := s.Table.Path
		if !s.Given || !strings.HasPrefix(path, "output.") && !strings.HasPrefix(path, "expect.") {
			continue
		}
		if slices.Contains([]string{"output.averages", "output.profile.*", "output.spectrum.*"}, path) {
			r.add(s.At, "", s.Head())
			continue
		}
		if path == "output.surface.*" {
			continue
		}
		for _, key := range []string{"field", "fields"} {
			if !s.Knows(key) {
				continue
			}
			e := s.Get(key)
			for _, f := range []string{"wall_distance", "wall_shear_stress"} {
				if e != nil && (e.Text == f || slices.Contains(e.Words, f)) {
					r.add(e.At, "", "field "+f)
				}
			}
		}
	}
}
