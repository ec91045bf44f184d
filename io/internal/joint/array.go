// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

// Array is an array [plane][row] in files under construction, of which this rank writes
// a part.
type Array struct {
	*Sums
	places     []Place
	planeBytes int
}

// Place is the position of some planes of an array: in a file, from an offset on.
type Place struct {
	File   *File
	At     int64
	Planes [2]int // lo, hi: half-open
}

// Within returns the place of all planes in one file.
func Within(f *File, at int64, planes int) []Place {
	return []Place{{f, at, [2]int{0, planes}}}
}

// NewArray returns the array whose planes, of so many rows of so many bytes, lie at places,
// which follow one another and leave no plane out.
func NewArray(places []Place, rows, rowBytes int, p Extent) *Array {
	return &Array{Sums: NewSums(p, rowBytes), places: places, planeBytes: rows * rowBytes}
}

// Put writes data, which passed Check: whole planes of a file in one piece, otherwise one piece for each plane. Any goroutine, no
// messages; its error comes again from Commit.
func (a *Array) Put(first int, data []byte) error {
	plane := a.part.Planes[0] + first
	for _, to := range a.places {
		for len(data) > 0 && plane >= to.Planes[0] && plane < to.Planes[1] {
			n := 1
			if a.bytes == a.planeBytes {
				n = min(len(data)/a.bytes, to.Planes[1]-plane)
			}
			at := to.At + int64(plane-to.Planes[0])*int64(a.planeBytes) + int64(a.at)
			if err := to.File.WriteAt(data[:n*a.bytes], at); err != nil {
				return err
			}
			plane, data = plane+n, data[n*a.bytes:]
		}
	}
	return nil
}
