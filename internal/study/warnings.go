// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lbmsim/internal/finding"
)

// Warning is a warning of some of the runs. Texts that differ in their numbers alone are one warning.
type Warning struct {
	Kind    string    `json:"kind"`
	Text    string    `json:"text"`    // of the finest grid that has it
	Factors []float64 `json:"refined"` // the grids that have it
}

// String returns the text and the grids.
func (w Warning) String() string {
	var grids []string
	for _, f := range w.Factors {
		grids = append(grids, fmt.Sprintf("%.6g", f))
	}
	return fmt.Sprintf("refined by %s: %s", strings.Join(grids, ", "), w.Text)
}

// warns takes the warnings of the next grid.
func (s *Study) warns(factor float64, list finding.List) {
	for _, f := range list {
		i := slices.IndexFunc(s.Warnings, func(w Warning) bool { return w.Kind == f.Kind && wording(w.Text) == wording(f.Text) })
		if i < 0 {
			i = len(s.Warnings)
			s.Warnings = append(s.Warnings, Warning{Kind: f.Kind})
		}
		w := &s.Warnings[i]
		if w.Text = f.Text; !slices.Contains(w.Factors, factor) {
			w.Factors = append(w.Factors, factor)
		}
	}
}

var numbers = regexp.MustCompile(`[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?`)

// wording returns a text without its numbers.
func wording(text string) string { return numbers.ReplaceAllString(text, "#") }
