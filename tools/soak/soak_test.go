// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lbmsim/comm/mpi/mpitest"
	"lbmsim/internal/harness"
)

// The short form of `make soak`.
func TestKilledRunsGoOn(t *testing.T) {
	line, env := mpitest.Mpirun(t)
	for _, e := range env {
		key, value, _ := strings.Cut(e, "=")
		t.Setenv(key, value)
	}
	dir := t.TempDir()
	program, err := harness.Build("../..", dir)
	if err != nil {
		t.Fatal(err)
	}
	short := soakCase{cases[0].name, strings.Replace(cases[0].text, "steps = 450", "steps = 180", 1)}
	s := soak{kills: 10, program: program, launcher: line, dir: filepath.Join(dir, "soak"), damage: 0.3, cases: []soakCase{short}, log: t.Logf}
	err = s.prepare(uint64(time.Now().UnixNano()))
	if err == nil {
		err = s.run()
	}
	t.Log(s.figures)
	if err == nil {
		err = s.figures.verdict()
	}
	if err != nil {
		t.Error(err)
	}
}
