// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/film"
	"lbmsim/io/picture"
)

// films writes one [output.film.NAME]: an animation of the pictures NAME_STEP.png up to the present step, on rank 0.
type films struct {
	base
	config.Film
	path string
}

func filmOutputs(s *Set) (list []Output) {
	for _, f := range s.Case.Films {
		format := film.Best()
		if f.Format != "" {
			format = "." + f.Format
		}
		list = append(list, &films{base: newBase(f.Schedule), Film: f, path: s.Path(f.Name + format)})
	}
	return list
}

// Written reports no step: the film of the last step lacks its picture, so that the end writes it again.
func (f *films) Written() int { return -1 }

func (f *films) stepFiles() []string { return []string{f.path} }

// prepare reports a missing program before the run instead of after it.
func (f *films) prepare(r *Run) error {
	var err error
	if r.Rank.Root {
		if err = film.Possible(f.path); err != nil {
			err = fmt.Errorf("%s: %w; install ffmpeg, or set format = \"apng\"", f.Head(), err)
		}
	}
	return r.All("preparing an animation", err)
}

// Write makes the film while the run continues.
func (f *films) Write(r *Run) error {
	if err := r.Files.CommitKind("film"); err != nil {
		return err
	}
	for _, kind := range []string{"picture", "view"} {
		if err := r.Files.CommitSeries(kind, r.Path(f.Name)+"_"); err != nil {
			return err
		}
	}
	pictures, err := film.Series{}, error(nil)
	if r.Rank.Root {
		pictures, err = f.pictures(r)
	}
	found := []int64{int64(len(pictures.Files))}
	if err := comm.Max(r.Rank.Comm, found); err != nil {
		return err
	}
	if found[0] == 0 && r.Rank.Root && err == nil {
		r.Rank.Warn(finding.NoSamples.Says("step %d: %s has no pictures yet", r.Step(), f.Head()))
	}
	if err := r.All("animation", err); err != nil || found[0] == 0 {
		return err
	}
	work := func() error { return nil }
	if r.Rank.Root {
		work = func() error { return film.Write(f.path, pictures, f.Rate) }
	}
	r.Files.Launch("film", f.path, func(failed error) error { return comm.Agree(r.Rank.Comm, failed) }, work)
	return nil
}

// pictures returns those up to the present step: later ones are of a leg that a restart has taken back.
func (f *films) pictures(r *Run) (film.Series, error) {
	all, err := film.Find(r.Path())
	k := slices.IndexFunc(all, func(s film.Series) bool { return s.Name == f.Name })
	if k < 0 {
		return film.Series{}, err
	}
	all[k].Files = slices.DeleteFunc(all[k].Files, func(path string) bool {
		_, step, _ := picture.ParseFileName(filepath.Base(path))
		return step > int64(r.Step())
	})
	return all[k], err
}
