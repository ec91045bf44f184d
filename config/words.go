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

// of is the row that a word of the table stands for. It panics where there is none: readers let no
// other words pass.
func of[T any](row T, found bool) T {
	if !found {
		panic(fmt.Sprintf("no row like %+v in the table of a word", row))
	}
	return row
}

// indexOf is the place of a word among those of a key. It panics where it is none of them.
func indexOf(words []string, word string) int {
	i := slices.Index(words, word)
	if i < 0 {
		panic(word + " is none of " + strings.Join(words, ", "))
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
	panic("no precision is called " + word)
}

func names[T any](rows []T, name func(T) string) []string {
	var s []string
	for _, r := range rows {
		s = append(s, name(r))
	}
	return s
}
