// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"slices"
	"strings"

	"lbmsim/model"
)

func axes() []string { return []string{"x", "y", "z"} }

func deviceKinds() []string { // in the order of DeviceKind
	return []string{"auto", "cpu", "cuda"}
}

// of returns the row that a word of the table stands for. It panics if there is no such row: readers let no
// other words pass.
func of[T any](row T, found bool) T {
	if !found {
		panic(fmt.Sprintf("the table of words has no row %+v", row))
	}
	return row
}

// indexOf returns the position of a word among the words of a key. It panics if the word is not one of them.
func indexOf(words []string, word string) int {
	i := slices.Index(words, word)
	if i < 0 {
		panic(word + " is not one of " + strings.Join(words, ", "))
	}
	return i
}

func axisOf(w string) int { return int(w[0] - 'x') }

func precisionOf(word string) model.Precision {
	for _, p := range model.Precisions {
		if p.String() == word {
			return p
		}
	}
	panic("there is no precision " + word)
}

func names[T any](rows []T, name func(T) string) []string {
	var s []string
	for _, r := range rows {
		s = append(s, name(r))
	}
	return s
}
