// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"

	"lbmsim/io/paint"
)

// View is a picture in perspective of a surface of constant value, with its labels.
type View struct {
	Surface     string // the field that is constant on it
	Value       float64
	SurfaceUnit string
	Quantity    string      // the field of its colours
	Unit        string      // for example "m/s"; empty for numbers
	Range       *[2]float64 // fixed ends of the colour scale in Unit; nil takes the values'
	Case        string      // the name of the run, may be empty
	Step        int64       // time steps done
	Time        float64     // simulated time in seconds
	Lattice     bool        // the run has no units
	Levels      []float64   // that a reader may choose Value from; nil: none are known
	// Look returns the values of the colours in sight, and the function that draws them.
	Look func() (values []float64, draw Drawing, err error)
	Text map[string]string // stored in the file
}

// Drawing draws a picture with the colours of values.
type Drawing func(colour func(value float64) color.NRGBA) *image.NRGBA

// Write puts the picture into the file path, whole or not at all. The folder must exist.
func (v View) Write(path string) error {
	return write(path, func(w io.Writer) error {
		s, err := v.sheet()
		if err != nil {
			return err
		}
		return encode(w, s.Draw(), v.Text)
	})
}

// sheet returns the picture with its scale and titles.
func (v View) sheet() (s paint.Sheet, err error) {
	s = paint.Sheet{Quantity: v.Quantity, Unit: v.Unit}
	values, draw, err := v.Look()
	if err != nil {
		return s, err
	}
	lo, hi := paint.Extremes(values)
	if s.Scale, err = paint.NewScale(lo, hi, v.Range, paint.Auto); err != nil {
		return s, err
	}
	p := Picture{Quantity: v.Quantity, Unit: v.Unit, Case: v.Case, Step: v.Step, Time: v.Time, Lattice: v.Lattice}
	s.Title, s.Under = p.titles(lo, hi)
	s.Title += strings.TrimRight(fmt.Sprintf(" on %s = %.4g %s", v.Surface, v.Value, v.SurfaceUnit), " ")
	s.Image = draw(s.Scale.Colour)
	return s, nil
}
