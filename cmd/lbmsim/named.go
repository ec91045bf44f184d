// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/config"
)

// mayDraw returns an error where a picture at the path would replace an input, or a file that is not a picture.
func mayDraw(path string, inputs ...string) error {
	if !strings.EqualFold(filepath.Ext(path), ".png") {
		return fmt.Errorf("--preview %s: a picture is a PNG file; the name must end with .png", path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--preview: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("--preview %s: not a regular file", path)
	}
	for _, in := range inputs {
		if i, err := os.Stat(in); err == nil && os.SameFile(info, i) {
			return fmt.Errorf("--preview %s would overwrite the input %s", path, in)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--preview: %w", err)
	}
	defer f.Close()
	head := make([]byte, 8)
	if n, _ := io.ReadFull(f, head); n > 0 && !bytes.Equal(head, []byte("\x89PNG\r\n\x1a\n")) {
		return fmt.Errorf("--preview %s: exists and is not a picture", path)
	}
	return nil
}

// mayPreview is mayDraw for each picture of check --preview FOLDER.
func mayPreview(caseFile *config.Case, folder string) error {
	if folder == "" {
		return nil
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("--preview %s: there is no such folder", folder)
	}
	inputs := []string{caseFile.Path}
	_ = each(caseFile, func(_, _ string, path *string) error { inputs = append(inputs, *path); return nil })
	var pictures []string
	for _, f := range caseFile.Files {
		if !f.Image {
			pictures = append(pictures, f.Body+".png")
		}
	}
	if len(caseFile.Refine) > 0 {
		pictures = append(pictures, levelsPicture, nearPicture(levelsPicture))
	}
	for _, name := range pictures {
		if err := mayDraw(filepath.Join(folder, name), inputs...); err != nil {
			return err
		}
	}
	return nil
}
