// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"

	"lbmsim/config/language"
)

// filmOutput describes [output.film.NAME].
func filmOutput() outputKind {
	return outputKind{
		table: language.Table{Path: "output.film.*", Keys: []language.Key{
			{Name: "fps", Kind: language.Integer, Within: language.Counts(1, MostRate), Default: "10", Doc: "pictures per second"},
			{Name: "format", Kind: language.Word, Choices: append([]string{bestFormat}, FilmFormats()...), Default: language.Quote(bestFormat), Doc: "mp4 (H.264), webm (VP9) and webp require ffmpeg on PATH; apng, an animated PNG, does not. auto is mp4, without ffmpeg apng"},
		}, Doc: "An animation, such as NAME.mp4, of the pictures NAME_STEP.png, which an [output.picture.NAME] or [output.view.NAME] writes, or [output.picture] with the field NAME. It is made after the last step of the case. Earlier, or after a run that was stopped, [`lbmsim film`](live.md#animations-lbmsim-film) makes one from the folder."},
		read: func(r *outputs, s *language.Section) { r.film(s) },
		footprint: func(c *Case) (list []Footprint) {
			for _, f := range c.Films {
				all, share := 0.0, videoShare
				if f.Format == "apng" {
					share = 1
				}
				for _, o := range append(viewOutput().footprint(c), append(pictureOutputs().footprint(c), pictureOutput().footprint(c)...)...) {
					if slices.Contains(f.sources(&c.Outputs), o.Head) {
						all += share * o.Each * float64(o.Schedule.Count(c.Run.Steps))
					}
				}
				list = append(list, Footprint{Head: f.Head(), Schedule: Schedule{End: true}, Files: 1, Each: all})
			}
			return list
		},
	}
}

// Film is [output.film.NAME]: an animation of a series of pictures.
type Film struct {
	Name   string // of the pictures
	Rate   int    // pictures per second
	Format string // of FilmFormats; empty: the best that there is
}

const (
	bestFormat = "auto"
	videoShare = 0.1 // of the bytes of its pictures that a video takes at most; a wake took 0.025
	// MostRate is the most pictures per second.
	MostRate = 120
)

// FilmFormats returns the formats of animations, by the ends of their names without the dot.
func FilmFormats() []string { return []string{"mp4", "webm", "webp", "apng"} }

// Head returns the head of its table.
func (f Film) Head() string { return "[output.film." + f.Name + "]" }

// sources returns the heads of the tables of its pictures.
func (f Film) sources(c *Outputs) (heads []string) {
	for _, p := range c.Pictures {
		if p.Stem() == f.Name {
			heads = append(heads, p.Head())
		}
	}
	for _, v := range c.Views {
		if v.Name == f.Name {
			heads = append(heads, v.Head())
		}
	}
	return heads
}

func (r *outputs) film(s *language.Section) {
	f := Film{Name: s.Name()}
	named := r.Section("output.picture") != nil && len(r.Pictures) == 0 // a table with errors of its own
	for _, path := range []string{"output.picture", "output.view"} {
		named = named || slices.ContainsFunc(r.All(path), func(s *language.Section) bool { return s.Name() == f.Name })
	}
	if !named && len(f.sources(r.Outputs)) == 0 {
		var stems []string
		for _, p := range r.Pictures {
			stems = append(stems, p.Stem())
		}
		for _, v := range r.Views {
			stems = append(stems, v.Name)
		}
		slices.Sort(stems)
		hint := "add the table of its pictures"
		if stems = slices.Compact(stems); len(stems) > 0 {
			hint = "the case has pictures " + strings.Join(stems, ", ")
		}
		r.Add(s.At, hint, "%s: the case has no [output.picture.%s] and no [output.view.%s]", s.Head(), f.Name, f.Name)
	}
	if e := s.Get("fps"); e != nil {
		f.Rate = e.Ints[0]
	}
	if e := s.Get("format"); e != nil && e.Text != bestFormat {
		f.Format = e.Text
	}
	r.Films = append(r.Films, f)
}
