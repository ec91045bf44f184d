// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

// gonum/plot draws axes, numbers and the colour scale; the image itself is copied pixel by
// pixel, because scaling would blur the cells.

import (
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const (
	margin    = 16
	gap       = 22 // between the image and the scale
	thickness = 18 // of the scale
)

// Sheet is an image of coloured values with its scale, axes and titles.
type Sheet struct {
	Image *image.NRGBA
	// Lines are drawn over the image, in pixels from its lower left corner.
	Lines [][2][2]float64
	Axes  *[2]Axis // horizontal and vertical; nil: the image is not a plane

	Scale    *Scale  // of the image's colours
	Legend   []Entry // instead of a scale
	Quantity string  // that the scale shows, for example "velocity x"
	Unit     string  // for example "m/s"; empty for numbers

	Title, Under string // the two lines on top
}

// Entry is a colour with its meaning.
type Entry struct {
	Colour color.NRGBA
	Text   string
}

// Axis is one axis along the image, from edge to edge.
type Axis struct {
	Label    string
	Min, Max float64
}

// Draw returns the sheet, which is as large as the image and its surroundings need.
func (s Sheet) Draw() image.Image {
	w, h := vg.Length(s.Image.Rect.Dx()), vg.Length(s.Image.Rect.Dy())
	main := s.frame(w, h)
	upright := h >= 0.4*w || w < 400 || s.Legend != nil
	bar := s.bar(upright)

	// Sizes first: the surroundings of the two data areas set the sheet's size.
	around, aroundBar := borders(main), borders(bar)
	barW, barH := vg.Length(thickness), max(h, 200)
	if s.Legend != nil {
		barW, barH = s.legend()
	} else if !upright {
		barW, barH = w, thickness
	}
	title, under := legible(s.Title), legible(s.Under)
	heads := style(large, true).Rectangle(title).Size()
	unders := style(normal, false).Rectangle(under).Size()
	const top vg.Length = margin + large*1.25 + normal*1.25 + 10
	var width, height vg.Length
	imageAt := vg.Point{X: margin + around.Min.X} // lower left corner, filled below
	var barAt vg.Point
	if upright {
		imageAt.Y = margin + max(around.Min.Y, aroundBar.Min.Y)
		barAt = vg.Point{X: imageAt.X + w + gap + aroundBar.Min.X, Y: imageAt.Y}
		width = barAt.X + barW + aroundBar.Max.X + margin
		height = imageAt.Y + max(h, barH) + top
	} else {
		barAt = vg.Point{X: imageAt.X, Y: margin + aroundBar.Min.Y}
		imageAt.Y = barAt.Y + barH + aroundBar.Max.Y + gap/2 + around.Min.Y
		width = imageAt.X + w + max(around.Max.X, aroundBar.Max.X) + margin
		height = imageAt.Y + h + top
	}
	width, height = floor(max(width, imageAt.X+max(heads.X, unders.X)+margin, 360))+1, floor(height)+1
	imageAt = vg.Point{X: floor(imageAt.X), Y: floor(imageAt.Y)}
	barAt = vg.Point{X: floor(barAt.X), Y: floor(barAt.Y)}

	target := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(72))
	canvas := target.Image()
	at := image.Pt(int(imageAt.X), int(height-imageAt.Y-h))
	stddraw.Draw(canvas, s.Image.Rect.Add(at), s.Image, image.Point{}, stddraw.Src)
	c := draw.NewCanvas(target, width, height)
	main.Draw(area(main, c, imageAt, w, h))
	if s.Legend != nil {
		s.drawLegend(c, barAt, barH)
	} else {
		bar.Draw(area(bar, c, barAt, barW, barH))
	}
	outline := draw.LineStyle{Color: ink, Width: 1}
	for _, line := range []draw.LineStyle{{Color: color.White, Width: 2.5}, outline} { // it is seen on any colour
		for _, l := range s.Lines {
			c.StrokeLines(line, []vg.Point{beyond(imageAt, l[0]), beyond(imageAt, l[1])})
		}
	}
	box(c, outline, imageAt, w, h)
	if s.Legend == nil {
		box(c, outline, barAt, barW, barH)
	}
	c.FillText(style(large, true), vg.Point{X: imageAt.X, Y: height - margin - large}, title)
	c.FillText(style(normal, false), vg.Point{X: imageAt.X, Y: height - margin - large*1.25 - normal}, under)
	return canvas
}

// beyond returns the point at a distance in pixels from a corner.
func beyond(corner vg.Point, pixels [2]float64) vg.Point {
	return vg.Point{X: corner.X + vg.Length(pixels[0]), Y: corner.Y + vg.Length(pixels[1])}
}

// frame returns the plot with the axes of an image of w x h pixels.
func (s Sheet) frame(w, h vg.Length) *plot.Plot {
	f := blank()
	if s.Axes == nil {
		unmarked(&f.X)
		unmarked(&f.Y)
		return f
	}
	for k, a := range []*plot.Axis{&f.X, &f.Y} {
		a.Label.Text, a.Min, a.Max = s.Axes[k].Label, s.Axes[k].Min, s.Axes[k].Max
	}
	f.X.Tick.Marker = ticks(int(min(max(w/90, 2), 10)))
	f.Y.Tick.Marker = ticks(int(min(max(h/70, 1), 10)))
	return f
}

// unmarked takes ticks and numbers off an axis.
func unmarked(a *plot.Axis) {
	a.Tick.Marker = plot.ConstantTicks(nil)
	a.Tick.Length = 0
}

// line is the height of an entry of a legend.
const line vg.Length = 1.6 * normal

// legend returns the size of the legend.
func (s Sheet) legend() (w, h vg.Length) {
	for _, e := range s.Legend {
		w = max(w, style(normal, false).Rectangle(legible(e.Text)).Size().X)
	}
	return thickness + 8 + w, line * vg.Length(len(s.Legend))
}

// drawLegend draws the legend upwards from a corner.
func (s Sheet) drawLegend(c draw.Canvas, at vg.Point, h vg.Length) {
	for i, e := range s.Legend {
		y := floor(at.Y + h - line*vg.Length(i+1))
		swatch := []vg.Point{{X: at.X, Y: y}, {X: at.X + thickness, Y: y}, {X: at.X + thickness, Y: y + normal}, {X: at.X, Y: y + normal}}
		c.FillPolygon(e.Colour, swatch)
		box(c, draw.LineStyle{Color: ink, Width: 1}, swatch[0], thickness, normal)
		c.FillText(style(normal, false), vg.Point{X: at.X + thickness + 8, Y: y + 2}, legible(e.Text))
	}
}

// bar returns the plot with the colour scale, empty where there is a legend.
func (s Sheet) bar(upright bool) *plot.Plot {
	b := blank()
	if s.Legend != nil {
		unmarked(&b.X)
		unmarked(&b.Y)
		return b
	}
	b.Add(&plotter.ColorBar{ColorMap: s.Scale.colours, Vertical: upright, Colors: 512})
	along, across := &b.X, &b.Y
	if upright {
		along, across = &b.Y, &b.X
	}
	unmarked(across)
	lo, hi := s.Scale.colours.Min(), s.Scale.colours.Max()
	along.Min, along.Max = lo, hi
	power := exponent(math.Max(math.Abs(lo), math.Abs(hi)))
	factor := math.Pow(10, float64(-power))
	inner := ticks(6)
	along.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		t := inner(lo*factor, hi*factor)
		for i := range t {
			t[i].Value /= factor
		}
		return t
	})
	unit := s.Unit
	if power != 0 {
		// Liberation Sans has no superscript minus.
		unit = strings.TrimSpace(fmt.Sprintf("× 1e%d %s", power, unit))
	}
	along.Label.Text = s.Quantity
	if unit != "" {
		along.Label.Text += " (" + unit + ")"
	}
	return b
}

// blank returns a plot with this package's fonts and no padding, so that its data
// area is exactly the image.
func blank() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle.Width = 0
		label, tick := style(normal, false), style(small, false)
		label.XAlign, label.YAlign, label.Rotation = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign, a.Label.TextStyle.Rotation
		tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Label.TextStyle, a.Tick.Label = label, tick
		a.Label.Padding = 4
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width = ink, 1
		a.Tick.Length = 6
	}
	return p
}

// borders returns the space that a plot needs around its data area: Min to the left
// and below, Max to the right and above.
func borders(p *plot.Plot) vg.Rectangle {
	const size = 1000
	da := p.DataCanvas(draw.NewCanvas(vgimg.New(1, 1), size, size))
	return vg.Rectangle{
		Min: vg.Point{X: da.Min.X, Y: da.Min.Y},
		Max: vg.Point{X: max(size-da.Max.X, 2*small), Y: max(size-da.Max.Y, small/2)},
	}
}

// area returns the canvas on which a plot has its data area at the given place. The plot keeps room
// for labels that extend beyond its axes, how much depends on the canvas: so the canvas
// is moved until the place is right.
func area(p *plot.Plot, c draw.Canvas, at vg.Point, w, h vg.Length) draw.Canvas {
	c.Min, c.Max = at, vg.Point{X: at.X + w, Y: at.Y + h}
	for range 20 {
		got := p.DataCanvas(c)
		off := vg.Rectangle{
			Min: vg.Point{X: at.X - got.Min.X, Y: at.Y - got.Min.Y},
			Max: vg.Point{X: at.X + w - got.Max.X, Y: at.Y + h - got.Max.Y},
		}
		c.Min.X, c.Min.Y = c.Min.X+off.Min.X, c.Min.Y+off.Min.Y
		c.Max.X, c.Max.Y = c.Max.X+off.Max.X, c.Max.Y+off.Max.Y
		if max(math.Abs(float64(off.Min.X)), math.Abs(float64(off.Min.Y)), math.Abs(float64(off.Max.X)), math.Abs(float64(off.Max.Y))) < 1e-3 {
			break
		}
	}
	return c
}

func box(c draw.Canvas, s draw.LineStyle, at vg.Point, w, h vg.Length) {
	x0, y0, x1, y1 := at.X-0.5, at.Y-0.5, at.X+w+0.5, at.Y+h+0.5
	c.StrokeLines(s, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}})
}

// floor puts edges on whole pixels.
func floor(l vg.Length) vg.Length { return vg.Length(math.Floor(float64(l))) }
