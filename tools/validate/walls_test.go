// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeForce writes the means of a force into the folder of a run.
func writeForce(t *testing.T, dir, name string, drag, half float64) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("# a\nstep,drag (C_D),mean drag,+- drag\n1,9,9,9\n2,9,%g,%g\n", drag, half)
	if err := os.WriteFile(filepath.Join(dir, "force_"+name+".csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A profile on the logarithm of its own friction velocity differs by nothing, and by what it is shifted.
func TestModelledProfile(t *testing.T) {
	const nu, drag, n = 5e-5, 0.005, 20
	tau := 0.1 * math.Sqrt(drag/2)
	for _, shift := range []float64{0.05, -0.7} {
		dir := t.TempDir()
		writeForce(t, dir, "plates", drag, 1e-5)
		text := "# a\ny (cells),mean_velocity x\n"
		for k := range n {
			y := float64(k) + 0.5
			text += fmt.Sprintf("%g,%.12g\n", y, tau*(math.Log(math.Min(y, n-y)*tau/nu)/0.384+4.27+shift))
		}
		if err := os.WriteFile(filepath.Join(dir, "profile_across.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		smooth := func(plus float64) float64 { return math.Log(plus)/0.384 + 4.27 }
		got, err := modelledProfile(nu, 0.3, smooth)(nil, dir)
		if err != nil || len(got) != 1 || math.Abs(float64(got[0].Got)-shift) > 1e-9 || got[0].OK != (math.Abs(shift) <= 0.3) {
			t.Errorf("shifted by %g: %+v, %v", shift, got, err)
		}
	}
	if _, err := modelledProfile(nu, 0.3, nil)(nil, t.TempDir()); err == nil {
		t.Error("a folder without files")
	}
}

// The drag with the model is compared with the run beside it, which has to be there.
func TestByWithout(t *testing.T) {
	dir := t.TempDir()
	with := filepath.Join(dir, "with")
	writeForce(t, with, "cube", 1.03, 0.0103)
	derive := byWithout("cube", "without", 0.02)
	if _, err := derive(nil, with); err == nil || !strings.Contains(err.Error(), "run without before this entry") {
		t.Errorf("without the other run: %v", err)
	}
	writeForce(t, filepath.Join(dir, "without"), "cube", 1, 0)
	got, err := derive(nil, with)
	if err != nil || got[0].OK || math.Abs(float64(got[0].Got)-1.03) > 1e-12 || math.Abs(float64(got[1].Got)-0.0103) > 1e-12 || !got[1].Free {
		t.Errorf("%+v, %v", got, err)
	}
}

// Each entry with the model follows the one without that it is compared with.
func TestEntriesWithoutComeFirst(t *testing.T) {
	seen, pairs := map[string]bool{}, 0
	for _, e := range modelledBodies().entries {
		if seen[e.id+"-without"] {
			pairs++
		}
		seen[e.id] = true
	}
	if pairs != 2 {
		t.Errorf("%d of the two bodies follow their reference", pairs)
	}
}
