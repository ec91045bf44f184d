package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand"
	"strings"
	"testing"
	"time"
)

// decoded is a film as a reader assembles it, by the specification and independently of the encoder.
func decoded(t *testing.T, file []byte) (frames []*image.RGBA, delays []int) {
	t.Helper()
	if !bytes.HasPrefix(file, []byte(signature)) {
		t.Fatal("no signature")
	}
	var head, palette, pixels []byte
	var at image.Rectangle
	var canvas *image.RGBA
	order, count := uint32(0), uint32(0)
	show := func() {
		if pixels == nil {
			return
		}
		h := append([]byte(nil), head...)
		binary.BigEndian.PutUint32(h, uint32(at.Dx()))
		binary.BigEndian.PutUint32(h[4:], uint32(at.Dy()))
		var b bytes.Buffer
		b.WriteString(signature)
		e := encoder{w: &b}
		e.chunk("IHDR", h)
		e.chunk("PLTE", palette)
		e.chunk("IDAT", pixels)
		e.chunk("IEND", nil)
		part, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(canvas, at, part, image.Point{}, draw.Src)
		copied := *canvas
		copied.Pix = bytes.Clone(canvas.Pix)
		frames, pixels = append(frames, &copied), nil
	}
	for rest := file[len(signature):]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Fatalf("%s: wrong checksum", kind)
		}
		rest = rest[12+n:]
		if kind == "fcTL" || kind == "fdAT" {
			if got := binary.BigEndian.Uint32(data); got != order {
				t.Fatalf("%s: sequence number %d, want %d", kind, got, order)
			}
			order++
		}
		switch kind {
		case "IHDR":
			head = data
			canvas = image.NewRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:]))))
		case "acTL":
			count = binary.BigEndian.Uint32(data)
		case "PLTE":
			palette = data
		case "fcTL":
			show()
			v := func(i int) int { return int(binary.BigEndian.Uint32(data[4*i:])) }
			at = image.Rect(v(3), v(4), v(3)+v(1), v(4)+v(2))
			delays = append(delays, 1000*int(binary.BigEndian.Uint16(data[20:]))/int(binary.BigEndian.Uint16(data[22:])))
		case "IDAT":
			pixels = append(pixels, data...)
		case "fdAT":
			pixels = append(pixels, data[4:]...)
		case "IEND":
			show()
		}
	}
	if int(count) != len(frames) {
		t.Errorf("acTL announces %d frames of %d", count, len(frames))
	}
	return frames, delays
}

// Frames with up to 256 colours in all come back exactly, also where a frame repeats the one before.
func TestFewColours(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var frames []image.Image
	for k := range 6 {
		m := image.NewRGBA(image.Rect(3, 4, 43, 34)) // not at 0
		for i := 0; i < len(m.Pix); i += 4 {
			copy(m.Pix[i:], []byte{uint8(r.Intn(250)), 7, 9, 255})
		}
		if k == 3 {
			m = frames[2].(*image.RGBA)
		}
		if k == 4 { // one pixel differs
			copied := *m
			copied.Pix = bytes.Clone(frames[3].(*image.RGBA).Pix)
			copied.Pix[500*4]++
			m = &copied
		}
		frames = append(frames, m)
	}
	var b bytes.Buffer
	if err := Encode(&b, frames, 40*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	got, delays := decoded(t, b.Bytes())
	if len(got) != len(frames) {
		t.Fatalf("%d frames", len(got))
	}
	for k := range frames {
		if !bytes.Equal(got[k].Pix, frames[k].(*image.RGBA).Pix) || delays[k] != 40 {
			t.Errorf("frame %d differs, or is shown for %d ms", k, delays[k])
		}
	}
	// A reader without animation sees the first frame.
	if first, err := png.Decode(bytes.NewReader(b.Bytes())); err != nil || first.At(5, 5) != first.ColorModel().Convert(got[0].At(5, 5)) {
		t.Error("the first frame is not the picture", err)
	}
}

// A smooth colour scale of 1024 values and grey letters lose at most 4 of 255 in a channel: 256 colours for a path of less than
// 3 * 255 steps are closer than 3 to each other, and the cuts are not even.
func TestManyColours(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 1024, 2))
	for x := range 1024 {
		v := x / 4
		m.Set(x, 0, color.RGBA{uint8(v), uint8(255 - v), uint8(128 + v/4), 255})
		m.Set(x, 1, color.RGBA{uint8(255 - v/8), uint8(255 - v/8), uint8(255 - v/8), 255})
	}
	var b bytes.Buffer
	if err := Encode(&b, []image.Image{m}, time.Second); err != nil {
		t.Fatal(err)
	}
	got, _ := decoded(t, b.Bytes())
	worst := 0
	for i := range m.Pix {
		worst = max(worst, int(m.Pix[i])-int(got[0].Pix[i]), int(got[0].Pix[i])-int(m.Pix[i]))
	}
	if worst > 4 {
		t.Errorf("a colour is off by %d", worst)
	}
}

// full refuses to take more than some bytes.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errors.New("no space left")
	}
	return len(b), nil
}

func TestRefusals(t *testing.T) {
	small, large := image.NewGray(image.Rect(0, 0, 2, 2)), image.NewGray(image.Rect(0, 0, 3, 2))
	for want, f := range map[string]struct {
		frames []image.Image
		delay  time.Duration
	}{
		"no frames":          {nil, time.Second},
		"has 3 x 2 pixels":   {[]image.Image{small, large}, time.Second},
		"must be from 1 ms":  {[]image.Image{small}, 0},
		"2m0s per frame of ": {[]image.Image{small}, 2 * time.Minute},
	} {
		if err := Encode(&bytes.Buffer{}, f.frames, f.delay); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for n := range 100 { // wherever the disk is full
		left := full(n)
		if err := Encode(&left, []image.Image{small, small}, time.Second); err == nil {
			t.Errorf("no error after %d bytes", n)
		}
	}
}
