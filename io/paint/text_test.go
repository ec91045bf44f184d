// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package paint

import "testing"

// Characters that the font lacks are replaced by a visible one.
func TestMissingCharactersAreSeen(t *testing.T) {
	for text, want := range map[string]string{
		"Größe, µm, Ω, Ж":  "Größe, µm, Ω, Ж",
		"流れ around a 球":    missing + missing + " around a " + missing,
		"🚗 car":            missing + " car",
		"":                 "",
		"kg/m³ × 1e-3 ± 2": "kg/m³ × 1e-3 ± 2",
	} {
		if got := legible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
