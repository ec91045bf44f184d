// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// bounds in CPU seconds, without a bound where zero.
type bounds struct {
	total float64
	test  float64
}

type report []row

func read(file string) (report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r report
	for lines := json.NewDecoder(f); ; {
		var one row
		if err := lines.Decode(&one); err == io.EOF {
			return r, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r = append(r, one)
	}
}

// judge prints the longest tests and exceeded bounds. Its error names the bound.
func (r report) judge(out io.Writer, b bounds) error {
	const most = 10
	var tests, packages report
	total := 0.0
	for _, one := range r {
		if one.Test != "" {
			tests = append(tests, one)
			continue
		}
		packages = append(packages, one)
		total += one.CPU
	}
	if len(packages) == 0 {
		return errors.New("no package has run")
	}
	for _, list := range []struct {
		of   string
		rows report
	}{{"packages", packages}, {"tests", tests}} {
		slices.SortStableFunc(list.rows, func(a, b row) int { return cmp.Compare(b.CPU, a.CPU) })
		fmt.Fprintf(out, "the %s that take most CPU time:\n", list.of)
		for _, one := range list.rows[:min(most, len(list.rows))] {
			fmt.Fprintf(out, "%7.1f s CPU, %6.1f s elapsed  %s\n", one.CPU, one.Elapsed, one.name())
		}
	}
	fmt.Fprintf(out, "all packages: %.0f s CPU\n", total)
	var wrong []error
	for _, one := range tests {
		if b.test > 0 && one.CPU > b.test {
			wrong = append(wrong, fmt.Errorf("%s takes %.0f s of CPU time, and one test may take %.0f: try a smaller grid, fewer steps, or internal/brief", one.name(), one.CPU, b.test))
		}
	}
	if b.total > 0 && total > b.total {
		wrong = append(wrong, fmt.Errorf("the tests take %.0f s of CPU time, and may take %.0f: the lists above show where", total, b.total))
	}
	return errors.Join(wrong...)
}

func (r row) name() string {
	if r.Test == "" {
		return r.Package
	}
	return r.Package + "." + r.Test
}
