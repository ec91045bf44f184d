// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/internal/finding"
)

// mostCoefficient is a drag or lift coefficient beyond any body's; below Re 1 it grows with 1/Re, like Stokes drag.
const mostCoefficient = 1000

// warnOfCoefficients warns about means far from any body's: the reference values probably have a wrong unit.
func (r *run) warnOfCoefficients() {
	if !r.Rank.Root {
		return
	}
	nu := (r.Case.Tau - 0.5) / 3
	for _, f := range r.Case.Forces {
		if f.Coefficient == 0 {
			continue
		}
		length := f.Size
		if r.Case.Dims() == 3 {
			length = math.Sqrt(length)
		}
		most := mostCoefficient * math.Max(1, nu/(f.Velocity*length))
		for _, name := range []string{"drag", "lift"} {
			mean, _ := r.outputs.ForceValue(config.Expectation{Force: f.Name, Series: name, Statistic: "mean"})
			if math.Abs(mean) > most {
				r.options.Report.Warn(finding.CoefficientSize.Says("[output.force.%s]: the mean %s coefficient is %s, far outside the range of any body: are the reference velocity and area (in 2D length) right?", f.Name, name, fmt.Sprintf("%.3g", mean)))
				break
			}
		}
	}
}
