// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"strings"
	"testing"
)

// A broken check would hide tests that never run: each failure must be detected here.
func TestJudge(t *testing.T) {
	const (
		pass = `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1.5}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestB/part","Elapsed":7}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestB","Elapsed":20}` + "\n"
		line = `{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"
		skip = `{"Action":"output","Package":"p","Test":"TestS","Output":"no MPI here\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestS"}` + "\n"
		long = `{"Action":"output","Package":"p","Test":"TestL/a","Output":"long: make test-all runs it\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestL/a"}` + "\n"
	)
	for _, c := range []struct {
		name, in string
		allowed  []string
		short    bool
		err      string
		says     string
	}{
		{"all ran", pass + line, nil, false, "<nil>", "skipped: 0 for"},
		{"nothing ran", line, nil, false, "no test has run", ""},
		{"only skips", skip, []string{"p.TestS"}, false, "no test has run", ""},
		{"a skip", pass + skip + line, nil, false, "p.TestS: skipped", "skipped, but should have run: p.TestS\n    no MPI here\n"},
		{"an allowed skip", pass + skip + line, []string{"p.Test?"}, false, "<nil>", "1 for a reason of the list"},
		{"a long test", pass + long, nil, false, "p.TestL/a: skipped", "should have run: p.TestL/a\n"},
		{"a long test in short", pass + long, nil, true, "<nil>", "skipped: 1 for make test-all, 0 for"},
		{"a skip in short", pass + skip, nil, true, "p.TestS: skipped", "no MPI here"},
		{"the go command speaks", "no such package\n" + pass, nil, false, "<nil>", ""},
	} {
		r, err := read(strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := r.judge(&out, c.allowed, c.short); !strings.HasPrefix(fmt.Sprint(err), c.err) || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %v (want %s), report:\n%s(should say %q)", c.name, err, c.err, out.String(), c.says)
		}
	}
	r, _ := read(strings.NewReader(pass + skip + long + strings.ReplaceAll(long, "TestL/a", "TestL/b")))
	if got := r.later(); got != "p TestL\n" {
		t.Errorf("later: %q", got)
	}
}
