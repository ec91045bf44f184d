// Package film writes frames as an animated PNG, which browsers show as a film and every other
// reader of PNG as its first frame.
package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
	"time"
)

const signature = "\x89PNG\r\n\x1a\n"

// Encode writes frames of one size as an animated PNG that repeats forever and shows each of them for
// the time delay. A film has up to 256 colours, chosen for all of its frames; frames with no more than these keep theirs.
// Transparent pixels are shown on white.
//
// The format is the third edition of the PNG specification, 11.3.6: each frame has the chunks of a PNG
// of the part that differs from the frame before.
func Encode(w io.Writer, frames []image.Image, delay time.Duration) error {
	if len(frames) == 0 {
		return errors.New("a film has no frames")
	}
	size := frames[0].Bounds().Size()
	for i, f := range frames {
		if got := f.Bounds().Size(); got != size || size.X == 0 || size.Y == 0 {
			return fmt.Errorf("frame %d of a film has %d x %d pixels, the first one %d x %d", i, got.X, got.Y, size.X, size.Y)
		}
	}
	ms := delay.Milliseconds()
	if ms < 1 || ms > math.MaxUint16 {
		return fmt.Errorf("%v per frame of a film: must be from 1 ms to %v", delay, math.MaxUint16*time.Millisecond)
	}
	e := encoder{w: w}
	if _, e.err = io.WriteString(w, signature); e.err != nil {
		return e.err
	}
	var last *image.Paletted
	for i, f := range reduced(frames) {
		part := f.Rect
		if last != nil {
			part = changed(last, f)
		}
		e.frame(f.SubImage(part), i == 0, len(frames), uint16(ms))
		last = f
	}
	e.chunk("IEND", nil)
	return e.err
}

// encoder writes chunks and keeps the first error.
type encoder struct {
	w     io.Writer
	order uint32 // of the next fcTL or fdAT
	err   error
}

// frame writes what shows the next frame: its place and time, and the pixels of its PNG.
func (e *encoder) frame(part image.Image, first bool, count int, ms uint16) {
	if e.err != nil {
		return
	}
	var b bytes.Buffer
	if e.err = png.Encode(&b, part); e.err != nil {
		return
	}
	controlled := false
	for rest := b.Bytes()[len(signature):]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		switch {
		case kind == "IDAT":
			if !controlled {
				e.control(part.Bounds(), ms)
				controlled = true
			}
			if !first {
				kind, data = "fdAT", append(e.next(), data...)
			}
			e.chunk(kind, data)
		case kind == "IEND" || !first: // the first frame has brought the head and the palette
		default:
			e.chunk(kind, data)
			if kind == "IHDR" {
				e.chunk("acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(count)), 0))
			}
		}
	}
}

// control writes fcTL: the place of a frame's pixels, and how long it is shown. The next frame is drawn over it.
func (e *encoder) control(at image.Rectangle, ms uint16) {
	data := e.next()
	for _, v := range []int{at.Dx(), at.Dy(), at.Min.X, at.Min.Y} {
		data = binary.BigEndian.AppendUint32(data, uint32(v))
	}
	data = binary.BigEndian.AppendUint16(data, ms)
	data = binary.BigEndian.AppendUint16(data, 1000)
	e.chunk("fcTL", append(data, 0, 0)) // APNG_DISPOSE_OP_NONE, APNG_BLEND_OP_SOURCE
}

// next returns the next sequence number.
func (e *encoder) next() []byte {
	e.order++
	return binary.BigEndian.AppendUint32(nil, e.order-1)
}

// chunk writes a chunk: length, type, data, CRC.
func (e *encoder) chunk(kind string, data []byte) {
	if e.err != nil {
		return
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	_, e.err = e.w.Write(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
}

// changed returns the smallest rectangle with all pixels that differ. It has at least one: a frame can't be empty.
func changed(a, b *image.Paletted) image.Rectangle {
	box := image.Rectangle{}
	for y := range b.Rect.Dy() {
		p, q := a.Pix[y*a.Stride:(y+1)*a.Stride], b.Pix[y*b.Stride:(y+1)*b.Stride]
		if bytes.Equal(p, q) {
			continue
		}
		lo, hi := 0, len(q)
		for p[lo] == q[lo] {
			lo++
		}
		for p[hi-1] == q[hi-1] {
			hi--
		}
		box = box.Union(image.Rect(lo, y, hi, y+1))
	}
	if box.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return box
}
