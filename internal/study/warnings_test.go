// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package study

import (
	"reflect"
	"testing"

	"lbmsim/internal/finding"
)

func TestEachWarningOnce(t *testing.T) {
	var s Study
	s.warns(1, finding.List{finding.TauNearHalf.Says("tau = 0.501 is near 1/2"), finding.MachNumber.Says("Mach 0.2"), finding.TauNearHalf.Says("tau of the heat")})
	s.warns(2, finding.List{finding.TauNearHalf.Says("tau = 0.502 is near 1/2"), finding.TauNearHalf.Says("tau = 0.502 is near 1/2")})
	s.warns(4, nil)
	s.warns(8, finding.List{finding.MachNumber.Says("Mach 1.5e-1")})
	want := []Warning{
		{"tau_near_half", "tau = 0.502 is near 1/2", []float64{1, 2}},
		{"mach_number", "Mach 1.5e-1", []float64{1, 8}},
		{"tau_near_half", "tau of the heat", []float64{1}},
	}
	if !reflect.DeepEqual(s.Warnings, want) {
		t.Errorf("%+v", s.Warnings)
	}
	if got := s.Warnings[1].String(); got != "refined by 1, 8: Mach 1.5e-1" {
		t.Error(got)
	}
}
