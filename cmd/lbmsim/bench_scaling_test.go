// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lbmsim/internal/scaling"
)

// Scaling is measured on real ranks, as a user would; idle ranks also end without errors.
func TestBenchScalingOnRealRanks(t *testing.T) {
	r := runProgram(t, t.TempDir(), 3, "bench", "scaling", "--device", testDevice(), "--share", "--threads", "1", "--json",
		"--transport", "host", "--ranks", "2,3", "--weak", "24", "--strong", "32x24x20", "--rounds", "2", "--steps", "4")
	if r.code != 0 {
		t.Fatalf("code %d\n%s", r.code, r.out)
	}
	var got []string
	for _, line := range strings.Split(r.out, "\n") {
		var row scaling.Row
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		snakeCase(t, line)
		got = append(got, fmt.Sprint(row.Kind, " ", row.Ranks, row.Size))
		if row.Skipped != "" || row.MLUPS <= 0 || row.Efficiency <= 0 || row.Ranks > 1 && (row.Bytes <= 0 || len(row.Verified) != 16) {
			t.Errorf("%s", line)
		}
	}
	if want := "[weak 2 [24 24 48] weak 3 [24 24 72] weak 1 [24 24 24] strong 2 [32 24 20] strong 3 [32 24 20] strong 1 [32 24 20]]"; fmt.Sprint(got) != want {
		t.Errorf("rows %v, want %s\n%s", got, want, r.out)
	}
}

func TestBenchScalingRefuses(t *testing.T) {
	for _, test := range []struct {
		ranks int
		args  string
		want  string
	}{
		{0, "", "needs at least 2 ranks: mpirun -np 2 lbmsim bench scaling"},
		{2, "--device cpu --weak 10x10", "--weak 10x10: must be cells such as 512 or 512x512x256"},
		{2, "--device cpu --strong 3", "--strong 3: must be cells"},
		{2, "--device cpu --steps 3", "--steps even"},
		{2, "--device cpu --ranks 4", "must be 2 to 2, in ascending order"},
		{2, "--device cpu --model bkg --weak 16 --strong none --rounds 1 --steps 2", "bkg"},
		{2, "--device nothing", "--device nothing: must be cpu, cuda, auto"},
		{2, "--device cpu --transport pear --rounds 1", "pear"},
	} {
		r := runProgram(t, t.TempDir(), test.ranks, append([]string{"bench", "scaling"}, strings.Fields(test.args)...)...)
		if r.code != 2 || !strings.Contains(r.out, test.want) {
			t.Errorf("%s: code %d, no %q in\n%s", test.args, r.code, test.want, r.out)
		}
	}
}
