// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

// soakCase is a case of the soak: small, with many kinds of outputs, and checkpoints so frequent
// that one is nearly always being written.
type soakCase struct {
	name, text string
}

// The outputs common to all cases.
const outputs = `
[output.averages]
start = 20
sample_every = 3
every = 45
[output.picture]
every = 60
[checkpoint]
every = 7
keep = 2
`

var cases = []soakCase{
	// The force that maintains a flow rate, and the samples of drag and lift, are in the checkpoint
	// beside the state.
	{"channel", `
title = "A ball in a channel"
[domain]
cells = [32, 20, 18]
periodic = ["x", "y"]
[fluid]
viscosity = 0.02
[force]
flow_rate = 12
[boundary.walls]
type = "wall"
faces = ["z-", "z+"]
[body.ball]
shape = "sphere"
centre = [12, 10, 8]
radius = 4
[run]
steps = 450
[output.fields]
fields = ["pressure", "velocity", "vorticity"]
every = 25
files = 2
[output.probe.wake]
at = [22, 10, 8]
every = 4
[output.force.ball]
velocity = 0.03
area = 50
every = 3
[output.series.domain]
quantities = ["kinetic_energy", "enstrophy", "body_force"]
every = 10
` + outputs},
	{"heated", `
title = "A heated box"
[domain]
cells = [24, 18, 20]
periodic = ["y"]
[fluid]
viscosity = 0.03
[collision]
model = "bgk"
precision = "float64"
[temperature]
prandtl = 0.7
initial = "0.5 - x/24"
reference = 0
expansion = 0.001
gravity = [0, 0, -0.1]
[boundary.hot]
type = "wall"
faces = ["x-"]
temperature = 0.5
[boundary.cold]
type = "wall"
faces = ["x+"]
temperature = -0.5
[boundary.rest]
type = "wall"
faces = ["z-"]
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.04, 0.01, 0]
[run]
steps = 450
[output.fields]
fields = ["velocity", "temperature"]
every = 30
[output.plane.middle]
normal = "y"
every = 20
[output.probe.corner]
at = [3, 4, 5]
fields = ["velocity", "temperature"]
every = 5
[output.force.hot]
of = ["hot", "lid"]
every = 6
` + outputs},
	// Two dimensions, open faces, a time-dependent wall.
	{"street", `
title = "A disc in a stream"
[domain]
cells = [90, 44]
[fluid]
viscosity = 0.02
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["0.06*(1+0.1*sin(0.1*t))", 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.walls]
type = "slip"
faces = ["y-", "y+"]
[body.disc]
shape = "cylinder"
centre = [24, 21]
radius = 5
[run]
steps = 700
[output.fields]
every = 25
[output.line.across]
from = [50, 2]
to = [50, 42]
every = 40
[output.series.wake]
lines = ["wake"]
every = 5
[expect.line.wake]
along = "x"
through = [0, 21]
from = 29
component = "x"
crossing = "last"
direction = "rising"
[output.probe.wake]
at = [50, 20]
every = 3
[output.force.disc]
velocity = 0.06
length = 10
every = 2
` + outputs},
	// Three levels with time-dependent conditions: inlet turbulence, a starting wall, a time-dependent force; a sponge through
	// ends of boxes.
	{"gusts", `
title = "A ball in gusts, in finer cells"
[domain]
cells = [28, 16, 14]
[fluid]
viscosity = 0.03
[force]
acceleration = ["1e-5*sin(0.1*t)", 0, 0]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
ramp = 60
turbulence_intensity = 0.1
turbulence_length = 3
turbulence_modes = 40
[boundary.outlet]
type = "outflow"
faces = ["x+"]
sponge = 6
[boundary.road]
type = "moving_wall"
faces = ["z-"]
velocity = [0.05, 0, 0]
ramp = 40
[boundary.rest]
type = "slip"
faces = ["y-", "y+", "z+"]
[body.ball]
shape = "sphere"
centre = [10, 8, 7]
radius = 2
[refine.near]
level = 1
from = [0, 3, 0]
to = [24, 13, 12]
[refine.road]
level = 2
from = [15, 5, 0]
to = [18, 9, 2]
[run]
steps = 200
[output.fields]
fields = ["pressure", "velocity", "vorticity"]
every = 25
[output.plane.middle]
normal = "y"
every = 20
[output.picture]
every = 60
[output.probe.wake]
at = [16, 8, 7]
every = 3
[output.force.ball]
velocity = 0.05
area = 12
every = 3
[output.series.domain]
quantities = ["kinetic_energy", "mean_velocity", "body_force"]
every = 5
[checkpoint]
every = 7
keep = 2
`},
	// A force that maintains the mean velocity through boxes in the plane.
	{"driven", `
title = "A disc in a channel, in finer cells"
[domain]
cells = [40, 24]
periodic = ["x"]
[fluid]
viscosity = 0.02
[force]
mean_velocity = [0.03, 0]
adjust_every = 4
response = 40
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[body.disc]
shape = "cylinder"
centre = [14, 11]
radius = 2.5
[refine.near]
level = 1
from = [6, 3]
to = [24, 19]
[refine.wake]
level = 1
from = [24, 6]
to = [36, 24]
[refine.disc]
level = 2
from = [9, 6]
to = [19, 16]
[run]
steps = 500
[output.fields]
every = 25
[output.line.across]
from = [30, 1]
to = [30, 23]
every = 40
[output.probe.wake]
at = [26, 11]
every = 3
[output.force.disc]
velocity = 0.03
length = 5
every = 2
[output.series.domain]
quantities = ["kinetic_energy", "enstrophy", "body_force"]
every = 10
[checkpoint]
every = 7
keep = 2
`},
}
