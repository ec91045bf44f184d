// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"math"

	"lbmsim/config"
)

// Types of walls: a byte of each cell.

// types returns the number of types of a case: blocked cells have another one.
func types(c *config.Case) int { return len(c.Boundaries) + len(c.Bodies) }

// sixths returns the number added to the type of a wall for partly counted links: only links to faces, since bodies are away
// from interfaces. 0: no force of a face is requested.
func sixths(c *config.Case) uint8 {
	for _, f := range c.Forces {
		for _, t := range f.Types {
			if int(t) <= len(c.Boundaries) {
				return uint8(types(c) + 1) // behind the type of blocked cells
			}
		}
	}
	return 0
}

// measurable returns an error if there are too many types for that.
func measurable(c *config.Case) error {
	if most := math.MaxUint8 / 2; sixths(c) > 0 && types(c) > most {
		return fmt.Errorf("%d boundaries and bodies: with [refine] and a force of a face at most %d are possible; remove that [output.force.NAME]", types(c), most)
	}
	return nil
}
