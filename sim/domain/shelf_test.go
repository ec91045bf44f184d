// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/geometry"
)

// All ranks get the extent of a file that rank 0 reads, and the body is built from the data read, without the file.
func TestShelf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "wedge.stl")
	const facet = "facet normal 0 0 0\nouter loop\nvertex %\nvertex %\nvertex %\nendloop\nendfacet\n"
	text := "solid wedge\n"
	for _, f := range [][3]string{{"0 0 0", "0 1 0", "2 0 0"}, {"0 0 0", "2 0 0", "0 0 3"}, {"0 0 0", "0 0 3", "0 1 0"}, {"2 0 0", "0 1 0", "0 0 3"}} {
		one := facet
		for _, v := range f {
			one = strings.Replace(one, "%", v, 1)
		}
		text += one
	}
	if err := os.WriteFile(path, []byte(text+"endsolid wedge\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := config.SolidFile{Body: "wedge", Path: path, Motion: geometry.NewMotion(2, [3]float64{}, [3]float64{1, 0, 0})}
	err := comm.RunLocal(3, func(c comm.Comm) error {
		var shelf Shelf
		for range 2 { // the second time it is on the shelf
			lo, hi, err := shelf.Extents(c)(f)
			if err != nil {
				return err
			}
			if lo != [3]float64{1, 0, 0} || hi != [3]float64{5, 2, 6} {
				t.Errorf("rank %d: %v to %v", c.Rank(), lo, hi)
			}
			if err := comm.Barrier(c); err != nil {
				return err
			}
			if c.Rank() == 0 {
				os.Remove(path)
			}
		}
		if c.Rank() == 0 {
			if s, err := shelf.Surface(f); err != nil || len(s.Surface.T) != 4 {
				t.Errorf("%v %v", s, err)
			}
			if _, err := shelf.Surface(f); err == nil {
				t.Error("a surface that was taken is still there")
			}
		}
		if _, _, err := shelf.Extents(c)(f); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("rank %d, without the file: %v", c.Rank(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
