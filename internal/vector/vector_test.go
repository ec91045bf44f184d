// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The vector product of two directions is perpendicular to both, right-handed, and as long as the area that they span (Lagrange).
func TestProducts(t *testing.T) {
	if got := Cross([3]float64{1, 0, 0}, [3]float64{0, 1, 0}); got != [3]float64{0, 0, 1} {
		t.Errorf("x cross y is %v, want z", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (v [3]float64) {
		for a := range v {
			v[a] = 2*r.Float64() - 1
		}
		return v
	}
	for range 100 {
		a, b := random(), random()
		c := Cross(a, b)
		if x, y := Dot(a, c), Dot(b, c); math.Abs(x) > 1e-14 || math.Abs(y) > 1e-14 {
			t.Errorf("the product of %v and %v is not perpendicular: %g, %g", a, b, x, y)
		}
		if got, want := Dot(c, c), Dot(a, a)*Dot(b, b)-Dot(a, b)*Dot(a, b); math.Abs(got-want) > 1e-14 {
			t.Errorf("the product of %v and %v has the square %g, want %g", a, b, got, want)
		}
		if u := Unit(a); math.Abs(Length(u)-1) > 1e-15 || Length(Cross(u, a)) > 1e-15 || Dot(u, a) < 0 {
			t.Errorf("the direction of %v is %v", a, u)
		}
		if d := Minus(a, b); Length(Minus(a, d)) == 0 || Length(Minus(Minus(a, d), b)) > 1e-15 {
			t.Errorf("%v minus %v is %v", a, b, d)
		}
	}
	if got := Unit([3]float64{}); got != [3]float64{} {
		t.Errorf("the direction of 0 is %v, want 0", got)
	}
}
