// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command wing writes the surface of a piece of a wing with the section NACA 0012, of cases/validation/wall_model_wing.toml:
//
//	go run ./tools/wing [-dir cases/validation]
//
// The thickness is the polynomial of Abbott & von Doenhoff, Theory of Wing Sections, Dover 1959, with its blunt trailing edge.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"lbmsim/internal/facets"
)

func main() {
	dir := flag.String("dir", filepath.Join("cases", "validation"), "the folder to write to")
	flag.Parse()
	if err := os.WriteFile(filepath.Join(*dir, file), []byte(facets.ASCII("naca_0012", surface())), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, "wing:", err)
		os.Exit(1)
	}
}

// The wing: the nose is at the origin, the chord of length 1 along x, the span along z.
const (
	file     = "naca_0012.stl"
	thick    = 0.12
	half     = 0.5 // of the span
	stations = 120 // from the nose to the trailing edge, closest at both
)

type point = facets.Point

// thickness returns half the thickness at x.
func thickness(x float64) float64 {
	return 5 * thick * (0.2969*math.Sqrt(x) + x*(-0.1260+x*(-0.3516+x*(0.2843-x*0.1015))))
}

// outline of the section, turning left: from the trailing edge over the top to the nose, and back below.
func outline() (list [][2]float64) {
	for k := -stations; k <= stations; k++ {
		x := (1 - math.Cos(math.Pi*float64(k)/stations)) / 2
		list = append(list, [2]float64{x, math.Copysign(thickness(x), -float64(k))})
	}
	return list
}

// surface returns triangles whose corners turn left seen from outside. The blunt trailing edge is one of the pieces of the side.
func surface() (list [][3]point) {
	o := outline()
	n := len(o)
	at := func(k int, z float64) point { return point{o[k%n][0], o[k%n][1], z} }
	for k := range n {
		a, b, c, d := at(k, -half), at(k+1, -half), at(k+1, half), at(k, half)
		list = append(list, [3]point{a, b, c}, [3]point{a, c, d})
	}
	// Each end is cut into strips between the top and the bottom: station k from the trailing edge on the top is n-1-k below.
	for k := range stations {
		for _, z := range []float64{-half, half} {
			a, b, c, d := at(k, z), at(k+1, z), at(n-2-k, z), at(n-1-k, z)
			if z < 0 {
				a, b, c, d = d, c, b, a
			}
			list = append(list, [3]point{a, b, d})
			if b != c { // they are the nose at the last station
				list = append(list, [3]point{b, c, d})
			}
		}
	}
	return list
}
