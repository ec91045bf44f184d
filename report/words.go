// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"lbmsim/config"
	"lbmsim/internal/plain"
	"lbmsim/sim"
)

// Failure returns the message of a failed run. Errors of a case are returned unchanged, with their
// file and line first, so that editors can jump there.
func Failure(err error) string {
	var wrong config.Errors
	if errors.As(err, &wrong) {
		return wrong.Error()
	}
	return "lbmsim: " + plain.Text(err)
}

// Bytes returns a number of bytes with a binary prefix.
func Bytes(n float64) string {
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if n < 1024 {
			return fmt.Sprintf("%.4g %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%.4g TiB", n)
}

// shareOfRoofline returns the share of the memory bandwidth that a run reaches. No step is faster than the loop that
// measures it, which other load on the machine slows down.
func shareOfRoofline(share float64, roofline string) string {
	if share > 1 {
		return roofline + " was disturbed by other load"
	}
	return fmt.Sprintf("%.0f %% of %s", 100*share, roofline)
}

// speedUnit returns the unit behind speeds of a case with or without units.
func speedUnit(physical bool) string {
	if physical {
		return " m/s"
	}
	return " cells/step"
}

// healthText returns the last results of the stability watch, and the number of checks with warnings.
func healthText(h sim.Health, unit string) string {
	text := fmt.Sprintf("mean density %+.3g %% since the start, maximum speed %.4g%s, grid-scale energy fraction %.2g", 100*h.DensityDrift, h.MaxSpeed, unit, h.GridScale)
	if h.Temperature > 0 {
		text += fmt.Sprintf(", temperature overshoot %.2g %% of the imposed range", 100*h.Temperature)
	}
	if len(h.Warned) == 0 {
		return text
	}
	var list []string
	for what, n := range h.Warned {
		list = append(list, what+" ("+plain.Count(n, "check")+")")
	}
	sort.Strings(list)
	return text + "; warnings: " + strings.Join(list, ", ")
}

// leftOut returns the number of files of each kind that a run omitted.
func leftOut(counts map[string]int) string {
	var list []string
	for kind, n := range counts {
		list = append(list, fmt.Sprintf("%d %s", n, kind))
	}
	sort.Strings(list)
	return strings.Join(list, ", ")
}

// roundDuration rounds long times to seconds, and short ones to hundredths.
func roundDuration(d time.Duration) time.Duration {
	if d > time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(10 * time.Millisecond)
}
