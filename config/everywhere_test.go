// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
	"time"
)

// Expressions of a large domain are checked at once, in all of their 2^33 cells.
func TestEverywhereIsQuick(t *testing.T) {
	const text = `
[domain]
cells = [2048, 2048, 2048]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.05
[run]
steps = 1
[initial]
density = "1 + 0.01*exp(-((x-Lx/2)^2 + (y-Ly/2)^2)/1000)*cos(2*pi*z/Lz)"
velocity = ["0.05*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)", "0.03*max(0, 1 - sqrt((x-700)^2 + (y-800)^2 + (z-900)^2)/100)", "0.01*if(x < 100, tanh((100-x)/8), 1/(1 + y*z/Lx^2))"]
`
	start := time.Now()
	if c, err := Load("large.toml", []byte(text)); err != nil || len(c.Warnings) > 0 {
		t.Errorf("%v %q", err, c.Warnings)
	}
	if d := time.Since(start); d > 5*time.Second { // 10 ms
		t.Errorf("it took %v", d)
	}
	// An expression without known intervals is checked in some cells, and the warning states it.
	c, err := Load("large.toml", []byte(text[:strings.Index(text, "density")]+"density = \"1 + 0.01*sqrt(sin(x)^2 - sin(x)^2*cos(y)^2 - sin(x)^2*sin(y)^2 + 1e-9*z)\"\n"))
	if err == nil && (len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Text, "density in line 10 has too many points")) {
		t.Errorf("%q", c.Warnings)
	}
	if d := time.Since(start); d > time.Minute { // 2 s
		t.Errorf("it took %v", d)
	}
}

// The initial temperature is checked in conducting solids, too, and in no others.
func TestTemperatureInsideOfBodies(t *testing.T) {
	const text = `
[domain]
cells = [20, 12]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[temperature]
diffusivity = 0.05
reference = 0
initial = "0.01/((x-10.5)^2+(y-6.5)^2)"
[run]
steps = 1
[body.box]
shape = "box"
from = [6, 3]
to = [14, 10]
`
	if _, err := Load("insulated.toml", []byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := Load("conducts.toml", []byte(text+"diffusivity = 0.1\n")); err == nil || !strings.Contains(err.Error(), "initial is +Inf (lattice units) in cell (10, 6)") {
		t.Errorf("a solid that conducts: %v", err)
	}
}
