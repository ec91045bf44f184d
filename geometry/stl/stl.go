// Package stl reads STL files, binary and ASCII, one triangle at a time. It judges
// the file, not the surface: package mesh does that.
//
// The format is that of 3D Systems' StereoLithography Interface Specification (1989):
// binary is 80 bytes of anything, a count, and 50 bytes a triangle; ASCII is a list of
// words. There is no mark that tells them apart, no unit and no checksum.
//
// Why no module: the known ones (hschendel/stl is the best kept) take a file that
// begins with "solid" for ASCII, which many binary files do, and allocate what the
// header's 32-bit count says before they have seen a triangle.
package stl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Triangle is one facet as it stands in the file: its vertices anticlockwise seen
// from outside, and the normal, which may be zero or wrong.
type Triangle struct {
	Normal [3]float64
	V      [3][3]float64
}

// Info is what a file says beside its triangles.
type Info struct {
	Binary    bool
	Name      string // of the first solid, or the binary header's text
	Triangles int
	Notes     []string // what was odd and has been passed over
}

// MaxTriangles is the most that is read. A file of that many is 800 MiB large, and
// its surface takes about as much memory.
const MaxTriangles = 1 << 24

// Read reads a file of size bytes and hands every triangle to add, whose error ends
// it. It keeps nothing, so memory does not depend on what the file claims.
func Read(r io.Reader, size int64, add func(Triangle) error) (Info, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return Info{}, err
	}
	if len(head) == 0 {
		return Info{}, errors.New("the file is empty")
	}
	if len(head) >= headerBytes {
		// A binary file tells its own length: that decides, whatever the header's text.
		n := int64(binary.LittleEndian.Uint32(head[80:]))
		if size == headerBytes+n*triangleBytes && n > 0 || !looksASCII(head) {
			return readBinary(in, size, add)
		}
	}
	if !looksASCII(head) {
		return Info{}, fmt.Errorf("this is no STL file: it does not begin with the word solid, and its %d bytes are too few for a binary one", size)
	}
	return readASCII(in, add)
}

// looksASCII: the word solid, and text behind it.
func looksASCII(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) < 5 || !strings.EqualFold(string(head[:5]), "solid") {
		return false
	}
	return bytes.IndexByte(head, 0) < 0
}

const (
	headerBytes   = 84
	triangleBytes = 50 // 12 numbers of 4 bytes and 2 bytes that nobody agrees on
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
		return info, errors.New("the header says that the file has no triangles")
	case n > room:
		return info, fmt.Errorf("the header says %d triangles, but the file has room for %d: it is cut short, or no STL file", n, room)
	case n > MaxTriangles:
		return info, tooMany()
	}
	if rest := size - headerBytes - n*triangleBytes; rest > 0 {
		info.Notes = append(info.Notes, fmt.Sprintf("%d bytes after the last triangle are not read", rest))
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
	return fmt.Errorf("more than %d triangles: reduce the surface (no cell sees details far below its size)", MaxTriangles)
}

// printable is the text that a header begins with.
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
}

const longestWord = 128

// next reads one word; at the end of the file it is empty.
func (w *words) next() (string, error) {
	w.word = w.word[:0]
	for {
		c, err := w.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return string(w.word), nil
		}
		if err != nil {
			return "", err
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			if len(w.word) > 0 {
				return string(w.word), w.in.UnreadByte() // the line's end belongs to the next word
			}
			if c == '\n' {
				w.line++
			}
			continue
		}
		if w.word = append(w.word, c); len(w.word) > longestWord {
			return "", fmt.Errorf("line %d: a word of more than %d letters: this is no STL file", w.line, longestWord)
		}
	}
}

// rest skips the line, of which it returns the beginning.
func (w *words) rest() (string, error) {
	var text []byte
	for {
		c, err := w.in.ReadByte()
		if errors.Is(err, io.EOF) || c == '\n' {
			w.line++
			return printable(bytes.TrimSpace(text)), nil
		}
		if err != nil {
			return "", err
		}
		if len(text) < 80 {
			text = append(text, c)
		}
	}
}

// expect reads the given words.
func (w *words) expect(list ...string) error {
	for _, want := range list {
		got, err := w.next()
		if err != nil {
			return err
		}
		if !strings.EqualFold(got, want) {
			return w.unexpected(got, want)
		}
	}
	return nil
}

func (w *words) unexpected(got, want string) error {
	if got == "" {
		return fmt.Errorf("line %d: the file ends where %q should stand: it is cut short", w.line, want)
	}
	return fmt.Errorf("line %d: %q where %q should stand", w.line, got, want)
}

// vector reads three numbers; those of a normal may be no numbers.
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
		case err == nil && math.Abs(x) <= math.MaxFloat32:
		case normal:
			x = 0 // "nan" in many spellings
		default:
			return v, fmt.Errorf("line %d: %q is no coordinate", w.line, word)
		}
		v[a] = x
	}
	return v, nil
}

// readASCII reads one solid or several, one after the other.
func readASCII(r *bufio.Reader, add func(Triangle) error) (Info, error) {
	if b, _ := r.Peek(3); string(b) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3) // just peeked
	}
	w := &words{in: r, line: 1}
	info := Info{}
	for solids := 0; ; solids++ {
		word, err := w.next()
		switch {
		case err != nil:
			return info, err
		case word == "" && solids > 0 && info.Triangles == 0:
			return info, errors.New("the file has no triangles")
		case word == "" && solids > 0:
			if solids > 1 {
				info.Notes = append(info.Notes, fmt.Sprintf("%d solids in the file are taken as one", solids))
			}
			return info, nil
		case !strings.EqualFold(word, "solid"):
			return info, w.unexpected(word, "solid")
		}
		name, err := w.rest()
		if err != nil {
			return info, err
		}
		if solids == 0 {
			info.Name = name
		}
		if err := readSolid(w, &info, add); err != nil {
			return info, err
		}
	}
}

// readSolid reads the facets of one solid and the line that ends it.
func readSolid(w *words, info *Info, add func(Triangle) error) error {
	for {
		word, err := w.next()
		switch {
		case err != nil:
			return err
		case strings.EqualFold(word, "endsolid"):
			_, err := w.rest()
			return err
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
		if info.Triangles++; info.Triangles > MaxTriangles {
			return tooMany()
		}
		if err := add(t); err != nil {
			return err
		}
	}
}
