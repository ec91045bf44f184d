// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Checks of the faces before a run: the speed of the fluid at them, whether the fluid that
// enters can leave, and whether bodies obstruct them.

// Rise returns the factor of velocity and pressure that a ramp makes at a time in steps.
func (b Boundary) Rise(t float64) float64 {
	if t < b.Ramp {
		return (1 - math.Cos(math.Pi*t/b.Ramp)) / 2
	}
	return 1
}

// faceSpeed is the largest speed at a boundary over the run, its time, the share of turbulence, and the largest speed without it.
type faceSpeed struct{ speed, time, waves, mean float64 }

// openings checks the faces once all boundaries and bodies are known.
type openings struct {
	*timing
	*Flow
	*Solids
	looks   *sampler
	speedAt []faceSpeed // of the boundaries, in their order
}

// placesOn visits cells of a boundary's own part of a face: their centres, moved to the face,
// and how many cells each stands for. Of each axis of the face at most so many are visited,
// the outermost in any case if ends is set, otherwise those in the middle of equal pieces.
func (r *openings) placesOn(i int, f Face, most int, ends bool, visit func(p [3]float64, weight float64) bool) {
	n := r.Cells
	u, v := geometry.Along(f.Axis)
	lo, hi, mine := r.partOf(i, f)
	looks := func(a int) int { return min(most, hi[a]-lo[a]) }
	at := func(a, k int) int {
		count := looks(a)
		if ends && count > 1 {
			return lo[a] + k*(hi[a]-lo[a]-1)/(count-1)
		}
		return lo[a] + (2*k+1)*(hi[a]-lo[a])/(2*count)
	}
	for kv := range looks(v) {
		for ku := range looks(u) {
			cell := [3]int{}
			cell[u], cell[v] = at(u, ku), at(v, kv)
			if !mine(cell) {
				continue
			}
			p := [3]float64{float64(cell[0]) + 0.5, float64(cell[1]) + 0.5, float64(cell[2]) + 0.5}
			p[f.Axis] = float64(f.Side * n[f.Axis])
			if !visit(p, float64(hi[u]-lo[u])/float64(looks(u))*float64(hi[v]-lo[v])/float64(looks(v))) {
				return
			}
		}
	}
}

// partOf calls Solids.PartOf for the domain.
func (r *openings) partOf(i int, f Face) (lo, hi [3]int, mine func(cell [3]int) bool) {
	return r.PartOf(i, f, r.Cells)
}

// PartOf reports which cells of a face are boundary i's own: all of them lie from lo to hi. n is the domain's size.
func (r *Solids) PartOf(i int, f Face, n [3]int) (lo, hi [3]int, mine func(cell [3]int) bool) {
	own := r.Boundaries[i].Region
	u, v := geometry.Along(f.Axis)
	hi = n
	if own != nil {
		for _, a := range []int{u, v} {
			from, to := own.Lo[a], own.Hi[a]
			if own.Radius > 0 {
				from, to = own.Centre[a]-own.Radius, own.Centre[a]+own.Radius
			}
			lo[a] = int(math.Max(math.Min(math.Floor(from), float64(n[a])), 0))
			hi[a] = int(math.Max(math.Min(math.Ceil(to), float64(n[a])), 0))
		}
	}
	var others []geometry.Region
	for _, o := range r.Boundaries {
		for _, g := range o.Faces {
			if own == nil && o.Region != nil && g == f {
				others = append(others, *o.Region)
			}
		}
	}
	return lo, hi, func(cell [3]int) bool {
		for _, o := range others {
			if o.Covers(f.Axis, cell) {
				return false
			}
		}
		return own == nil || own.Covers(f.Axis, cell)
	}
}

// beside returns the centre of the cell at a place on a face.
func (f Face) beside(p [3]float64) [3]float64 {
	p[f.Axis] += 0.5 - float64(f.Side)
	return p
}

// at returns the velocity of a boundary at a point in cells and a time in steps, without the files
// of factors.
func (b Boundary) at(p [3]float64, t float64) [3]float64 {
	u := b.Velocity
	if v := b.Profile; v != nil {
		u = [3]float64{v[0](p[0], p[1], p[2], t), v[1](p[0], p[1], p[2], t), v[2](p[0], p[1], p[2], t)}
	}
	for a := range u {
		u[a] *= b.Rise(t)
	}
	return u
}

// triedChannel is the smallest tau at which all models without an OpenTau were run in a channel.
const triedChannel = 0.505

// lookAtFaces finds the largest speeds at faces, on the boundaries' own parts and over the
// run, and refuses values that are not finite.
func (r *openings) lookAtFaces() {
	r.speedAt = make([]faceSpeed, len(r.Boundaries))
	if !r.haveTime || !r.haveBox {
		return
	}
	warned := false
	for i, b := range r.Boundaries {
		if m := r.Spec.Collision; b.Kind.Law.Passed() && r.Tau < m.OpenTau-1e-6 && !warned {
			warned = true
			others := "are stable there"
			if r.Tau < triedChannel {
				others = fmt.Sprintf("were stable down to %g, the lowest tau tested", triedChannel)
			}
			r.warn(finding.OpenFaceTau, "%q beside the %s face [boundary.%s] was unstable in a channel at tau below %g (here %s): recursive_regularized and cumulant %s", m.Name, b.Kind.Name, b.Name, m.OpenTau, TauText(r.Tau), others)
		}
		s := r.Named("boundary", b.Name)
		e := s.Get("velocity")
		if e == nil || s.Broken() { // its part may be a different one
			continue
		}
		if b.Profile == nil {
			r.fastestOf(i, faceSpeed{speed: sizeOf(b.Velocity), mean: sizeOf(b.Velocity)})
			continue
		}
		var top faceSpeed
		if !r.finiteOn(i, e) {
			continue
		}
		times, most := []float64{math.Inf(1)}, 65 // the ramp is over
		if b.Timed {
			times, most = r.times(timedLooks), samples
		}
		for _, f := range b.Faces {
			r.placesOn(i, f, most, true, func(centre [3]float64, _ float64) bool {
				for k := range 9 * len(times) { // the links from a cell's neighbours come out half a cell beside it, too
					p, t := r.linkEnd(centre, f, k%9), times[k/9]
					speed, waves := sizeOf(b.at(p, t)), 0.0
					if b.Inflow != nil {
						if rms := b.Inflow.RMS(p, speed); rms <= b.Inflow.Most(speed) { // otherwise it is refused
							waves = rmsOfLargest * rms
						}
					}
					if speed+waves > top.speed {
						top.speed, top.time, top.waves = speed+waves, t, waves
					}
					top.mean = math.Max(top.mean, speed)
				}
				return true
			})
		}
		r.fastestOf(i, top)
	}
}

// finiteOn refuses a velocity that is not finite somewhere on the faces of a boundary.
func (r *openings) finiteOn(i int, e *language.Entry) bool {
	whole := true
	for _, f := range r.Boundaries[i].Faces {
		for _, a := range e.Values {
			if a.Expr == nil {
				continue
			}
			s, all := r.looks.everywhere(a, model.Velocity, r.onFace(i, f), identity, func(float64) bool { return true })
			if s.Found {
				x := r.vars()(s.At[0], s.At[1], s.At[2], s.At[3])
				r.Add(a.At, "the expression must be finite everywhere on the face and half a cell beside it, where links end, during the whole run; use max(0, ...) below a square root", "velocity is %s (lattice units) at x = %s, y = %s, z = %s%s", language.Short(s.Bad), language.Short(x[language.VarX]), language.Short(x[language.VarY]), language.Short(x[language.VarZ]), r.moment(r.Boundaries[i], s.At[language.VarT]))
				return false
			}
			whole = whole && all
		}
	}
	if !whole {
		r.looks.unlooked(e)
	}
	return true
}

// linkEnd returns one of nine places where links come out of a cell behind a face: beside its centre, and
// half a cell from there along the axes of the face, within the domain.
func (r *openings) linkEnd(p [3]float64, f Face, k int) [3]float64 {
	u, v := geometry.Along(f.Axis)
	for _, c := range []struct{ axis, step int }{{u, k%3 - 1}, {v, k/3 - 1}} {
		if c.axis < r.dims {
			p[c.axis] = math.Max(0, math.Min(p[c.axis]+float64(c.step)/2, float64(r.Cells[c.axis])))
		}
	}
	return p
}

// fastestOf notes the largest speed that the velocity of a boundary gives.
func (r *openings) fastestOf(i int, top faceSpeed) {
	r.speedAt[i], r.Boundaries[i].Fastest = top, top.speed
}

// moment formats a time, for a boundary that changes with it.
func (r *openings) moment(b Boundary, t float64) string {
	if !b.Timed {
		return ""
	}
	return " at t = " + r.si(t*r.Units.Time, model.Time)
}

// mostUnbalanced is the part of the fluxes by which they may differ: sums over cells differ
// from integrals by about so much on coarse faces. It fills a domain by a hundredth each time
// that the flow passes it, which the watch sees.
const mostUnbalanced = 0.01

// inlet is a face that a velocity is given on.
type inlet struct {
	boundary int
	face     Face
}

// inlets returns the faces through which the flow passes if all of them have a given velocity; none if
// fluid also passes another kind of face. unknown is a boundary whose factors only the run knows.
func (r *openings) inlets() (list []inlet, unknown string) {
	var table *TableFile
	for i, b := range r.Boundaries {
		if !b.Kind.Law.Passed() || len(b.Faces) == 0 {
			continue
		}
		if b.Kind.Law != boundary.VelocityFace {
			return nil, ""
		}
		if b.Outline != nil || len(list) > 0 && ((table == nil) != (b.Table == nil) || table != nil && !table.same(*b.Table)) {
			unknown = b.Name
		}
		table = b.Table
		for _, f := range b.Faces {
			list = append(list, inlet{i, f})
		}
	}
	return list, unknown
}

// fluxes returns the fluxes through inlets into the domain at some times, from at most so many
// cells of each axis of a face. Parts covered by bodies let nothing pass.
func (r *openings) fluxes(list []inlet, times []float64, most int) [][]float64 {
	shapes := r.knownShapes(r.Bodies)
	through := make([][]float64, len(times)) // of each of the list
	for k := range through {
		through[k] = make([]float64, len(list))
	}
	for j, l := range list {
		b := r.Boundaries[l.boundary]
		r.placesOn(l.boundary, l.face, most, false, func(p [3]float64, weight float64) bool {
			if q := l.face.beside(p); !slices.ContainsFunc(shapes, func(s geometry.Shape) bool { return s.Contains(q[0], q[1], q[2]) }) {
				for k, t := range times {
					through[k][j] += weight * b.at(p, t)[l.face.Axis] * float64(1-2*l.face.Side)
				}
			}
			return true
		})
	}
	return through
}

// balance refuses velocity faces with a net flow if no other face is open.
func (r *openings) balance() {
	if !r.haveTime || !r.haveBox || r.Count > 0 {
		return
	}
	list, unknown := r.inlets()
	if len(list) == 0 {
		return
	}
	if unknown != "" {
		r.warn(finding.UnbalancedTable, "the domain has velocity faces only, and [boundary.%s] has factors from a file: where the flow rates do not balance, the density of the whole domain drifts without limit; make one of them a face of type \"outflow\" or \"pressure\"", unknown)
		return
	}
	r.once(func() { r.balanceOf(list) }, r.Bodies...)
}

// balanceOf compares the fluxes through inlets.
func (r *openings) balanceOf(list []inlet) {
	times, timed := []float64{math.Inf(1)}, false
	for _, l := range list {
		if b := r.Boundaries[l.boundary]; b.Timed || b.Ramp > 0 {
			timed = true
		}
	}
	most := 1 << 16 // cells of an axis of the face
	if r.dims == 3 {
		most = 1 << 8
	}
	if timed {
		times, most = r.times(timedLooks/5), 1<<6
	}
	through := r.fluxes(list, times, most)
	largest, worst, excess := 0.0, 0, 0.0
	for k, one := range through {
		sum, gross := 0.0, 0.0
		for _, q := range one {
			sum, gross = sum+q, gross+math.Abs(q)
		}
		if largest = math.Max(largest, gross); math.Abs(sum) > math.Abs(excess) {
			worst, excess = k, sum
		}
	}
	if math.Abs(excess) <= mostUnbalanced*largest {
		return
	}
	when := ""
	if timed {
		when = " at t = " + r.si(times[worst]*r.Units.Time, model.Time)
	}
	r.unbalanced(list, through[worst], excess, when)
}

// unbalanced reports fluxes through inlets whose sum is not zero.
func (r *openings) unbalanced(list []inlet, through []float64, excess float64, when string) {
	dim := model.FlowRate
	if r.dims == 2 {
		dim = model.Viscosity // for each metre across the plane
	}
	rate := func(q float64) string { return r.si(math.Abs(q)*r.Units.Factor(dim), dim) }
	way := func(q float64) string {
		if q < 0 {
			return "out"
		}
		return "in"
	}
	reason := ""
	for j, l := range list {
		reason += fmt.Sprintf("[boundary.%s] on %s: %s %s\n", r.Boundaries[l.boundary].Name, l.face, rate(through[j]), way(through[j]))
	}
	reason += fmt.Sprintf("the density of the whole domain would drift without limit; make one of them a face of type \"outflow\" or \"pressure\", or balance their fluxes (within %g %% of the total)", 100*mostUnbalanced)
	r.Add(r.Named("boundary", r.Boundaries[list[0].boundary].Name).At, reason, "the velocity faces have a net %sflow of %s%s, and no other face is open", way(excess), rate(excess), when)
}

// pulsation warns of a flow that changes with time as a whole and has no way out but outflows. These
// answer like an endless duct, with the pressure rho c u', c the speed of sound of the lattice. Where
// sound is fast against the changes their relaxation lowers that, and a face of given pressure has none; else
// both send sound back, and the domain resonates like an organ pipe.
func (r *openings) pulsation() {
	if !r.haveTime || !r.haveBox || r.Count > 0 {
		return
	}
	const looks = 64
	var flow [looks][2]float64 // into the domain at some moment, and one step later
	times := r.times(looks - 2)
	inlet, outlet, area, relax, length, fastest := "", "", 0.0, 0.0, 0.0, 0.0
	for i, b := range r.Boundaries {
		fastest = math.Max(fastest, b.Fastest)
		for _, f := range b.Faces {
			switch {
			case b.Kind.Law == boundary.PressureFace:
				return
			case b.Kind.Law == boundary.Outflow:
				outlet, relax, length = b.Name, b.Relax, float64(r.Cells[f.Axis])
				r.placesOn(i, f, 1<<6, false, func(_ [3]float64, weight float64) bool { area += weight; return true })
			case b.Kind.Law == boundary.VelocityFace && b.Timed:
				inlet = b.Name
				r.placesOn(i, f, 1<<5, false, func(p [3]float64, weight float64) bool {
					for k := range flow {
						for next := range flow[k] {
							flow[k][next] += weight * b.at(p, times[k]+float64(next))[f.Axis] * float64(1-2*f.Side)
						}
					}
					return true
				})
			}
		}
	}
	if inlet == "" || area == 0 || fastest == 0 {
		return
	}
	mean, spread, change := 0.0, 0.0, 0.0
	for _, q := range flow {
		mean += q[0] / looks
	}
	for _, q := range flow {
		spread, change = spread+(q[0]-mean)*(q[0]-mean), change+(q[1]-q[0])*(q[1]-q[0])
	}
	if spread == 0 {
		return
	}
	rate := math.Sqrt(change / spread) // the angular frequency of an oscillation
	u := math.Sqrt(2*spread/looks) / area
	sound := math.Sqrt(model.CS2)
	p := u * sound
	remedy := "A face of type \"pressure\" there avoids it"
	if rate*length <= sound/2 {
		p *= rate / math.Hypot(rate, relax)
	} else {
		remedy = fmt.Sprintf("Sound needs 4 L/c = %.0f steps for two round trips, and the flow's period is not long compared with that: a face of type \"pressure\" would make the domain resonate. More steps per period separate the two", 4*length/sound)
	}
	if dynamic := fastest * fastest / 2; p > dynamic {
		r.warn(finding.OutflowPulsation, "the flow through [boundary.%s] changes with time, and [boundary.%s] responds like an infinite duct, with a pressure of about +- %s = rho c u' (c the lattice speed of sound), %s times rho U^2/2. %s",
			inlet, outlet, r.si(roughly(p*r.Units.Factor(model.Pressure)), model.Pressure), language.Short(roughly(p/dynamic)), remedy)
	}
}

// obstructions warns of bodies in front of faces which the fluid passes, and of bodies
// inside another.
func (r *openings) obstructions() {
	if !r.haveBox {
		return
	}
	for _, b := range r.Bodies {
		if b.Thicken || !b.Whole() {
			r.once(func() { r.hasCell(b) }, b)
		}
	}
	r.once(r.hasFluid, r.Bodies...)
	for i, b := range r.Boundaries {
		for _, f := range b.Faces {
			if !b.Kind.Law.Passed() {
				continue
			}
			for _, body := range r.Bodies {
				r.once(func() { r.covers(body, i, f) }, body)
			}
		}
	}
	if len(r.Bodies) > 1 {
		r.once(func() {
			for i := range r.Bodies {
				r.swallowed(i)
			}
		}, r.Bodies...)
	}
}

// swallowed warns of a body without effect: later bodies take all its cells, or its cells are all in others and no fluid
// is beside those that it keeps. One that keeps cells beside the fluid changes the wall there, such as a heater in a block.
func (r *openings) swallowed(i int) {
	b := r.Bodies[i]
	around := geometry.Around{Cells: r.Cells, Periodic: r.Periodic, Dims: r.dims}
	var others []Body
	conducts := b.Conducts()
	for j, o := range r.Bodies {
		if i == j || !around.Meet(r.shape(b), r.shape(o)) {
			continue
		}
		others = append(others, o)
		if i < j {
			around.Later = append(around.Later, r.shape(o))
			continue
		}
		conducts = conducts || o.Conducts()
		around.Earlier = append(around.Earlier, r.shape(o))
	}
	if conducts {
		around.Earlier = nil // a rod in a shell changes how that conducts
	}
	if !around.Swallows(r.shape(b)) {
		return
	}
	for _, o := range others {
		if geometry.Inside(r.shape(b), r.shape(o), r.Cells, r.dims) {
			r.warn(finding.SwallowedBody, "[body.%s] lies entirely inside [body.%s]: it has no effect", b.Name, o.Name)
			return
		}
	}
	r.warn(finding.SwallowedBody, "[body.%s] lies entirely inside the union of other bodies: it has no effect", b.Name)
}

// covers warns of a body in front of an open face.
func (r *openings) covers(body Body, i int, f Face) {
	if !body.Thicken && !r.touches(body, f) {
		return
	}
	shape, all, behind := r.shape(body), 0, 0
	takes := func([3]int) bool { return false }
	if body.Thicken {
		takes = r.alone(shape, 0).Takes(0)
	}
	r.placesOn(i, f, 256, false, func(p [3]float64, _ float64) bool {
		all++
		p = f.beside(p)
		if shape.Contains(p[0], p[1], p[2]) || takes([3]int{int(p[0]), int(p[1]), int(p[2])}) {
			behind++
		}
		return true
	})
	switch name := r.Boundaries[i].Name; {
	case all > 0 && behind == all:
		r.warn(finding.CoveredFace, "[body.%s] covers all of [boundary.%s] on face %s: no fluid passes there", body.Name, name, f)
	case behind > 0:
		r.warn(finding.CoveredFace, "[body.%s] covers %s %% of [boundary.%s] on face %s: no fluid passes there", body.Name, language.Short(100*float64(behind)/float64(all)), name, f)
	}
}

// movingWalls chooses how walls move: by ghost cells, which are quiet beside faces without friction
// and open ones, or by half-way bounce-back.
func (r *openings) movingWalls() {
	if !r.haveBox || !r.bouncing() {
		return
	}
	for i := range r.Boundaries {
		if law := &r.Boundaries[i].Kind.Law; *law == boundary.MovingFace {
			*law = boundary.Bounce
		}
	}
}

// bouncing: the place of the wall is what bgk and trt are chosen for; and where no face lets mass
// out it must not change, which ghost cells see to but where faces that move meet each other or a
// body. Without faces that slip they have nothing to offer.
func (r *openings) bouncing() bool {
	if r.Spec.Collision.Scheme == model.Populations {
		return true
	}
	slips, moves := false, [3]bool{}
	for _, b := range r.Boundaries {
		switch b.Kind.Law {
		case boundary.PressureFace, boundary.Outflow:
			return false
		case boundary.Slip:
			slips = true
		case boundary.MovingFace, boundary.VelocityFace:
			for _, f := range b.Faces {
				moves[f.Axis] = true
				for _, body := range r.Bodies {
					if b.Kind.Law == boundary.MovingFace && r.touches(body, f) {
						return true
					}
				}
			}
		case boundary.Bounce, boundary.ModelledWall:
		default:
			panic(fmt.Sprintf("no rule for whether a wall of kind %q blocks ghost cells", b.Kind.Name))
		}
	}
	return !slips || moves[0] && moves[1] || moves[0] && moves[2] || moves[1] && moves[2]
}

// touches reports whether a body may have cells beside a face; of one from a file nothing is known yet.
func (r *openings) touches(b Body, f Face) bool {
	if !r.known(b) {
		return true
	}
	from, to := geometry.Reach(r.shape(b), r.Cells, r.dims)
	return f.Side == 0 && from[f.Axis] == 0 || f.Side == 1 && to[f.Axis] == r.Cells[f.Axis]
}

// onFace returns the points of a boundary's own part of a face where a run evaluates its velocity: cells'
// centres and, where links end, half a cell beside them, in the middle of steps.
func (r *openings) onFace(i int, f Face) language.Points {
	lo, hi, mine := r.partOf(i, f)
	l := language.Points{First: [4]float64{0.5, 0.5, 0.5, 0.5}, Step: [4]float64{0.5, 0.5, 0.5, 1}, Count: [4]int{1, 1, 1, max(r.Run.Steps, 1)}}
	l.First[f.Axis] = float64(f.Side * r.Cells[f.Axis])
	u, v := geometry.Along(f.Axis)
	for _, a := range []int{u, v} {
		if a < r.dims {
			l.First[a], l.Count[a] = float64(lo[a]), 2*(hi[a]-lo[a])+1
		}
	}
	l.Among = func(p [4]float64) bool {
		for _, du := range []float64{-0.25, 0.25} { // a point between two cells belongs to both
			for _, dv := range []float64{-0.25, 0.25} {
				var cell [3]int
				cell[u], cell[v] = int(math.Floor(p[u]+du)), int(math.Floor(p[v]+dv))
				if cell[u] >= lo[u] && cell[u] < hi[u] && cell[v] >= lo[v] && cell[v] < hi[v] && mine(cell) {
					return true
				}
			}
		}
		return false
	}
	return l
}
