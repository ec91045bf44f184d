// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"errors"

	"lbmsim/sim/level"
)

// Copies of a state in the host's memory: the images of all patches of this rank, in the order of View's list.

// ReadImages copies the current state.
func (g *Grid) ReadImages(image []byte) error { return images(g, image, level.Image.Read) }

// WriteImages restores a copy as the current state, at the step that SetStep has set.
func (g *Grid) WriteImages(image []byte) error {
	g.filled = false
	return images(g, image, level.Image.Write)
}

func images(g *Grid, image []byte, do func(level.Image, []byte) error) (err error) {
	for _, l := range g.Levels() {
		n := l.Part.Bytes()
		err = errors.Join(err, do(level.Image{Level: l}, image[:n]))
		image = image[n:]
	}
	return err
}

// Rewind prepares for a state that differs from the next one in the exchanges. States of a patch alternate in these: where
// the current one has been exchanged ahead of its step (Fill), the other one comes next.
func (g *Grid) Rewind() {
	if !g.filled {
		return
	}
	g.filled = false
	for _, l := range g.Levels() {
		l.State[0], l.State[1] = l.State[1], l.State[0]
	}
}
