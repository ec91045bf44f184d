package main

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lbmsim/internal/terminal"
	"lbmsim/io/film"
	"lbmsim/report"
	"lbmsim/sim"
)

// frameTime is how long a demo's film shows a frame.
const frameTime = 80 * time.Millisecond

// finishDemo makes the film beside the case, and prints what there is to see and to do next.
func finishDemo(s sim.Summary, path string, show terminal.Method) error {
	pictures, err := picturesOf(s.Case.OutputDir, s.Case.Pictures[0].Stem())
	if err != nil {
		return err
	}
	movie := strings.TrimSuffix(path, ".toml") + ".png"
	done := working("making the film")
	err = writeFilm(movie, pictures)
	done()
	if err != nil {
		return fmt.Errorf("the film %s: %w", movie, err)
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
		{"  film", movie, fmt.Sprintf("%d frames; every browser shows it", len(pictures))},
		{"  picture", last, ""},
		{"  case", path, ""},
	})
	fmt.Fprintln(stdout, "\nnext:")
	report.Columns(stdout, [][]string{
		{"  lbmsim check " + path, "derived numbers, memory and time of this case"},
		{"  lbmsim run " + path, "run it again, after a change of your own"},
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

// writeFilm makes a film of pictures under a temporary name, which then takes the place of an older film.
func writeFilm(path string, pictures []string) error {
	var frames []image.Image
	for _, name := range pictures {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		frame, err := png.Decode(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		frames = append(frames, frame)
	}
	f, err := os.Create(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part"))
	if err != nil {
		return err
	}
	err = errors.Join(film.Encode(f, frames, frameTime), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
