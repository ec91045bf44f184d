// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

import (
	"os"
	"strconv"
	"testing"
)

// A check that it works; LBMSIM_BENCH_MIB sets the size for a measurement and
// LBMSIM_BENCH_DIR the disk:
//
//	LBMSIM_BENCH_MIB=1024 go test -run Bench -v ./io/checkpoint
func TestBench(t *testing.T) {
	mib, runs := 16, 1
	if n, err := strconv.Atoi(os.Getenv("LBMSIM_BENCH_MIB")); err == nil {
		mib, runs = n, 7
	}
	dir := os.Getenv("LBMSIM_BENCH_DIR")
	if dir == "" {
		dir = t.TempDir()
	}
	s, err := Bench(dir, int64(mib)<<20, runs)
	if err != nil {
		t.Fatal(err)
	}
	if s.Checkpoint <= 0 || s.Read <= 0 {
		t.Errorf("%+v", s)
	}
	t.Log(s)
}
