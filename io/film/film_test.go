// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/picture"
)

// frames returns pictures in which a box moves over noise, the last two the same.
func frames(n, w, h int) (list []*image.RGBA) {
	from := rand.New(rand.NewSource(3))
	ground := image.NewRGBA(image.Rect(0, 0, w, h))
	for k := range ground.Pix {
		if ground.Pix[k] = uint8(from.Intn(256)); k%4 == 3 {
			ground.Pix[k] = 255
		}
	}
	for k := range n {
		f := image.NewRGBA(ground.Rect)
		copy(f.Pix, ground.Pix)
		draw.Draw(f, image.Rect(min(k, n-2), 2, min(k, n-2)+4, 6), image.NewUniform(color.RGBA{255, 0, uint8(k % n), 255}), image.Point{}, draw.Src)
		list = append(list, f)
	}
	copy(list[n-1].Pix, list[n-2].Pix)
	return list
}

// decode composes the frames of an animated PNG, and checks its structure.
func decode(t *testing.T, b []byte) (list []*image.RGBA, delays []float64) {
	t.Helper()
	if string(b[:8]) != signature {
		t.Fatal("no PNG")
	}
	var header, control []byte
	var canvas *image.RGBA
	var pixels []byte
	sequence, announced := uint32(0), 0
	number := func(data []byte) {
		if got := binary.BigEndian.Uint32(data); got != sequence {
			t.Fatalf("chunk %d of the animation has the number %d", sequence, got)
		}
		sequence++
	}
	show := func() {
		if control == nil {
			return
		}
		var box [4]int
		for k := range box {
			box[k] = int(binary.BigEndian.Uint32(control[4+4*k:]))
		}
		own := append([]byte{}, header...)
		binary.BigEndian.PutUint32(own, uint32(box[0]))
		binary.BigEndian.PutUint32(own[4:], uint32(box[1]))
		var one bytes.Buffer
		one.WriteString(signature)
		for _, c := range []struct {
			kind string
			data []byte
		}{{"IHDR", own}, {"IDAT", pixels}, {"IEND", nil}} {
			_ = binary.Write(&one, binary.BigEndian, uint32(len(c.data)))
			one.WriteString(c.kind)
			one.Write(c.data)
			_ = binary.Write(&one, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(c.kind), c.data...)))
		}
		img, err := png.Decode(&one)
		if err != nil {
			t.Fatalf("frame %d: %v", len(list), err)
		}
		draw.Draw(canvas, image.Rect(box[2], box[3], box[2]+box[0], box[3]+box[1]), img, img.Bounds().Min, draw.Src)
		shown := image.NewRGBA(canvas.Rect)
		copy(shown.Pix, canvas.Pix)
		list = append(list, shown)
		delays = append(delays, float64(binary.BigEndian.Uint16(control[20:]))/float64(binary.BigEndian.Uint16(control[22:])))
		pixels = nil
	}
	for b = b[8:]; len(b) > 0; {
		n := binary.BigEndian.Uint32(b)
		kind, data := string(b[4:8]), b[8:8+n]
		if crc32.ChecksumIEEE(b[4:8+n]) != binary.BigEndian.Uint32(b[8+n:]) {
			t.Fatalf("%s has a wrong checksum", kind)
		}
		b = b[12+n:]
		switch kind {
		case "IHDR":
			header = data
			canvas = image.NewRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:]))))
		case "acTL":
			announced = int(binary.BigEndian.Uint32(data))
		case "fcTL":
			show()
			number(data)
			control = data
		case "IDAT":
			pixels = append(pixels, data...)
		case "fdAT":
			number(data)
			pixels = append(pixels, data[4:]...)
		case "IEND":
			show()
		}
	}
	if announced != len(list) {
		t.Errorf("%d frames are announced, %d are there", announced, len(list))
	}
	return list, delays
}

// An animated PNG has all frames unchanged, at their rate, and its first one for every reader of PNG; unchanged pixels are
// stored once.
func TestAnimation(t *testing.T) {
	want := frames(9, 60, 40)
	var b bytes.Buffer
	a, err := NewAnimation(&b, image.Pt(60, 40), len(want), 25)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range want {
		if err := a.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got, delays := decode(t, b.Bytes())
	if len(got) != len(want) {
		t.Fatalf("%d frames", len(got))
	}
	for k := range want {
		if !bytes.Equal(got[k].Pix, want[k].Pix) || delays[k] != 1.0/25 {
			t.Errorf("frame %d differs, or lasts %g s", k, delays[k])
		}
	}
	first, err := png.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var one bytes.Buffer
	if err := png.Encode(&one, want[0]); err != nil {
		t.Fatal(err)
	}
	for y := range 40 {
		for x := range 60 {
			if color.RGBAModel.Convert(first.At(x, y)) != want[0].At(x, y) {
				t.Fatalf("pixel %d, %d of the first frame differs", x, y)
			}
		}
	}
	if most := one.Len() + len(want)*400; b.Len() > most {
		t.Errorf("%d bytes; a frame has %d", b.Len(), one.Len())
	}
}

func TestInvalidAnimations(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct{ w, h, n, rate int }{{0, 1, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 2000}} {
		if _, err := NewAnimation(&b, image.Pt(c.w, c.h), c.n, c.rate); err == nil {
			t.Errorf("%+v is an animation", c)
		}
	}
	a, err := NewAnimation(&b, image.Pt(4, 4), 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	if a.Add(image.NewRGBA(image.Rect(0, 0, 4, 5))) == nil || a.Close() == nil {
		t.Error("a frame of another size, or an animation without its frames")
	}
}

// shot writes pictures of a series into a folder, of different sizes, and returns them.
func shot(t *testing.T, dir, name string) {
	t.Helper()
	for k, f := range frames(4, 33, 21) {
		var b bytes.Buffer
		if err := png.Encode(&b, f.SubImage(image.Rect(0, 0, 30+k, 21))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, picture.FileName(name, int64(9+k))), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	shot(t, dir, "speed")
	shot(t, dir, "cut_a")
	for _, other := range []string{"speed.png", "speed_1.png", "_0000000001.png", "speed_00000000x1.png", ".speed_0000000001.png.part"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Find(dir)
	if err != nil || len(list) != 2 || list[0].Name != "cut_a" || len(list[1].Files) != 4 || filepath.Base(list[1].Files[0]) != "speed_0000000009.png" || filepath.Base(list[1].Files[3]) != "speed_0000000012.png" {
		t.Errorf("%+v %v", list, err)
	}
}

// An animation appears under its name when it is whole; a picture that cannot be read leaves none.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	shot(t, dir, "speed")
	list, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "speed.apng")
	if err := Write(path, list[0], 10); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := decode(t, b); len(got) != 4 || got[0].Rect.Dx() != 33 || got[0].RGBAAt(32, 0) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%d frames of %v", len(got), got[0].Rect)
	}
	if err := Write(filepath.Join(dir, "speed.gif"), list[0], 10); err == nil || !strings.Contains(err.Error(), APNG) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(list[0].Files[2], []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "other.apng"), list[0], 10); err == nil || !strings.Contains(err.Error(), "0000000011") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// ffmpeg gets all frames, of the announced size; its message is in the error.
func TestFFmpeg(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	shot(t, dir, "speed")
	list, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(script string) {
		if err := os.WriteFile(filepath.Join(bin, "ffmpeg"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	put(`for last; do :; done; { echo "$@"; wc -c; } >"${last#file:}"`)
	path := filepath.Join(dir, "speed.mp4")
	if err := Write(path, list[0], 10); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "-s 33x21 -r 10") || !strings.Contains(string(b), fmt.Sprint(4*4*33*21)) {
		t.Errorf("%s %v", b, err)
	}
	put("echo no coder >&2; exit 3")
	if err := Write(filepath.Join(dir, "speed.webm"), list[0], 10); err == nil || !strings.Contains(err.Error(), "no coder") {
		t.Errorf("%v", err)
	}
	put("echo \"Unknown encoder 'libwebp_anim'\" >&2; exit 1")
	if err := Write(filepath.Join(dir, "speed.webp"), list[0], 10); !errors.Is(err, ErrNoEncoder) || !strings.Contains(err.Error(), "libwebp_anim") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.web*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Write(path, list[0], 10); err != ErrNoFFmpeg || Best() != APNG {
		t.Errorf("%v, best %s", err, Best())
	}
}

// The real ffmpeg makes animations that it can read.
func TestRealFFmpeg(t *testing.T) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg")
	}
	dir := t.TempDir()
	shot(t, dir, "speed")
	list, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{MP4, WebM, APNG} {
		path := filepath.Join(dir, "speed"+format)
		if err := Write(path, list[0], 10); err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		out, err := exec.Command(program, "-loglevel", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
		if want := 4 * 3 * 34 * 22; err != nil || format != APNG && len(out) != want || format == APNG && len(out) != 4*3*33*21 {
			t.Errorf("%s: %d bytes of frames (%v)", format, len(out), err)
		}
	}
}

// An animated WebP has the size and the duration of the pictures, repeats without end, and its first frame can be read.
func TestRealWebP(t *testing.T) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg")
	}
	dir := t.TempDir()
	shot(t, dir, "speed")
	list, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "speed.webp")
	if err := Write(path, list[0], 10); errors.Is(err, ErrNoEncoder) {
		t.Skip("ffmpeg has no encoder of WebP")
	} else if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	little := binary.LittleEndian
	three := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
	var size image.Point
	var frames [][]byte
	loops, duration := -1, 0
	for b := b[12:]; len(b) >= 8; { // RFC 9649
		n := little.Uint32(b[4:])
		switch data := b[8 : 8+n]; string(b[:4]) {
		case "VP8X":
			size = image.Pt(three(data[4:])+1, three(data[7:])+1)
		case "ANIM":
			loops = int(little.Uint16(data[4:]))
		case "ANMF":
			duration += three(data[12:])
			frames = append(frames, data[16:])
		}
		b = b[8+n+n%2:]
	}
	if size != image.Pt(33, 21) || loops != 0 || duration != 400 || len(frames) < 3 || len(frames) > 4 { // the last two are the same
		t.Errorf("%v pixels, %d loops, %d frames in %d ms", size, loops, len(frames), duration)
	}
	still := append([]byte("RIFF\x00\x00\x00\x00WEBP"), frames[0]...)
	little.PutUint32(still[4:], uint32(len(still)-8))
	decode := exec.Command(program, "-loglevel", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
	decode.Stdin = bytes.NewReader(still)
	if out, err := decode.Output(); err != nil || len(out) != 3*33*21 {
		t.Errorf("the first frame has %d bytes (%v)", len(out), err)
	}
}
