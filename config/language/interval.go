// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import "math"

// Intervals that hold all values of an expression over a box of its variables: where they are
// bounded the expression is finite at every point, so that only the rest needs to be checked
// point by point.

// interval is all numbers from lo to hi. An unbounded one may also contain NaN.
type interval struct{ lo, hi float64 }

// box of the variables.
type box [nVars]interval

func (i interval) bounded() bool { return i.lo >= -inf && i.hi <= inf }

func exactly(v float64) interval { return interval{v, v} }

// anything returns the interval of all numbers, for unknown values.
func anything() interval { return interval{math.Inf(-1), math.Inf(1)} }

// about widens an interval by more than the rounding of operations.
func about(lo, hi float64) interval {
	const rounding = 1e-13
	lo, hi = lo-rounding*math.Abs(lo), hi+rounding*math.Abs(hi)
	if !(lo <= hi) { // no numbers
		return anything()
	}
	return interval{lo, hi}
}

// hull holds all of some values.
func hull(v ...float64) interval {
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return about(lo, hi)
}

// rising returns the interval function of a function that never falls.
func rising(f func(float64) float64) func(interval) interval {
	return func(a interval) interval { return about(f(a.lo), f(a.hi)) }
}

// within returns the interval function of a function that is defined on a part of the numbers only.
func within(lo, hi float64, f func(interval) interval) func(interval) interval {
	return func(a interval) interval {
		if a.lo < lo || a.hi > hi {
			return anything()
		}
		return f(a)
	}
}

func tanOver(a interval) interval {
	const largest = 1e17 // in float64 there are no poles
	if a.hi-a.lo < 3 && math.Floor(a.lo/math.Pi+0.5) == math.Floor(a.hi/math.Pi+0.5) {
		if lo, hi := math.Tan(a.lo), math.Tan(a.hi); lo <= hi {
			return about(lo, hi)
		}
	}
	return interval{-largest, largest}
}

// waveOver returns the interval function of cos(a - shift).
func waveOver(shift float64) func(interval) interval {
	return func(a interval) interval {
		lo, hi := a.lo-shift, a.hi-shift
		if !(hi-lo < 3) || math.Abs(lo) > 1e6 {
			return interval{-1, 1}
		}
		i := hull(math.Cos(lo), math.Cos(hi))
		for k := math.Floor(lo / math.Pi); k*math.Pi <= hi+1e-6; k++ { // its extremes
			if k*math.Pi >= lo-1e-6 {
				v := 1 - 2*math.Abs(math.Mod(k, 2))
				i.lo, i.hi = math.Min(i.lo, v), math.Max(i.hi, v)
			}
		}
		const rounding = 1e-9 // of the shift
		return interval{math.Max(i.lo-rounding, -1), math.Min(i.hi+rounding, 1)}
	}
}

func absOver(a interval) interval {
	if a.lo <= 0 && a.hi >= 0 {
		return interval{0, math.Max(-a.lo, a.hi)}
	}
	return hull(math.Abs(a.lo), math.Abs(a.hi))
}

func coshOver(a interval) interval {
	m := absOver(a)
	return about(math.Cosh(m.lo), math.Cosh(m.hi))
}

func addOver(a, b interval) interval { return about(a.lo+b.lo, a.hi+b.hi) }
func subOver(a, b interval) interval { return about(a.lo-b.hi, a.hi-b.lo) }
func mulOver(a, b interval) interval { return hull(a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi) }

func divOver(a, b interval) interval {
	if b.lo <= 0 && b.hi >= 0 {
		return anything()
	}
	return hull(a.lo/b.lo, a.lo/b.hi, a.hi/b.lo, a.hi/b.hi)
}

func powOver(a, b interval) interval {
	switch n := b.lo; {
	case a.lo > 0: // it rises or falls with each of them
		return hull(math.Pow(a.lo, b.lo), math.Pow(a.lo, b.hi), math.Pow(a.hi, b.lo), math.Pow(a.hi, b.hi))
	case a.lo == 0 && b.lo > 0:
		return about(0, math.Max(math.Pow(a.hi, b.lo), math.Pow(a.hi, b.hi)))
	case b.lo != b.hi || n != math.Trunc(n) || n < 0 && a.hi >= 0:
		return anything()
	case math.Mod(n, 2) == 0:
		m := absOver(a)
		return hull(math.Pow(m.lo, n), math.Pow(m.hi, n))
	default:
		return hull(math.Pow(a.lo, n), math.Pow(a.hi, n))
	}
}

func modOver(a, b interval) interval {
	m := absOver(b)
	if m.lo == 0 {
		return anything()
	}
	i := interval{-m.hi, m.hi}
	if a.lo >= 0 {
		i.lo = 0
	}
	if a.hi <= 0 {
		i.hi = 0
	}
	return i
}

// ifOver returns one of both where the condition is known, otherwise the interval around both.
func ifOver(c, a, b interval) interval {
	switch {
	case c.lo > 0 || c.hi < 0:
		return a
	case c.lo == 0 && c.hi == 0:
		return b
	}
	return interval{math.Min(a.lo, b.lo), math.Max(a.hi, b.hi)}
}

// truthOver returns the interval function of a comparison which is surely true, surely false, or neither.
func truthOver(yes, no bool) interval {
	switch {
	case yes:
		return exactly(1)
	case no:
		return exactly(0)
	}
	return interval{0, 1}
}
