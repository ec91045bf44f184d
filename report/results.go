// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/io/status"
)

// resultLines returns the results of one [output.force.NAME] as text.
func resultLines(r status.Result) []string {
	lines := []string{fmt.Sprintf("[output.force.%s] mean and 95 %% interval of %d samples since start; table %s", r.Output, r.Samples, r.File)}
	if r.Note != "" {
		lines = append(lines, "  "+r.Note)
	}
	width := 9
	for _, n := range r.Numbers {
		width = max(width, len(n.Quantity))
	}
	for _, n := range r.Numbers {
		text := fmt.Sprintf("  %-*s ", width, n.Quantity)
		switch {
		case n.Value == nil:
			text += n.Note
		case n.Half == nil:
			text += strings.TrimRight(fmt.Sprintf("%.5g %s", *n.Value, n.Unit), " ")
		default:
			text += strings.TrimRight(fmt.Sprintf("%s %s", withInterval(*n.Value, *n.Half), n.Unit), " ")
		}
		if n.Value != nil && n.Meaning != "" {
			text += "   " + n.Meaning
		} else if n.Value != nil && n.Of != "" {
			text += "   of " + n.Of
		}
		switch {
		case n.Doubt != "":
			text += fmt.Sprintf("; DOUBTFUL (%s): %s", n.Doubt, n.Note)
		case n.Value != nil && n.Note != "":
			text += "; " + n.Note
		}
		lines = append(lines, text)
	}
	return lines
}

// withInterval returns a number to the precision of its interval, which has two digits.
func withInterval(value, half float64) string {
	if !(half > 0) || value == 0 {
		return fmt.Sprintf("%.6g +- %.2g", value, half)
	}
	digits := math.Floor(math.Log10(math.Abs(value))) - math.Floor(math.Log10(half)) + 2
	return fmt.Sprintf("%.*g +- %.2g", int(min(max(digits, 2), 8)), value, half)
}
