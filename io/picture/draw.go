package picture

// The frame around the plane: gonum/plot draws axes, numbers and the colour
// scale; the plane itself is copied pixel by pixel, because scaling would blur
// the cells.

import (
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// At 72 dots an inch a point of gonum/plot is a pixel.
const (
	margin    = 16
	gap       = 22 // between the plane and the scale
	thickness = 18 // of the scale
	small     = 13 // font of numbers
	normal    = 14 // font of labels
	large     = 18 // font of the title
)

var ink = color.Gray{Y: 0x30}

func style(size vg.Length, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

func (p Picture) draw() (image.Image, error) {
	s, err := p.scale()
	if err != nil {
		return nil, err
	}
	plane := p.plane(s)
	w, h := vg.Length(plane.Rect.Dx()), vg.Length(plane.Rect.Dy())
	main := p.frame(w, h)
	upright := h >= 0.4*w || w < 400
	bar := p.bar(s, upright)

	// Sizes first: what stands around the two data areas decides the picture's.
	around, aroundBar := borders(main), borders(bar)
	barW, barH := vg.Length(thickness), max(h, 200)
	if !upright {
		barW, barH = w, thickness
	}
	title, under := p.titles()
	heads := style(large, true).Rectangle(title).Size()
	unders := style(normal, false).Rectangle(under).Size()
	const top vg.Length = margin + large*1.25 + normal*1.25 + 10
	var width, height vg.Length
	planeAt := vg.Point{X: margin + around.Min.X} // lower left corner, filled below
	var barAt vg.Point
	if upright {
		planeAt.Y = margin + max(around.Min.Y, aroundBar.Min.Y)
		barAt = vg.Point{X: planeAt.X + w + gap + aroundBar.Min.X, Y: planeAt.Y}
		width = barAt.X + barW + aroundBar.Max.X + margin
		height = planeAt.Y + max(h, barH) + top
	} else {
		barAt = vg.Point{X: planeAt.X, Y: margin + aroundBar.Min.Y}
		planeAt.Y = barAt.Y + barH + aroundBar.Max.Y + gap/2 + around.Min.Y
		width = planeAt.X + w + max(around.Max.X, aroundBar.Max.X) + margin
		height = planeAt.Y + h + top
	}
	width, height = floor(max(width, planeAt.X+max(heads.X, unders.X)+margin, 360))+1, floor(height)+1
	planeAt = vg.Point{X: floor(planeAt.X), Y: floor(planeAt.Y)}
	barAt = vg.Point{X: floor(barAt.X), Y: floor(barAt.Y)}

	target := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(72))
	canvas := target.Image()
	at := image.Pt(int(planeAt.X), int(height-planeAt.Y-h))
	stddraw.Draw(canvas, plane.Rect.Add(at), plane, image.Point{}, stddraw.Src)
	c := draw.NewCanvas(target, width, height)
	main.Draw(area(main, c, planeAt, w, h))
	bar.Draw(area(bar, c, barAt, barW, barH))
	outline := draw.LineStyle{Color: ink, Width: 1}
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 2.5}, outline} { // it is seen on any colour
		for _, l := range p.Outline {
			c.StrokeLines(s, []vg.Point{p.point(planeAt, l[0]), p.point(planeAt, l[1])})
		}
	}
	box(c, outline, planeAt, w, h)
	box(c, outline, barAt, barW, barH)
	c.FillText(style(large, true), vg.Point{X: planeAt.X, Y: height - margin - large}, title)
	c.FillText(style(normal, false), vg.Point{X: planeAt.X, Y: height - margin - large*1.25 - normal}, under)
	return canvas, nil
}

// point is a place in cells on the plane whose lower left corner is at a point of the picture.
func (p Picture) point(corner vg.Point, at [2]float64) vg.Point {
	_, _, grow, shrink := p.pixels()
	scale := float64(grow) / float64(shrink)
	return vg.Point{X: corner.X + vg.Length(at[0]*scale), Y: corner.Y + vg.Length(at[1]*scale)}
}

// frame is the plot with the axes of a plane of w x h pixels.
func (p Picture) frame(w, h vg.Length) *plot.Plot {
	lx, ly := float64(p.W)*p.Spacing, float64(p.H)*p.Spacing
	unit, factor := p.prefix(max(lx, ly, math.Abs(p.Origin[0]), math.Abs(p.Origin[1])))
	names := p.Axes
	if names[0] == "" && names[1] == "" {
		names = [2]string{"x", "y"}
	}
	f := blank()
	f.X.Min, f.X.Max = p.Origin[0]*factor, (p.Origin[0]+lx)*factor
	f.Y.Min, f.Y.Max = p.Origin[1]*factor, (p.Origin[1]+ly)*factor
	f.X.Label.Text = names[0] + " (" + unit + ")"
	f.Y.Label.Text = names[1] + " (" + unit + ")"
	f.X.Tick.Marker = ticks(int(min(max(w/90, 2), 10)))
	f.Y.Tick.Marker = ticks(int(min(max(h/70, 1), 10)))
	return f
}

// bar is the plot with the colour scale.
func (p Picture) bar(s *scale, upright bool) *plot.Plot {
	b := blank()
	b.Add(&plotter.ColorBar{ColorMap: s.ColorMap, Vertical: upright, Colors: 512})
	along, across := &b.X, &b.Y
	if upright {
		along, across = &b.Y, &b.X
	}
	across.Tick.Marker = plot.ConstantTicks(nil)
	across.Tick.Length = 0
	along.Min, along.Max = s.Min(), s.Max()
	power := exponent(math.Max(math.Abs(s.Min()), math.Abs(s.Max())))
	factor := math.Pow(10, float64(-power))
	inner := ticks(6)
	along.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		t := inner(lo*factor, hi*factor)
		for i := range t {
			t[i].Value /= factor
		}
		return t
	})
	unit := p.Unit
	if power != 0 {
		// Liberation Sans has no superscript minus.
		unit = strings.TrimSpace(fmt.Sprintf("× 1e%d %s", power, unit))
	}
	along.Label.Text = p.Quantity
	if unit != "" {
		along.Label.Text += " (" + unit + ")"
	}
	return b
}

// titles are the two lines on top.
func (p Picture) titles() (title, under string) {
	title = p.Quantity
	if p.Case != "" {
		title = p.Case + ": " + title
	}
	if p.Where != "" {
		title += " at " + p.Where
	}
	under = fmt.Sprintf("t = %.6g s, step %d", p.Time, p.Step)
	if p.Lattice {
		under = fmt.Sprintf("step %d", p.Step)
	}
	if lo, hi := p.extremes(); lo <= hi {
		under += strings.TrimSpace(fmt.Sprintf(", values %.4g to %.4g %s", lo, hi, p.Unit))
	}
	return legible(title), legible(under)
}

// blank is a plot with this package's fonts and no padding, so that its data
// area is exactly the plane.
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

// borders is the space that a plot needs around its data area: Min to the left
// and below, Max to the right and above.
func borders(p *plot.Plot) vg.Rectangle {
	const size = 1000
	da := p.DataCanvas(draw.NewCanvas(vgimg.New(1, 1), size, size))
	return vg.Rectangle{
		Min: vg.Point{X: da.Min.X, Y: da.Min.Y},
		Max: vg.Point{X: max(size-da.Max.X, 2*small), Y: max(size-da.Max.Y, small/2)},
	}
}

// area is the canvas on which a plot has its data area at the given place. The plot keeps room
// for labels that stand out beyond its axes, how much depends on the canvas: so the canvas
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
