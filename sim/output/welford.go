// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "math"

// deviate replaces values by their deviations from the means and updates the means; inverse is 1/n, n counting this sample.
func deviate(values, means []float64, inverse float64) {
	for x, m := range means[:len(values)] {
		d := values[x] - m
		values[x], means[x] = d, math.FMA(d, inverse, m)
	}
}

// addProducts adds a share of the products of deviations to sums.
func addProducts(d, e, sums []float64, share float64) {
	e, sums = e[:len(d)], sums[:len(d)]
	for x, v := range d {
		sums[x] = math.FMA(share*v, e[x], sums[x])
	}
}
