// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"fmt"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device/cpu"
)

// street is a cylinder of 16 cells: the coarse run has fewer.
const street = `# a comment
[domain]
size = ["10 m", "6 m"]
spacing = "0.0625 m"
origin = ["-3 m", "-3 m"]
[fluid]
reynolds = 100
length = "1 m"
velocity = "1 m/s"
[scaling]
time_step = "6.25 ms" # 0.1 cells
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.cylinder]
shape = "cylinder"
centre = [0, 0]
diameter = "1 m"
[body.post]
shape = "cylinder"
centre = ["5.2 m", "2.1 m"]
diameter = "0.5 m"
[refine.old]                 # goes
level = 1
around = "cylinder"
[output.force.cylinder]
velocity = "1 m/s"
length = "1 m"
every = 10
[run]
steps = 1001
`

// propose makes a proposal on a number of ranks.
func propose(ranks int, o Options) (p *Proposal, err error) {
	err = comm.RunLocal(ranks, func(c comm.Comm) error {
		dev, err := cpu.New(1)
		if err != nil {
			return err
		}
		defer dev.Close()
		mine := o
		mine.Path, mine.Comm, mine.Device, mine.Threads, mine.Version = "case.toml", c, dev, 1, "test"
		found, err := Run(mine)
		if c.Rank() == 0 {
			p = found
		}
		return err
	})
	return p, err
}

// A proposal is the same text on any number of ranks. It is the case with a coarser domain, a longer step and fewer of them.
func TestProposalOnRanks(t *testing.T) {
	var first *Proposal
	for _, ranks := range []int{1, 2, 3} {
		p, err := propose(ranks, Options{Text: []byte(street), Time: "4 s", Levels: 2, Bodies: []string{"cylinder"}})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = p
		}
		if p.Tables != first.Tables || string(p.Text) != string(first.Text) {
			t.Errorf("%d ranks propose\n%s\nand one\n%s", ranks, p.Text, first.Text)
		}
	}
	c, err := config.Load("case.toml", first.Text)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# a comment\n", "spacing = \"0.25 m\"", "time_step = \"0.025 s\" # 0.1 cells", "steps = 251\n", "every = 3\n", first.Tables} {
		if !strings.Contains(string(first.Text), want) {
			t.Errorf("%q is not in\n%s", want, first.Text)
		}
	}
	if strings.Contains(string(first.Text), "refine.old") || first.Uniform == nil || first.Uniform.Cells != [3]int{160, 96, 1} || first.MLUPS <= 0 || first.Step <= 0 {
		t.Errorf("%+v", first)
	}
	levels := config.LevelsOf(c)
	if c.Cells != [3]int{40, 24, 1} || levels[0] != 2 {
		t.Errorf("%v cells, bodies on levels %v", c.Cells, levels)
	}
	// The wake is refined behind the cylinder, and neither before nor beside it as far.
	before, behind := 0., 0.
	for _, b := range c.Refine {
		before, behind = max(before, 12-b.From[0]), max(behind, b.To[0]-12)
	}
	if behind < 1.5*before {
		t.Errorf("boxes reach %g cells before the cylinder and %g behind it", before, behind)
	}
}

// Cases that cannot have boxes are refused with the line, before any run; so are wrong options.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		set  []string
		o    Options
		want string
	}{
		{[]string{"collision.model=bgk"}, Options{}, "case.toml cannot have boxes of finer cells"},
		{[]string{"collision.model=bgk"}, Options{}, "use \"cumulant\""},
		{nil, Options{Bodies: []string{"cylindre"}}, "the case has no such [body.NAME]; did you mean \"cylinder\"?"},
		{nil, Options{Levels: 6}, "--levels 6: must be 1 to 5"},
		{nil, Options{Spacing: "1"}, "give a unit"},
		{nil, Options{Spacing: "1 s"}, "--spacing"},
		{nil, Options{Spacing: "1 m", Across: 3}, "use one of them"},
		{[]string{"domain.size=[\"10.0625 m\", \"6 m\"]"}, Options{Levels: 3}, "no whole number of these fills the domain"},
	} {
		o := c.o
		text := strings.Replace(street, "[refine.old]                 # goes\nlevel = 1\naround = \"cylinder\"\n", "", 1)
		o.Text, o.Set = []byte(text), c.set
		if _, err := propose(1, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A case in lattice units stays level 0, without bodies boxes follow from the shear at its lid, and without flow from its walls.
func TestProposalWithoutBodies(t *testing.T) {
	const box = `
[domain]
cells = [32, 32]
[fluid]
viscosity = 0.02
[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = [%s, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]
[run]
steps = 400
`
	p, err := propose(1, Options{Text: fmt.Appendf(nil, box, "0.05")})
	if err != nil {
		t.Fatal(err)
	}
	if p.Case.Cells != [3]int{32, 32, 1} || p.Uniform != nil || len(p.Case.Refine) == 0 || len(p.Notes) != 1 {
		t.Errorf("%+v", p)
	}
	for _, b := range p.Case.Refine {
		if b.To[1] != 32 {
			t.Errorf("a box away from the lid: %+v", b)
		}
	}
	if p, err = propose(1, Options{Text: fmt.Appendf(nil, box, "0")}); err != nil || len(p.Case.Refine) == 0 {
		t.Errorf("at rest: %v %v", p, err)
	}
}

// So are features that the boxes around bodies do not allow, although a box of the whole domain would.
func TestRefusalOfBoxesAroundABody(t *testing.T) {
	const text = `
[domain]
size = ["4 m", "2 m", "4 m"]
spacing = "0.125 m"
periodic = ["z"]
[fluid]
reynolds = 100
length = "1 m"
velocity = "1 m/s"
[scaling]
lattice_velocity = 0.1
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.ball]
shape = "sphere"
centre = ["1.5 m", "1 m", "2 m"]
diameter = "0.5 m"
[output.averages]
over = "z"
[run]
time = "4 s"
`
	o := Options{Text: []byte(text), Levels: 1, Started: func(Coarse) { t.Error("the coarse run starts") }}
	if _, err := propose(2, o); err == nil || !strings.Contains(err.Error(), "over = \"z\": a box of level 1 ends within z") {
		t.Error(err)
	}
}
