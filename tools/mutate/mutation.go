// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// pool is the words of the language, as cases have them.
type pool struct {
	heads  []string // [domain]
	lines  []string // key = value
	values []string // what stands behind =
	words  []string // names of keys and words in quotes
}

var (
	head   = regexp.MustCompile(`^\[[^\]]+\]`)
	word   = regexp.MustCompile(`[A-Za-z_]+`)
	number = regexp.MustCompile(`[0-9][0-9_]*(\.[0-9]+)?(e[+-]?[0-9]+)?`)
)

func (p *pool) learn(text string) {
	put := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		switch key, value, isPair := strings.Cut(line, " = "); {
		case len(line) > 400 || strings.HasPrefix(line, "#"):
		case head.MatchString(line):
			put(&p.heads, head.FindString(line))
		case isPair:
			put(&p.lines, line)
			put(&p.words, key)
			value, _, _ = strings.Cut(value, " #")
			put(&p.values, value)
			for _, w := range word.FindAllString(value, -1) {
				put(&p.words, w)
			}
		}
	}
}

// hostile numbers and texts.
var hostile = []string{"0", "-1", "1", "1e300", "-1e300", "1e-300", "inf", "nan", "-0.0", "9223372036854775807", "9223372036854775808", "1099511627776",
	"0.5", "0.5000001", "1e-9", "1e9", "2147483648", "65536", "4097", `""`, "[]", "{}", "true", `"x"`, `"1/x"`, `"1/(x-0.5)"`, `"sqrt(-y)"`, `"-1 m"`, `"1e300 m/s"`, `"1 kg"`, "[1, 2, 3, 4]", `"../../x"`, `"/dev/null"`, `"/proc/self/mem"`, "1979-05-27", "'''", `"\u0000"`}

// mutate changes a text in one to three places, and returns a description.
func (p *pool) mutate(random *rand.Rand, text string) (changed, how string) {
	var done []string
	for range []int{1, 1, 1, 2, 3}[random.IntN(5)] { // one mistake hides another
		var what string
		if text, what = p.once(random, text); what != "" {
			done = append(done, what)
		}
	}
	return text, strings.Join(done, "; ")
}

func (p *pool) once(random *rand.Rand, text string) (string, string) {
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	if random.IntN(5) == 0 {
		return bytewise(random, text)
	}
	lines := strings.Split(text, "\n")
	var pairs []int // lines with a value
	for i, l := range lines {
		if strings.Contains(l, " = ") && !strings.HasPrefix(l, "#") {
			pairs = append(pairs, i)
		}
	}
	if len(pairs) == 0 {
		return bytewise(random, text)
	}
	i := pairs[random.IntN(len(pairs))]
	key, value, _ := strings.Cut(lines[i], " = ")
	what := ""
	switch random.IntN(16) {
	case 0:
		v := pick(hostile)
		lines[i], what = key+" = "+v, fmt.Sprintf("%s becomes %s", key, v)
	case 1:
		v := pick(p.values)
		lines[i], what = key+" = "+v, fmt.Sprintf("%s becomes %s", key, v)
	case 2, 3, 10, 11, 12, 13, 14, 15: // a number
		at := number.FindAllStringIndex(value, -1)
		if len(at) == 0 {
			return text, ""
		}
		span := at[random.IntN(len(at))]
		v := fmt.Sprintf("%s%s", value[span[0]:span[1]], pick([]string{"0", "00", "e3", "e-3", "e12", "e-12", "e308", "_0", ".5", "9"}))
		if random.IntN(3) > 0 {
			v = pick([]string{"0", "1", "2", "3", "4", "0.5", "0.05", "0.001", "0.51", "17", "60", "200", "1000", "1e6", "-1", "-0.1", "1e-7"})
		}
		what = fmt.Sprintf("in %s %s becomes %s", key, value[span[0]:span[1]], v)
		lines[i] = key + " = " + value[:span[0]] + v + value[span[1]:]
	case 4: // a word
		at := word.FindAllStringIndex(value, -1)
		if len(at) == 0 {
			return text, ""
		}
		span := at[random.IntN(len(at))]
		v := pick(p.words)
		what = fmt.Sprintf("in %s %s becomes %s", key, value[span[0]:span[1]], v)
		lines[i] = key + " = " + value[:span[0]] + v + value[span[1]:]
	case 5:
		v := pick(p.words)
		lines[i], what = v+" = "+value, fmt.Sprintf("key %s becomes %s", key, v)
	case 6:
		lines, what = slices.Delete(lines, i, i+1), "without "+key
	case 7: // a line from elsewhere, into the same table
		v := pick(p.lines)
		lines, what = slices.Insert(lines, i, v), "also "+v
	case 8: // a table from elsewhere
		v := pick(p.heads)
		lines, what = slices.Insert(lines, i, v), "behind "+v
	case 9:
		j := random.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		what = fmt.Sprintf("lines %d and %d changed places", i+1, j+1)
	}
	return strings.Join(lines, "\n"), what
}

// bytewise changes bytes, whatever they mean.
func bytewise(random *rand.Rand, text string) (string, string) {
	if text == "" {
		return text, ""
	}
	b := []byte(text)
	i := random.IntN(len(b))
	switch random.IntN(5) {
	case 0:
		b[i] ^= 1 << random.IntN(8)
		return string(b), fmt.Sprintf("a bit of byte %d", i)
	case 1:
		b[i] = byte(random.IntN(256))
		return string(b), fmt.Sprintf("byte %d", i)
	case 2:
		n := min(len(b)-i, 1+random.IntN(8))
		return string(slices.Delete(b, i, i+n)), fmt.Sprintf("without %d bytes from %d", n, i)
	case 3:
		return string(slices.Insert(b, i, "\"'[]{}=#.,-+*/^()eE0\n"[random.IntN(21)])), fmt.Sprintf("one more byte at %d", i)
	}
	if random.IntN(4) > 0 { // a short text tests little
		return text, ""
	}
	return text[:i], fmt.Sprintf("cut off at byte %d", i)
}
