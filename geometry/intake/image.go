// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package intake

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Image is a voxel image: a bit per voxel, set if it is solid.
type Image struct {
	Path            string
	SHA256          string
	N               [3]int
	Origin, Spacing [3]float64 // lower corner and edges of a voxel, in the file's numbers
	Solid           int
	bits            []uint64 // x fastest
}

// Words returns the bits of the voxels from 64 i to 64 j.
func (m *Image) Words(i, j int) []uint64 { return m.bits[min(i, len(m.bits)):min(j, len(m.bits))] }

// Report describes the image.
func (m *Image) Report() []Row {
	all := float64(m.N[0]) * float64(m.N[1]) * float64(m.N[2])
	return []Row{
		{What: "file", Value: fmt.Sprintf("image of %d x %d x %d voxels", m.N[0], m.N[1], m.N[2])},
		{What: "sha256", Value: m.SHA256},
		{What: "lower corner", Value: place(m.Origin)},
		{What: "voxel", Value: place(m.Spacing)},
		{What: "solid", Value: fmt.Sprintf("%d voxels, %s of all", m.Solid, percent(float64(m.Solid)/all))},
	}
}

// Numbers returns the types of values that raw files may have.
func Numbers() (names []string) {
	for _, k := range numbers {
		names = append(names, k.name)
	}
	return names
}

// ImageForm has the properties of an image that its file does not contain.
type ImageForm struct {
	Voxels [3]int     // raw files: the number along each axis
	Number string     // raw files: the type of a value, one of Numbers
	Array  string     // VTI: the name of the array; empty takes the first
	Solid  [2]float64 // values from the first to the second are solid
}

// MostVoxels is the largest number of voxels of an image, a bit each.
const MostVoxels = 1 << 33

// number is a type of values.
type number struct {
	name, vtk string
	bytes     int
	read      func(binary.ByteOrder, []byte) float64
}

var numbers = []number{
	{"uint8", "UInt8", 1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	{"int8", "Int8", 1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	{"uint16", "UInt16", 2, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }},
	{"int16", "Int16", 2, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }},
	{"uint32", "UInt32", 4, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }},
	{"int32", "Int32", 4, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }},
	{"uint64", "UInt64", 8, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }},
	{"int64", "Int64", 8, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }},
	{"float32", "Float32", 4, func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
	{"float64", "Float64", 8, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }},
}

// has reports whether a number is of this type.
func (k number) has(v float64) bool {
	if strings.HasPrefix(k.vtk, "Float") {
		return true
	}
	least, most := 0., math.Exp2(float64(8*k.bytes))
	if !strings.HasPrefix(k.vtk, "U") {
		least, most = -most/2, most/2
	}
	return v >= least && v < most && v == math.Trunc(v)
}

// ReadImage reads a VTI file (by its ending) or a raw one: bare numbers, x fastest, little-endian.
func ReadImage(path string, form ImageForm) (*Image, error) {
	m, err := openImage(path, form)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func openImage(path string, form ImageForm) (*Image, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, noFile{}
	case err != nil:
		return nil, reason(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	m := &Image{Path: path}
	if strings.EqualFold(filepath.Ext(path), ".vti") {
		err = m.vti(f, info.Size(), form)
	} else {
		err = m.raw(f, info.Size(), form)
	}
	if err != nil {
		return nil, reason(err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return nil, reason(err)
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if m.Solid == 0 {
		return nil, fmt.Errorf("no voxel has a value from %g to %g: there are no solid voxels", form.Solid[0], form.Solid[1])
	}
	return m, nil
}

// allot checks the number of voxels. Memory is allocated only once the file is known to contain
// them.
func (m *Image) allot(n [3]int) (voxels int64, err error) {
	m.N, voxels = n, 1
	for _, k := range n {
		if k < 1 || int64(k) > MostVoxels/voxels {
			return 0, fmt.Errorf("%d x %d x %d voxels; an image has 1 to %d", n[0], n[1], n[2], int64(MostVoxels))
		}
		voxels *= int64(k)
	}
	return voxels, nil
}

func (m *Image) raw(f io.ReaderAt, size int64, form ImageForm) error {
	kind := numbers[0]
	for _, k := range numbers {
		if k.name == form.Number {
			kind = k
		}
	}
	voxels, err := m.allot(form.Voxels)
	if err != nil {
		return err
	}
	if want := voxels * int64(kind.bytes); size != want {
		return fmt.Errorf("%d x %d x %d voxels of %s are %d bytes, but the file has %d", m.N[0], m.N[1], m.N[2], kind.name, want, size)
	}
	m.Spacing = [3]float64{1, 1, 1}
	return m.fill(io.NewSectionReader(f, 0, size), kind, binary.LittleEndian, voxels, form.Solid)
}

// fill reads the values.
func (m *Image) fill(r io.Reader, kind number, order binary.ByteOrder, voxels int64, solid [2]float64) error {
	m.bits = make([]uint64, (voxels+63)/64)
	const block = 1 << 13
	b := make([]byte, block*kind.bytes)
	for i := int64(0); i < voxels; i += block {
		n := min(block, voxels-i)
		b := b[:n*int64(kind.bytes)]
		if got, err := io.ReadFull(r, b); err != nil {
			return fmt.Errorf("voxel %d of %d: %w", i+int64(got/kind.bytes)+1, voxels, err)
		}
		for k := range n {
			m.put(i+k, kind.read(order, b[k*int64(kind.bytes):]), solid)
		}
	}
	return nil
}

func (m *Image) put(i int64, v float64, solid [2]float64) {
	if v >= solid[0] && v <= solid[1] {
		m.bits[i/64] |= 1 << (i % 64)
		m.Solid++
	}
}

// The format of VTI files: VTK File Formats, XML, ImageData
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html).

// mostXML is the largest number of bytes of a file read as XML: everything before appended data.
const mostXML = 1 << 28

// vtiArray is a DataArray.
type vtiArray struct {
	kind   number
	name   string
	format string
	offset int64
	points bool
	text   []byte // inline
}

// vtiHead is the content of a file before the data.
type vtiHead struct {
	order    binary.ByteOrder
	wide     bool // lengths have 8 bytes, not 4
	extent   [6]int
	pieces   int
	origin   [3]float64
	spacing  [3]float64
	array    *vtiArray
	others   []string
	encoding string // of appended data
	appended int64  // where it begins in the file
}

func (m *Image) vti(f io.ReaderAt, size int64, form ImageForm) error {
	h, err := readVTIHead(io.NewSectionReader(f, 0, min(size, mostXML)), form.Array)
	if err != nil {
		return err
	}
	a := h.array
	if a == nil {
		return fmt.Errorf("there is no array %q with one number per voxel; there are: %s", form.Array, strings.Join(h.others, ", "))
	}
	var n [3]int
	for k := range n {
		n[k] = h.extent[2*k+1] - h.extent[2*k]
		low := float64(h.extent[2*k])
		if a.points {
			n[k]++
			low -= 0.5 // voxels around the points
		}
		n[k] = max(n[k], 1) // a plane has no cells across it
		m.Origin[k], m.Spacing[k] = h.origin[k]+low*h.spacing[k], h.spacing[k]
	}
	voxels, err := m.allot(n)
	if err != nil {
		return err
	}
	var data io.Reader
	switch {
	case a.format == "ascii":
		return m.words(a.text, a.kind, voxels, form.Solid)
	case a.format == "binary":
		data = base64.NewDecoder(base64.StdEncoding, bytes.NewReader(bytes.TrimSpace(a.text)))
	case a.format == "appended" && h.appended > 0 && (h.encoding == "raw" || h.encoding == "base64"):
		at, err := afterMark(f, h.appended, size)
		if err != nil {
			return err
		}
		if a.offset < 0 || a.offset > size-at {
			return fmt.Errorf("array %q starts at byte %d of the appended data, beyond the end of the file", a.name, a.offset)
		}
		data = io.NewSectionReader(f, at+a.offset, size-at-a.offset)
		if h.encoding == "base64" {
			data = base64.NewDecoder(base64.StdEncoding, data)
		}
	default:
		return fmt.Errorf("array %q has the unsupported format %q with appended data %q", a.name, a.format, h.encoding)
	}
	length := make([]byte, 4)
	if h.wide {
		length = make([]byte, 8)
	}
	if _, err := io.ReadFull(data, length); err != nil {
		return fmt.Errorf("the length of array %q: %w", a.name, err)
	}
	want, got := voxels*int64(a.kind.bytes), uint64(0)
	if h.wide {
		got = h.order.Uint64(length)
	} else {
		got = uint64(h.order.Uint32(length))
	}
	if got != uint64(want) || want > size { // base64 makes data longer, never shorter
		return fmt.Errorf("array %q has %d bytes, but %d x %d x %d voxels of %s are %d", a.name, got, n[0], n[1], n[2], a.kind.name, want)
	}
	return m.fill(data, a.kind, h.order, voxels, form.Solid)
}

// words reads numbers in ASCII.
func (m *Image) words(text []byte, kind number, voxels int64, solid [2]float64) error {
	if voxels > int64(len(text)) { // a digit and a space each
		return fmt.Errorf("%d voxels, but only %d letters of data", voxels, len(text))
	}
	m.bits = make([]uint64, (voxels+63)/64)
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Split(bufio.ScanWords)
	i := int64(0)
	for ; in.Scan(); i++ {
		v, err := strconv.ParseFloat(in.Text(), 64)
		switch {
		case i >= voxels:
			return fmt.Errorf("more than %d values", voxels)
		case err != nil || !kind.has(v) || strings.ContainsAny(in.Text(), "_xX"): // 1_0 and 0x10 are Go's
			return fmt.Errorf("voxel %d of %d: %.20q is not a value of %s", i+1, voxels, in.Text(), kind.vtk)
		}
		m.put(i, v, solid)
	}
	if err := in.Err(); err != nil {
		return err
	}
	if i < voxels {
		return fmt.Errorf("%d values for %d voxels", i, voxels)
	}
	return nil
}

// afterMark returns the offset at which appended data begin: behind an underscore.
func afterMark(f io.ReaderAt, from, size int64) (int64, error) {
	var b [256]byte
	n, err := f.ReadAt(b[:min(int64(len(b)), size-from)], from)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	rest := bytes.TrimLeft(b[:n], " \t\r\n")
	if len(rest) == 0 || rest[0] != '_' {
		return 0, errors.New("the appended data do not start with an underscore")
	}
	return from + int64(n-len(rest)) + 1, nil
}

// readVTIHead reads the XML up to the appended data.
func readVTIHead(r io.Reader, name string) (*vtiHead, error) {
	h := &vtiHead{order: binary.LittleEndian, spacing: [3]float64{1, 1, 1}}
	in := xml.NewDecoder(r)
	in.Strict = true
	section, seen := "", false
	for h.appended == 0 {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("not a VTI file: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			attr := map[string]string{}
			for _, a := range t.Attr {
				attr[a.Name.Local] = a.Value
			}
			switch t.Name.Local {
			case "VTKFile":
				seen = true
				err = h.file(attr)
			case "ImageData":
				err = h.image(attr)
			case "Piece":
				h.pieces++
				if e, ok := attr["Extent"]; h.pieces > 1 || ok && !same(e, h.extent) {
					err = errors.New("the image has several pieces: save it as one")
				}
			case "PointData", "CellData":
				section = t.Name.Local
			case "DataArray":
				err = h.data(in, t, attr, section == "PointData", name)
			case "AppendedData":
				h.encoding, h.appended = attr["encoding"], in.InputOffset()
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if !seen || h.pieces == 0 {
		return nil, errors.New("not a VTI file: there is no VTKFile with a Piece in it")
	}
	return h, nil
}

func (h *vtiHead) file(attr map[string]string) error {
	switch {
	case attr["type"] != "ImageData":
		return fmt.Errorf("this VTK file contains %q, not ImageData", attr["type"])
	case attr["compressor"] != "":
		return fmt.Errorf("the data are compressed (%s): save the file without compression", attr["compressor"])
	}
	if attr["byte_order"] == "BigEndian" {
		h.order = binary.BigEndian
	}
	h.wide = attr["header_type"] == "UInt64"
	return nil
}

func (h *vtiHead) image(attr map[string]string) error {
	if _, err := fmt.Sscan(attr["WholeExtent"], &h.extent[0], &h.extent[1], &h.extent[2], &h.extent[3], &h.extent[4], &h.extent[5]); err != nil {
		return fmt.Errorf("WholeExtent=%.60q: expected six whole numbers", attr["WholeExtent"])
	}
	for a := range 3 {
		if lo, hi := h.extent[2*a], h.extent[2*a+1]; lo > hi || lo < -1<<40 || hi > 1<<40 {
			return fmt.Errorf("WholeExtent=%.60q is empty", attr["WholeExtent"])
		}
	}
	for _, k := range []struct {
		name string
		to   *[3]float64
	}{{"Origin", &h.origin}, {"Spacing", &h.spacing}} {
		if text, ok := attr[k.name]; ok {
			if _, err := fmt.Sscan(text, &k.to[0], &k.to[1], &k.to[2]); err != nil {
				return fmt.Errorf("%s=%.60q: expected three numbers", k.name, text)
			}
		}
		for _, v := range k.to {
			if math.IsNaN(v) || math.Abs(v) > 1e30 || k.name == "Spacing" && !(v > 0) {
				return fmt.Errorf("%s=%.60q is not a position", k.name, attr[k.name])
			}
		}
	}
	if d := strings.Fields(attr["Direction"]); len(d) > 0 {
		for i, v := range d {
			if x, err := strconv.ParseFloat(v, 64); err != nil || x != map[bool]float64{true: 1}[i%4 == 0] {
				return errors.New("the image has a Direction: use rotate instead")
			}
		}
	}
	return nil
}

func same(text string, e [6]int) bool {
	var o [6]int
	_, err := fmt.Sscan(text, &o[0], &o[1], &o[2], &o[3], &o[4], &o[5])
	return err == nil && o == e
}

// data reads an array if it is the selected one.
func (h *vtiHead) data(in *xml.Decoder, start xml.StartElement, attr map[string]string, points bool, name string) error {
	a := &vtiArray{name: attr["Name"], format: attr["format"], points: points}
	known := false
	for _, k := range numbers {
		if k.vtk == attr["type"] {
			a.kind, known = k, true
		}
	}
	if c := attr["NumberOfComponents"]; c != "" && c != "1" {
		known = false
	}
	if len(h.others) < 20 {
		h.others = append(h.others, strconv.Quote(a.name))
	}
	if h.array != nil || !known || name != "" && name != a.name {
		return in.Skip()
	}
	if a.format == "appended" {
		var err error
		if a.offset, err = strconv.ParseInt(attr["offset"], 10, 64); err != nil {
			return fmt.Errorf("array %q has the offset %.20q", a.name, attr["offset"])
		}
		h.array = a
		return in.Skip()
	}
	var content struct {
		Text []byte `xml:",chardata"`
	}
	if err := in.DecodeElement(&content, &start); err != nil {
		return fmt.Errorf("array %q: %w", a.name, err)
	}
	a.text = content.Text
	h.array = a
	return nil
}

// Memory of the image and a rank's copy of it.
func (m *Image) Memory() int64 { return 2 * 8 * int64(len(m.bits)) }

// Faces returns the approximate number of faces between solid cells and others when a number of the
// file is scale cells: three times the number across x.
func (m *Image) Faces(scale float64) float64 {
	changes, last := 0, uint64(0)
	for _, w := range m.bits { // the ends of rows are neighbours here: a row has two ends
		changes += bits.OnesCount64(w ^ (w<<1 | last))
		last = w >> 63
	}
	return 3 * float64(changes) * scale * m.Spacing[1] * scale * m.Spacing[2]
}

// Volume returns the volume of the solid voxels when a number of the file is scale cells.
func (m *Image) Volume(scale float64) float64 {
	return float64(m.Solid) * scale * m.Spacing[0] * scale * m.Spacing[1] * scale * m.Spacing[2]
}
