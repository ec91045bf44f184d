package main

import (
	"io"
	"strings"
	"testing"
)

// What a broken report would hide is a broken test: each way to fail must fail here.
func TestReport(t *testing.T) {
	const (
		pass = `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n"
		line = `{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"
		skip = `{"Action":"output","Package":"p","Test":"TestS","Output":"no MPI here\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestS"}` + "\n"
	)
	for _, c := range []struct {
		name, in string
		allowed  []string
		ok       bool
		says     string
	}{
		{"all pass", pass + line, nil, true, "ok  \tp\t0.01s\n1 passed, 0 failed, 0 skipped\n"},
		{"nothing ran", line, nil, false, "0 passed, 0 failed"},
		{"a skip", pass + skip + line, nil, false, "skipped, but should have run: p.TestS\n    no MPI here\n"},
		{"an allowed skip", pass + skip + line, []string{"p.Test?"}, true, "1 passed, 0 failed, 1 skipped"},
		{"a failed test", pass + `{"Action":"output","Package":"p","Test":"TestF","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestF"}
{"Action":"fail","Package":"p"}
`, nil, false, "got 1, want 2\nfailed: p\n1 passed, 1 failed"},
		{"a panic", pass + `{"Action":"output","Package":"p","Test":"TestF","Output":"panic: oh\n"}
{"Action":"fail","Package":"p"}
`, nil, false, "panic: oh\nfailed: p\n"},
		{"a failed build", pass + `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:1: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`, nil, false, "FAIL\tp [build failed]\np.go:1: undefined: x\nfailed: p\n"},
		{"the go command fails", "no such package\n", nil, false, "no such package\n"},
	} {
		var out strings.Builder
		ok, err := report(strings.NewReader(c.in), &out, io.Discard, c.allowed)
		if err != nil || ok != c.ok || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: ok %v (want %v), error %v, report:\n%s(should say %q)", c.name, ok, c.ok, err, out.String(), c.says)
		}
	}
}
