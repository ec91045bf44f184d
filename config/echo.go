// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"

	"lbmsim/config/language"
)

// Resolved copies of cases, and the keys that may differ between two of them.

// RestartMayChange reports which keys may differ between a checkpoint and the case
// that continues it: the length of the run, its devices, its monitoring and its
// outputs. The physics, the grid, the scaling and the precision must be the same.
func RestartMayChange(key string) bool {
	if key == "title" {
		return true
	}
	for _, t := range []string{"run.", "device.", "output.", "checkpoint.", "expect.", "live."} {
		if strings.HasPrefix(key, t) {
			return true
		}
	}
	return false
}

// Order lists the names of the tables [kind.NAME] of a resolved copy, in its order: Diff does not depend on it.
func Order(resolved, kind string) (names []string) {
	for _, line := range strings.Split(resolved, "\n") {
		if name, found := strings.CutPrefix(line, "["+kind+"."); found {
			names = append(names, strings.TrimSuffix(name, "]"))
		}
	}
	return names
}

// Pin writes the checksums of files into a resolved copy, first the files of boundaries, then those
// of bodies, in their order: cases whose files have changed then differ, though their texts are the
// same.
func Pin(resolved string, sums []string) string {
	var b strings.Builder
	lines := strings.SplitAfter(resolved, "\n")
	var keys [][2]string // of files and of their checksums, here
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "[boundary."):
			keys = [][2]string{{"table = ", "sha256 = "}, {"profile = ", "profile_sha256 = "}}
		case strings.HasPrefix(line, "[body."):
			keys = [][2]string{{"file = ", "sha256 = "}}
		case strings.HasPrefix(line, "["):
			keys = nil
		}
		b.WriteString(line)
		for _, k := range keys {
			if strings.HasPrefix(line, k[0]) && len(sums) > 0 {
				if i+1 < len(lines) && !strings.HasPrefix(lines[i+1], k[1]) {
					b.WriteString(k[1] + language.Quote(sums[0]) + "\n")
				}
				sums = sums[1:]
			}
		}
	}
	return b.String()
}

// Diff compares two resolved cases. It returns a line for every key that differs
// and that mayDiffer (nil: none) does not excuse: `domain.spacing: 0.1 m / 0.2 m`,
// the value of a first. Keys are dotted paths.
func Diff(a, b string, mayDiffer func(key string) bool) []string {
	return language.Diff(a, b, mayDiffer)
}
