// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"bytes"
	"slices"
	"strings"
)

// Without returns a text without some of its tables and keys; gone is called with their paths. A comment above a table belongs to it,
// text after its last key belongs to the next. Keys of inline tables are removed with the whole line.
func Without(src []byte, gone func(path []string) bool) []byte {
	m, msg, _ := Scan(src)
	if msg != "" {
		return src
	}
	line := func(off int) int { return bytes.LastIndexByte(src[:off], '\n') + 1 }
	next := func(off int) int {
		if n := bytes.IndexByte(src[off:], '\n'); n >= 0 {
			return off + n + 1
		}
		return len(src)
	}
	var cuts [][2]int
	for key, at := range m.Keys {
		if path := strings.Split(key, "\x1f"); !gone(path) {
			continue
		}
		end := at.Off + at.Len
		if value, ok := m.Values[key]; ok {
			end = max(end, value.Off+value.Len)
		}
		from := line(at.Off)
		if src[at.Off] == '[' { // a header
			for from > 0 && src[line(from-1)] == '#' {
				from = line(from - 1)
			}
		}
		cuts = append(cuts, [2]int{from, next(end)})
	}
	slices.SortFunc(cuts, func(a, b [2]int) int { return a[0] - b[0] })
	var left []byte
	at := 0
	for _, c := range cuts {
		if c[0] > at {
			left = append(left, src[at:c[0]]...)
		}
		at = max(at, c[1])
	}
	return append(left, src[at:]...)
}
