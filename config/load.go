// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"

	"lbmsim/config/language"
)

// Errors of a case: all problems of its text, and one at the place of a value.
type (
	Errors  = language.Errors
	Problem = language.Problem
	Place   = language.Place
)

// Load reads and resolves a case file, with the changes that --set makes: KEY=VALUE each. path
// is used in messages and for the default output folder; nothing is opened. All errors of the
// text are reported at once: the error is of type Errors.
func Load(path string, src []byte, changes ...string) (*Case, error) {
	return LoadRefined(path, src, Refinement{}, changes...)
}

// LoadRefined loads the case as Load does, for the same flow on a finer or a coarser grid. Lengths, times and
// velocities keep the meaning and the units that they have in the file: in a case in
// lattice units they are in the cells and steps of the file, and Units converts back
// to them. Resolved is the text of the case itself, with factor 1, and says so.
func LoadRefined(path string, src []byte, f Refinement, changes ...string) (*Case, error) {
	c, err := resolved(path, src, f, changes)
	if list, ok := err.(Errors); ok && len(changes) > 0 {
		language.Blame(list, changes, func(changes []string) bool {
			_, err := resolved(path, src, f, changes)
			return err == nil
		})
	}
	if err == nil && c.closely != nil {
		c.closely()
	}
	return c, err
}

func resolved(path string, src []byte, f Refinement, changes []string) (*Case, error) {
	file, err := language.Read(path, src, changes, caseLanguage())
	if err != nil {
		return nil, err
	}
	if file.Overfull { // the file's comments on the omitted tables would be wrong
		return nil, file.Err()
	}
	c := &Case{Path: path, Source: append([]byte{}, file.Source...)}
	resolve(file, c, f)
	if err := file.Err(); err != nil {
		return nil, err
	}
	c.Resolved = file.Canonical()
	if factor := f.factor(); factor != 1 {
		c.Resolved = fmt.Sprintf("# computed on a grid refined by %s, %s scaling (lbmsim study); this is the case that was refined\n", language.Short(factor), f.Scaling) + c.Resolved
	}
	return c, nil
}
