// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

var corner = Triangle{[3]float64{0, 0, 1}, [3][3]float64{{0, 0, 0}, {1.5, 0, 0}, {0, 2.25, -3}}, 0}

// binaryFile writes triangles as a binary file with this header.
func binaryFile(header string, list ...Triangle) []byte {
	b := make([]byte, 80, 84+50*len(list))
	copy(b, header)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	for _, t := range list {
		for _, v := range append([][3]float64{t.Normal}, t.V[:]...) {
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 7, 7)
	}
	return b
}

func asciiFile(name string, list ...Triangle) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "solid %s\n", name)
	for _, t := range list {
		fmt.Fprintf(&b, "facet normal %g %g %g\n outer loop\n", t.Normal[0], t.Normal[1], t.Normal[2])
		for _, v := range t.V {
			fmt.Fprintf(&b, "  vertex %g %g %g\n", v[0], v[1], v[2])
		}
		fmt.Fprint(&b, " endloop\nendfacet\n")
	}
	fmt.Fprintf(&b, "endsolid %s\n", name)
	return b.Bytes()
}

func read(b []byte) (list []Triangle, info Info, err error) {
	info, err = Read(bytes.NewReader(b), int64(len(b)), func(t Triangle) error {
		list = append(list, t)
		return nil
	})
	return list, info, err
}

func TestBothForms(t *testing.T) {
	for name, c := range map[string]struct {
		file   []byte
		binary bool
	}{
		"binary":                          {binaryFile("made by hand", corner, corner), true},
		"binary that begins with solid":   {binaryFile("solid of some CAD", corner, corner), true},
		"binary with more behind":         {append(binaryFile("x", corner, corner), 1, 2, 3), true},
		"ascii":                           {asciiFile("a name", corner, corner), false},
		"ascii in capitals, Windows":      {bytes.ReplaceAll(bytes.ToUpper(asciiFile("a", corner, corner)), []byte("\n"), []byte("\r\n")), false},
		"ascii with a byte order mark":    {append([]byte("\xef\xbb\xbf"), asciiFile("a", corner, corner)...), false},
		"two solids":                      {append(asciiFile("a", corner), asciiFile("b", corner)...), false},
		"ascii whose normals are nothing": {bytes.ReplaceAll(asciiFile("a", corner, corner), []byte("normal 0 0 1"), []byte("normal -nan(ind) nan x")), false},
	} {
		list, info, err := read(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(list) != 2 || info.Triangles != 2 || list[0].V != corner.V || list[1].V != corner.V || info.Binary != c.binary {
			t.Errorf("%s: %+v %v", name, info, list)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	whole := binaryFile("x", corner, corner)
	claim := binaryFile("x", corner)
	binary.LittleEndian.PutUint32(claim[80:], 4_000_000_000)
	nan := corner
	nan.V[1][2] = math.NaN()
	text := string(asciiFile("a", corner))
	for name, c := range map[string]struct{ file, want string }{
		"empty":            {"", "is empty"},
		"nothing like it":  {"PNG\x00\x01", "not an STL file"},
		"cut short":        {string(whole[:len(whole)-1]), "truncated"},
		"a great claim":    {string(claim), "4000000000 triangles, but the file has room for 1"},
		"no triangle":      {string(binaryFile("x")), "0 triangles"},
		"not a number":     {string(binaryFile("x", nan)), "triangle 1 of 1: a coordinate is NaN"},
		"ascii, empty":     {"solid a\nendsolid a\n", "no triangles"},
		"ascii, cut short": {text[:len(text)-30], "truncated"},
		"decimal comma":    {strings.Replace(text, "1.5", "1,5", 1), `line 5: "1,5" is not a coordinate`},
		"two vertices":     {strings.Replace(text, "  vertex 1.5 0 0\n", "", 1), `line 6: "endloop" where "vertex"`},
		"infinite":         {strings.Replace(text, "1.5", "1e999", 1), "not a coordinate"},
		"a long word":      {"solid\n" + strings.Repeat("a", 1<<20), "more than 128 characters"},
		"another file":     {"solid\n{}", `line 2: "{}" where "facet"`},
	} {
		_, _, err := read([]byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ... %s ...", name, err, c.want)
		}
	}
}

// For any bytes the reader returns, and all coordinates of triangles are finite.
func FuzzRead(f *testing.F) {
	for _, b := range [][]byte{
		binaryFile("x", corner), binaryFile("solid y", corner, corner), asciiFile("a", corner), asciiFile("", corner, corner),
		append(asciiFile("a", corner), asciiFile("b", corner)...), []byte("solid\nfacet normal 0 0 0 outer loop vertex 0 0 0"), binaryFile("x", corner)[:100], []byte("\xef\xbb\xbfsolid"),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, info, err := read(b)
		if len(list) > len(b)/30 {
			t.Fatalf("%d triangles from %d bytes", len(list), len(b))
		}
		if err == nil && (info.Triangles != len(list) || len(list) == 0) {
			t.Fatalf("%+v but %d triangles", info, len(list))
		}
		for _, tri := range list {
			for _, v := range tri.V {
				for _, x := range v {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatal(tri)
					}
				}
			}
		}
	})
}

// Dialects of other exporters are read, with a note of each.
func TestDialects(t *testing.T) {
	plain := string(asciiFile("part", corner))
	sixteen := func(big bool) string {
		b := []byte{0xff, 0xfe}
		if big {
			b = []byte{0xfe, 0xff}
		}
		for _, c := range []byte(plain) {
			if big {
				b = append(b, 0, c)
			} else {
				b = append(b, c, 0)
			}
		}
		return string(b)
	}
	end := strings.LastIndex(plain, "endsolid")
	for name, c := range map[string]struct{ text, note string }{
		"end solid":        {strings.Replace(plain, "endsolid", "end solid", 1), `"end solid" in two words`},
		"end loop, facet":  {strings.NewReplacer("endloop", "end loop", "endfacet", "End Facet").Replace(plain), `"end facet" in two words|"end loop" in two words`},
		"no endsolid":      {plain[:end], "the file ends without endsolid: is it complete?"},
		"carriage returns": {strings.ReplaceAll(plain, "\n", "\r"), "lines end in a carriage return only"},
		"CRLF":             {strings.ReplaceAll(plain, "\n", "\r\n"), ""},
		"comments":         {"# exported\n// twice\n" + plain, "comments are ignored"},
		"long comment":     {"#" + strings.Repeat("x", 1000) + "\n" + plain, "comments are ignored"},
		"UTF-16":           {sixteen(false), "the text is UTF-16"},
		"UTF-16, big":      {sixteen(true), "the text is UTF-16"},
	} {
		n := 0
		var last Triangle
		info, err := Read(strings.NewReader(c.text), int64(len(c.text)), func(t Triangle) error { n++; last = t; return nil })
		if err != nil || n != 1 || last.V != corner.V || strings.Join(info.Notes, "|") != c.note {
			t.Errorf("%s: %v, %d triangles, notes %q", name, err, n, info.Notes)
		}
	}
	for text, want := range map[string]string{
		strings.Repeat("Some prose that is not a surface.\n", 10):             "does not start with the word solid",
		plain[:strings.Index(plain, "endfacet")]:                              "truncated",
		strings.Replace(plain, "endloop", "end facet", 1):                     `"facet" where "loop" is expected`,
		strings.Replace(plain, "1.5", "1_5", 1):                               `"1_5" is not a coordinate`,
		strings.Replace(plain, "1.5", "0x15", 1):                              `"0x15" is not a coordinate`,
		strings.ReplaceAll(strings.Replace(plain, "1.5", "x", 1), "\n", "\r"): `line 5: "x" is not a coordinate`,
	} {
		if _, err := Read(strings.NewReader(text), int64(len(text)), func(Triangle) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// Triangles carry the number of their solid's name: equal names are one, a solid without triangles has none, an unnamed one
// has its number, and names beyond the limit share one.
func TestSolids(t *testing.T) {
	read := func(names ...string) (info Info, of []int) {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, "solid %s\n", n)
			if n != "empty" {
				b.WriteString("facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n")
			}
			b.WriteString("endsolid\n")
		}
		info, err := Read(strings.NewReader(b.String()), int64(b.Len()), func(t Triangle) error { of = append(of, t.Solid); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return info, of
	}
	info, of := read("body", "Räder vorn", "empty", "", "body", "Räder hinten")
	if fmt.Sprintf("%q", info.Solids) != `["body" "Räder vorn" "solid 4" "Räder hinten"]` || fmt.Sprint(of) != "[0 1 2 0 3]" {
		t.Errorf("%q %v", info.Solids, of)
	}
	if info, _ = read("Rä\x1b[2Jd\u009ber\u202e\tvorn \a", "body, \"left\""); fmt.Sprintf("%q", info.Solids) != `["Rä[2Jder vorn" "body, \"left\""]` { // terminals obey control characters
		t.Errorf("%q", info.Solids)
	}
	if info, of = read("one"); len(info.Solids) != 1 || of[0] != 0 {
		t.Errorf("%q %v", info.Solids, of)
	}
	var many []string
	for i := range MaxSolids + 9 {
		many = append(many, fmt.Sprintf("part %d", i))
	}
	if info, of = read(many...); len(info.Solids) != MaxSolids+1 || info.Solids[MaxSolids] != OtherSolids || of[MaxSolids-1] != MaxSolids-1 || of[MaxSolids+8] != MaxSolids {
		t.Errorf("%d names, the last %q, of solids %v", len(info.Solids), info.Solids[len(info.Solids)-1], of)
	}
}
