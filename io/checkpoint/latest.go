// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

// The checkpoints of a folder. The newest is the one written last, which is
// not the checkpoint of the highest step when a run was restarted from further back;
// clocks and times of copied files are unreliable, so each file has a number in its preamble.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"lbmsim/io/internal/joint"
)

type found struct {
	path     string
	sequence uint64 // 0 when the file cannot be one of ours
}

func list(dir string) ([]found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("search for checkpoints: %w", err)
	}
	var all []found
	for _, e := range entries {
		if ok, _ := filepath.Match(pattern, e.Name()); !ok {
			continue
		}
		one := found{path: filepath.Join(dir, e.Name())}
		if f, err := os.Open(one.path); err == nil {
			if p, err := readPreamble(f); err == nil {
				one.sequence = p.sequence
			}
			f.Close()
		}
		all = append(all, one)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].sequence != all[j].sequence {
			return all[i].sequence > all[j].sequence
		}
		return all[i].path > all[j].path
	})
	return all, nil
}

// Latest returns the paths of the checkpoints in a folder, the one written last first.
// Files of that name that are truncated or not checkpoints come at the end, so that Open can report the damage.
func Latest(dir string) ([]string, error) {
	all, err := list(dir)
	var paths []string
	for _, f := range all {
		paths = append(paths, f.path)
	}
	return paths, err
}

func lastSequence(dir string) uint64 {
	if all, err := list(dir); err == nil && len(all) > 0 {
		return all[0].sequence
	}
	return 0
}

// prune removes all but the keep checkpoints written last. Files that it cannot read it
// leaves alone.
func prune(dir string, keep int) error {
	if keep < 1 {
		return nil
	}
	all, err := list(dir)
	if err != nil {
		return err
	}
	gone := false
	for i, f := range all {
		if i < keep || f.sequence == 0 {
			continue
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old checkpoint: %w", err)
		}
		gone = true
	}
	if gone {
		return joint.SyncDir(dir)
	}
	return nil
}

// Tidy removes the files of a folder beside it whose checkpoints no longer exist.
func Tidy(dir, beside string) {
	all, _ := list(beside)
	for _, f := range all {
		if _, err := os.Lstat(filepath.Join(dir, filepath.Base(f.path))); errors.Is(err, fs.ErrNotExist) && f.sequence > 0 {
			os.Remove(f.path)
		}
	}
}
