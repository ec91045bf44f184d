// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import "slices"

// mirror adds the mirror images of ghost cells behind slip faces: links that lead into the fluid from behind a body that ends at such a
// face. Without them these links are bounced back half-way, and the flow along a half body on a plane of symmetry, or along
// a cylinder between two such planes, loses momentum. An image reads the same cells as its original, with the normal
// velocity reversed. Edges perpendicular to the face stay bounced back: links that lean along them have no partners behind
// the face (pair).
func (f *modelledSearch) mirror() {
	originals := len(f.ghosts)
	for _, out := range behindFaces {
		for i := range f.ghosts[:originals] {
			if image, ok := f.image(&f.ghosts[i], out); ok {
				if last := &f.ghosts[len(f.ghosts)-1]; len(f.ghosts) > originals && last.at == image.at {
					image.facet = last.facet + 1
				}
				f.ghosts = append(f.ghosts, image)
			}
		}
	}
	if len(f.ghosts) > originals {
		f.order()
	}
}

// forget leaves the first ghost cells.
func (f *modelledSearch) forget(originals int) {
	if len(f.ghosts) > originals {
		f.ghosts = f.ghosts[:originals]
		f.order()
	}
}

// behindFaces are the directions in which a cell can lie behind one to three faces.
var behindFaces = func() (list [][3]int) {
	for z := -1; z <= 1; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				if x != 0 || y != 0 || z != 0 {
					list = append(list, [3]int{x, y, z})
				}
			}
		}
	}
	return list
}()

// image returns the image of a ghost cell at the place out of it; false: no slip faces are between, or no link leads into
// the fluid.
func (f *modelledSearch) image(g *foundGhost, out [3]int) (image foundGhost, ok bool) {
	for a, o := range out {
		if o == 0 {
			continue
		}
		at := g.at
		at[a] += o
		if f.inside(at) || !f.faceOf(at, Slip) || g.turned && g.normal[a] != 0 {
			return image, false
		}
		image.mirrored |= 1 << a
	}
	if at := plus(g.at, out); f.faceOf(at, ModelledWall) || f.typeAt(at) == 0 {
		return image, false
	}
	if g.turned { // about an axis along the faces: the image does the same to the fluid cell
		image.mirrored = 0
	}
	image.k, image.under, image.turned = g.k, g.under, g.turned
	image.at, image.surface = plus(g.at, out), g.surface.mirrored(image.mirrored)
	for _, l := range g.links {
		if l.direction, ok = f.fromBehind(l.direction, out); ok {
			image.links = append(image.links, l)
		}
	}
	f.count(&image)
	return image, len(image.links) > 0
}

// faceOf reports whether the type of a place has this law.
func (f *modelledSearch) faceOf(at [3]int, law Law) bool {
	k := f.typeAt(at)
	return k != 0 && k != 255 && f.Wall(k).Law == law
}

// fromBehind returns the direction of a link that leads from the place out of a cell to where one along the faces leads from the cell
// itself; false: that one is not along them, or the lattice has no such direction.
func (f *modelledSearch) fromBehind(direction int32, out [3]int) (int32, bool) {
	c := f.lattice.Velocities[direction]
	for a, o := range out {
		if o != 0 && c[a] != 0 {
			return 0, false
		}
		c[a] -= o
	}
	i := slices.Index(f.lattice.Velocities, c)
	return int32(i), i >= 0
}

// mirrored returns a surface mirrored across axes, one bit each.
func (s surface) mirrored(axes uint8) surface {
	for a := range s.normal {
		if axes>>a&1 == 1 {
			s.normal[a], s.lee[a] = -s.normal[a], -s.lee[a]
		}
	}
	for k, ab := range bendPairs {
		if (axes>>ab[0]^axes>>ab[1])&1 == 1 {
			s.bend[k] = -s.bend[k]
		}
	}
	return s
}

// original returns the ghost cell of which another one is the image, with the data that stencils depend on.
func (f *modelledSearch) original(image *foundGhost) foundGhost {
	g := *image
	for a := range g.at {
		if image.mirrored>>a&1 == 1 {
			if g.at[a]+f.Origin[a] < 0 {
				g.at[a]++
			} else {
				g.at[a]--
			}
		}
	}
	g.mirrored, g.surface = 0, image.surface.mirrored(image.mirrored)
	return g
}

// mirror makes a ghost cell with the stencils of its original an image across axes, a bit each.
func (c *ModelledCell) mirror(axes uint8) {
	c.Mirrored = axes
	for a := range c.Velocity {
		if axes>>a&1 == 1 {
			c.Velocity[a] = -c.Velocity[a]
		}
	}
}
