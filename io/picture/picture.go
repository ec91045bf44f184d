// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package picture turns one plane of a field into a PNG file: it computes the pixels,
// labels them, and stores texts beside them. Package paint has the colours
// and draws the surroundings of the plane.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"

	"lbmsim/io/paint"
)

// Picture is one plane of a field with its labels.
type Picture struct {
	Quantity string  // for example "velocity x"
	Unit     string  // for example "m/s"; empty for numbers
	Case     string  // the name of the run, may be empty
	Step     int64   // time steps done
	Time     float64 // simulated time in seconds

	W, H   int       // cells along the horizontal and the vertical axis
	Values []float64 // Values[j*W+i], j upwards, in Unit; NaN is a solid cell
	// Outline are lines over the plane, in cells from its lower left corner: where the surfaces of bodies cut it.
	Outline [][2][2]float64
	Spacing float64    // metres between two cells
	Origin  [2]float64 // lower left corner of the plane in metres
	Axes    [2]string  // names of the axes; "x" and "y" when empty
	Where   string     // position of the plane, for example "z = 0.5 m"; may be empty

	// Lattice is set if the run has no units: lengths are in cells, times in steps.
	Lattice bool
	Range   *[2]float64 // fixed ends of the colour scale in Unit; nil takes the values'
	Colours paint.Colours
	// Text is stored in the file beside the picture: keyword -> UTF-8 text, for
	// example the resolved case and the program's version.
	Text map[string]string
	Size int // approximate number of pixels of the longer side of the plane; 0 is 900
}

// check explains why a picture cannot be drawn.
func (p Picture) check() error {
	switch {
	case p.W <= 0 || p.H <= 0:
		return fmt.Errorf("a plane of %d x %d cells has nothing to draw", p.W, p.H)
	case len(p.Values) != p.W*p.H:
		return fmt.Errorf("%d values for a plane of %d x %d cells", len(p.Values), p.W, p.H)
	case !(p.Spacing > 0) || math.IsInf(p.Spacing, 0):
		return fmt.Errorf("the spacing %g m is not a length", p.Spacing)
	case p.Size < 0 || p.Size > 16384:
		return fmt.Errorf("a size of %d pixels is not between 0 and 16384", p.Size)
	case p.Range != nil && !(p.Range[0] < p.Range[1]):
		return fmt.Errorf("the range %g to %g is empty", p.Range[0], p.Range[1])
	}
	return nil
}

// Encode writes the picture as PNG.
func (p Picture) Encode(w io.Writer) error {
	if err := p.check(); err != nil {
		return err
	}
	sheet, err := p.sheet()
	if err != nil {
		return err
	}
	return encode(w, sheet.Draw(), p.Text)
}

// Write puts the picture into the file path, whole or not at all. The folder must exist.
func (p Picture) Write(path string) error { return write(path, p.Encode) }

// encode writes an image as PNG, with texts beside it.
func encode(w io.Writer, img image.Image, text map[string]string) error {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return err
	}
	return writeWithText(w, b.Bytes(), text)
}

// write puts a picture into the file path: under a temporary name in the same folder,
// which then takes the place of an older picture.
func write(path string, encode func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the picture %s: %w", path, err)
		}
	}()
	// A name that is always the same: leftovers of killed runs do not accumulate.
	f, err := os.Create(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part"))
	if err != nil {
		return err
	}
	err = errors.Join(encode(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
