// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package terminal shows pictures on terminals that can: by the graphics protocol of kitty, the
// inline images of iTerm2, or sixel.
package terminal

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// Method is how a terminal is given a picture.
type Method string

const (
	None  Method = "none"
	Kitty Method = "kitty"
	ITerm Method = "iterm"
	Sixel Method = "sixel"
)

// Parse returns the method of a name.
func Parse(name string) (Method, error) {
	for _, m := range []Method{None, Kitty, ITerm, Sixel} {
		if string(m) == name {
			return m, nil
		}
	}
	return None, fmt.Errorf("%q is not a way to show pictures: kitty, iterm, sixel or none", name)
}

// Announced returns the method that a terminal announces by environment variables, None where it is not known to have one.
// Sixel is announced by no variable: see Asked. Multiplexers swallow the sequences or print their text, whatever the terminal around them can do.
func Announced(variable func(string) string) Method {
	term := variable("TERM")
	switch {
	case variable("TMUX") != "", variable("STY") != "", strings.HasPrefix(term, "screen"), strings.HasPrefix(term, "tmux"):
		return None
	case variable("KITTY_WINDOW_ID") != "", term == "xterm-kitty", term == "xterm-ghostty":
		return Kitty
	case variable("TERM_PROGRAM") == "iTerm.app", variable("TERM_PROGRAM") == "WezTerm", variable("LC_TERMINAL") == "iTerm2":
		return ITerm
	}
	return None
}

// Show writes a PNG file for a terminal, so many columns wide, and ends the line.
func Show(w io.Writer, m Method, file []byte, columns int) error {
	switch m {
	case Kitty:
		return kitty(w, file, columns)
	case ITerm:
		return iterm(w, file, columns)
	case Sixel:
		return sixel(w, file)
	}
	return nil
}

// pieceLimit is the longest payload of one of kitty's escape codes.
const pieceLimit = 4096

// kitty transmits and displays a PNG (f=100, a=T), in columns (c), without an answer (q=2), in pieces of which all but the last
// announce more (m=1): kitty's documentation, "Terminal graphics protocol".
func kitty(w io.Writer, file []byte, columns int) error {
	text := base64.StdEncoding.EncodeToString(file)
	keys := fmt.Sprintf("f=100,a=T,q=2,c=%d,", columns)
	for more := 1; more == 1; keys = "" {
		piece := text[:min(len(text), pieceLimit)]
		if text = text[len(piece):]; text == "" {
			more = 0
		}
		if _, err := fmt.Fprintf(w, "\x1b_G%sm=%d;%s\x1b\\", keys, more, piece); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// iterm is the inline image of iTerm2's documentation, "Images".
func iterm(w io.Writer, file []byte, columns int) error {
	_, err := fmt.Fprintf(w, "\x1b]1337;File=inline=1;size=%d;width=%d;preserveAspectRatio=1:%s\a\n", len(file), columns, base64.StdEncoding.EncodeToString(file))
	return err
}
