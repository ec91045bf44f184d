// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"strconv"
	"strings"
)

// Numbers for people.

// Short formats a number for people, with five digits.
func Short(v float64) string {
	s := fmt.Sprintf("%.5g", v)
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e", 1)
}

// Grouped formats a whole number with its thousands apart: 1,048,576. Four digits are easily read without.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	if n < 0 || len(s) < 5 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Crossed formats the numbers of cells along the axes: 32 x 64.
func Crossed(cells []int) string {
	list := make([]string, len(cells))
	for a, n := range cells {
		list[a] = Grouped(n)
	}
	return strings.Join(list, " x ")
}
