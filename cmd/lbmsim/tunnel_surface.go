// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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

// surfaceImages draws the means on the surfaces of all parts, or the last values of a run that has none.
func surfaceImages(folder string) (list []tunnel.Image, err error) {
	for _, of := range []struct{ field, quantity string }{{"pressure_coefficient", "pressure coefficient"}, {"friction_coefficient", "friction coefficient"}} {
		bodies, meta, err := lastSurfaces(folder, "mean_"+of.field)
		under := fmt.Sprintf("mean of %d samples; the flow comes from the left", meta.Samples)
		if lo, hi := relief.Ends(bodies, few); err == nil && lo > hi {
			bodies, meta, err = lastSurfaces(folder, of.field)
			under = fmt.Sprintf("at t = %.6g s, not the mean; the flow comes from the left", meta.Time)
		}
		if err != nil {
			return nil, err
		}
		lo, hi := relief.Ends(bodies, few)
		if lo > hi {
			continue
		}
		scale, err := paint.NewScale(lo, hi, nil, paint.Auto)
		if err != nil {
			return nil, err
		}
		sheet := paint.Sheet{Image: relief.Draw(bodies, frontLeft, scale, reliefSize), Scale: scale, Quantity: of.quantity,
			Title: of.quantity + " on the surface", Under: under}
		var b bytes.Buffer
		if err := png.Encode(&b, sheet.Draw()); err != nil {
			return nil, err
		}
		list = append(list, tunnel.Image{Caption: sheet.Title, PNG: b.Bytes()})
	}
	return list, nil
}

// lastSurfaces reads a field from the last file of each surface of a run, and where it comes from. Files without the field
// are skipped.
func lastSurfaces(folder, field string) (list []relief.Body, meta fields.Meta, err error) {
	names, err := os.ReadDir(filepath.Join(folder, "surfaces"))
	if os.IsNotExist(err) {
		return nil, meta, nil
	}
	for _, name := range names {
		series := fields.Series{Dir: filepath.Join(folder, "surfaces", name.Name()), Name: name.Name()}
		path, err := series.Newest()
		if err != nil {
			return nil, meta, err
		}
		if path == "" {
			continue
		}
		b, of, err := surfaceIn(path, field)
		if err != nil {
			return nil, meta, err
		}
		if b.Values != nil {
			list, meta = append(list, b), of
		}
	}
	return list, meta, err
}

// surfaceIn reads a field of a file of a surface.
func surfaceIn(path, field string) (b relief.Body, meta fields.Meta, err error) {
	r, err := fields.OpenLevels(path)
	if err != nil {
		return b, meta, err
	}
	defer r.Close()
	for i, f := range r.Fields {
		if f.Name != field {
			continue
		}
		mesh, err := r.Triangles()
		if err != nil {
			return b, meta, err
		}
		b = relief.Body{Points: mesh.Points, Corners: mesh.Corners, Values: make([]float64, r.Values(i))}
		if err := r.Plane(i, 0, b.Values); err != nil {
			return b, meta, err
		}
	}
	return b, r.Meta, nil
}
