// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"unicode"

	"lbmsim/config/language"
)

// From sections of values to a Case. Each part of it has a separate type that reads some tables, and
// receives the parts that it needs from earlier ones. Checks continue after an error as
// long as their inputs are known, so that all errors show at once.

// resolve fills a case.
func resolve(file *language.Reader, c *Case, f Refinement) {
	grid := &frame{source: &source{file, &c.Notes, &bodyFiles{}}, Grid: &c.Grid, refinement: f}
	if e := file.Section("").Get("title"); e != nil {
		c.Title = strings.Map(func(c rune) rune { // it goes to terminals
			if unicode.IsControl(c) {
				return ' '
			}
			return c
		}, e.Text)
	}
	if !grid.units() {
		return // every further message would be a guess
	}
	fluid := &scaling{grid, &c.Flow}
	(&domain{grid, &c.Flow}).read()
	fluid.readCollision()
	fluid.read()
	run := &timing{grid, &c.Run, &c.Device, &c.Live}
	run.readRun() // its length determines the times at which others are checked
	(&rheology{grid, &c.Flow}).read()
	looks := &sampler{frame: grid}
	drive := &forcing{run, &c.Flow, looks}
	drive.force()
	drive.initial()
	heat := &thermal{grid, &c.Flow, looks}
	heat.read()
	heat.without()

	(&faces{grid, &c.Flow, &c.Solids, heat}).read()
	solid := &bodies{grid, &c.Solids, heat}
	solid.read()
	(&levels{grid, &c.Flow, &c.Solids}).read()
	solid.placed()
	(&modelledWalls{grid, &c.Flow, &c.Solids}).check()
	open := &openings{timing: run, Flow: &c.Flow, Solids: &c.Solids, looks: looks}
	open.movingWalls()
	(&levels{grid, &c.Flow, &c.Solids}).overModels()
	open.lookAtFaces()
	open.inflows()
	open.thinDomain()
	open.balance()
	open.directions()
	open.pulsation()
	open.obstructions()
	run.readDevice()
	run.readLive()
	warm := &warmth{grid, &c.Flow, &c.Solids}
	warm.check()
	warm.bound()

	loads := &forces{run, &c.Flow, &c.Solids, &c.Outputs, open}
	written := &outputs{run, &c.Flow, &c.Solids, &c.Outputs, loads}
	written.read()
	wanted := &expectations{timing: run, Flow: &c.Flow, Outputs: &c.Outputs, looks: looks, outputs: written, forces: loads}
	wanted.read()
	c.Expect = wanted.Expect
	(&scales{frame: grid, Flow: &c.Flow, Outputs: &c.Outputs, expect: c.Expect}).check()

	(&unrefined{grid, &c.Flow, &c.Solids}).refuse()
	looks.sampleAll(&c.Solids)
	fast := &speeds{frame: grid, Flow: &c.Flow, Solids: &c.Solids, openings: open}
	fast.check()
	written.signedRanges()
	switch {
	case !grid.haveBox:
	case len(c.Files) == 0:
		c.closely = open.thinBodies
	default:
		open.once(open.thinBodies, c.Bodies...)
	}
	if grid.haveTime && grid.haveBox && len(c.Files) == 0 { // these check reads first
		c.Warnings = append(append(c.Warnings, c.Porous()...), c.Unalike()...)
	}
	c.examine, c.waits = grid.postponed(), len(grid.waiting) > 0
	(&summary{run, &c.Flow, &c.Solids, fast}).write()
	c.Warnings = append(c.Warnings, c.heatOfEddies()...)
	if grid.haveTime && grid.haveBox && len(c.Files) == 0 && grid.Count == 0 {
		c.Warnings = append(c.Warnings, c.Doubts()...)
	}
}
