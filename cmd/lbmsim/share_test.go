// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
)

// More threads than cores are warned of, whether the flag or the case asks for them.
func TestMoreThreadsThanCores(t *testing.T) {
	own := ownCPUs()
	cores := own.Count()
	for name, c := range map[string]struct {
		flag, file, ranks int
		warns             bool
	}{
		"none":          {0, 0, 1, false},
		"a flag":        {1000 * cores, 0, 1, true},
		"the case":      {0, 1000 * cores, 1, true},
		"one each":      {cores, 0, 1, false},
		"by more ranks": {cores, 0, 2, true},
	} {
		err := comm.RunLocal(c.ranks, func(r comm.Comm) error {
			threads, advice, err := share(r, &config.Case{Run: config.Run{Threads: c.file}}, c.flag)
			if err != nil {
				return err
			}
			if want := max(c.flag, c.file); want > 0 && threads != want {
				t.Errorf("%s: %d threads", name, threads)
			}
			if strings.Contains(advice, "oversubscribed cores") != c.warns {
				t.Errorf("%s: advice %q", name, advice)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
