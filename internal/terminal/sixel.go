// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package terminal

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color/palette"
	"image/draw"
	"image/png"
	"io"
)

// sixelWidth is the most pixels of a picture's row: xterm shows up to 1000.
const sixelWidth = 1000

// sixel writes a picture in bands of six rows, a run of pixels for each colour of a band: DEC, VT330/VT340 Programmer Reference
// Manual, volume 2, chapter 14.
func sixel(w io.Writer, file []byte) error {
	full, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("the picture is not a PNG: %w", err)
	}
	small := halved(full, sixelWidth)
	m := image.NewPaletted(small.Rect, palette.Plan9)
	draw.FloydSteinberg.Draw(m, m.Rect, small, image.Point{})
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "\x1bPq\"1;1;%d;%d", m.Rect.Dx(), m.Rect.Dy())
	for i, c := range m.Palette {
		r, g, b, _ := c.RGBA()
		fmt.Fprintf(out, "#%d;2;%d;%d;%d", i, percent(r), percent(g), percent(b))
	}
	for y := 0; y < m.Rect.Dy(); y += 6 {
		band(out, m, y)
	}
	fmt.Fprint(out, "\x1b\\\n")
	return out.Flush()
}

func percent(v uint32) uint32 { return (v*100 + 0x7fff) / 0xffff }

// band writes six rows from y on. Each colour starts at the left edge again.
func band(out *bufio.Writer, m *image.Paletted, y int) {
	w, rows := m.Rect.Dx(), min(6, m.Rect.Dy()-y)
	var used [256]bool
	for _, c := range m.Pix[y*m.Stride : (y+rows)*m.Stride] {
		used[c] = true
	}
	for c := range used {
		if !used[c] {
			continue
		}
		fmt.Fprintf(out, "#%d", c)
		run, last := 0, byte(0)
		for x := range w {
			bits := byte(0)
			for k := range rows {
				if m.Pix[(y+k)*m.Stride+x] == byte(c) {
					bits |= 1 << k
				}
			}
			if bits != last {
				repeat(out, last, run)
				run, last = 0, bits
			}
			run++
		}
		if last != 0 { // empty ends need no pixels
			repeat(out, last, run)
		}
		out.WriteByte('$')
	}
	out.WriteByte('-')
}

// repeat writes one column of six pixels n times.
func repeat(out *bufio.Writer, bits byte, n int) {
	if n > 3 {
		fmt.Fprintf(out, "!%d", n)
		n = 1
	}
	for range n {
		out.WriteByte('?' + bits)
	}
}

// halved returns a picture at the first half of its size that is no wider than most.
func halved(m image.Image, most int) *image.RGBA {
	b := m.Bounds()
	to := image.NewRGBA(image.Rectangle{Max: b.Size()})
	draw.Draw(to, to.Rect, m, b.Min, draw.Src)
	for to.Rect.Dx() > most {
		half := image.NewRGBA(image.Rect(0, 0, (to.Rect.Dx()+1)/2, (to.Rect.Dy()+1)/2))
		for i := range half.Pix {
			x, y, c := i%half.Stride/4, i/half.Stride, i%4
			x1, y1 := min(2*x+1, to.Rect.Dx()-1), min(2*y+1, to.Rect.Dy()-1)
			sum := 2
			for _, at := range [4][2]int{{2 * x, 2 * y}, {x1, 2 * y}, {2 * x, y1}, {x1, y1}} {
				sum += int(to.Pix[at[1]*to.Stride+4*at[0]+c])
			}
			half.Pix[i] = uint8(sum / 4)
		}
		to = half
	}
	return to
}
