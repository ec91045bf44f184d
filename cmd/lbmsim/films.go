// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/io/film"
	"lbmsim/io/picture"
	"lbmsim/io/status"
	"lbmsim/sim"
)

// mayFilm returns an error of all ranks for an [output.film.NAME] that rank 0's machine cannot make. Collective.
func mayFilm(c comm.Comm, list []config.Film) error {
	var err error
	for _, f := range list {
		if c.Rank() == 0 && f.Format != "" && err == nil {
			if err = film.Possible("." + f.Format); err != nil {
				err = fmt.Errorf("%s: %w; install ffmpeg, or set format = \"apng\"", f.Head(), err)
			}
		}
	}
	if err = comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitUsage, err)
	}
	return nil
}

// makeFilms makes the animations of a run that has reached its last step, on rank 0. Its results are on disk: a failure is a note.
func makeFilms(c comm.Comm, of *config.Case, ended error, reports *reporters) {
	code, _ := sim.ExitCode(ended)
	s := reports.status.State()
	if c.Rank() > 0 || code != 0 && code != sim.ExitExpect || s.Phase == status.Stopped {
		return
	}
	for _, f := range of.Films {
		done := working("making the animation " + f.Name)
		path, pictures, err := makeFilmOf(f, of.OutputDir, int64(s.Step))
		if done(); err != nil {
			reports.Note(fmt.Sprintf("%s: %v; to repeat: lbmsim film %q --name %s", f.Head(), err, of.OutputDir, f.Name))
			continue
		}
		reports.Note(fmt.Sprintf("film %s: %d pictures, %.3g s", path, pictures, float64(pictures)/float64(f.Rate)))
	}
}

// makeFilmOf returns the path of an animation of the pictures up to a step, and their number: a restart has taken back later ones.
func makeFilmOf(f config.Film, dir string, last int64) (path string, pictures int, err error) {
	all, err := film.Find(dir)
	if err != nil {
		return "", 0, err
	}
	s, err := chosenSeries(dir, all, f.Name)
	if err != nil {
		return "", 0, err
	}
	s.Files = slices.DeleteFunc(s.Files, func(path string) bool {
		_, step, _ := picture.ParseFileName(filepath.Base(path))
		return step > last
	})
	if len(s.Files) == 0 {
		return "", 0, errors.New("the run has written no pictures")
	}
	format := film.Best()
	if f.Format != "" {
		format = "." + f.Format
	}
	path = filepath.Join(dir, f.Name+format)
	err = film.Write(path, s, f.Rate)
	if errors.Is(err, film.ErrNoEncoder) && f.Format == "" {
		path = filepath.Join(dir, f.Name+film.APNG)
		err = film.Write(path, s, f.Rate)
	}
	return path, len(s.Files), err
}
