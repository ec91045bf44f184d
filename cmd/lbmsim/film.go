// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/config"
	"lbmsim/internal/plain"
	"lbmsim/io/film"
)

// filmFlags are the flags of `lbmsim film`.
type filmFlags struct {
	name, output string
	rate         int
}

func filmCommand() *cobra.Command {
	var f filmFlags
	c := &cobra.Command{
		Use:   "film DIR",
		Short: "Make an animation of the pictures of a run",
		Long: `film makes an animation of the pictures in a run's output folder ([output.picture], [output.view]):

  lbmsim film out/wake                          the only series of pictures
  lbmsim film out/wake --name vorticity --fps 25
  lbmsim film out/wake --output wake.webp

If ffmpeg is on PATH, the animation is NAME.mp4 (H.264) in the folder; with --output it is also
*.webm (VP9) or *.webp, an animated WebP for web pages and README files. Without ffmpeg it is an
animated PNG, NAME.apng, which browsers show. Give the pictures a range, or each has its own
colour scale.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("expected the output folder of a run; see lbmsim film --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return makeFilm(args[0], f) },
	}
	c.Flags().StringVar(&f.name, "name", "", "`NAME` of the pictures, as in NAME_0000001000.png (default: the only ones)")
	c.Flags().StringVar(&f.output, "output", "", "`FILE` of the animation: *.mp4, *.webm, *.webp or *.apng (default: NAME.mp4 or NAME.apng in DIR)")
	c.Flags().IntVar(&f.rate, "fps", 10, "`PICTURES` per second")
	return c
}

func makeFilm(dir string, f filmFlags) error {
	if f.rate < 1 || f.rate > config.MostRate {
		return usageError{fmt.Errorf("--fps %d: must be 1 to %d", f.rate, config.MostRate)}
	}
	list, err := film.Find(dir)
	if err != nil {
		return fmt.Errorf("%s: %s", dir, plain.Text(err))
	}
	s, err := chosenSeries(dir, list, f.name)
	if err != nil {
		return usageError{err}
	}
	path := cmp.Or(f.output, filepath.Join(dir, s.Name+film.Best()))
	if err := film.Known(path); err != nil {
		return usageError{fmt.Errorf("--output %w", err)}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("--output %s: not a regular file", path)}
	}
	err = film.Write(path, s, f.rate)
	switch {
	case errors.Is(err, film.ErrNoFFmpeg):
		return usageError{fmt.Errorf("--output %s: %w; install ffmpeg, or name the animation *%s", path, err, film.APNG)}
	case errors.Is(err, film.ErrNoEncoder):
		return usageError{fmt.Errorf("--output %s: %w; install an ffmpeg with it, or name the animation *%s", path, err, film.APNG)}
	case err != nil:
		return fmt.Errorf("making %s: %w", path, err)
	}
	fmt.Fprintf(stdout, "%s: %d pictures, %.3g s\n", path, len(s.Files), float64(len(s.Files))/float64(f.rate))
	return nil
}

// chosenSeries returns the pictures of a name, or the only ones.
func chosenSeries(dir string, list []film.Series, name string) (film.Series, error) {
	var names []string
	for _, s := range list {
		if s.Name == name || name == "" && len(list) == 1 {
			return s, nil
		}
		names = append(names, s.Name)
	}
	switch known := strings.Join(names, ", "); {
	case len(list) == 0:
		return film.Series{}, fmt.Errorf("%s has no pictures; [output.picture] or [output.view.NAME] in the case writes some", dir)
	case name == "":
		return film.Series{}, fmt.Errorf("%s has pictures of several names; choose one by --name: %s", dir, known)
	default:
		return film.Series{}, fmt.Errorf("%s has no pictures %q; it has: %s", dir, name, known)
	}
}
