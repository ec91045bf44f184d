// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
)

// heads are the first bytes of files that lbmsim writes, by the ends of their names.
var heads = []struct{ end, head, kind string }{
	{".csv", "# lbmsim ", "an lbmsim table"},
	{".png", "\x89PNG\r\n\x1a\n", "a PNG picture"},
	{".hdf", "\x89HDF\r\n\x1a\n", "an HDF5 file"},
	{".h5", checkpoint.Magic, "an lbmsim checkpoint"},
	{".hdf.series", fields.IndexHead, "an lbmsim index"},
	{".xdmf", fields.XDMFHead, "an lbmsim index"},
	{BlowupText, "lbmsim ", "an lbmsim report"},
	{BlowupJSON, "{\n \"Case\": ", "an lbmsim report"},
}

// written reports whether a regular file begins as lbmsim writes it.
func written(path string) bool {
	for _, h := range heads {
		if strings.HasSuffix(path, h.end) {
			return headOf(path, len(h.head)) == h.head
		}
	}
	return false
}

// foreign returns an error where a path has the name of an output and contents that lbmsim does not write under that name.
// An empty file is one of a run that was killed.
func foreign(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil, written(path), info.Mode().IsRegular() && info.Size() == 0:
		return nil
	case info.IsDir() && strings.HasSuffix(path, partsEnd):
		return foreignPart(path)
	}
	kind := "an lbmsim file"
	for _, h := range heads {
		if strings.HasSuffix(path, h.end) {
			kind = h.kind
		}
	}
	return fmt.Errorf("%s is not %s, and the run would overwrite it: move it away, or choose another folder with --output", path, kind)
}

// partsEnd ends the name of a folder with the numbers of one step (fields.Series.Files).
const partsEnd = ".parts"

// foreignPart returns an error where a folder of one step has anything but files of numbers, finished or not.
func foreignPart(dir string) error {
	all, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range all {
		path := filepath.Join(dir, f.Name())
		if left, _ := filepath.Match(".[0-9][0-9][0-9].hdf.part", f.Name()); left && f.Type().IsRegular() {
			continue
		}
		if ours, _ := filepath.Match("[0-9][0-9][0-9].hdf", f.Name()); !ours {
			return fmt.Errorf("%s is not an lbmsim file, and the run would delete it with its folder: move it away, or choose another folder with --output", path)
		}
		if err := foreign(path); err != nil {
			return err
		}
	}
	return nil
}

// headOf returns the first bytes of a regular file, none where there is no such file.
func headOf(path string, bytes int) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, bytes)
	n, _ := io.ReadFull(f, head)
	return string(head[:n])
}

// numbered returns the files NAME_STEP.hdf and NAME_STEP.png of a folder, and the folders NAME_STEP.parts.
func numbered(dir, name string) (paths []string) {
	all, _ := os.ReadDir(dir) // not Glob: the folder's name may be a pattern
	for _, f := range all {
		rest, isOurs := strings.CutPrefix(f.Name(), name+"_")
		step, end, _ := strings.Cut(rest, ".")
		if isOurs && slices.Contains([]string{"hdf", "png", "parts"}, end) && len(step) == 10 && strings.Trim(step, "0123456789") == "" {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	return paths
}
