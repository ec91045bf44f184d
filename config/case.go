// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

// The resolved case: what every other package reads.

import (
	"math"
	"slices"
	"time"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/halo/transport"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Case is a resolved case: everything a run needs, in lattice units (cells,
// steps, reference density 1), with the factors that lead back to SI. Its parts are those that
// resolve it one after the other.
type Case struct {
	Path   string // as given by the user
	Title  string
	Source []byte // the text as read, with the keys of --set
	// Resolved is the case written back as TOML with every default filled in;
	// it is stored in every output, and reading it gives the same case.
	Resolved string

	Grid
	Flow
	Solids
	Run    Run
	Device Device
	Live   Live
	Outputs
	Expect []Expectation
	Notes
	waits   bool                                               // some of them need shapes
	closely func()                                             // the check that takes longest, of a case without errors
	examine func(shapes []geometry.Shape) (Examination, error) // the checks that wait for the files of bodies
}

// Grid is the box of cells.
type Grid struct {
	Units    Units
	Cells    [3]int // global cells; Cells[2] = 1 in 2D
	Periodic [3]bool
	Origin   [3]float64 // position of the domain's lower corner, in the user's length
	// Refine are the boxes of finer cells, [refine.NAME] in the order of the file, with corners in cells of level 0; none: all cells
	// are of one size.
	Refine []decomp.Refinement
}

// Box returns the global box of cells of level 0.
func (g *Grid) Box() decomp.Box { return decomp.Box{Hi: g.Cells} }

// Flow is the fluid, its models and its driving forces.
type Flow struct {
	Spec   model.Spec
	Tau    float64   // relaxation time
	Values []float64 // parameters of the collision model, in the order of its Params
	Force  Force
	// Temperature of a case whose Spec has a Scalar.
	Temperature Temperature
	// Rheology belongs to Spec.Viscosity and Spec.Bulk.
	Rheology Rheology
	Initial  Initial
	// Characteristic are the length and the velocity of [fluid].
	Characteristic Scales

	// Speed is the largest expected speed, in lattice units; 0: the case does not determine it.
	// SpeedOf names its source in the case.
	Speed   float64
	SpeedOf string
	// Given is the largest velocity that the case gives, whatever else drives the flow, and GivenBy
	// where: a start at rest against it makes sound.
	Given   float64
	GivenBy string
	Mean    float64 // the largest that the case states, a prescribed mean velocity included, turbulence of inlets excluded
}

// Solids are the boundaries on faces and the bodies in the flow.
type Solids struct {
	Boundaries []Boundary // [boundary.NAME], in the order of the file
	Bodies     []Body
	Files      []SolidFile // of bodies, in the order of the file
}

// Notes are for people.
type Notes struct {
	Warnings finding.List // printed at start, never fatal
	Table    []Row        // the derived quantities, printed at start and by check
	Details  []string     // names of rows that a summary omits: most cases have them, or they are irrelevant to this one
}

// Row is one line of the derived table: what, its value in lattice units and,
// where units are given, in SI.
type Row struct {
	Name    string `json:"name"`
	Lattice string `json:"lattice"`
	SI      string `json:"si"`
}

// Dims of the case.
func (c *Case) Dims() int { return c.Spec.Lattice.Dims }

// Params returns the parameters of a step.
func (c *Case) Params() model.Params {
	p := c.Rheology.numbers(c.Spec, c.Tau, model.NewParams(c.Spec.Collision, c.Tau, c.Values, c.Force.Density))
	if c.Spec.Scalar {
		p = p.WithScalar(c.Temperature.Diffusivity, c.Temperature.Buoyancy)
		if c.Temperature.Eddies > 0 {
			p = p.WithEddies(c.Temperature.Eddies)
		}
	}
	return p
}

// Units leads from lattice units to SI. With Physical false the case is given in
// lattice units only, all factors are 1 and outputs are in lattice units.
type Units struct {
	Physical bool
	Length   float64 // metres a cell (the spacing)
	Time     float64 // seconds a step
	Density  float64 // kg/m3 of lattice density 1
}

// Factor turns a value in lattice units into SI.
func (u Units) Factor(d model.Dimension) float64 {
	f := 1.0
	for n := d.M + 3*d.Kg; n > 0; n-- {
		f *= u.Length
	}
	for n := d.M + 3*d.Kg; n < 0; n++ {
		f /= u.Length
	}
	for n := d.S; n > 0; n-- {
		f *= u.Time
	}
	for n := d.S; n < 0; n++ {
		f /= u.Time
	}
	for n := d.Kg; n > 0; n-- {
		f *= u.Density
	}
	return f
}

// Symbol returns the SI unit of a dimension, or "" in lattice units.
func (u Units) Symbol(d model.Dimension) string {
	if !u.Physical {
		return ""
	}
	return language.Symbol(d)
}

// Force is the uniform body force per unit volume, lattice units.
type Force struct {
	Density [3]float64 // at the start, where it depends on the time
	// At is the force at a time in steps; nil: it does not depend on it.
	At func(t float64) [3]float64
	// Most is its largest magnitude along each axis during the run.
	Most  [3]float64
	Drive *Drive // it is adjusted; nil: it stays as it is
}

// Drive is a body force that is adjusted to keep a mean velocity, in lattice units.
type Drive struct {
	On       [3]bool    // along these axes
	Velocity [3]float64 // sum(rho u)/sum(rho)
	// FlowRate, instead of the velocity, is the volume that passes a section across the axis
	// in a step.
	FlowRate float64
	Every    int     // steps between two adjustments
	Response float64 // steps in which a deviation is corrected
}

// Function of the position computes the values of a row of points, which differ in x. Positions are in lattice units (cell centres are at
// i+1/2 from the domain's lower corner), and so are values. It is safe for concurrent use.
type Function func(values, x []float64, y, z float64)

// At returns the value at a point.
func (f Function) At(x, y, z float64) float64 {
	var value [1]float64
	f(value[:], []float64{x}, y, z)
	return value[0]
}

// Constant is a function with the same value everywhere.
func Constant(v float64) Function {
	return func(values, _ []float64, _, _ float64) {
		for i := range values {
			values[i] = v
		}
	}
}

// then applies g to each value of a function.
func (f Function) then(g func(float64) float64) Function {
	return func(values, x []float64, y, z float64) {
		f(values, x, y, z)
		for i, v := range values {
			values[i] = g(v)
		}
	}
}

// Initial state. Uniform is true when no value depends on the position.
type Initial struct {
	Uniform  bool
	Density  Function // lattice density, around 1
	Velocity [3]Function
	// From is the flow to start from; nil: the functions apply everywhere. With a flow they apply
	// beyond its box, where the case gives them (Pressed, Moved).
	From           *FlowSource
	Pressed, Moved bool
}

// Face of the domain: axis 0 to 2, side 0 (low) or 1 (high).
type Face struct{ Axis, Side int }

// String returns the face's word in the case file: "x-", "x+", ...
func (f Face) String() string { return string("xyz"[f.Axis]) + string("-+"[f.Side]) }

// Boundary is one [boundary.NAME]: a condition on faces of the domain.
type Boundary struct {
	Name  string
	Kind  boundary.Kind
	Faces []Face
	// Region is the part of the faces that it occupies; nil: all that other boundaries leave free.
	Region   *geometry.Region
	Velocity [3]float64            // moving_wall, velocity: lattice velocity
	Profile  *[3]ReferenceFunction // velocity: the same where it depends on position or time, otherwise nil
	Timed    bool                  // Profile depends on the time
	Fastest  float64               // the largest speed that these give, factors of files aside
	Code     [3]string             // Profile as C of x, y, z (cells) and t (steps), in double
	Inflow   *Inflow               // velocity: the turbulence of the inflow; nil: none
	Density  float64               // pressure, outflow: rho - 1 at the face
	// Direction of the fluid that enters through a face of type pressure; nil: its velocity along the face has no gradient.
	Direction *[3]float64
	Relax     float64 // outflow: share of the pressure's error that is corrected per step
	// Sponge are the numbers of the cells in the layer before the face: those that touch it,
	// the next, ...; none: there is no layer.
	Sponge []model.Params
	// Ramp is the number of steps in which velocity and pressure rise; 0: no ramp.
	Ramp float64
	// Table is the file with a factor of velocity and pressure for each time; nil: none.
	Table *TableFile
	// Outline is the file with a factor of the velocity for each position; nil: none.
	Outline *TableFile
	// Along is the axis of these positions; 3: they are distances from the centre of Region.
	Along int
	Laws
}

// Laws are the laws of a surface in addition to its kind.
type Laws struct {
	Temperature boundary.ScalarWall
	Model       boundary.WallModel // wall_model
}

// MayEnter reports whether fluid may enter through a face of given velocity, MayExit whether it may leave: one that
// depends on the place or on the time may do either.
func (b Boundary) MayEnter() bool { return b.mayPass(1) }

// MayExit reports whether fluid may leave through a face of given velocity.
func (b Boundary) MayExit() bool { return b.mayPass(-1) }

func (b Boundary) mayPass(sign float64) bool {
	return b.Profile != nil || b.Table != nil || b.Outline != nil || slices.ContainsFunc(b.Faces, func(f Face) bool {
		return sign*b.Velocity[f.Axis]*float64(1-2*f.Side) > 0
	})
}

// TableFile is a function of the time, or of a position, in a file.
type TableFile struct {
	Key      string  // of the case file: table or profile
	Boundary string  // NAME of [boundary.NAME]
	Path     string  // to be opened
	Shown    string  // as the case file has it
	SHA256   string  // of its bytes, in hexadecimal, when the case gives it
	Unit     float64 // a step, or a cell, in the unit of the file
	Repeat   bool    // the table is one period
	Start    float64 // position of the domain's lower corner in that unit
	At       Place   // of the file's name
}

// same reports whether two files give the same factors, whichever boundaries they belong to.
func (f TableFile) same(o TableFile) bool {
	o.Boundary, o.At = f.Boundary, f.At
	return f == o
}

// Tables returns the files of a boundary, in the order of the case file's keys.
func (b Boundary) Tables() (list []TableFile) {
	for _, f := range []*TableFile{b.Table, b.Outline} {
		if f != nil {
			list = append(list, *f)
		}
	}
	return list
}

// Body is one [body.NAME], a solid in the flow. A cell is solid when its centre
// lies inside.
type Body struct {
	Name string
	Kind boundary.Kind // how its surface acts
	// Chosen is the reason, where the case does not give the kind.
	Chosen string
	// Conserve: an interpolated_wall keeps the mass.
	Conserve bool
	// Thicken: cells that it cuts are solid where links would pass through it.
	Thicken bool
	// Motion of the surface, which stays in its place; nil: at rest.
	Motion *boundary.Spin
	Laws
	solid solid
}

// Conducts reports whether the body has a temperature inside.
func (b Body) Conducts() bool { return b.Temperature.Law == boundary.ScalarConducts }

// after returns where a point of a surface is after so many cells along its motion.
func after(m boundary.Spin) func(p [3]float64, by float64) [3]float64 {
	return func(p [3]float64, by float64) [3]float64 {
		steps := int(math.Ceil(64 * by)) // the midpoint rule leaves a circle by less than 1e-6 cells
		u := m.At(p, 0)
		speed := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		if speed == 0 {
			return p
		}
		step := by / speed / float64(steps)
		for range steps {
			mid, u := p, m.At(p, 0)
			for a := range mid {
				mid[a] += u[a] * step / 2
			}
			u = m.At(mid, 0)
			for a := range p {
				p[a] += u[a] * step
			}
		}
		return p
	}
}

// SolidFile is the file of a body.
type SolidFile struct {
	Body   string // NAME of [body.NAME]
	Path   string // to be opened
	Shown  string // as the case file has it
	SHA256 string // of its bytes, in hexadecimal, when the case gives it
	Repair bool   // close the surface where it is open
	Sheets bool   // open parts are sheets of a body with Thicken
	// Motion leads from the numbers in the file to cells from the domain's lower corner.
	Motion geometry.Motion

	Image  bool       // a voxel image, not a surface
	Voxels [3]int     // of a raw image, otherwise 0
	Number string     // type of the values of a raw image
	Array  string     // of a VTI file; empty: the first
	Solid  [2]float64 // values from the first to the second are solid
	At     Place      // of the file's name
}

// Run is the end of a run and its monitoring.
type Run struct {
	Steps      int
	WallTime   time.Duration // 0 = no limit
	StallLimit time.Duration // how long a rank may rest; 0 = indefinitely
	EndMargin  time.Duration // kept free at the end of the job's time; below 0: the job's time does not count
	StopWhen   []StopRule    // which together end the run, if there are any
	WatchEvery int           // stability watch, steps
	Forensics  bool          // an unstable run looks for its first bad cell
	MaxMach    float64       // Mach number above which the run stops
	// Limits at which the watch warns, and stops; 0: never.
	WarnDrift, MaxDrift float64 // change of the mean density against the start, as a share
	WarnSpeed           float64 // largest speed, over Case.Speed
	WarnGridScale       float64 // share of the kinetic energy at the scale of the grid
	WarnInflow          float64 // share of the inflow in the flow through a face, where it has no temperature or direction
	GridScaleEvery      int     // checks between two checks of this share, and of the temperature
	// Overshoot of the temperature beyond its bounds, as a share of their span.
	WarnTemperature, MaxTemperature float64
	Threads                         int    // 0 = the rank's share of the cores
	Ranks                           [3]int // parts along each axis; 0 = the best choice
}

// DeviceKind is the processor that a case asks for.
type DeviceKind int

const (
	AutoDevice DeviceKind = iota // a GPU where there is one, otherwise the CPU
	CPUDevice
	CUDADevice
)

// String returns the word of the case file.
func (k DeviceKind) String() string { return deviceKinds()[k] }

// Device is [device]: where the ranks compute.
type Device struct {
	Kind  DeviceKind
	Share bool // several ranks may use one GPU
	// Transport of ghost planes.
	Transport Transport
	// GPUAware: does the MPI library take GPU memory?
	GPUAware Word
}

// Transport is the method of the halo exchange that a case asks for.
type Transport = transport.Kind

const (
	AutoTransport = transport.Auto
	HostTransport = transport.Host
	GPUTransport  = transport.GPU
	PeerTransport = transport.Peer
)

// ParseTransport reads the word of the case file.
func ParseTransport(word string) (Transport, error) { return transport.Parse(word) }

// Word is a user's answer to a question that lbmsim would otherwise decide.
type Word = transport.Answer

const (
	AskWord = transport.Ask
	YesWord = transport.Yes
	NoWord  = transport.No
)

// numbers returns the parameters of a step with the numbers of the law set.
func (h Rheology) numbers(s model.Spec, tau float64, p model.Params) model.Params {
	nu := (tau - 0.5) / 3
	switch s.Viscosity {
	case model.Newtonian:
	case model.Smagorinsky:
		p = p.WithSmagorinsky(h.Constant)
	case model.Wale:
		p = p.WithWale(h.Constant)
	case model.PowerLaw:
		p = p.WithPowerLaw(nu, h.ShearRate, h.Index, h.Min, h.Max)
	case model.Carreau:
		p = p.WithCarreau(nu, h.Infinite, h.Time, h.Index)
	default:
		panic("no numbers for the law " + s.Viscosity.String())
	}
	if s.Bulk {
		p = p.WithBulk(h.Bulk, s.Lattice.Dims)
	}
	return p
}
