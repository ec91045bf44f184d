// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

import (
	"math"
	"testing"
)

// On finer cells the viscosity in m2/s is the same: at half the shear rate per step it is twice as large in lattice units,
// and the eddy viscosity scales with a quarter of the coarser cells' area.
func TestFiner(t *testing.T) {
	c, _ := FindCollision("cumulant")
	p := NewParams(c, 0.6, nil, [3]float64{1e-4, -2e-4})
	for law, with := range map[ViscosityLaw]Params{
		Newtonian: p, Smagorinsky: p.WithSmagorinsky(0.2), Wale: p.WithWale(0.5),
		PowerLaw: p.WithPowerLaw(0.03, 0.01, 0.7, 0.01, 0.05), Carreau: p.WithCarreau(0.2, 0.01, 60, 0.4),
	} {
		fine := with.Finer(law)
		if fine.Force != [3]float64{5e-5, -1e-4} || fine.OmegaBulk != 1/1.5 {
			t.Errorf("%s: force %g, bulk %g", law, fine.Force, fine.OmegaBulk)
		}
		for _, rate := range []float64{0, 1e-4, 3e-3, 0.01, 0.02, 0.5} {
			want := 2 * (with.Tau(law, rate) - 0.5)
			if law == Smagorinsky {
				want = 2*(0.6-0.5) + 3*0.2*0.2*rate/2
			}
			if got := fine.Tau(law, rate/2) - 0.5; !(math.Abs(got-want) <= 1e-14) {
				t.Errorf("%s at %g: tau - 1/2 is %g, want %g", law, rate, got, want)
			}
		}
	}
	if w := p.WithWale(0.5).Finer(Wale).Viscosity; math.Abs(w[0]-0.7) > 1e-15 || w[1] != 0.75 {
		t.Errorf("wale: %g", w)
	}
}
