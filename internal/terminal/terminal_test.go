// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package terminal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestAnnounced(t *testing.T) {
	for text, want := range map[string]Method{
		"":                                      None,
		"TERM=xterm-256color":                   None,
		"TERM=xterm-kitty":                      Kitty,
		"TERM=xterm-256color KITTY_WINDOW_ID=1": Kitty,
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app": ITerm,
		"TERM=xterm-256color LC_TERMINAL=iTerm2":     ITerm,
		"TERM=screen-256color KITTY_WINDOW_ID=1":     None,
		"TERM=xterm-kitty TMUX=/tmp/tmux":            None,
		"TERM=dumb TERM_PROGRAM=vscode":              None,
	} {
		set := map[string]string{}
		for _, word := range strings.Fields(text) {
			name, value, _ := strings.Cut(word, "=")
			set[name] = value
		}
		if got := Announced(func(name string) string { return set[name] }); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// noise returns a picture that compresses badly, of colours that sixel shows exactly.
func noise(t *testing.T, w, h int) (image.Image, []byte) {
	t.Helper()
	r := rand.New(rand.NewSource(2))
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {255, 0, 0, 255}, {0, 0, 255, 255}}[r.Intn(4)])
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return m, b.Bytes()
}

// The pieces of kitty's sequences and iTerm2's one are the file.
func TestFileArrives(t *testing.T) {
	_, file := noise(t, 300, 200)
	for m, piece := range map[Method]*regexp.Regexp{
		Kitty: regexp.MustCompile("^\x1b_G(?:f=100,a=T,q=2,c=90,)?m=([01]);([^\x1b]+)\x1b\\\\"),
		ITerm: regexp.MustCompile("^\x1b]1337;File=inline=(1);size=" + strconv.Itoa(len(file)) + ";width=90;preserveAspectRatio=1:([^\a]*)\a"),
	} {
		var b bytes.Buffer
		if err := Show(&b, m, file, 90); err != nil {
			t.Fatal(err)
		}
		rest, text, more := b.String(), "", "1"
		for rest != "\n" {
			found := piece.FindStringSubmatch(rest)
			if found == nil || m == Kitty && len(found[2]) > 4096 {
				t.Fatalf("%s: %.60q", m, rest)
			}
			text, more, rest = text+found[2], found[1], rest[len(found[0]):]
		}
		if got, err := base64.StdEncoding.DecodeString(text); err != nil || !bytes.Equal(got, file) {
			t.Errorf("%s: another file arrives, %v", m, err)
		}
		if m == Kitty && more != "0" {
			t.Error("the last piece announces more")
		}
	}
}

// A sixel terminal, by the manual, draws the same pixels: also in a last band of fewer rows.
func TestSixel(t *testing.T) {
	want, file := noise(t, 37, 16)
	var b bytes.Buffer
	if err := Show(&b, Sixel, file, 90); err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(b.String(), "\x1bPq\"1;1;37;16")
	text, end := strings.CutSuffix(text, "\x1b\\\n")
	if !ok || !end {
		t.Fatalf("%.40q", b.String())
	}
	got := image.NewRGBA(want.Bounds())
	colours := map[string]color.RGBA{}
	now, x, y := color.RGBA{}, 0, 0
	token := regexp.MustCompile(`^(?:#(\d+)(?:;2;(\d+);(\d+);(\d+))?|(?:!(\d+))?([?-~])|[$-])`)
	for text != "" {
		f := token.FindStringSubmatch(text)
		if f == nil {
			t.Fatalf("%.20q", text)
		}
		text = text[len(f[0]):]
		switch {
		case f[2] != "":
			var v [3]int
			for k := range v {
				v[k], _ = strconv.Atoi(f[2+k])
			}
			colours[f[1]] = color.RGBA{uint8(v[0] * 255 / 100), uint8(v[1] * 255 / 100), uint8(v[2] * 255 / 100), 255}
		case f[1] != "":
			now = colours[f[1]]
		case f[0] == "$":
			x = 0
		case f[0] == "-":
			x, y = 0, y+6
		default:
			n := 1
			if f[5] != "" {
				n, _ = strconv.Atoi(f[5])
			}
			for range n {
				for k := range 6 {
					if (f[6][0]-'?')>>k&1 == 1 {
						got.Set(x, y+k, now)
					}
				}
				x++
			}
		}
	}
	for i := range got.Pix {
		if w := want.(*image.RGBA).Pix[i]; got.Pix[i] != w {
			t.Fatalf("pixel %d: %d, want %d", i/4, got.Pix[i], w)
		}
	}
}

// A wide picture is halved until it fits; a plain one stays as it is.
func TestHalved(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 2101, 5))
	for i := range m.Pix {
		m.Pix[i] = 77
	}
	small := halved(m, sixelWidth)
	if small.Rect.Size() != image.Pt(526, 2) || small.At(525, 1) != (color.RGBA{77, 77, 77, 255}) {
		t.Error(small.Rect, small.At(525, 1))
	}
}

func TestParse(t *testing.T) {
	for _, m := range []Method{None, Kitty, ITerm, Sixel} {
		if got, err := Parse(string(m)); got != m || err != nil {
			t.Error(m, got, err)
		}
	}
	if _, err := Parse("ascii"); err == nil || !strings.Contains(fmt.Sprint(err), "kitty, iterm, sixel or none") {
		t.Error(err)
	}
}
