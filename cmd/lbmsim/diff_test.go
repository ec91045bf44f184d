// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/sim"
)

// Files in one folder only, such as the files of a stop, count only on request.
func TestExtraFilesOfDiff(t *testing.T) {
	dir := t.TempDir()
	put := func(name, value string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		text := "# lbmsim test\n# case.toml\n# \n# provenance: {}\n# case:\nstep,time,density\n1,1," + value + "\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("a/probe_p.csv", "1.5")
	put("b/probe_p.csv", "1.5")
	put("b/probe_stop.csv", "2")
	put("c/probe_p.csv", "1.25")
	put("d/probe_other.csv", "1.5")
	for _, c := range []struct {
		b    string
		flag diffFlags
		code int
		word string
	}{
		{"b", diffFlags{}, 0, "1 file in one folder only"},
		{"b", diffFlags{json: true}, 0, `"same": true`},
		{"b", diffFlags{strict: true}, sim.ExitDiffer, "only "},
		{"c", diffFlags{}, sim.ExitDiffer, "differ"},
		{"d", diffFlags{}, sim.ExitDiffer, "only "},
	} {
		var out strings.Builder
		err := runDiff(filepath.Join(dir, "a"), filepath.Join(dir, c.b), c.flag, &out)
		if code := exitCode(err); code != c.code || !strings.Contains(out.String(), c.word) {
			t.Errorf("%+v: exit code %d (%v)\n%s", c, code, err, &out)
		}
	}
}
