// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"strconv"
	"strings"
)

// Quote writes a TOML basic string.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// QuoteAll puts words into quotes.
func QuoteAll(words []string) []string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = strconv.Quote(w)
	}
	return q
}

// ShortQuote quotes a text of the user, cut to a length that fits a message.
func ShortQuote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.Quote(s)
}

// printable replaces control characters.
func printable(s string) []rune {
	r := []rune(strings.ToValidUTF8(s, "?"))
	for i, c := range r {
		if c < ' ' && c != '\t' || c == 0x7f {
			r[i] = '?'
		}
	}
	return r
}
