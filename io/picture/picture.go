// Package picture draws one plane of a field as a PNG file: the colours, a scale
// with unit and numbers, axes in metres, and a title that says what and when.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
)

// Colours chooses the colour map.
type Colours int

const (
	// Auto takes Diverging for values on both sides of zero, else Sequential.
	Auto Colours = iota
	// Sequential runs from dark to bright with even steps of luminance.
	Sequential
	// Diverging runs from blue over grey to red and is symmetric about zero.
	Diverging
)

// Picture is one plane of a field and what is to be said about it.
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

	// Lattice says that the run has no units: lengths are in cells, times in steps.
	Lattice bool
	Range   *[2]float64 // fixed ends of the colour scale in Unit; nil takes the values'
	Colours Colours
	// Text is stored in the file beside the picture: keyword -> UTF-8 text, for
	// example the resolved case and the program's version.
	Text map[string]string
	Size int // about how many pixels the longer side of the plane gets; 0 is 900
}

// check explains what cannot be drawn.
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
	img, err := p.draw()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return err
	}
	return writeWithText(w, b.Bytes(), p.Text)
}

// Write puts the picture into the file path, whole or not at all: it is written
// under a temporary name in the same folder, which then takes the place of an
// older picture. The folder must exist.
func (p Picture) Write(path string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the picture %s: %w", path, err)
		}
	}()
	// A name that is always the same: what a killed run leaves does not pile up.
	f, err := os.Create(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part"))
	if err != nil {
		return err
	}
	err = errors.Join(p.Encode(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
