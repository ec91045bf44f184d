// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package stl reads STL files, binary and ASCII, one triangle at a time. It checks the file;
// package mesh checks the surface.
//
// The format follows 3D Systems' StereoLithography Interface Specification (1989):
// binary is 80 bytes of anything, a count, and 50 bytes per triangle; ASCII is a list of
// words. There is no mark that distinguishes them, no unit and no checksum.
//
// Why not a module: the known ones (hschendel/stl is the best maintained) read a file that begins
// with "solid" as ASCII, as many binary files do, and allocate memory by the header's 32-bit count
// before the first triangle.
package stl

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Triangle is one facet as in the file: its vertices anticlockwise when seen from outside, and the
// normal, which may be zero or wrong.
type Triangle struct {
	Normal [3]float64
	V      [3][3]float64
	Solid  int // in Info.Solids
}

// Info is the content of a file besides its triangles.
type Info struct {
	Binary    bool
	Name      string   // of the first solid, or the binary header's text
	Solids    []string // distinct names of an ASCII file's solids with triangles; "solid N" if unnamed
	Triangles int
	Notes     []string // accepted irregularities
}

// MaxSolids is the largest number of distinct names: solids beyond it share the last name, OtherSolids.
const MaxSolids = 256

// OtherSolids is the name of all solids beyond MaxSolids names.
const OtherSolids = "other solids"

// MaxTriangles is the largest number of triangles that is read. Such a file has 800 MiB, and its
// surface needs about as much memory.
const MaxTriangles = 1 << 24

// Read reads a file of size bytes and passes every triangle to add, whose error ends it. It stores
// no triangles, so memory does not depend on the file's header.
func Read(r io.Reader, size int64, add func(Triangle) error) (Info, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return Info{}, err
	}
	if len(head) == 0 {
		return Info{}, errors.New("the file is empty")
	}
	exact := false // has the length of a binary file with the header's count: this decides, whatever the header's text
	if len(head) >= headerBytes {
		n := int64(binary.LittleEndian.Uint32(head[80:]))
		exact = size == headerBytes+n*triangleBytes && n > 0
	}
	info := Info{}
	if wide := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")); wide && !exact {
		info.Notes = append(info.Notes, "the text is UTF-16")
		in = bufio.NewReaderSize(transform.NewReader(in, utf.UTF16(utf.LittleEndian, utf.UseBOM).NewDecoder()), 1<<16)
		if head, err = in.Peek(512); err != nil && !errors.Is(err, io.EOF) {
			return info, err
		}
	}
	switch {
	case exact || len(head) >= headerBytes && !looksASCII(head) && !isText(head):
		return readBinary(in, size, add)
	case !looksASCII(head) && isText(head):
		return info, errors.New("not an STL file: text that does not start with the word solid")
	case !looksASCII(head):
		return info, fmt.Errorf("not an STL file: it does not start with the word solid, and %d bytes are too few for a binary one", size)
	}
	return readASCII(in, info, add)
}

// looksASCII reports whether a file begins with the word solid, after comments, and continues as text.
func looksASCII(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		if !isComment(string(head[:min(2, len(head))])) {
			return len(head) >= 5 && strings.EqualFold(string(head[:5]), "solid")
		}
		end := bytes.IndexAny(head, "\r\n")
		if end < 0 {
			return true // a long comment: the reader decides
		}
		head = head[end:]
	}
}

// isText reports whether a file begins with only printable characters.
func isText(head []byte) bool {
	return len(head) > 0 && !bytes.ContainsFunc(head, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' && c != '\n' || c == '\uFFFD' })
}

// isComment reports whether a word begins a comment. The format has none, but exporters write them.
func isComment(word string) bool {
	return strings.HasPrefix(word, "#") || strings.HasPrefix(word, "//")
}

const (
	headerBytes   = 84
	triangleBytes = 50 // 12 numbers of 4 bytes and 2 bytes without a standard meaning
)

func readBinary(in *bufio.Reader, size int64, add func(Triangle) error) (Info, error) {
	var head [headerBytes]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return Info{}, fmt.Errorf("reading the header: %w", err)
	}
	n := int64(binary.LittleEndian.Uint32(head[80:]))
	info := Info{Binary: true, Name: printable(head[:80]), Triangles: int(n)}
	room := (size - headerBytes) / triangleBytes
	switch {
	case n == 0:
		return info, errors.New("the header declares 0 triangles")
	case n > room:
		return info, fmt.Errorf("the header declares %d triangles, but the file has room for %d: it is truncated, or not an STL file", n, room)
	case n > MaxTriangles:
		return info, tooMany()
	}
	if rest := size - headerBytes - n*triangleBytes; rest > 0 {
		info.Notes = append(info.Notes, fmt.Sprintf("ignored %d bytes after the last triangle", rest))
	}
	var b [triangleBytes]byte
	for i := int64(0); i < n; i++ {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return info, fmt.Errorf("triangle %d of %d: %w", i+1, n, err)
		}
		var t Triangle
		for c := range 3 {
			t.Normal[c] = single(b[4*c:])
			for v := range 3 {
				x := single(b[12+12*v+4*c:])
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return info, fmt.Errorf("triangle %d of %d: a coordinate is %v", i+1, n, x)
				}
				t.V[v][c] = x
			}
		}
		if err := add(t); err != nil {
			return info, err
		}
	}
	return info, nil
}

func single(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func tooMany() error {
	return fmt.Errorf("more than %d triangles: decimate the surface (details far below the cell size have no effect)", MaxTriangles)
}

// printable returns the printable beginning of a header.
func printable(b []byte) string {
	for i, c := range b {
		if c < ' ' || c > '~' {
			b = b[:i]
			break
		}
	}
	return strings.TrimSpace(string(b))
}

// words of an ASCII file, with their lines.
type words struct {
	in   *bufio.Reader
	line int
	word []byte
	back byte            // unread byte; 0: none
	name string          // of the current solid
	at   map[string]int  // of names in Info.Solids
	odd  map[string]bool // dialects met: lines that end in a carriage return alone, "end loop" in two words
}

// byte reads one byte; the end of a line is "\n" in all dialects.
func (w *words) byte() (byte, error) {
	if c := w.back; c != 0 {
		w.back = 0
		return c, nil
	}
	c, err := w.in.ReadByte()
	if c != '\r' || err != nil {
		return c, err
	}
	if b, _ := w.in.Peek(1); len(b) == 0 || b[0] == '\n' {
		return ' ', nil
	}
	w.odd["lines end in a carriage return only"] = true
	return '\n', nil
}

const longestWord = 128

// next reads one word; at the end of the file it is empty.
func (w *words) next() (string, error) {
	w.word = w.word[:0]
	for {
		c, err := w.byte()
		if errors.Is(err, io.EOF) {
			return string(w.word), nil
		}
		if err != nil {
			return "", err
		}
		if c == ' ' || c == '\t' || c == '\n' {
			if len(w.word) > 0 {
				w.back = c // the end of the line belongs to the next word
				return string(w.word), nil
			}
			if c == '\n' {
				w.line++
			}
			continue
		}
		if w.word = append(w.word, c); len(w.word) > longestWord {
			if isComment(string(w.word)) {
				return string(w.word), nil
			}
			return "", fmt.Errorf("line %d: a word of more than %d characters: not an STL file", w.line, longestWord)
		}
	}
}

// longestName is how much of a name is read, in bytes.
const longestName = 200

// rest skips the line and returns its beginning.
func (w *words) rest() (string, error) {
	var text []byte
	for {
		c, err := w.byte()
		if errors.Is(err, io.EOF) || c == '\n' {
			w.line++
			return shown(text), nil
		}
		if err != nil {
			return "", err
		}
		if len(text) < longestName {
			text = append(text, c)
		}
	}
}

// shown returns a name for tables and terminals, which obey control characters: without them, and without marks that change
// the text direction.
func shown(name []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(name), "?")))
}

// expect reads the given words.
func (w *words) expect(list ...string) error {
	for _, want := range list {
		got, err := w.next()
		if err != nil {
			return err
		}
		if part, two := strings.CutPrefix(want, "end"); two && strings.EqualFold(got, "end") {
			w.odd[fmt.Sprintf("%q in two words", "end "+part)] = true
			want = part
			if got, err = w.next(); err != nil {
				return err
			}
		}
		if !strings.EqualFold(got, want) {
			return w.unexpected(got, want)
		}
	}
	return nil
}

func (w *words) unexpected(got, want string) error {
	if got == "" {
		return fmt.Errorf("line %d: the file ends where %q is expected: it is truncated", w.line, want)
	}
	return fmt.Errorf("line %d: %q where %q is expected", w.line, got, want)
}

// vector reads three numbers; normals may be non-finite.
func (w *words) vector(normal bool) (v [3]float64, err error) {
	for a := range v {
		word, err := w.next()
		if err != nil {
			return v, err
		}
		x, err := strconv.ParseFloat(word, 64)
		switch {
		case word == "":
			return v, w.unexpected(word, "a number")
		case err == nil && math.Abs(x) <= math.MaxFloat32 && !strings.ContainsAny(word, "_xX"): // 1_0 and 0x10 are Go's
		case normal:
			x = 0 // "nan" in many spellings
		default:
			return v, fmt.Errorf("line %d: %q is not a coordinate", w.line, word)
		}
		v[a] = x
	}
	return v, nil
}

// readASCII reads one or more consecutive solids.
func readASCII(r *bufio.Reader, info Info, add func(Triangle) error) (Info, error) {
	if b, _ := r.Peek(3); string(b) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3) // just peeked
	}
	w := &words{in: r, line: 1, odd: map[string]bool{}, at: map[string]int{}}
	err := w.solids(&info, add)
	info.Notes = append(info.Notes, slices.Sorted(maps.Keys(w.odd))...)
	return info, err
}

// solids reads them to the end of the file.
func (w *words) solids(info *Info, add func(Triangle) error) error {
	for solids := 0; ; solids++ {
		word, err := w.next()
		for err == nil && isComment(word) {
			w.odd["comments are ignored"] = true
			if _, err = w.rest(); err == nil {
				word, err = w.next()
			}
		}
		switch {
		case err != nil:
			return err
		case word == "" && solids > 0 && info.Triangles == 0:
			return errors.New("the file has no triangles")
		case word == "" && solids > 0:
			if solids > 1 {
				info.Notes = append(info.Notes, fmt.Sprintf("%d solids in the file form one body", solids))
			}
			return nil
		case !strings.EqualFold(word, "solid"):
			return w.unexpected(word, "solid")
		}
		name, err := w.rest()
		if err != nil {
			return err
		}
		if solids == 0 {
			info.Name = printable([]byte(name))
		}
		w.name = cmp.Or(name, fmt.Sprintf("solid %d", solids+1))
		if err := w.facets(info, add); err != nil {
			return err
		}
	}
}

// solid returns the number of the current solid's name. Solids with the same name are one.
func (w *words) solid(info *Info) int {
	if k, known := w.at[w.name]; known {
		return k
	}
	if len(info.Solids) >= MaxSolids {
		w.name = OtherSolids
	}
	k, known := w.at[w.name]
	if !known {
		k = len(info.Solids)
		w.at[w.name], info.Solids = k, append(info.Solids, w.name)
	}
	return k
}

// facets reads the facets of one solid and the line that ends it.
func (w *words) facets(info *Info, add func(Triangle) error) error {
	for first := info.Triangles; ; {
		word, err := w.next()
		switch {
		case err != nil:
			return err
		case strings.EqualFold(word, "end"):
			w.odd[`"end solid" in two words`] = true
			if err := w.expect("solid"); err != nil {
				return err
			}
			_, err := w.rest()
			return err
		case strings.EqualFold(word, "endsolid"):
			_, err := w.rest()
			return err
		case word == "" && info.Triangles > first:
			w.odd["the file ends without endsolid: is it complete?"] = true
			return nil
		case !strings.EqualFold(word, "facet"):
			return w.unexpected(word, "facet")
		}
		var t Triangle
		if err := w.expect("normal"); err != nil {
			return err
		}
		if t.Normal, err = w.vector(true); err != nil {
			return err
		}
		if err := w.expect("outer", "loop"); err != nil {
			return err
		}
		for v := range t.V {
			if err := w.expect("vertex"); err != nil {
				return err
			}
			if t.V[v], err = w.vector(false); err != nil {
				return err
			}
		}
		if err := w.expect("endloop", "endfacet"); err != nil {
			return err
		}
		t.Solid = w.solid(info)
		if info.Triangles++; info.Triangles > MaxTriangles {
			return tooMany()
		}
		if err := add(t); err != nil {
			return err
		}
	}
}
