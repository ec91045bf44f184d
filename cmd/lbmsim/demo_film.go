// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lbmsim/internal/terminal"
	"lbmsim/io/film"
	"lbmsim/report"
	"lbmsim/sim"
)

// filmRate is the frames per second of a demo's animation.
const filmRate = 12

// finishDemo writes the animation beside the case, and prints the results and the next commands.
func finishDemo(s sim.Summary, path string, show terminal.Method) error {
	pictures, err := picturesOf(s.Case.OutputDir, s.Case.Pictures[0].Stem())
	if err != nil {
		return err
	}
	movie := strings.TrimSuffix(path, ".toml") + film.APNG
	done := working("making the animation")
	err = film.Write(movie, film.Series{Files: pictures}, filmRate)
	done()
	if err != nil {
		return fmt.Errorf("the animation %s: %w", movie, err)
	}
	last := pictures[len(pictures)-1]
	if show != terminal.None {
		file, err := os.ReadFile(last)
		if err == nil {
			err = terminal.Show(stdout, show, file, min(terminalWidth(), 100))
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "\n%d steps in %.1f s with their pictures; %.3g million cell updates per second (MLUPS) while stepping\n", s.Steps, s.Elapsed.Seconds(), s.MLUPS)
	report.Columns(stdout, [][]string{
		{"  animation", movie, fmt.Sprintf("%d frames; every browser shows it", len(pictures))},
		{"  picture", last, ""},
		{"  case", path, ""},
	})
	given := quoted([]string{path})
	fmt.Fprintln(stdout, "\nnext:")
	report.Columns(stdout, [][]string{
		{"  lbmsim check " + given, "derived numbers and memory of this case"},
		{"  lbmsim run " + given, "run it again, after a change of your own"},
		{"  lbmsim example", "cases of other flows to start from"},
	})
	return nil
}

// picturesOf returns the pictures of one output in a folder, by their steps.
func picturesOf(folder, stem string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(folder), stem+"_*.png")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no pictures %s_*.png", folder, stem)
	}
	for i, name := range names { // in lexical order
		names[i] = filepath.Join(folder, name)
	}
	return names, nil
}
