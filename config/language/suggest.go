// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"strings"
)

// The nearest valid word, for mistyped ones.

// nearest returns the candidate with the smallest edit distance to word, or "" when
// none is near enough. A third of the letters may be wrong.
func nearest(word string, candidates []string) string {
	w := strings.ToLower(word)
	if len(w) > 40 {
		return ""
	}
	best, limit := "", (len([]rune(w))+1)/3
	if len(w) < 3 {
		limit = 0 // short words all look similar: only the case may be wrong
	}
	for _, c := range candidates {
		if d := distance([]rune(w), []rune(strings.ToLower(c))); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours
// (restricted Damerau-Levenshtein).
func distance(a, b []rune) int {
	prev2, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev = prev, row
	}
	return prev[len(b)]
}

// Meant returns `; did you mean "..."?` or nothing.
func Meant(word string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}

// OneOf lists words: `a, b or c`.
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
