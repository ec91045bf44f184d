// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package film

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/io/picture"
)

// Series is the pictures of one output, in the order of their steps.
type Series struct {
	Name  string
	Files []string
}

// Find returns the series of pictures in a folder.
func Find(dir string) (list []Series, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type numbered struct {
		step int64
		path string
	}
	found := map[string][]numbered{}
	for _, e := range entries {
		if name, step, ok := picture.ParseFileName(e.Name()); ok && e.Type().IsRegular() {
			found[name] = append(found[name], numbered{step, filepath.Join(dir, e.Name())})
		}
	}
	for name, files := range found {
		slices.SortFunc(files, func(a, b numbered) int { return int(a.step - b.step) })
		s := Series{Name: name}
		for _, f := range files {
			s.Files = append(s.Files, f.path)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Series) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Formats, by the end of the name.
const (
	MP4  = ".mp4"
	WebM = ".webm"
	WebP = ".webp"
	APNG = ".apng"
)

// Known returns an error unless a name has the end of a format.
func Known(path string) error {
	switch filepath.Ext(path) {
	case MP4, WebM, WebP, APNG:
		return nil
	}
	return fmt.Errorf("%s: an animation is named *%s, *%s, *%s or *%s", path, MP4, WebM, WebP, APNG)
}

// Best returns the format that this machine can make and most players show.
func Best() string {
	if Possible(MP4) == nil {
		return MP4
	}
	return APNG
}

// Possible returns an error unless this machine can make the format of a name.
func Possible(path string) error {
	if filepath.Ext(path) == APNG {
		return nil
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return ErrNoFFmpeg
	}
	return nil
}

// Write makes an animation of a series, so many pictures per second, whole or not at all.
func Write(path string, s Series, rate int) (err error) {
	if err = Known(path); err != nil {
		return err
	}
	size, err := s.size()
	if err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	if format := filepath.Ext(path); format == APNG {
		err = s.animate(part, size, rate)
	} else {
		err = s.ffmpeg(part, format, size, rate)
	}
	if err != nil {
		return err
	}
	return os.Rename(part, path)
}

// size returns the size that all pictures fit into: the numbers beside the colours are of different widths.
func (s Series) size() (size image.Point, err error) {
	for _, path := range s.Files {
		f, err := os.Open(path)
		if err != nil {
			return size, err
		}
		c, err := png.DecodeConfig(f)
		f.Close()
		if err != nil {
			return size, fmt.Errorf("%s: %w", path, err)
		}
		size.X, size.Y = max(size.X, c.Width), max(size.Y, c.Height)
	}
	return size, nil
}

// frames calls use with each picture on white of a size.
func (s Series) frames(size image.Point, use func(*image.RGBA) error) error {
	for _, path := range s.Files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		frame := image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(frame, frame.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(frame, frame.Rect, img, img.Bounds().Min, draw.Over)
		if err := use(frame); err != nil {
			return err
		}
	}
	return nil
}

// animate writes an animated PNG.
func (s Series) animate(path string, size image.Point, rate int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	a, err := NewAnimation(f, size, len(s.Files), rate)
	if err == nil {
		err = s.frames(size, func(frame *image.RGBA) error { return a.Add(frame) })
	}
	if err == nil {
		err = a.Close()
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// Errors of a format that this machine cannot make: it has no ffmpeg, or one that was built without the encoder.
var (
	ErrNoFFmpeg  = errors.New("ffmpeg is not on PATH: only *" + APNG + " is made without it")
	ErrNoEncoder = errors.New("ffmpeg on PATH lacks the encoder")
)

// even pads to even sizes: video players need them, and chroma at half the resolution.
const even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"

// coders are the arguments of ffmpeg by format.
var coders = map[string][]string{
	MP4:  {"-vf", even, "-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"},
	WebM: {"-vf", even, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-f", "webm"},
	WebP: {"-c:v", "libwebp_anim", "-quality", "70", "-loop", "0", "-f", "webp"}, // 0: it repeats without end
}

// ffmpeg passes the frames to ffmpeg as they are: it needs no list of files, and all frames have one size.
func (s Series) ffmpeg(path, format string, size image.Point, rate int) error {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return ErrNoFFmpeg
	}
	args := []string{"-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb0", "-s", fmt.Sprintf("%dx%d", size.X, size.Y), "-r", fmt.Sprint(rate), "-i", "-", "-an", "-pix_fmt", "yuv420p"}
	c := exec.Command(program, append(append(args, coders[format]...), "file:"+path)...) // a name is not a protocol
	var said bytes.Buffer
	c.Stderr = &said
	to, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	failed := s.frames(size, func(frame *image.RGBA) error {
		_, err := to.Write(frame.Pix)
		return err
	})
	to.Close()
	if err := c.Wait(); err != nil && strings.Contains(said.String(), "Unknown encoder") {
		return fmt.Errorf("%w: %s", ErrNoEncoder, strings.TrimSpace(said.String()))
	} else if err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return failed
}
