// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// The second index, for readers that know no cell data of images in VTKHDF. It is text that
// states where in the HDF5 files the numbers are. Format: "XDMF Model and Format", version 3.

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
)

// XDMFHead is the beginning of the second index.
const XDMFHead = `<?xml version="1.0"?>
<Xdmf Version="3.0"><Domain><Grid Name="series" GridType="Collection" CollectionType="Temporal">
`

const xdmfEnd = "</Grid></Domain></Xdmf>\n"

func (s Series) xdmf() string { return filepath.Join(s.Dir, s.Name+".xdmf") }

// xdmf returns the index as XDMF: one line per file.
func (x index) xdmf() []byte {
	var b bytes.Buffer
	b.WriteString(XDMFHead)
	for _, e := range x.Files {
		if len(e.Fields) == 0 { // of an older version
			continue
		}
		e.xdmf(&b)
	}
	b.WriteString(xdmfEnd)
	return b.Bytes()
}

// xdmf writes the grid of one file, the boxes of a refined one, or a surface.
func (e entry) xdmf(b *bytes.Buffer) {
	if e.Mesh != nil {
		fmt.Fprintf(b, `<Grid Name="step %d" GridType="Uniform"><Time Value="%.17g"/>`, e.Step, e.Time)
		e.triangles(b)
		b.WriteString("</Grid>\n")
		return
	}
	if e.Levels == nil {
		fmt.Fprintf(b, `<Grid Name="step %d" GridType="Uniform"><Time Value="%.17g"/>`, e.Step, e.Time)
		dx := e.Grid.Spacing
		e.cells(b, e.Grid.N, e.Grid.Corner(), [3]float64{dx, dx, dx}, cells)
		b.WriteString("</Grid>\n")
		return
	}
	l := *e.Levels
	fmt.Fprintf(b, `<Grid Name="step %d" GridType="Collection" CollectionType="Spatial"><Time Value="%.17g"/>`, e.Step, e.Time)
	for level, boxes := range l.Boxes {
		for k, box := range boxes {
			fmt.Fprintf(b, `<Grid Name="level %d box %d" GridType="Uniform">`, level, k)
			at, dx := l.place(level, box)
			e.cells(b, box.Size(), at, dx, fmt.Sprintf("%s%d/%d/", boxesIn, level, k))
			n := box.Size()
			e.attribute(b, Field{Name: "vtkGhostType", Components: 1, Type: Uint8}, fmt.Sprintf("%d %d %d", n[2], n[1], n[0]), masked(level, k))
			b.WriteString("</Grid>")
		}
	}
	b.WriteString("</Grid>\n")
}

// cells writes cells and where a group has their fields. Shapes are [z][y][x], as HDF5 has them.
func (e entry) cells(b *bytes.Buffer, n [3]int, at, dx [3]float64, group string) {
	fmt.Fprintf(b, `<Topology TopologyType="3DCoRectMesh" Dimensions="%d %d %d"/>`, n[2]+1, n[1]+1, n[0]+1)
	b.WriteString(`<Geometry GeometryType="ORIGIN_DXDYDZ">`)
	for _, v := range [][3]float64{{at[2], at[1], at[0]}, {dx[2], dx[1], dx[0]}} {
		fmt.Fprintf(b, `<DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">%.17g %.17g %.17g</DataItem>`, v[0], v[1], v[2])
	}
	b.WriteString(`</Geometry>`)
	for _, f := range e.Fields {
		e.attribute(b, f, fmt.Sprintf("%d %d %d", n[2], n[1], n[0]), group+f.Name)
	}
}

// triangles writes the triangles of a surface and where their fields are.
func (e entry) triangles(b *bytes.Buffer) {
	n := e.Mesh.Triangles
	fmt.Fprintf(b, `<Topology TopologyType="Triangle" NumberOfElements="%d"><DataItem Dimensions="%d" NumberType="Int" Precision="4" Format="HDF">./%s:%s</DataItem></Topology>`, n, 3*n, escaped(e.Name), meshCorners)
	fmt.Fprintf(b, `<Geometry GeometryType="XYZ"><DataItem Dimensions="%d 3" NumberType="Float" Precision="8" Format="HDF">./%s:%s</DataItem></Geometry>`, e.Mesh.Points, escaped(e.Name), meshPoints)
	for _, f := range e.Fields {
		e.attribute(b, f, fmt.Sprint(n), cells+f.Name)
	}
}

// attribute writes where a dataset of this shape has a field.
func (e entry) attribute(b *bytes.Buffer, f Field, shape, path string) {
	// A symmetrical tensor goes as six numbers: Tensor6 has them in another order.
	kind := "Scalar"
	switch {
	case f.Components == 3:
		kind = "Vector"
	case f.Components > 3:
		kind = "Matrix"
	}
	if f.Components > 1 {
		shape += fmt.Sprintf(" %d", f.Components)
	}
	number := "Float"
	if f.Type == Uint8 {
		number = "UChar"
	}
	// Readers look beside the index only for names that begin with a dot.
	fmt.Fprintf(b, `<Attribute Name="%s" AttributeType="%s" Center="Cell"><DataItem Dimensions="%s" NumberType="%s" Precision="%d" Format="HDF">./%s:%s</DataItem></Attribute>`,
		escaped(f.Name), kind, shape, number, f.Type.Size(), escaped(e.Name), escaped(path))
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes all
	return b.String()
}
