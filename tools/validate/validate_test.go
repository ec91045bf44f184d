// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/internal/harness"
)

const root = "../.."

// The short form of the book, with lbmsim as it is: every result within its
// tolerance. Where there is no Go, LBMSIM_TEST_PROGRAM names a program.
func TestShortForm(t *testing.T) {
	program, err := harness.Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	brief.Fewer(t, "entries")
	o := options{program: program, short: true, check: true, root: root, device: os.Getenv("LBMSIM_TEST_DEVICE"), report: func(s string) { t.Log(s) }}
	if testing.Short() {
		o.skip = "^(rolls-5000|shell|shaft|turbulence-channel-short|cavity-100-coarse-(bgk|trt)|openings-trt-.*)$" // three quarters of the time
	}
	if err := o.run(); err != nil {
		t.Error(err)
	}
}

// The page is what the results say, the results come from the book's commands, and
// what they miss is missed on the page, too.
func TestPageIsOfTheResults(t *testing.T) {
	all := book()
	kept, err := readResults(filepath.Join(root, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	text, plots, err := page(all, kept)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) == 0 {
		t.Fatal("there are no results")
	}
	held, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil || string(held) != text {
		t.Errorf("%s is not what %s makes: go run ./tools/validate -draw (%v)", pageFile, resultsFile, err)
	}
	for name, b := range plots {
		if held, err := os.ReadFile(filepath.Join(root, "docs", name)); err != nil || string(held) != string(b) {
			t.Errorf("docs/%s is not what %s makes: go run ./tools/validate -draw (%v)", name, resultsFile, err)
		}
	}
	seen := map[string]bool{}
	for _, e := range entries(all) {
		if seen[e.id] {
			t.Errorf("two entries are called %s", e.id)
		}
		seen[e.id] = true
		if r, ok := kept[e.id]; ok && r.Command != harness.CommandText(e.args) {
			t.Errorf("%s: the result is from another command:\n%s\n%s", e.id, r.Command, harness.CommandText(e.args))
		}
		if _, err := os.Stat(filepath.Join(root, e.args[1])); err != nil {
			t.Errorf("%s: %v", e.id, err)
		}
	}
	for _, s := range all {
		if s.picture != "" && !seen[s.picture] {
			t.Errorf("the picture of %s belongs to no entry: %s", s.id, s.picture)
		}
	}
}

// Values outside a tolerance are marked, in every way that a number can be.
func TestRowsShow(t *testing.T) {
	for _, c := range []struct {
		check
		want string
	}{
		{check{What: "a", Got: 1.01, Want: 1, Tolerance: 0.02, OK: true}, "a | 1.01 | 1 | +1 % | 2 % | ok"},
		{check{What: "a", Got: -1.1, Want: -1, Tolerance: 0.02}, "a | -1.1 | -1 | +10 % | 2 % | **missed**"},
		{check{What: "a", Got: number(math.NaN()), Want: 0, Tolerance: 0.02}, "a | NaN | 0 | NaN | 0.02 | **missed**"},
		{check{What: "order of a", Got: 1.5, Want: 2, Tolerance: 0.1}, "order of a | 1.500 | 2 | -0.500 | 0.1 | **missed**"},
		{check{What: "a", Got: 3, Free: true, OK: true}, "a | 3 | | | | reported"},
	} {
		if got := c.row(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	out := outcome{}
	study := []byte(`noise {"case":"a","levels":[{"cells":[8,8,1]},{"cells":[16,16,1]},{"cells":[32,32,1]}],"results":[{"quantity":"expect.q","values":[1.4,1.2,1.1],"order":1}]}`)
	e := entry{orders: []order{{quantity: "q", order: 2, within: 0.1, exact: 1}}}
	if err := out.takeStudy(study, e); err != nil || len(out.Checks) != 1 || out.Checks[0].OK || math.Abs(float64(out.Curves[0].Error[2])-0.1) > 1e-12 {
		t.Errorf("%v %+v", err, out)
	}
	e.orders[0].quantity = "p"
	if err := out.takeStudy(study, e); err == nil || !strings.Contains(err.Error(), "no p") {
		t.Errorf("a quantity that the study lacks: %v", err)
	}
	run := []byte("{\"event\":\"start\",\"data\":{\"version\":\"v\",\"ranks\":[{\"Hi\":[4,5,1],\"Device\":{\"Model\":\"m\"}}]}}\n" +
		"{\"event\":\"finish\",\"data\":{\"steps\":3,\"expect\":[{\"Quantity\":\"expect.a\",\"Got\":\"NaN\",\"Want\":1,\"Tolerance\":0.1,\"OK\":false}]}}\n")
	out = outcome{}
	if err := out.takeRun(run, entry{}, ""); err != nil || out.Cells != [3]int{4, 5, 1} || out.Checks[0].OK || !math.IsNaN(float64(out.Checks[0].Got)) {
		t.Errorf("%v %+v", err, out)
	}
	if err := out.takeRun(run[:80], entry{}, ""); err == nil {
		t.Error("a run without an end is taken")
	}
}
