// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/finding"
	"lbmsim/internal/raw"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/output"
)

// record takes the fields of the box, and the cell's part of them. Collective.
func (s *Search) record(b *Blowup) error {
	box := decomp.Box{Lo: b.Lo, Hi: b.Hi}
	var list []model.Field
	var values [][]float64
	names := []string{"density", "velocity", "pressure"}
	if s.Case.Spec.Scalar {
		names = append(names, "temperature")
	}
	for _, name := range names {
		i := slices.IndexFunc(model.Fields, func(f model.Field) bool { return f.Name == name })
		v, err := s.View.CollectAll(model.Fields[i], derive.Region{Level: b.Level, Box: box})
		if err != nil {
			return fmt.Errorf("rank %d: fields at step %d: %w", s.Rank.ID, s.Step(), err)
		}
		list, values = append(list, model.Fields[i]), append(values, v)
	}
	if !s.Rank.Root {
		return nil
	}
	size := box.Size()
	perDensity, perVelocity := 1/s.Case.Units.Factor(list[0].Dim), 1/s.Case.Units.Factor(list[1].Dim)
	moment := func(i int) Moment {
		m := Moment{Step: s.Step(), X: b.Lo[0] + i%size[0], Density: number64(perDensity * values[0][i])}
		speed := 0.0
		for a := range 3 {
			u := perVelocity * values[1][3*i+a]
			m.Velocity[a] = number64(u)
			speed += u * u
		}
		m.Speed = number64(math.Sqrt(speed))
		m.Mach = m.Speed / number64(derive.SoundSpeed)
		if s.Case.Spec.Scalar {
			theta := number64(values[len(values)-1][i])
			m.Temperature = &theta
		}
		return m
	}
	at := ((b.Cell[2]-b.Lo[2])*size[1]+b.Cell[1]-b.Lo[1])*size[0] + b.Cell[0] - b.Lo[0]
	b.History = append(b.History, moment(at))
	if s.Step() < b.Step || s.Step() == b.From {
		for i := range box.Cells() {
			b.found.speed = max(b.found.speed, derive.Finite(float64(moment(i).Speed)))
		}
	}
	if s.Step() == b.Step {
		for x := max(b.Lo[0], b.Cell[0]-2); x < min(b.Hi[0], b.Cell[0]+3); x++ {
			b.Around = append(b.Around, moment(at+x-b.Cell[0]))
		}
	}
	if len(b.History) > 1 && b.Fields == "" {
		return nil // the disk did not take the first one
	}
	if err := s.writeBox(b, list, values); err != nil {
		b.Fields = ""
		s.Rank.Warn(finding.Unstable.Says("fields around the first bad cell: %v", err))
	}
	return nil
}

// writeBox writes the fields of the present step around the place, on rank 0 alone.
func (s *Search) writeBox(b *Blowup, list []model.Field, values [][]float64) error {
	series := s.BlowupSeries()
	alone := comm.Serial()
	if len(b.History) == 1 {
		if err := os.MkdirAll(series.Dir, 0o777); err != nil {
			return err
		}
		if err := series.Rewind(alone, -1, false); err != nil {
			return err
		}
	}
	grid := s.GridOf(derive.Region{Level: b.Level, Box: decomp.Box{Lo: b.Lo, Hi: b.Hi}})
	p, err := series.Begin(alone, nil, decomp.Box{Hi: grid.N}, grid, s.Listed(list, model.Float64), s.Meta())
	if err != nil {
		return err
	}
	for i := range list {
		if err := p.Write(i, 0, raw.Bytes(values[i])); err != nil {
			p.Abort()
			return err
		}
	}
	if err := p.Flush(); err != nil {
		p.Abort()
		return err
	}
	b.Fields = filepath.Join(output.BlowupDir, filepath.Base(series.Index()))
	return p.Commit(nil)
}

// writeBlowup writes the report for people and for programs.
func (s *Search) writeBlowup(b *Blowup) error {
	if err := os.MkdirAll(s.Path(), 0o777); err != nil {
		return err
	}
	text := fmt.Sprintf("lbmsim %s, %s\n%s\n", b.Version, b.Case, b.text(s.Case))
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	for name, bytes := range map[string][]byte{output.BlowupText: []byte(text), output.BlowupJSON: append(data, '\n')} {
		path := s.Path(name)
		err := os.WriteFile(path+".part", bytes, 0o666)
		if err == nil {
			err = os.Rename(path+".part", path)
		}
		if err != nil {
			return errors.Join(err, os.Remove(path+".part"))
		}
	}
	return nil
}

// Message returns the message of the end with the findings; it names only files that
// exist.
func (s *Search) Message(b *Blowup, seen []byte) []byte {
	if b.found.cut {
		return fmt.Appendf(seen, "\n  the first bad cell is %s at step %d; a signal or the job's time limit ended the search", b.place(s.Case), b.Step)
	}
	text := []byte(b.text(s.Case))
	if b.found.kept {
		text = fmt.Appendf(text, "\n  more in %s", s.Path(output.BlowupText))
	}
	if b.Fields != "" {
		text = fmt.Appendf(text, "\n  fields around it in %s", s.Path(b.Fields))
	}
	return text
}
