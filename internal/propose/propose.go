// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/plain"
	"lbmsim/model"
	"lbmsim/sim"
	"lbmsim/sim/domain"
)

// Options of a proposal. All ranks call Run with the same.
type Options struct {
	Path    string
	Text    []byte   // the case
	Set     []string // changes of it: KEY=VALUE
	Levels  int      // above level 0; 0: by the cells across the bodies
	Across  float64  // finest cells across the bodies; 0: by Spacing
	Spacing string   // of the finest cells; empty: the case's
	Bodies  []string // that the finest cells are around; none: all
	Time    string   // of the coarse run; empty: by the flow

	Comm    comm.Comm
	Device  device.Device
	Threads int
	Version string
	// On rank 0: Accepts checks the case before the coarse run, which Started describes.
	Accepts func(*config.Case) error
	Started func(Coarse)
}

// Coarse describes the coarse run.
type Coarse struct {
	Cells    [3]int
	Factor   float64 // by which its cells are larger than the case's
	Across   float64 // its cells across the length
	Steps    int
	Time     float64 // in the case's unit
	Lengths  float64 // that the flow moves; 0: the case gives no speed
	Thicker  float64 // factor of the viscosity
	Left     []string
	Physical bool
	Bodies   bool // the length is a body's
}

// Proposal is a case with boxes.
type Proposal struct {
	Tables string       // [refine.NAME], to paste
	Text   []byte       // the whole case
	Case   *config.Case // read back; on rank 0
	// Uniform is the case with the finest cells everywhere; nil where it is too large to be one.
	Uniform *config.Case
	MLUPS   float64 // of the coarse run
	// Step is the time of a step of level 0 in seconds, from a few steps of the proposed case on these ranks; 0: it was too large to
	// try.
	Step  float64
	Notes []string
}

// Limits of the coarse run.
const (
	mostUpdates  = 1e9  // cells times steps: half a minute or a minute on two cores
	fastest      = 0.1  // its lattice velocity
	resolved     = 20   // Reynolds number of its cells that its viscosity allows at most
	longest      = 150  // lengths that its flow moves at most
	passes       = 2.5  // of the domain, otherwise
	samples      = 100  // of the vorticity, in the second half of the time
	coarsest     = 5    // cells of level 0 across the bodies, where the number of levels follows from them
	mostLevels   = 4    // then
	nearestRatio = 1.15 // of the spacing to the one that is wanted
)

// proposer makes one proposal.
type proposer struct {
	Options
	src     []byte          // of the case, without boxes
	base    *config.Case    // the same
	extents [][2][3]float64 // of the bodies from files
	shelf   domain.Shelf    // which has them on rank 0
	axis    int             // of the stream
	length  float64         // in cells of base
	speed   float64         // in cells per step of base; 0: not known before the run
	wanted  []bool
	ratio   float64 // cells of level 0 by the cells of base
	notes   []string
	free    bool // the number of levels follows from the case
}

// Run makes the coarse run and proposes boxes. The proposal is on rank 0. Collective.
func Run(o Options) (*Proposal, error) {
	p := &proposer{Options: o, free: o.Levels == 0}
	usage := func(err error) error { return &sim.Error{Code: sim.ExitUsage, Err: err} }
	if err := p.read(); err != nil { // the same bytes give the same error everywhere
		return nil, usage(err)
	}
	if err := p.measure(); err != nil {
		return nil, err
	}
	if err := p.grid(); err != nil {
		return nil, usage(err)
	}
	if err := p.fit(); err != nil {
		return nil, err
	}
	flow, mlups, err := p.flow()
	if err != nil {
		return nil, err
	}
	var done *Proposal
	if o.Comm.Rank() == 0 {
		done, err = p.fewest(flow)
		if done != nil {
			done.MLUPS, done.Notes = mlups, p.notes
		}
	}
	if err := comm.Agree(o.Comm, err); err != nil {
		return nil, sim.Agreed(sim.ExitUsage, err)
	}
	step, err := p.try(done)
	if done != nil {
		done.Step = step
	}
	return done, err
}

// Limits of the trial of a proposed case.
const (
	mostTried = 3e7 // cells
	tryFor    = 1.5 // seconds
)

// try measures some steps of the proposed case; 0: it is too large. Collective.
func (p *proposer) try(done *Proposal) (step float64, err error) {
	var text []byte
	if done != nil && stored(done.Case) <= mostTried {
		text = done.Text
	}
	if text, err = comm.Broadcast(p.Comm, text); err != nil || len(text) == 0 {
		return 0, err
	}
	text = config.Without(text, withoutOutputs)
	c, err := p.load(p.Comm, text)
	if err != nil {
		return 0, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	aside(c)
	t, err := sim.NewTrial(sim.Options{Case: c, Comm: p.Comm, Device: p.Device, Threads: p.Threads, Report: &silent{}, Version: p.Version})
	if err != nil {
		return 0, fmt.Errorf("the proposed case: %w", err)
	}
	turn, err := t.Steps(2)
	for n, total := 2, 0.; err == nil && total < tryFor && n < 1000; n *= 2 {
		if turn, err = t.Steps(n); err == nil {
			step, total = turn.Seconds/float64(n), total+turn.Seconds
		}
	}
	if _, agreed := sim.ExitCode(err); err == nil || agreed {
		t.Close()
	}
	if err != nil {
		return 0, fmt.Errorf("the first steps of the proposed case: %w", err)
	}
	return step, nil
}

// aside makes a case a trial that leaves the folder of its own results alone, on any number of ranks.
func aside(c *config.Case) {
	c.OutputDir = filepath.Join(c.OutputDir, "refine") // which a run without outputs does not make
	c.Run.Forensics, c.Run.WallTime, c.Run.Ranks = false, 0, [3]int{}
}

// stored returns the number of cells of all levels.
func stored(c *config.Case) (cells float64) {
	h, err := c.Hierarchy(1)
	if err != nil {
		return math.Inf(1)
	}
	for _, l := range h.Levels {
		for _, p := range l.Patches {
			cells += float64(p.Stored.Cells())
		}
	}
	return cells
}

// withoutOutputs removes the outputs of a case, which a trial does not write.
func withoutOutputs(at []string) bool {
	return slices.Contains([]string{"output", "expect", "checkpoint"}, at[0]) || slices.Equal(at, []string{"run", "stop_when"})
}

// read reads the case, and refuses one that cannot have boxes.
func (p *proposer) read() error {
	given, err := p.load(p.Comm, p.Text, p.Set...)
	if err != nil {
		return err
	}
	p.src = config.Without(given.Source, func(path []string) bool { return path[0] == "refine" })
	if p.base, err = config.Load(p.Path, p.src); err != nil {
		return err
	}
	if len(given.Refine) == 0 {
		whole := decomp.Refinement{Name: "whole_domain", Level: 1}
		for a, n := range p.base.Cells {
			whole.To[a] = float64(n)
		}
		if _, err := config.Load(p.Path, p.with(&p.base.Grid, []decomp.Refinement{whole})); err != nil {
			return fmt.Errorf("%s cannot have boxes of finer cells ([refine.NAME]):\n%w", p.Path, err)
		}
	}
	for _, name := range p.Bodies {
		if !slices.ContainsFunc(p.base.Bodies, func(b config.Body) bool { return b.Name == name }) {
			return fmt.Errorf("--body %s: the case has no such [body.NAME]%s", name, language.Meant(name, names(p.base.Bodies)))
		}
	}
	for _, b := range p.base.Bodies {
		p.wanted = append(p.wanted, len(p.Bodies) == 0 || slices.Contains(p.Bodies, b.Name))
	}
	return nil
}

func names(bodies []config.Body) (list []string) {
	for _, b := range bodies {
		list = append(list, b.Name)
	}
	return list
}

// with returns the text of the case with boxes, in cells of a grid.
func (p *proposer) with(g *config.Grid, boxes []decomp.Refinement) []byte {
	return appended(p.src, tables(g, p.base.Dims(), boxes))
}

func appended(src []byte, tables string) []byte {
	return []byte(strings.TrimRight(string(src), "\n") + "\n\n" + tables)
}

// tables writes boxes as tables of a case.
func tables(g *config.Grid, dims int, boxes []decomp.Refinement) string {
	var list []string
	for _, b := range boxes {
		list = append(list, g.BoxTable(b, dims))
	}
	return strings.Join(list, "\n")
}

// measure finds the bodies' extents, and the length and the speed of the flow. Collective.
func (p *proposer) measure() error {
	var text []byte
	var err error
	if p.Comm.Rank() == 0 {
		if p.Accepts != nil {
			err = p.Accepts(p.base)
		}
		if err == nil {
			err = p.open()
		}
		if err == nil {
			text, err = json.Marshal(p.extents)
		}
	}
	if err := comm.Agree(p.Comm, err); err != nil {
		return sim.Agreed(sim.ExitUsage, err)
	}
	if text, err = comm.Broadcast(p.Comm, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &p.extents); err != nil {
		return err
	}
	p.axis = config.StreamAxis(p.base)
	p.length = p.across()
	p.speed = p.base.Speed
	if u := p.base.Characteristic.Velocity; u > 0 {
		p.speed = u / p.base.Units.Factor(model.Velocity)
	}
	return nil
}

// open reads the bodies from files.
func (p *proposer) open() (err error) {
	for _, f := range p.base.Files {
		var e [2][3]float64
		if e[0], e[1], err = p.shelf.Extents(nil)(f); err != nil {
			return f.At.Wrong(fmt.Errorf("[body.%s]: %w", f.Body, err))
		}
		p.extents = append(p.extents, e)
	}
	return nil
}

// load loads the case of a text. Without c rank 0 alone does.
func (p *proposer) load(c comm.Comm, text []byte, changes ...string) (*config.Case, error) {
	return config.LoadRefined(p.Path, text, config.Refinement{Extents: p.shelf.Extents(c)}, changes...)
}

// across returns the length of the flow: of the largest wanted body the root of its frontal area, of a case without bodies [fluid]
// length or the domain's smallest extent between faces.
func (p *proposer) across() (length float64) {
	c := p.base
	for i, b := range c.Bodies {
		if !p.wanted[i] {
			continue
		}
		lo, hi := config.ExtentOf(c, b, p.extents)
		area, n := 1., 0.
		for a := range c.Dims() {
			inside := math.Min(hi[a], float64(c.Cells[a])) - math.Max(lo[a], 0)
			if a != p.axis && inside > 0 && inside < float64(c.Cells[a]) {
				area *= inside
				n++
			}
		}
		if n > 0 {
			length = math.Max(length, math.Pow(area, 1/n))
		}
	}
	if length > 0 {
		return length
	}
	if l := c.Characteristic.Length; l > 0 {
		return l / c.Units.Length
	}
	for a := range c.Dims() {
		if n := float64(c.Cells[a]); length == 0 || n < length && !c.Periodic[a] {
			length = n
		}
	}
	return length
}

// grid chooses the levels and the cells of level 0.
func (p *proposer) grid() error {
	c := p.base
	p.notes = nil
	finest := 1. // in cells of the case
	switch {
	case p.Spacing != "" && p.Across > 0:
		return errors.New("--cells and --spacing both give the finest cells: use one of them")
	case p.Spacing != "":
		if !c.Units.Physical {
			return errors.New("--spacing has no meaning in a case in lattice units: its cells are level 0, and --levels gives finer ones")
		}
		spacing, err := language.ReadQuantity("--spacing", p.Spacing, model.Length, language.Above(0))
		if err != nil {
			return err
		}
		finest = spacing / c.Units.Length
	case p.Across > 0:
		finest = p.length / p.Across
	}
	if p.Levels == 0 {
		for p.Levels = 1; c.Units.Physical && p.Levels < mostLevels && p.length/finest >= coarsest*float64(int(2)<<p.Levels); p.Levels++ {
		}
	}
	if p.Levels < 1 || p.Levels > decomp.MaxLevel {
		return fmt.Errorf("--levels %d: must be 1 to %d", p.Levels, decomp.MaxLevel)
	}
	if !c.Units.Physical {
		if p.Across > 0 {
			return errors.New("--cells has no meaning in a case in lattice units: its cells are level 0, and --levels gives finer ones")
		}
		p.ratio = 1
		p.notes = append(p.notes, "a case in lattice units is level 0 as it is: boxes have finer cells than the case")
		return nil
	}
	want := finest * float64(int(1)<<p.Levels)
	p.ratio = 1 / c.Whole(c.Dims(), 1/want)
	if off := p.ratio / want; off > nearestRatio || off < 1/nearestRatio {
		long := func(factor float64) string { return language.Short(c.Units.Length*factor) + " m" }
		return fmt.Errorf("%s up to cells of %s: level 0 has cells of %s, and no whole number of these fills the domain; the nearest that do have %s. Give other --levels, another --spacing, or a [domain] size whose axes are multiples of the cells of level 0",
			plain.Count(p.Levels, "level"), long(finest), long(want), long(p.ratio))
	}
	if math.Abs(p.ratio/want-1) > 1e-9 {
		p.notes = append(p.notes, fmt.Sprintf("the finest cells have %s m instead of %s m: whole cells of level 0 fill the domain", language.Short(c.Units.Length*p.ratio/float64(int(1)<<p.Levels)), language.Short(c.Units.Length*finest)))
	}
	return nil
}

// wallsOf returns the faces at which the fluid sticks.
func wallsOf(c *config.Case) (list []config.Face) {
	for _, b := range c.Boundaries {
		switch b.Kind.Law {
		case boundary.Bounce, boundary.Interpolated, boundary.MovingFace, boundary.ModelledWall:
			list = append(list, b.Faces...)
		}
	}
	return list
}

// fewest proposes boxes by a flow, on fewer levels where these would leave level 0 almost nothing and the number is free.
func (p *proposer) fewest(flow Flow) (*Proposal, error) {
	for {
		done, err := p.boxes(flow)
		if err != nil || !p.free || p.Levels == 1 {
			return done, err
		}
		h, err := done.Case.Hierarchy(done.Case.LeastRanks())
		if err != nil || float64(h.Counted(0)) >= leastOfZero*float64(done.Case.Box().Cells()) {
			return done, err
		}
		p.Levels--
		if err := p.grid(); err != nil {
			return nil, err
		}
	}
}

// fit makes sure, before the coarse run, that the case accepts the boxes that do not depend on it: around the bodies, or along the walls.
// Shear may need more. Collective.
func (p *proposer) fit() error {
	var err error
	if p.Comm.Rank() == 0 {
		if _, err = p.boxes(Flow{Cells: [3]int{1, 1, 1}, Vorticity: []float64{0}}); errors.Is(err, errNothing) {
			err = nil
		}
	}
	return sim.Agreed(sim.ExitUsage, comm.Agree(p.Comm, err))
}

// errNothing is the error of a case without any reason for boxes.
var errNothing = errors.New("the case has no bodies, no walls and no vorticity: there is nothing that finer cells would resolve")

// leastOfZero is the share of the domain that level 0 keeps.
const leastOfZero = 0.2

// boxes proposes boxes by a flow, and reads the case with them back.
func (p *proposer) boxes(flow Flow) (*Proposal, error) {
	c := p.base
	grid := config.Grid{Units: c.Units, Periodic: c.Periodic, Origin: c.Origin, Cells: c.Cells}
	grid.Units.Length *= p.ratio
	for a := range c.Dims() {
		grid.Cells[a] = int(math.Round(float64(c.Cells[a]) / p.ratio))
	}
	var bodies []Body
	for i, b := range c.Bodies {
		lo, hi := config.ExtentOf(c, b, p.extents)
		for a := range c.Dims() {
			lo[a], hi[a] = lo[a]/p.ratio, hi[a]/p.ratio
		}
		bodies = append(bodies, Body{Name: b.Name, Lo: lo, Hi: hi, Margin: config.MarginAround(b), Wanted: p.wanted[i]})
	}
	list := Boxes(Grid{grid.Cells, c.Periodic, c.Dims(), p.Levels}, flow, bodies, wallsOf(c), p.length/p.ratio)
	if len(list) == 0 {
		return nil, errNothing
	}
	done := &Proposal{Tables: p.named(&grid, list)}
	var changes []string
	var err error
	if p.ratio != 1 {
		if changes, err = config.Coarser(c, p.ratio); err != nil {
			return nil, err
		}
	}
	if done.Case, err = p.load(nil, appended(p.src, done.Tables), changes...); err == nil {
		err = p.examine(done.Case)
	}
	if err != nil {
		return nil, fmt.Errorf("the proposed boxes do not fit:\n%w\n\n%s", err, done.Tables)
	}
	done.Text = done.Case.Source
	if changes, err = config.Coarser(c, p.ratio/float64(int(1)<<p.Levels)); err == nil && c.Units.Physical {
		done.Uniform, _ = config.Load(p.Path, p.src, changes...) // it may have too many cells
	}
	return done, nil
}

// named writes boxes as tables, with names by their bodies and levels.
func (p *proposer) named(g *config.Grid, boxes []Box) string {
	var list []string
	taken := map[string]bool{}
	for _, b := range boxes {
		stem := cmp.Or(b.Of, "flow")
		stem = stem[:min(len(stem), 50)]
		b.Name = fmt.Sprintf("%s_%d", stem, b.Level)
		for k := 2; taken[b.Name]; k++ {
			b.Name = fmt.Sprintf("%s_%d_%d", stem, b.Level, k)
		}
		taken[b.Name] = true
		if b.Default {
			list = append(list, fmt.Sprintf("[refine.%s]\nlevel = %d\naround = %s\n", b.Name, b.Level, language.Quote(b.Of)))
		} else {
			list = append(list, g.BoxTable(b.Refinement, p.base.Dims()))
		}
	}
	return strings.Join(list, "\n")
}

// examine runs the checks of a case that need the shapes of its bodies from files.
func (p *proposer) examine(c *config.Case) error {
	var all domain.Bodies
	for _, f := range c.Files {
		if f.Image {
			m, err := p.shelf.Image(f)
			if err != nil {
				return err
			}
			all.AddImage(c, f, m)
			continue
		}
		s, err := p.shelf.Surface(f)
		if err != nil {
			return err
		}
		if err := domain.CloseSurface(s, c, f); err != nil {
			return f.At.Wrong(fmt.Errorf("[body.%s]: %w", f.Body, err))
		}
		if err := all.AddSurface(c, f, s); err != nil {
			return err
		}
	}
	found, err := c.Examine(all.Shapes, all.Sizes)
	c.Warnings = append(c.Warnings, found.Warnings...)
	return err
}
