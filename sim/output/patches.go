// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// Patches of a refined grid above level 0 have files beside a checkpoint, in separate folders: each has a different shape.

// LevelDir is the folder of these folders, within the folder of the checkpoints.
const LevelDir = "levels"

// aPatch is the kind of these files.
const aPatch = "level of a checkpoint"

// PatchPath returns the file of a patch that belongs to the checkpoint of a path.
func PatchPath(path string, level, number int) string {
	return filepath.Join(patchFolder(filepath.Dir(path), level, number), filepath.Base(path))
}

// PatchFiles returns the files of patches beside a checkpoint, by the names of their folders, such as level2_box1.
func PatchFiles(path string) (map[string]string, error) {
	dir := filepath.Join(filepath.Dir(path), LevelDir)
	folders, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files := map[string]string{}
	for _, f := range folders {
		file := filepath.Join(dir, f.Name(), filepath.Base(path))
		if _, err := os.Stat(file); err == nil {
			files[f.Name()] = file
		}
	}
	return files, err
}

func patchFolder(dir string, level, number int) string {
	return filepath.Join(dir, LevelDir, fmt.Sprintf("level%d_box%d", level, number+1))
}

// PatchHeader describes the file of a patch beside a checkpoint with a header.
func (r *Run) PatchHeader(h checkpoint.Header, level, number int) checkpoint.Header {
	patch := r.View.Refined.Hierarchy.Levels[level].Patches[number]
	layout := patch.Plan.Layout(0, h.Components) // rows are the same on all ranks
	h.N, h.Pitch, h.Extra = patch.Stored.Size(), layout.Pitch, nil
	h.Planes, h.Rows = h.N[layout.Axis()], 1
	if layout.Axis() == 2 {
		h.Rows = h.N[1]
	}
	return h
}

// NoExtent is the part of a patch's file of a rank without cells of it.
func NoExtent(h checkpoint.Header) checkpoint.Extent {
	return checkpoint.Extent{Rows: [2]int{0, h.Rows}}
}

// patches begins the files of the patches beside a checkpoint: written reports of each, once it has been committed, whether it is on
// disk. Collective.
func (c *checkpoints) patches(r *Run, h checkpoint.Header) (written []*bool, err error) {
	if r.View.Refined == nil {
		return nil, nil
	}
	// Files of a checkpoint that could not begin may still be in progress, from the same images.
	if err := r.Files.CommitKind(aPatch); err != nil {
		return nil, err
	}
	r.vacate(checkpoint.Path(c.dir, h.Step), c.resumed)
	if c.levels == nil {
		c.levels = make([][]byte, len(r.View.Refined.Patches))
	}
	err = r.View.Refined.Each(func(level, number, mine int) error {
		if level == 0 {
			return nil // the checkpoint itself
		}
		one, err := c.patch(r, r.PatchHeader(h, level, number), patchFolder(c.dir, level, number), mine)
		if one != nil {
			written = append(written, one)
		}
		return err
	})
	return written, err
}

// patch begins the file of a patch of which this rank has the cells of derive.Refined.Patches[mine], or none.
func (c *checkpoints) patch(r *Run, h checkpoint.Header, dir string, mine int) (written *bool, err error) {
	part, image := NoExtent(h), []byte(nil)
	var p derive.Patch
	if mine >= 0 {
		p = r.View.Refined.Patches[mine]
		if part = p.Part.Extent(); c.levels[mine] == nil {
			c.levels[mine] = make([]byte, p.Part.Bytes())
		}
		image = c.levels[mine]
	}
	file, err := checkpoint.Begin(r.Rank.Comm, dir, h, part)
	if err != nil {
		return nil, exit.AtStep(r.Step(), aPatch, err)
	}
	if mine >= 0 {
		err = r.State.ReadPatch(mine, image)
	}
	if err := r.All("reading the state", err); err != nil {
		file.Abort()
		return nil, err
	}
	written = new(bool)
	commit := func(failed error) error {
		err := file.Commit(0, failed)
		*written = err == nil
		return err
	}
	r.Files.Launch(aPatch, checkpoint.Path(dir, h.Step), commit, func() error {
		if mine < 0 {
			return file.Flush()
		}
		return bring(r, file, image, p.Part.Planes())
	})
	return written, nil
}

// tidyPatches removes files of patches below a folder whose checkpoints have gone.
func (c *checkpoints) tidyPatches(r *Run, dir string) {
	if r.View.Refined == nil {
		return
	}
	_ = r.View.Refined.Each(func(level, number, _ int) error {
		if level > 0 {
			checkpoint.Tidy(c.dir, patchFolder(dir, level, number))
		}
		return nil
	})
}
