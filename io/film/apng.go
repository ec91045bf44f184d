// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package film makes animations of pictures: animated PNGs by itself, other formats by ffmpeg.
package film

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
)

// Animation writes an animated PNG (PNG specification, third edition, 4.9 and 11.3.6): any viewer shows its first frame, browsers
// show all. All frames have one size and are opaque; of each the box that changed is stored.
type Animation struct {
	w        io.Writer
	canvas   *image.RGBA // the frame before; nil: none was
	size     image.Point
	rate     int
	frames   int
	written  int
	sequence uint32
}

const signature = "\x89PNG\r\n\x1a\n"

// NewAnimation begins an animation of so many frames, so many per second, that repeats.
func NewAnimation(w io.Writer, size image.Point, frames, rate int) (*Animation, error) {
	if size.X < 1 || size.Y < 1 || frames < 1 || rate < 1 || rate > 1000 {
		return nil, fmt.Errorf("%d frames of %d x %d pixels at %d per second are not an animation", frames, size.X, size.Y, rate)
	}
	a := &Animation{w: w, size: size, rate: rate, frames: frames}
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	header = append(header, 8, 2, 0, 0, 0) // bits, true colours without alpha, as png.Encoder has them for opaque images
	if _, err := io.WriteString(w, signature); err != nil {
		return nil, err
	}
	if err := a.chunk("IHDR", header); err != nil {
		return nil, err
	}
	control := binary.BigEndian.AppendUint32(nil, uint32(frames))
	return a, a.chunk("acTL", binary.BigEndian.AppendUint32(control, 0)) // 0: it repeats without end
}

// Add writes the next frame. It must have the animation's size.
func (a *Animation) Add(frame image.Image) error {
	if frame.Bounds().Size() != a.size || a.written == a.frames {
		return fmt.Errorf("frame %d of %d has %v pixels, the animation %v", a.written+1, a.frames, frame.Bounds().Size(), a.size)
	}
	next := image.NewRGBA(image.Rectangle{Max: a.size})
	draw.Draw(next, next.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(next, next.Rect, frame, frame.Bounds().Min, draw.Over)
	part := next.Rect
	if a.canvas != nil {
		part = changed(a.canvas, next)
	}
	a.canvas = next
	var b bytes.Buffer
	if err := png.Encode(&b, next.SubImage(part)); err != nil {
		return err
	}
	if err := a.control(part); err != nil {
		return err
	}
	a.written++
	return a.data(b.Bytes()[len(signature):])
}

// control writes the place and the time of a frame.
func (a *Animation) control(part image.Rectangle) error {
	c := a.next(nil)
	for _, v := range []int{part.Dx(), part.Dy(), part.Min.X, part.Min.Y} {
		c = binary.BigEndian.AppendUint32(c, uint32(v))
	}
	c = binary.BigEndian.AppendUint16(c, 1)
	c = binary.BigEndian.AppendUint16(c, uint16(a.rate))
	return a.chunk("fcTL", append(c, 0, 0)) // the canvas stays, the part replaces its pixels
}

// data writes the pixels of an encoded PNG as a frame.
func (a *Animation) data(chunks []byte) error {
	for len(chunks) >= 12 {
		n := binary.BigEndian.Uint32(chunks)
		kind, data := string(chunks[4:8]), chunks[8:8+n]
		chunks = chunks[12+n:]
		if kind != "IDAT" {
			continue
		}
		var err error
		if a.written == 1 {
			err = a.chunk("IDAT", data)
		} else {
			err = a.chunk("fdAT", append(a.next(nil), data...))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next appends the number of the next chunk of the animation.
func (a *Animation) next(b []byte) []byte {
	a.sequence++
	return binary.BigEndian.AppendUint32(b, a.sequence-1)
}

// Close ends the animation, all of whose frames must be there.
func (a *Animation) Close() error {
	if a.written != a.frames {
		return fmt.Errorf("the animation has %d frames of %d", a.written, a.frames)
	}
	return a.chunk("IEND", nil)
}

func (a *Animation) chunk(kind string, data []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	_, err := a.w.Write(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	return err
}

// changed returns the smallest box with all pixels that differ, of a pixel at least.
func changed(a, b *image.RGBA) (box image.Rectangle) {
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		i := a.PixOffset(a.Rect.Min.X, y)
		p, q := a.Pix[i:i+4*a.Rect.Dx()], b.Pix[i:i+4*a.Rect.Dx()]
		if bytes.Equal(p, q) {
			continue
		}
		lo, hi := 0, len(p)-1
		for p[lo] == q[lo] {
			lo++
		}
		for p[hi] == q[hi] {
			hi--
		}
		box = box.Union(image.Rect(lo/4, y, hi/4+1, y+1))
	}
	if box.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return box
}
