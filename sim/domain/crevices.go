// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"lbmsim/boundary"
	"lbmsim/model"
)

// A gap of one cell between walls of which one moves cannot hold a flow: its cells send everything back to themselves, and with
// tau below crevicesBelow nothing damps what the wall adds. In the wedge between a wheel and the road the speed grew without bound, with
// and without a wall model. These cells have creviceOmega, tau = 1, where half-way walls are damped most.
const (
	crevicesBelow = 0.51
	creviceOmega  = 1
)

// crevices gives the fluid cells in gaps of one cell beside a moving wall a high viscosity.
func crevices(p *Part, cells *boundary.Cells) {
	if len(p.Case.Bodies) == 0 || p.Params.Omega == 0 || 1/p.Params.Omega >= crevicesBelow {
		return
	}
	inside := boundary.Crevices(*cells, p.Case.Dims())
	if inside == nil {
		return
	}
	thick, given := p.Params, cells.Rates
	thick.Omega = creviceOmega
	if thick.OmegaMinus != 0 {
		thick.OmegaMinus = 1 / (0.5 + thick.Lambda/(1/thick.Omega-0.5))
	}
	cells.Rates = func(x [3]int) *model.Params {
		if inside(x) {
			return &thick
		}
		if given == nil {
			return nil
		}
		return given(x)
	}
}
