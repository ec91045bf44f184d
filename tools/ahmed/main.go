// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command ahmed writes the surfaces of Ahmed bodies with slants of 12.5, 25 and 35 degrees, of cases/validation/wall_model_ahmed.toml:
//
//	go run ./tools/ahmed [-dir cases/validation]
//
// The dimensions are from Ahmed, Ramm & Faltin, SAE 840300 (1984), without the stilts.
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
	for _, slant := range slants {
		if err := os.WriteFile(filepath.Join(*dir, fileOf(slant)), []byte(facets.ASCII("ahmed", surface(slant))), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, "ahmed:", err)
			os.Exit(1)
		}
	}
}

// slants are the angles of the bodies, in degrees.
var slants = []float64{12.5, 25, 35}

func fileOf(slant float64) string { return fmt.Sprintf("ahmed_%g.stl", slant) }

// The body in metres. The nose is at x = 0, the plane of symmetry at y = 0, the road at z = 0.
const (
	long, wide, high = 1.044, 0.389, 0.288
	above            = 0.05  // the road
	round            = 0.1   // radius of the edges of the nose
	slope            = 0.222 // length of the slant
	stations         = 24    // of a quarter of a circle
)

type point = facets.Point

// section is a rectangle across x.
type section struct{ x, half, low, top float64 }

// corners are anticlockwise when seen against x.
func (s section) corners() [4]point {
	return [4]point{{s.x, -s.half, s.low}, {s.x, s.half, s.low}, {s.x, s.half, s.top}, {s.x, -s.half, s.top}}
}

// sections of the body from its nose to its base.
func sections(slant float64) (list []section) {
	for k := range stations + 1 {
		angle := math.Pi / 2 * float64(k) / stations
		in := round * (1 - math.Sin(angle))
		list = append(list, section{round * (1 - math.Cos(angle)), wide/2 - in, above + in, above + high - in})
	}
	sin, cos := math.Sincos(slant * math.Pi / 180)
	return append(list, section{long - slope*cos, wide / 2, above, above + high}, section{long, wide / 2, above, above + high - slope*sin})
}

// surface returns triangles with corners anticlockwise when seen from outside.
func surface(slant float64) (list [][3]point) {
	quad := func(a, b, c, d point) { list = append(list, [3]point{a, b, c}, [3]point{a, c, d}) }
	all := sections(slant)
	first, last := all[0].corners(), all[len(all)-1].corners()
	quad(first[0], first[3], first[2], first[1])
	for k := range len(all) - 1 {
		p, q := all[k].corners(), all[k+1].corners()
		for i := range p {
			j := (i + 1) % len(p)
			quad(p[i], p[j], q[j], q[i])
		}
	}
	quad(last[0], last[1], last[2], last[3])
	return list
}
