package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// soundSpeed in lattice units.
var soundSpeed = math.Sqrt(model.CS2)

const (
	blowupDir   = "blowup" // files of fields
	blowupText  = "blowup.txt"
	blowupJSON  = "blowup.json"
	blowupWidth = 32 // cells of the box around the place
	blowupSteps = 8  // the last of which is the one of the first bad cell
)

// Blowup is what is known of the first bad cell of a run; lattice units where nothing else
// is said.
type Blowup struct {
	Case, Version string
	Step          int
	Time          float64 // in the case's unit
	Cell          [3]int
	Position      [3]float64 // of its centre, in the case's unit
	What          string     // is wrong with it
	Seen          int        // step at which the watch saw the trouble
	From          int        // step that the run went back to
	Lo, Hi        [3]int     // the box of the fields
	Fields        string     // the index of its files, below the output folder
	History       []Moment   // of the cell
	Around        []Moment   // cells along x at the last step
	Borders       []string   // boundaries close by, nearest first
	Evidence      []string   // what to look at, the plainest first

	cut   bool // a signal ended the search for more than step and cell
	kept  bool // the report is on disk
	near  []border
	speed float64 // the largest in the box, before it went wrong
}

// Moment is the values of a cell at a step.
type Moment struct {
	Step     int
	X        int
	Density  number64
	Velocity [3]number64
	Speed    number64
	Mach     number64
}

// number64 is written as text in JSON where it is not finite.
type number64 float64

// MarshalJSON implements json.Marshaler.
func (n number64) MarshalJSON() ([]byte, error) {
	if v := float64(n); derive.Finite(v) != v {
		return json.Marshal(fmt.Sprint(v))
	}
	return json.Marshal(float64(n))
}

// investigate goes back to a good state and computes up to the first bad cell; nil when
// there is no state to go back to. The report is rank 0's. Collective; the state is not
// that of the watch afterwards.
func (r *run) investigate(elapsed time.Duration) (*Blowup, error) {
	if !r.replayable(elapsed) {
		return nil, nil
	}
	seen := r.n
	if err := r.back(); err != nil {
		return nil, err
	}
	b := &Blowup{Case: r.Case.Path, Version: r.options.Version, Seen: seen, From: r.n}
	if r.Root {
		r.options.Report.Warn(fmt.Sprintf("step %d: the run is unstable; computing again from step %d to find the first bad cell", seen, r.n))
	}
	for {
		cell, found, interrupted, err := r.firstBad()
		if err != nil {
			return nil, err
		}
		if b.Cell = cell; found {
			break
		}
		if interrupted || r.n >= seen {
			return nil, nil
		}
		if err := r.again(); err != nil {
			return nil, err
		}
	}
	b.Step, b.Time = r.n, r.time()
	for a, at := range b.Cell {
		b.Position[a] = r.Case.Origin[a] + (float64(at)+0.5)*r.Case.Units.Length
		width := min(blowupWidth, r.Case.Cells[a])
		b.Lo[a] = min(max(b.Cell[a]-width/2, 0), r.Case.Cells[a]-width)
		b.Hi[a] = b.Lo[a] + width
	}
	if b.Step > b.From { // once more, now that the place is known
		if err := r.back(); err != nil {
			return nil, err
		}
	}
	for {
		if r.n > b.Step-blowupSteps {
			if err := r.record(b); err != nil {
				return nil, err
			}
		}
		if r.n >= b.Step {
			break
		}
		if (r.n-b.From)%lookEvery == lookEvery-1 {
			var err error
			if b.cut, err = r.halted(); b.cut || err != nil {
				return b, err
			}
		}
		if err := r.again(); err != nil {
			return nil, err
		}
	}
	if r.Root {
		r.judgeBlowup(b)
		err := r.writeBlowup(b)
		if b.kept = err == nil; !b.kept {
			r.options.Report.Warn(fmt.Sprintf("the report of the first bad cell: %v", err))
		}
	}
	return b, nil
}

// lookEvery is how many steps are computed again between two looks for signals.
const lookEvery = 16

// tell is the message of the end with what has been found; of files it names those that
// are there.
func (r *run) tell(b *Blowup, seen []byte) []byte {
	if b.cut {
		return fmt.Appendf(seen, "\n  the first bad cell is (%d, %d, %d) at step %d; a signal, or the end of the job's time, ended the search for more", b.Cell[0], b.Cell[1], b.Cell[2], b.Step)
	}
	text := []byte(b.text(r.Case))
	if b.kept {
		text = fmt.Appendf(text, "\n  more in %s", r.outputDir(blowupText))
	}
	if b.Fields != "" {
		text = fmt.Appendf(text, "\n  fields around the place in %s", r.outputDir(b.Fields))
	}
	return text
}

// forgetBlowup removes the report of an earlier run, which is none of this one.
func (r *run) forgetBlowup() {
	for _, name := range []string{blowupText, blowupJSON, blowupDir} {
		_ = os.RemoveAll(r.outputDir(name)) // what cannot be removed will be written over, or that fails
	}
}

// record takes the fields of the box, and the cell's part of them. Collective.
func (r *run) record(b *Blowup) error {
	box := decomp.Box{Lo: b.Lo, Hi: b.Hi}
	var list []model.Field
	var values [][]float64
	names := []string{"density", "velocity", "pressure"}
	if r.Case.Spec.Scalar {
		names = append(names, "temperature")
	}
	for _, name := range names {
		i := slices.IndexFunc(model.Fields, func(f model.Field) bool { return f.Name == name })
		v, err := r.view().CollectAll(model.Fields[i], box)
		if err != nil {
			return fmt.Errorf("rank %d: fields at step %d: %w", r.Rank, r.n, err)
		}
		list, values = append(list, model.Fields[i]), append(values, v)
	}
	if !r.Root {
		return nil
	}
	size := box.Size()
	perDensity, perVelocity := 1/r.Case.Units.Factor(list[0].Dim), 1/r.Case.Units.Factor(list[1].Dim)
	moment := func(i int) Moment {
		m := Moment{Step: r.n, X: b.Lo[0] + i%size[0], Density: number64(perDensity * values[0][i])}
		speed := 0.0
		for a := range 3 {
			u := perVelocity * values[1][3*i+a]
			m.Velocity[a] = number64(u)
			speed += u * u
		}
		m.Speed = number64(math.Sqrt(speed))
		m.Mach = m.Speed / number64(soundSpeed)
		return m
	}
	at := ((b.Cell[2]-b.Lo[2])*size[1]+b.Cell[1]-b.Lo[1])*size[0] + b.Cell[0] - b.Lo[0]
	b.History = append(b.History, moment(at))
	if r.n < b.Step || r.n == b.From {
		for i := range box.Cells() {
			b.speed = max(b.speed, derive.Finite(float64(moment(i).Speed)))
		}
	}
	if r.n == b.Step {
		for x := max(b.Lo[0], b.Cell[0]-2); x < min(b.Hi[0], b.Cell[0]+3); x++ {
			b.Around = append(b.Around, moment(at+x-b.Cell[0]))
		}
	}
	if len(b.History) > 1 && b.Fields == "" {
		return nil // the disk did not take the first one
	}
	if err := r.writeBox(b, list, values); err != nil {
		b.Fields = ""
		r.options.Report.Warn(fmt.Sprintf("fields around the first bad cell: %v", err))
	}
	return nil
}

// writeBox writes the fields of the present step around the place, on rank 0 alone.
func (r *run) writeBox(b *Blowup, list []model.Field, values [][]float64) error {
	series := fields.Series{Dir: r.outputDir(blowupDir), Name: "blowup"}
	alone := comm.Serial()
	if len(b.History) == 1 {
		if err := os.MkdirAll(series.Dir, 0o777); err != nil {
			return err
		}
		if err := series.Rewind(alone, -1); err != nil {
			return err
		}
	}
	grid := r.grid()
	for a := range grid.N {
		grid.N[a] = b.Hi[a] - b.Lo[a]
		grid.Origin[a] += float64(b.Lo[a]) * grid.Spacing
	}
	p, err := series.Begin(alone, decomp.Box{Hi: grid.N}, grid, r.listed(list, model.Float64), r.meta())
	if err != nil {
		return err
	}
	for i := range list {
		if err := p.Write(i, 0, domain.BytesOf(values[i])); err != nil {
			p.Abort()
			return err
		}
	}
	if err := p.Flush(); err != nil {
		p.Abort()
		return err
	}
	b.Fields = filepath.Join(blowupDir, filepath.Base(series.Index()))
	return p.Commit()
}

// writeBlowup writes the report for people and for programs.
func (r *run) writeBlowup(b *Blowup) error {
	if err := os.MkdirAll(r.outputDir(), 0o777); err != nil {
		return err
	}
	text := fmt.Sprintf("lbmsim %s, %s\n%s\n", b.Version, b.Case, b.text(r.Case))
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	for name, bytes := range map[string][]byte{blowupText: []byte(text), blowupJSON: append(data, '\n')} {
		path := r.outputDir(name)
		err := os.WriteFile(path+".part", bytes, 0o666)
		if err == nil {
			err = os.Rename(path+".part", path)
		}
		if err != nil {
			return errors.Join(err, os.Remove(path+".part"))
		}
	}
	return nil
}

// text is the report, from its first line on: what goes wrong, and where.
func (b *Blowup) text(c *config.Case) string {
	var t strings.Builder
	fmt.Fprintf(&t, "step %d: %s in cell (%d, %d, %d)", b.Step, b.What, b.Cell[0], b.Cell[1], b.Cell[2])
	if c.Units.Physical {
		p := b.Position
		fmt.Fprintf(&t, " at (%.6g, %.6g, %.6g) m, %.6g s", p[0], p[1], p[2], b.Time)
	}
	fmt.Fprintf(&t, ", the first one (seen at step %d, found from step %d on)", b.Seen, b.From)
	for i, near := range b.Borders {
		if i == 0 {
			near = "nearest boundary: " + near
		}
		fmt.Fprintf(&t, "\n  %s", near)
	}
	table := func(head string, label func(Moment) string, list []Moment) {
		fmt.Fprintf(&t, "\n  %s (rho, u, Mach in lattice units):", head)
		for _, m := range list {
			fmt.Fprintf(&t, "\n    %s: %.5g", label(m), m.Density)
			for a := range c.Dims() {
				fmt.Fprintf(&t, " %.4g", m.Velocity[a])
			}
			fmt.Fprintf(&t, " %.3g", m.Mach)
		}
	}
	table("its last steps", func(m Moment) string { return fmt.Sprint("step ", m.Step) }, b.History)
	table("its neighbourhood along x", func(m Moment) string { return fmt.Sprint("x = ", m.X) }, b.Around)
	t.WriteString("\n  what to look at:")
	for _, e := range b.Evidence {
		fmt.Fprintf(&t, "\n    - %s", e)
	}
	return t.String()
}

// judgeBlowup says what is wrong with the cell, what is close to it, and what speaks for
// which cause.
func (r *run) judgeBlowup(b *Blowup) {
	last := b.History[len(b.History)-1]
	b.What = fmt.Sprintf("Mach %.3g above the limit %.3g", last.Mach, r.Case.Run.MaxMach)
	if sum := float64(last.Density + last.Speed); derive.Finite(sum) != sum || float64(last.Speed) <= r.maxSpeed() {
		b.What = "a value that is not finite"
	}
	b.near = r.near(b.Cell)
	for _, n := range b.near[:min(3, len(b.near))] {
		b.Borders = append(b.Borders, n.text)
	}
	b.Evidence = r.evidence(b)
}

// clue is a sentence, and how plain it is.
type clue struct {
	weight int
	text   string
}

// Numbers beyond which a case is where the method is known to be weak.
const (
	weakMach   = 0.3  // its error grows with the square; 0.1 is usual
	weakMargin = 0.01 // tau - 1/2
	weakCell   = 20.0 // cell Reynolds number |u| dx/nu
	weakJump   = 0.05 // of prescribed velocities within a few cells
	weakRho    = 0.1  // deviation of the density
	beside     = 2    // cells
)

func (r *run) evidence(b *Blowup) (list []string) {
	var clues []clue
	add := func(weight int, format string, args ...any) {
		clues = append(clues, clue{weight, fmt.Sprintf(format, args...)})
	}
	first, last := b.History[0], b.History[len(b.History)-1]
	// The speed that the case means to have; what is in the box may be part of the trouble.
	speed := derive.Finite(r.watch.start.MaxSpeed)
	for _, w := range r.prescribed(b.Step) {
		switch mach := w.speed / soundSpeed; {
		case derive.Finite(w.speed) != w.speed:
			add(110, "%s prescribes a velocity that is no number at this step: its formula, profile or table", w.name)
		case mach > r.Case.Run.MaxMach:
			add(100, "%s prescribes Mach %.3g, above the limit %.3g (max_mach): take a smaller lattice velocity or time step, so that it is about 0.1", w.name, mach, r.Case.Run.MaxMach)
		case mach > weakMach:
			add(70, "%s prescribes Mach %.3g; the method is for Mach numbers well below %.1g: take a smaller lattice velocity or time step", w.name, mach, weakMach)
		}
		if derive.Finite(w.speed) == w.speed {
			speed = max(speed, w.speed)
		}
	}
	if mach := r.watch.start.MaxSpeed / soundSpeed; mach > weakMach {
		add(60, "the initial state has Mach %.3g already; the method is for Mach numbers well below %.1g", mach, weakMach)
	}
	if speed == 0 {
		speed = min(b.speed, r.maxSpeed())
	}
	viscosity := model.CS2 * (r.Case.Tau - 0.5)
	if cell := speed / viscosity; r.Case.Tau-0.5 < weakMargin || cell > weakCell {
		advice := "a finer grid, a lower speed or a larger viscosity"
		if s := r.Case.Spec; s.Collision.Name != "cumulant" {
			advice += ", or the collision model cumulant, made for it (here " + s.Collision.Name + ")"
		} else if s.Lattice.Name == "D3Q19" {
			advice += ", or D3Q27, which has the velocities for all moments of cumulant (here D3Q19)"
		}
		add(80, "tau is %.6g, %.2g above 1/2, and the cell Reynolds number |u| dx/nu is %.3g with |u| = %.3g; beyond about %.0f small waves are hardly damped: %s", r.Case.Tau, r.Case.Tau-0.5, cell, speed, weakCell, advice)
	}
	force := math.Hypot(math.Hypot(r.params.Force[0], r.params.Force[1]), r.params.Force[2])
	if force*float64(b.Step) > r.maxSpeed() {
		add(75, "the body force %.3g alone takes fluid from rest to the limit within %.0f steps: a smaller force, or a larger viscosity that holds against it", force, math.Ceil(r.maxSpeed()/force))
	}
	if d := math.Abs(float64(first.Density) - 1); d > weakRho {
		add(45, "the density there is off by %.3g %% at step %d already: pressure waves of a start that is not smooth (ramp), or a pressure that the velocity limit does not allow", 100*d, first.Step)
	}
	near := slices.DeleteFunc(slices.Clone(b.near), func(n border) bool { return n.distance > beside })
	for i, n := range near {
		for _, m := range near[:i] {
			if jump := distance(n.velocity, m.velocity); jump > weakJump {
				add(65, "it is a corner of %s and %s, whose velocities differ by %.3g within %d cells: let the profile fall to zero there, or take a smaller lattice velocity", m.name, n.name, jump, beside)
			}
		}
		if advice := advices[n.kind]; advice != "" {
			add(50, "%s (%s) is %d cells away: %s", n.name, n.kind, n.distance, advice)
		}
	}
	switch g := float64(last.Speed / first.Speed); {
	case len(b.History) < 3 || first.Speed == 0 || derive.Finite(g) != g:
	case b.alternates():
		add(30, "the velocity there changes its sign from step to step: the scheme oscillates, not the flow")
	case g > 2:
		add(30, "|u| there grew by a factor of %.3g within %d steps: the scheme amplifies it, not the flow", g, last.Step-first.Step)
	default:
		add(30, "|u| there grew by a factor of %.3g within %d steps: the flow itself becomes that fast", g, last.Step-first.Step)
	}
	slices.SortStableFunc(clues, func(a, b clue) int { return b.weight - a.weight })
	for _, c := range clues {
		list = append(list, c.text)
	}
	if len(clues) == 0 || clues[0].weight < 50 {
		list = append(list, fmt.Sprintf("what helps in general: a smaller lattice velocity (time step) or a larger tau (now %.4g), a finer grid, a smoother start", r.Case.Tau))
	}
	return list
}

// alternates tells whether a component of the velocity has another sign at each of the
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

// advices for what is known to go wrong at boundaries.
var advices = map[string]string{
	"pressure":          "vortices that pass it may come back; move it away, or take outflow with a sponge",
	"outflow":           "vortices that pass it may come back; move it away, or give it a sponge",
	"velocity":          "a ramp makes its start smooth; its edges should fall to zero beside walls",
	"interpolated_wall": "it is less robust than wall where gaps are a cell wide or tau is near 1/2; try wall",
}

// speedOf is the largest speed that a boundary or body prescribes.
type speedOf struct {
	name  string
	speed float64
}

// samples along each axis of a face of which the velocity is a function of the place.
const samples = 33

// prescribed are the largest speeds at the boundaries at a step.
func (r *run) prescribed(step int) (list []speedOf) {
	for _, b := range r.Case.Boundaries {
		v, gain, factor := domain.Velocity(b), r.Gain(b), 1.0
		if f := r.Factor(b); f != nil {
			factor = f(float64(step))
		}
		most := distance(b.Velocity, [3]float64{}) * math.Abs(factor)
		if v != nil {
			most = 0
			for _, f := range b.Faces {
				for i := range samples * samples {
					var p [3]float64
					var cell [3]int
					at := [2]int{i % samples, i / samples}
					for a, k := 0, 0; a < 3; a++ {
						n := float64(r.Case.Cells[a])
						if a == f.Axis {
							p[a] = float64(f.Side) * n
						} else {
							p[a] = (float64(at[k]) + 0.5) / samples * n
							k++
						}
						cell[a] = min(int(p[a]), r.Case.Cells[a]-1)
					}
					if b.Part != nil && !b.Part.Covers(f.Axis, cell) {
						continue
					}
					s := distance(v(p, float64(step)), [3]float64{}) * math.Abs(factor)
					if gain != nil {
						s *= math.Abs(gain(p))
					}
					if most = max(most, s); derive.Finite(s) != s {
						most = s
					}
				}
			}
		}
		list = append(list, speedOf{"[boundary." + b.Name + "]", most})
	}
	for _, b := range r.Case.Bodies {
		if m := b.Motion; m != nil && m.Angular == [3]float64{} {
			list = append(list, speedOf{"[body." + b.Name + "]", distance(m.Velocity, [3]float64{})})
		}
	}
	return list
}

// distance of two vectors.
func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// border is a boundary close to a cell.
type border struct {
	name     string
	kind     string // of its surface
	text     string
	distance int // cells, along the axes
	velocity [3]float64
}

// near are the boundaries, the nearest first, each with the least of its distances.
func (r *run) near(global [3]int) (list []border) {
	domain := r.Geometry()
	for i, b := range r.Case.Boundaries {
		best := border{distance: math.MaxInt}
		for _, f := range b.Faces {
			if domain.Face(f.Axis, f.Side, global) != uint8(i+1) {
				continue // another part of the face is nearer
			}
			d := global[f.Axis]
			if f.Side == 1 {
				d = r.Case.Cells[f.Axis] - 1 - d
			}
			if d < best.distance {
				name := "[boundary." + b.Name + "]"
				best = border{name, b.Kind.Name, fmt.Sprintf("%s on face %s, %d cells away", name, f, d), d, b.Velocity}
			}
		}
		if best.name != "" {
			list = append(list, best)
		}
	}
	for i, b := range r.Bodies() {
		lo, hi := b.Shape.Bounds()
		d := 0
		for a := 0; a < r.Case.Dims(); a++ {
			p := float64(global[a]) + 0.5
			d = max(d, int(lo[a]-p), int(p-hi[a]))
		}
		body := r.Case.Bodies[i]
		near := border{name: "[body." + body.Name + "]", kind: body.Kind.Name, distance: d}
		near.text = fmt.Sprintf("%s, within %d cells", near.name, d)
		list = append(list, near)
	}
	slices.SortStableFunc(list, func(a, b border) int { return a.distance - b.distance })
	return list
}
