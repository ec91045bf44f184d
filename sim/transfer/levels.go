// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// levels reads a checkpoint of a refined grid as planes of level 0: in boxes of finer cells, means over those that are the finest in
// their places, each with its volume.
type levels struct {
	*state
	hierarchy *decomp.Hierarchy
	patches   []patch // above level 0
}

// patch is a box of finer cells, whose planes are of all cells that it stores.
type patch struct {
	*state
	part  decomp.Part
	level int
	decomp.Patch
}

func newLevels(f *checkpoint.Reader, c *config.Case) (*levels, error) {
	base, err := newState(f, c)
	if err != nil {
		return nil, err
	}
	r := &levels{state: base}
	if r.hierarchy, err = c.Hierarchy(c.LeastRanks()); err != nil {
		return nil, err
	}
	for l, level := range r.hierarchy.Levels {
		for k, of := range level.Patches {
			if l == 0 {
				continue
			}
			file, err := checkpoint.Open(output.PatchPath(f.Path(), l, k))
			if err == nil {
				r.patches = append(r.patches, patch{r.finer(file, l, of), decomp.Part{Hierarchy: r.hierarchy, Level: l, Patch: k}, l, of})
				if h := file.Header; h.N != of.Stored.Size() || h.Step != f.Header.Step || h.Spec != f.Header.Spec || len(config.Diff(h.Case, f.Header.Case, config.RestartMayChange)) > 0 {
					err = fmt.Errorf("%s does not belong to the checkpoint %s", file.Path(), f.Path())
				}
			}
			if err != nil {
				r.closePatches()
				return nil, fmt.Errorf("a part of the checkpoint %s, with the cells of a box of level %d, cannot be read: %w", f.Path(), l, err)
			}
		}
	}
	return r, nil
}

// finer returns the state of a patch.
func (r *levels) finer(file *checkpoint.Reader, level int, of decomp.Patch) *state {
	own, width := *r.state, math.Pow(0.5, float64(level))
	own.file, own.buffer = file, nil
	for a := range own.force {
		own.force[a] *= width
		own.buoyancy[a] *= width
	}
	if inside := r.state.inside; inside != nil {
		dims := r.spec.Lattice.Dims
		own.inside = func(x, y, z float64) bool {
			at := [3]float64{x, y, z}
			for a := range dims {
				at[a] = (at[a] + float64(of.Stored.Lo[a])) * width
			}
			return inside(at[0], at[1], at[2])
		}
	}
	return &own
}

// beside returns the files of the patches, as seen from the checkpoint's folder.
func (r *levels) beside() (list []string) {
	for _, p := range r.patches {
		if path, err := filepath.Rel(filepath.Dir(r.file.Path()), p.file.Path()); err == nil {
			list = append(list, path)
		}
	}
	return list
}

func (r *levels) verify() (err error) {
	for _, p := range r.patches {
		err = errors.Join(err, p.file.Verify())
	}
	return err
}

func (r *levels) closePatches() {
	for _, p := range r.patches {
		p.state.close()
	}
}

func (r *levels) close() {
	r.closePatches()
	r.state.close()
}

func (r *levels) read(k int, share share, to *slab) error {
	if err := r.state.read(k, share, to); err != nil {
		return err
	}
	axis, n := r.hierarchy.Dims()-1, r.hierarchy.Levels[0].N
	volume := make([]float64, len(to.kind)) // of fluid in covered cells
	for _, p := range r.patches {
		if p.level > 1 { // covered cells of level 0 are whole in level 1
			continue
		}
		p.rows(k<<1, axis, func(y, _ int) {
			for x := p.Owned.Lo[0] >> 1; x < p.Owned.Hi[0]>>1; x++ {
				i := place(n, axis, [3]int{x, y >> 1, k})
				to.kind[i] = 0
				for v := range to.values {
					to.values[v][i] = 0
				}
			}
		})
	}
	for _, p := range r.patches {
		if err := p.add(k, axis, n, share, to, volume); err != nil {
			return err
		}
	}
	for i, v := range volume {
		if v > 0 {
			to.kind[i] = isFluid | isWarm
			for c := range to.values {
				to.values[c][i] /= v
			}
		}
	}
	return nil
}

// place returns the place in a plane of a cell of level 0.
func place(n [3]int, axis int, cell [3]int) int {
	if axis == 1 {
		return cell[0]
	}
	return cell[1]*n[0] + cell[0]
}

// rows visits the rows that a patch owns of one of its planes, in cells of its level.
func (p patch) rows(plane, axis int, visit func(y, z int)) {
	if plane < p.Owned.Lo[axis] || plane >= p.Owned.Hi[axis] {
		return
	}
	if axis == 1 {
		visit(plane, 0)
		return
	}
	for y := p.Owned.Lo[1]; y < p.Owned.Hi[1]; y++ {
		visit(y, plane)
	}
}

// add adds the patch's finest cells to the cells of level 0 that contain them.
func (p patch) add(k, axis int, n [3]int, share share, to *slab, volume []float64) error {
	h, each := p.file.Header, math.Pow(0.5, float64(p.level*(axis+1)))
	for plane := k << p.level; plane < (k+1)<<p.level; plane++ {
		if plane < p.Owned.Lo[axis] || plane >= p.Owned.Hi[axis] {
			continue
		}
		own := newSlab(len(to.values), h.Rows*h.N[0])
		if err := p.state.read(plane-p.Stored.Lo[axis], share, own); err != nil {
			return err
		}
		p.rows(plane, axis, func(y, z int) {
			row := 0
			if axis == 2 {
				row = y - p.Stored.Lo[1]
			}
			for _, run := range p.part.Counted(y, z) {
				for x := run.Lo; x < run.Hi; x++ {
					from, at := row*h.N[0]+x-p.Stored.Lo[0], place(n, axis, [3]int{x >> p.level, y >> p.level, k})
					if own.kind[from]&isFluid == 0 {
						continue
					}
					volume[at] += each
					for v := range to.values {
						to.values[v][at] += each * own.values[v][from]
					}
				}
			}
		})
	}
	return nil
}
