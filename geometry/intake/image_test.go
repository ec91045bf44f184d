// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package intake

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// values of an image of 3 x 2 x 2 voxels; 1 and 2 are solid.
var values = []float64{0, 1, 0, 0, 2, 3, 0, 0, 0, 1, -1, 0}

const solidVoxels = 1<<1 | 1<<4 | 1<<9

// vtiFile returns a file around data; extent and origin are deliberately unusual.
func vtiFile(head, array, data, behind string) string {
	return `<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" ` + head + `>
<ImageData WholeExtent="2 5 0 2 -1 1" Origin="1 0 0" Spacing="0.5 1 2" Direction="1 0 0 0 1 0 0 0 1">
<Piece Extent="2 5 0 2 -1 1">
<PointData></PointData>
<CellData><DataArray type="Float32" Name="velocity" NumberOfComponents="3" format="ascii"> 1 2 3 </DataArray>
<DataArray Name="phase" ` + array + `>` + data + `</DataArray></CellData>
</Piece></ImageData>` + behind + `</VTKFile>`
}

func encode(order binary.AppendByteOrder, wide bool, float bool) []byte {
	var b []byte
	for _, v := range values {
		if float {
			b = order.AppendUint64(b, math.Float64bits(v))
		} else {
			b = order.AppendUint16(b, uint16(int16(v)))
		}
	}
	if wide {
		return append(order.AppendUint64(nil, uint64(len(b))), b...)
	}
	return append(order.AppendUint32(nil, uint32(len(b))), b...)
}

func vtiFiles() map[string]string {
	little, big := encode(binary.LittleEndian, false, false), encode(binary.BigEndian, true, true)
	text := strings.Trim(fmt.Sprint(values), "[]")
	return map[string]string{
		"ascii":           vtiFile("", `type="Int32" format="ascii"`, "\n"+text+"\n", ""),
		"base64":          vtiFile(`byte_order="LittleEndian"`, `type="Int16" format="binary"`, "\n"+base64.StdEncoding.EncodeToString(little)+"\n", ""),
		"appended raw":    vtiFile(`byte_order="BigEndian" header_type="UInt64"`, `type="Float64" format="appended" offset="4"`, "", "<AppendedData encoding=\"raw\">\n _none"+string(big)+"</AppendedData>"),
		"appended base64": vtiFile("", `type="Int16" format="appended" offset="0"`, "", `<AppendedData encoding="base64">_`+base64.StdEncoding.EncodeToString(little)+"\n</AppendedData>"),
	}
}

func readVTI(src string, array string) (*Image, error) {
	m := &Image{}
	return m, m.vti(bytes.NewReader([]byte(src)), int64(len(src)), ImageForm{Array: array, Solid: [2]float64{1, 2}})
}

func TestVTI(t *testing.T) {
	for name, src := range vtiFiles() {
		for _, array := range []string{"", "phase"} {
			m, err := readVTI(src, array)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if m.N != [3]int{3, 2, 2} || m.Origin != [3]float64{2, 0, -2} || m.Spacing != [3]float64{0.5, 1, 2} || m.Solid != 3 || m.bits[0] != solidVoxels {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
	// Values at points are voxels around them.
	points := strings.NewReplacer("PointData", "CellData", "CellData", "PointData", "2 5 0 2 -1 1", "2 4 0 1 0 1").Replace(vtiFiles()["ascii"])
	m, err := readVTI(points, "phase")
	if err != nil || m.N != [3]int{3, 2, 2} || m.Origin != [3]float64{1.75, -0.5, -1} || m.Solid != 3 {
		t.Errorf("%v %+v", err, m)
	}
}

func TestBrokenVTI(t *testing.T) {
	ascii, raw := vtiFiles()["ascii"], vtiFiles()["appended raw"]
	for name, c := range map[string]struct{ src, array, want string }{
		"nothing":         {"", "", "not a VTI file"},
		"no XML":          {"solid a", "", "not a VTI file"},
		"another kind":    {strings.Replace(ascii, "ImageData", "RectilinearGrid", 1), "", "RectilinearGrid"},
		"compressed":      {strings.Replace(ascii, "version", `compressor="vtkZLibDataCompressor" version`, 2)[0:], "", "compress"},
		"no array":        {ascii, "phases", `there are: "velocity", "phase"`},
		"too few values":  {strings.Replace(ascii, "3 0 0 0", "3", 1), "", "9 values for 12 voxels"},
		"too many values": {strings.Replace(ascii, "3 0 0 0", "3 0 0 0 0", 1), "", "more than 12 values"},
		"no number":       {strings.Replace(ascii, "3 0 0 0", "3 x 0 0", 1), "", `voxel 7 of 12: "x"`},
		"an underscore":   {strings.Replace(ascii, "3 0 0 0", "3_0 0 0", 1), "", `voxel 6 of 12: "3_0" is not a value of Int32`},
		"half a number":   {strings.Replace(ascii, "3 0 0 0", "3 0.5 0 0", 1), "", `"0.5" is not a value of Int32`},
		"too large":       {strings.Replace(strings.Replace(ascii, "Int32", "UInt8", 1), "3 0 0 0", "3 300 0 0", 1), "", `"300" is not a value of UInt8`},
		"below zero":      {strings.Replace(strings.Replace(ascii, "Int32", "UInt16", 1), "3 0 0 0", "3 -1 0 0", 1), "", `"-1" is not a value of UInt16`},
		"a great extent":  {strings.ReplaceAll(ascii, "2 5 0 2", "0 4000000 0 4000000"), "", "voxels"},
		"large, no data":  {strings.ReplaceAll(ascii, "2 5 0 2", "0 2000 0 2000"), "", "letters of data"},
		"pieces":          {strings.Replace(ascii, `<Piece Extent="2 5`, `<Piece Extent="2 4`, 1), "", "pieces"},
		"turned":          {strings.Replace(ascii, `Direction="1`, `Direction="-1`, 1), "", "Direction"},
		"no spacing":      {strings.Replace(ascii, "0.5 1 2", "0.5 0 2", 1), "", "Spacing"},
		"offset":          {strings.Replace(raw, `offset="4"`, `offset="400"`, 1), "", "beyond the end of the file"},
		"wrong offset":    {strings.Replace(raw, `offset="4"`, `offset="3"`, 1), "", "voxels of float64 are 96"},
		"cut short":       {raw[:len(raw)-60], "", "of 12: unexpected EOF"},
		"no underscore":   {strings.Replace(raw, "_none", "none", 1), "", "underscore"},
	} {
		if _, err := readVTI(c.src, c.array); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ... %s ...", name, err, c.want)
		}
	}
}

func TestRawImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.raw")
	for _, number := range Numbers() {
		var b []byte
		for _, v := range values {
			if number == "float32" {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			} else if number == "float64" {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			} else {
				var bytes int
				if _, err := fmt.Sscanf(strings.TrimPrefix(number, "u"), "int%d", &bytes); err != nil {
					t.Fatal(err)
				}
				b = append(b, binary.LittleEndian.AppendUint64(nil, uint64(int64(v)))[:bytes/8]...)
			}
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		form := ImageForm{Voxels: [3]int{3, 2, 2}, Number: number, Solid: [2]float64{1, 2}}
		m, err := ReadImage(path, form)
		if err != nil || m.Solid != 3 || m.bits[0] != solidVoxels || len(m.SHA256) != 64 || m.Spacing != [3]float64{1, 1, 1} {
			t.Errorf("%s: %v %+v", number, err, m)
		}
		form.Solid = [2]float64{100, 120}
		if _, err := ReadImage(path, form); err == nil || !strings.Contains(err.Error(), "there are no solid voxels") {
			t.Errorf("%s: %v", number, err)
		}
		form.Voxels[2] = 3
		if _, err := ReadImage(path, form); err == nil || !strings.Contains(err.Error(), "but the file has") {
			t.Errorf("%s: %v", number, err)
		}
	}
}

// For any bytes the reader returns, and never allocates more than the file's size justifies.
func FuzzVTI(f *testing.F) {
	for _, src := range vtiFiles() {
		f.Add([]byte(src))
	}
	f.Add([]byte("<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 1 0 1 0 1\"><Piece>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readVTI(string(b), "")
		if len(m.bits) > len(b) {
			t.Fatalf("%d words for %d bytes", len(m.bits), len(b))
		}
		if err == nil && (m.Solid < 0 || m.N[0] < 1 || !(m.Spacing[0] > 0)) {
			t.Fatalf("%+v", m)
		}
	})
}
