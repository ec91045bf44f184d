// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package study runs a case on several grids and derives from its results
// the observed order of convergence, the extrapolated value, and the uncertainty of the
// finest grid.
package study

import (
	"encoding/json"
	"fmt"
	"math"

	"lbmsim/model"
)

// Sources of the formulas: Roache, J. Fluids Eng. 116 (1994) 405 (the grid convergence
// index); ASME V&V 20-2009 (its use as an uncertainty); Oberkampf & Roy, Verification and
// Validation in Scientific Computing, Cambridge 2010, table 8.1 (which factor of safety,
// and which order, when the observed one is not the formal one).
const (
	safe    = 1.25 // factor of safety where the observed order is the formal one ...
	unsafe  = 3    // ... and elsewhere
	agrees  = 0.1  // the part of the formal order that they may differ by
	lowest  = 0.5  // order that a difference is extrapolated with at least
	rounded = 1e-13
)

// Result is one quantity on all grids.
type Result struct {
	Quantity string   `json:"quantity"`
	Values   []Number `json:"values"` // from the coarsest grid to the finest
	// Exact: the quantity is an error, which tends to zero, so that two grids are
	// enough for an order.
	Exact bool `json:"exact"`
	// Orders observed, of the grids that end at the k-th: NaN where it is undefined.
	Orders []Number `json:"orders"`
	// Order is the last of them.
	Order Number `json:"order"`
	// Used is the order that the next two are computed with.
	Used         Number `json:"used"`
	Extrapolated Number `json:"extrapolated"` // Richardson's value
	GCI          Number `json:"gci"`          // of the finest grid, relative to its value
	// Ratio is GCI of the middle grid / (r^Used GCI of the finest): 1 in the asymptotic
	// range.
	Ratio    Number   `json:"ratio"`
	Warnings []string `json:"warnings"`
}

// Number is a float64 for which JSON gets null if it is not finite.
type Number float64

// MarshalJSON writes null for numbers that are not finite, which JSON does not have.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// noise returns the largest share of its value by which the rounding of a state moves a result in long runs: the errors
// of steps that round alike add up, and a finer grid takes more steps with smaller changes. Poiseuille flow on 128 cells
// in float32 with bgk has 3e-4.
func noise(p model.Precision) float64 {
	switch p {
	case model.Float64:
		return 1e-10
	case model.Float16:
		return 1e-2
	}
	return 1e-3
}

// Analyse a quantity on grids whose spacings fall by the same ratio, with the formal
// order of the method, computed in a precision.
func Analyse(name string, values []float64, ratio, formal float64, exact bool, precision model.Precision) Result {
	n := len(values)
	none := Number(math.NaN())
	r := Result{Quantity: name, Exact: exact, Order: none, Used: none, Extrapolated: none, GCI: none, Ratio: none}
	finite := true
	scale := 0.0
	for _, v := range values {
		r.Values, r.Orders = append(r.Values, Number(v)), append(r.Orders, none)
		finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
		scale = math.Max(scale, math.Abs(v))
	}
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case !finite:
		warn("not a number on every grid")
		return r
	case n < 2:
		warn("a single grid gives no discretization error")
		return r
	case exact && scale < rounded:
		warn("only rounding on every grid")
		return r
	}
	if exact {
		r.ofError(values, ratio, formal, precision, warn)
		return r
	}
	if values[n-1] == values[n-2] || math.Abs(values[n-1]-values[n-2]) < rounded*scale {
		warn("the last two grids differ by no more than rounding")
		return r
	}
	fine := values[n-2] - values[n-1]
	if n == 2 {
		r.Used = Number(formal)
		warn("two grids give no observed order: using the formal one, %g; use three grids", formal)
	} else {
		for k := 2; k < n; k++ {
			a, b := values[k-2]-values[k-1], values[k-1]-values[k]
			if a/b > 0 {
				r.Orders[k] = Number(math.Log(a/b) / math.Log(ratio))
			}
		}
		coarse := values[n-3] - values[n-2]
		if quotient := fine / coarse; !(quotient > 0 && quotient < 1) && math.Abs(fine) < noise(precision)*scale {
			warn("%s", rounding(precision, math.Abs(coarse)/scale, math.Abs(fine)/scale))
			return r
		}
		r.Order = r.Orders[n-1]
		r.Used = Number(math.Min(math.Max(float64(r.Order), lowest), formal))
		switch quotient := fine / coarse; {
		case quotient <= 0:
			r.Used = lowest
			warn("not monotone: the differences of the last three grids, %.3g and %.3g, have opposite signs; there is no observed order", -coarse, -fine)
		case quotient >= 1:
			warn("the differences of the last three grids grow, from %.3g to %.3g: no convergence", -coarse, -fine)
			r.Used = none
			return r
		default:
			r.judge(formal, warn)
		}
		gain := math.Pow(ratio, float64(r.Used))
		r.Ratio = Number(math.Abs(coarse/values[n-2]) / (gain * math.Abs(fine/values[n-1])))
	}
	factor := float64(unsafe)
	if math.Abs(float64(r.Order)-formal) <= agrees*formal {
		factor = safe
	}
	gain := math.Pow(ratio, float64(r.Used)) - 1
	r.Extrapolated = Number(values[n-1] - fine/gain)
	r.GCI = Number(factor * math.Abs(fine/values[n-1]) / gain)
	return r
}

// ofError analyses a quantity that tends to zero: two grids are enough.
func (r *Result) ofError(values []float64, ratio, formal float64, precision model.Precision, warn func(string, ...any)) {
	n := len(values)
	for k := 1; k < n; k++ {
		r.Orders[k] = Number(math.Log(values[k-1]/values[k]) / math.Log(ratio))
	}
	r.Order = r.Orders[n-1]
	switch grows := values[n-1] >= values[n-2]; {
	case grows && values[n-1] < noise(precision):
		warn("%s", rounding(precision, values[n-2], values[n-1]))
	case grows:
		warn("the error grows on the finest grid, from %.3g to %.3g: no convergence", values[n-2], values[n-1])
	default:
		r.Extrapolated = 0
		r.judge(formal, warn)
	}
}

// rounding explains why differences of this size on the last two grids do not predict the next.
func rounding(p model.Precision, before, last float64) string {
	cure := ""
	if p != model.Float64 {
		cure = "; use precision = \"float64\""
	}
	return fmt.Sprintf("rounding in %s: on the last two grids the error is %.2g and %.2g of the value and no longer decreases, so there is no extrapolation%s", p, before, last, cure)
}

// judge warns when the observed order differs from the method's.
func (r *Result) judge(formal float64, warn func(string, ...any)) {
	if math.Abs(float64(r.Order)-formal) > agrees*formal {
		warn("not in the asymptotic range: the observed order %.2f is not %g within %g %%", float64(r.Order), formal, 100*agrees)
	}
}
