// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package curve reads functions of one variable that are given by points, from files of
// comma-separated values.
package curve

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
)

// Curve is a function through points, linear between them and constant beyond the ends.
type Curve struct{ X, Y []float64 }

// mostBytes of a file: a million lines.
const mostBytes = 64 << 20

// Read reads a file, and the SHA-256 of its bytes in hexadecimal.
func Read(path string) (data []byte, sum string, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a pipe would let the run wait indefinitely
		return nil, "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	if data, err = io.ReadAll(io.LimitReader(f, mostBytes+1)); err != nil {
		return nil, "", err
	}
	if len(data) > mostBytes {
		return nil, "", fmt.Errorf("%s has more than %d MiB", path, mostBytes>>20)
	}
	digest := sha256.Sum256(data)
	return data, hex.EncodeToString(digest[:]), nil
}

// Parse makes the curve of lines of two numbers, the first of which rises; lines that
// begin with # are comments, and the first other line may name the columns. name is for
// messages.
func Parse(name string, data []byte) (c Curve, err error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment, r.FieldsPerRecord, r.TrimLeadingSpace, r.ReuseRecord = '#', -1, true, true
	for first := true; ; first = false {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return c, fmt.Errorf("%s:%d: %w", name, bad.Line, bad.Err)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		fail := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
		}
		if len(fields) != 2 {
			hint := ""
			if strings.ContainsAny(strings.Join(fields, ""), ";\t") {
				hint = " (columns need a comma between them, numbers a decimal point)"
			}
			return c, fail("expected two comma-separated columns, got %d%s", len(fields), hint)
		}
		x, errX := number(fields[0])
		y, errY := number(fields[1])
		if first && errX != nil && errY != nil {
			continue // names
		}
		for _, err := range []error{errX, errY} {
			if err != nil {
				return c, fail("%v", err)
			}
		}
		if n := len(c.X); n > 0 && x <= c.X[n-1] {
			return c, fail("%g does not increase from %g", x, c.X[n-1])
		}
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
	if len(c.X) == 0 {
		return c, fmt.Errorf("%s has no numbers", name)
	}
	return c, nil
}

func number(text string) (float64, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(text, "_xX") { // 1_0 and 0x10 are Go's
		if r := []rune(text); len(r) > 40 {
			text = string(r[:40]) + "..."
		}
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}

// At returns the value at x, interpolated linearly between points and constant beyond the ends.
func (c Curve) At(x float64) float64 {
	i := sort.SearchFloat64s(c.X, x) // the first that is not below
	switch {
	case i == 0:
		return c.Y[0]
	case i == len(c.X):
		return c.Y[i-1]
	}
	share := (x - c.X[i-1]) / (c.X[i] - c.X[i-1])
	return c.Y[i-1] + share*(c.Y[i]-c.Y[i-1])
}

// Closes reports why the curve is not one period of a function. name is for
// messages.
func (c Curve) Closes(name string) error {
	switch last := len(c.X) - 1; {
	case last < 1:
		return fmt.Errorf("%s has one line: a repeating period needs at least two", name)
	case c.Y[last] != c.Y[0]:
		return fmt.Errorf("%s: the last value is %g, the first %g: a repeating period must end with its first value; add a line with the value %g", name, c.Y[last], c.Y[0], c.Y[0])
	}
	return nil
}

// Cycle returns the value at x of the curve as one period, from its first to its last point.
func (c Curve) Cycle(x float64) float64 {
	first, last := c.X[0], c.X[len(c.X)-1]
	turn := math.Mod(x-first, last-first)
	if turn < 0 {
		turn += last - first
	}
	return c.At(first + turn)
}

// Range returns the smallest and the largest value.
func (c Curve) Range() (lo, hi float64) {
	lo, hi = c.Y[0], c.Y[0]
	for _, y := range c.Y {
		lo, hi = min(lo, y), max(hi, y)
	}
	return lo, hi
}
