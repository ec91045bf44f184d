// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package transfer starts a run from the flow of another one ([initial] from): it finds the file, reads its planes,
// and interpolates density, velocity and temperature to the cells of this case, whatever their number, size and
// model. Each rank reads the planes of its own cells, and no number depends on the decomposition.
package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/sim/output"
)

// File is the file that a case starts from.
type File struct {
	Path, SHA256 string
	Passed       []string // newer files that cannot be read, and why
}

// Warnings list the newer files that were skipped.
func (f File) Warnings() (list finding.List) {
	for _, passed := range f.Passed {
		list = append(list, finding.FlowPassedOver.Says("[initial] from: skipped: %s", passed))
	}
	return list
}

// Find returns the file of [initial] from, which must not be in the run's output folder. Mark is called while a large file
// is read. In a folder it is the newest checkpoint that can be read, otherwise the last file of fields; with a checksum,
// the file with this checksum.
func Find(f config.FlowSource, outputs string, mark func()) (found File, err error) {
	if err = Apart(f, outputs); err == nil {
		found, err = find(f, mark)
	}
	return found, Wrong(f, err)
}

// Look returns the same for a check, in which another output folder may still be chosen: then it is a warning.
func Look(f config.FlowSource, outputs string) (found File, warnings finding.List, err error) {
	if e := Apart(f, outputs); e != nil {
		warnings = append(warnings, finding.FlowReplaced.Says("[initial] from: %v", e))
	}
	found, err = find(f, func() {})
	return found, append(warnings, found.Warnings()...), Wrong(f, err)
}

func find(f config.FlowSource, mark func()) (found File, err error) {
	files, err := candidates(f)
	var refused []string
	for i := 0; i < len(files) && err == nil; i++ {
		path := files[i]
		s, e := Open(path)
		if e != nil {
			if refused = append(refused, e.Error()); len(files) == 1 {
				err = e
			}
			continue
		}
		s.Close()
		if found.SHA256, err = sum(path, mark); err != nil {
			break
		}
		if f.SHA256 == "" || f.SHA256 == found.SHA256 {
			found.Path, found.Passed = path, append(refused, unreadable(files[i+1:])...)
			return found, nil
		}
		refused = append(refused, fmt.Sprintf("%s has a different SHA-256 than the case requires: %s", path, found.SHA256))
	}
	if err == nil {
		err = errors.New(strings.Join(refused, "\n  "))
	}
	return found, err
}

// unreadable returns the errors of checkpoints that cannot be read. Any of them may be the newest: the sequence number
// is in the damaged part.
func unreadable(files []string) (list []string) {
	for _, path := range files {
		if err := checkpoint.Look(path); err != nil {
			list = append(list, err.Error())
		}
	}
	return list
}

// Wrong adds the place in the case file to an error.
func Wrong(f config.FlowSource, err error) error {
	if err == nil {
		return nil
	}
	return f.At.Wrong(fmt.Errorf("[initial] from: %w", err))
}

// candidates returns the files of a path, the best first.
func candidates(f config.FlowSource) ([]string, error) {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(f)
	case err != nil:
		return nil, err
	case info.IsDir():
		return inFolder(f.Path)
	case strings.HasSuffix(f.Path, ".hdf.series"):
		s := fields.Series{Dir: filepath.Dir(f.Path), Name: strings.TrimSuffix(filepath.Base(f.Path), ".hdf.series")}
		path, err := s.Newest()
		if err == nil && path == "" {
			err = fmt.Errorf("the index %s lists no files", f.Path)
		}
		return []string{path}, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", f.Path)
	}
	return []string{f.Path}, nil
}

// missing describes a path that does not exist.
func missing(f config.FlowSource) error {
	text := fmt.Sprintf("there is no file or folder %s", f.Path)
	if filepath.IsAbs(f.Shown) {
		return errors.New(text)
	}
	text += "; the path is relative to the folder of the case file"
	if _, err := os.Stat(f.Shown); err == nil {
		if here, err := filepath.Abs(f.Shown); err == nil {
			text += fmt.Sprintf("; for the one in the working folder give %q", here)
		}
	}
	return errors.New(text)
}

// inFolder lists the candidates in a folder of a run, of checkpoints or of fields.
func inFolder(dir string) ([]string, error) {
	for _, d := range []string{filepath.Join(dir, output.CheckpointDir), dir} {
		files, err := checkpoint.Latest(d)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	for _, d := range []string{filepath.Join(dir, "fields"), dir} {
		path, err := fields.Series{Dir: d, Name: "fields"}.Newest()
		if err != nil || path != "" {
			return []string{path}, err
		}
	}
	return nil, fmt.Errorf("the folder %s contains neither checkpoints nor fields: the other run needs a table [checkpoint] or [output.fields]", dir)
}

// Apart refuses a flow inside the run's own output folder, whose files the run replaces.
func Apart(f config.FlowSource, outputs string) error {
	whole := func(path string) string {
		if p, err := filepath.EvalSymlinks(path); err == nil {
			path = p
		}
		if p, err := filepath.Abs(path); err == nil {
			path = p
		}
		return path
	}
	in, err := filepath.Rel(whole(outputs), whole(f.Path))
	if err == nil && filepath.IsLocal(in) {
		return fmt.Errorf("%s is in the output folder of this run, %s, which would replace it: choose another folder with --output, or resume with --restart", f.Path, outputs)
	}
	return nil
}

// sum returns the SHA-256 of a file. Its planes have checksums, which it contains: so it stands for files beside it, too.
func sum(path string, mark func()) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for {
		n, err := io.CopyN(h, f, 64<<20)
		mark()
		switch {
		case errors.Is(err, io.EOF):
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", fmt.Errorf("read %s after %d bytes: %w", path, n, err)
		}
	}
}
