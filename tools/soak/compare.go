// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/internal/compare"
	"lbmsim/io/checkpoint"
)

// files returns the result files and the temporary files of a run, by their paths below its folder.
func files(dir string) (results map[string]bool, temporary []string, err error) {
	results = map[string]bool{}
	root := filepath.Join(dir, "out", "case")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case strings.HasSuffix(name, ".part"):
			temporary = append(temporary, "left over: "+name)
		case name != "status.json" && name != ".lbmsim.lock":
			results[name] = true
		}
		return err
	})
	return results, temporary, err
}

// compared returns the files of a run that differ from the uninterrupted run's, and the temporary
// files left behind.
func compared(reference, dir string) (wrong, temporary []string, err error) {
	want, _, err := files(reference)
	if err != nil {
		return nil, nil, err
	}
	got, temporary, err := files(dir)
	if err != nil {
		return nil, nil, err
	}
	for name := range want {
		if !got[name] {
			wrong = append(wrong, "missing: "+name)
			continue
		}
		same := sameBytes
		switch ext := filepath.Ext(name); {
		case strings.HasPrefix(name, "checkpoints"):
			same = sameState
		case strings.Contains(name, ".parts/"):
			continue // the .hdf file has its numbers
		case ext == ".csv" || ext == ".hdf" || ext == ".png":
			same = sameNumbers
		}
		if err := same(filepath.Join(reference, "out", "case", name), filepath.Join(dir, "out", "case", name)); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
		}
	}
	for name := range got {
		if !want[name] {
			wrong = append(wrong, "the uninterrupted run has no "+name)
		}
	}
	return wrong, temporary, nil
}

func sameBytes(a, b string) error {
	x, err := os.ReadFile(a)
	if err != nil {
		return err
	}
	y, err := os.ReadFile(b)
	if err == nil && !bytes.Equal(x, y) {
		err = fmt.Errorf("the bytes differ from the uninterrupted run")
	}
	return err
}

// sameNumbers compares everything except the files' provenance, which lists the legs.
func sameNumbers(a, b string) error {
	r, err := compare.Files(a, b)
	if err == nil && (!r.Same() || len(r.Case) > 0) {
		err = fmt.Errorf("the numbers differ from the uninterrupted run: %+v", *r)
	}
	return err
}

// sameState compares states and the run's data stored beside them.
func sameState(a, b string) error {
	x, p, err := state(a)
	if err != nil {
		return err
	}
	y, q, err := state(b)
	if err != nil {
		return err
	}
	var own [2]map[string]any
	for i, h := range []*checkpoint.Header{&x, &y} {
		if len(h.Extra) > 0 { // refinement boxes have none
			if err := json.Unmarshal(h.Extra, &own[i]); err != nil {
				return err
			}
		}
		delete(own[i], "Provenance")
		delete(own[i], "Probes") // lengths of files, which include the provenance
		h.Ranks, h.Extra = 0, nil
	}
	switch {
	case fmt.Sprintf("%+v %v", x, own[0]) != fmt.Sprintf("%+v %v", y, own[1]):
		return fmt.Errorf("the header differs from the uninterrupted run")
	case !bytes.Equal(p, q):
		return fmt.Errorf("the state differs from the uninterrupted run")
	}
	return nil
}

func state(path string) (checkpoint.Header, []byte, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return checkpoint.Header{}, nil, err
	}
	defer f.Close()
	b := make([]byte, f.Header.Planes*f.Header.PlaneBytes())
	return f.Header, b, f.ReadPlanes(0, f.Header.Planes, b)
}

func (l *leg) checkpoints() string { return filepath.Join(l.dir, "out", "case", "checkpoints") }

// list returns the checkpoints of the run, the newest first.
func (l *leg) list() ([]string, error) {
	if _, err := os.Stat(l.checkpoints()); os.IsNotExist(err) {
		return nil, nil
	}
	return checkpoint.Latest(l.checkpoints())
}

// latest returns the newest checkpoint as the run names it, "" without one.
func (l *leg) latest() (string, error) {
	all, err := l.list()
	if err != nil || len(all) == 0 {
		return "", err
	}
	return filepath.Rel(l.dir, all[0])
}

// spoiled holds the checkpoints damaged here, by their paths, with the contents of the damaged
// file.
type spoiled map[string]damage

type damage struct {
	path    string // the checkpoint, or a file beside it
	content []byte
}

// beside returns the files that belong to a checkpoint: the sums of averages, and refinement boxes.
func beside(path string) (list []string) {
	for _, pattern := range []string{"averages", "levels/*"} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), pattern, filepath.Base(path)))
		if err == nil { // the patterns are valid
			list = append(list, found...)
		}
	}
	return list
}

// has reports whether a checkpoint is still damaged: a run may have rewritten it.
func (s spoiled) has(path string) bool {
	d, ok := s[path]
	if !ok {
		return false
	}
	b, err := os.ReadFile(d.path)
	return err == nil && bytes.Equal(b, d.content)
}

// verify reads all checkpoints.
func (l *leg) verify(damaged spoiled) (bad []string) {
	all, err := l.list()
	if err != nil {
		return []string{err.Error()}
	}
	for _, path := range all {
		for _, file := range append([]string{path}, beside(path)...) {
			if filepath.Base(filepath.Dir(file)) == "averages" {
				continue
			}
			if _, _, err := state(file); err != nil && !damaged.has(path) {
				bad = append(bad, err.Error())
			}
		}
	}
	return bad
}

// spoil damages the newest checkpoint, or a file beside it, if the previous one is good: it changes a byte or truncates the file.
func (l *leg) spoil(damaged spoiled) error {
	all, err := l.list()
	if err != nil || len(all) < 2 || damaged.has(all[0]) || damaged.has(all[1]) {
		return err
	}
	path := all[0]
	if others := beside(path); len(others) > 0 && l.random.IntN(2) == 0 {
		path = others[l.random.IntN(len(others))]
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	at := l.random.IntN(len(b))
	if l.random.IntN(2) == 0 {
		b[at] ^= 1 << l.random.IntN(8)
	} else {
		b = b[:at]
	}
	damaged[all[0]] = damage{path, b}
	return os.WriteFile(path, b, 0o666)
}
