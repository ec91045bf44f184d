package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"

	"lbmsim/internal/tunnel"
	"lbmsim/io/fields"
	"lbmsim/io/paint"
	"lbmsim/io/relief"
)

// The pictures of the surface in the report.
const (
	reliefSize = 900
	// few is the share of triangles beyond each end of the colours: at edges the pressure has peaks.
	few = 0.01
)

// frontLeft looks at the body from the front, which is towards -x, its left, which is towards -y, and above.
var frontLeft = relief.View{From: [3]float64{-1, -0.8, 0.6}, Up: [3]float64{0, 0, 1}}

// surfaceImages draws the last values on the surfaces of all parts.
func surfaceImages(folder string) (list []tunnel.Image, err error) {
	for _, of := range []struct{ field, quantity string }{{"pressure_coefficient", "pressure coefficient"}, {"friction_coefficient", "friction coefficient"}} {
		bodies, time, err := lastSurfaces(folder, of.field)
		if err != nil {
			return nil, err
		}
		if len(bodies) == 0 {
			continue
		}
		lo, hi := relief.Ends(bodies, few)
		scale, err := paint.NewScale(lo, hi, nil, paint.Auto)
		if err != nil {
			return nil, err
		}
		sheet := paint.Sheet{Image: relief.Draw(bodies, frontLeft, scale, reliefSize), Scale: scale, Quantity: of.quantity,
			Title: of.quantity + " on the surface", Under: fmt.Sprintf("at t = %.6g s, not the mean; the flow comes from the left", time)}
		var b bytes.Buffer
		if err := png.Encode(&b, sheet.Draw()); err != nil {
			return nil, err
		}
		list = append(list, tunnel.Image{Caption: sheet.Title, PNG: b.Bytes()})
	}
	return list, nil
}

// lastSurfaces reads a field from the last file of each surface of a run, and its time. Files without the field are left out.
func lastSurfaces(folder, field string) (list []relief.Body, time float64, err error) {
	names, err := os.ReadDir(filepath.Join(folder, "surfaces"))
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	for _, name := range names {
		series := fields.Series{Dir: filepath.Join(folder, "surfaces", name.Name()), Name: name.Name()}
		path, err := series.Newest()
		if err != nil {
			return nil, 0, err
		}
		if path == "" {
			continue
		}
		b, at, err := surfaceIn(path, field)
		if err != nil {
			return nil, 0, err
		}
		if b.Values != nil {
			list, time = append(list, b), at
		}
	}
	return list, time, err
}

// surfaceIn reads a field of a file of a surface.
func surfaceIn(path, field string) (b relief.Body, time float64, err error) {
	r, err := fields.OpenLevels(path)
	if err != nil {
		return b, 0, err
	}
	defer r.Close()
	for i, f := range r.Fields {
		if f.Name != field {
			continue
		}
		mesh, err := r.Triangles()
		if err != nil {
			return b, 0, err
		}
		b = relief.Body{Points: mesh.Points, Corners: mesh.Corners, Values: make([]float64, r.Values(i))}
		if err := r.Plane(i, 0, b.Values); err != nil {
			return b, 0, err
		}
	}
	return b, r.Meta.Time, nil
}
