// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUpToDate(t *testing.T) {
	const folder = "../../kernels"
	wanted := files()
	for name, text := range wanted {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != text {
			t.Errorf("kernels/%s differs from package model (%v): run go generate ./kernels", name, err)
		}
	}
	for _, pattern := range []string{"steps_*.cpp", "cells_*.cpp"} {
		units, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(units) == 0 {
			t.Fatal("no units in kernels: ", err)
		}
		for _, u := range units {
			if _, ok := wanted[filepath.Base(u)]; !ok {
				t.Errorf("%s belongs to no lattice of package model: remove it", u)
			}
		}
	}
}
