// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The flow reattaches where the mean over time changes its sign, also behind a small vortex at the rear, and with noise in each block.
func TestReattachment(t *testing.T) {
	dir := t.TempDir()
	rows := []string{"step,time (s),x (m),velocity x (m/s)"}
	for block := range 4 {
		for k := range 41 {
			x := 0.5 + 0.1*float64(k)
			u := x - 2.13
			if k == 0 {
				u = 0.2
			}
			rows = append(rows, fmt.Sprintf("%d,0,%g,%g", block, x, u+math.Copysign(1, float64(block%2)-0.5)))
		}
	}
	write(t, dir, "line_floor.csv", rows)
	got, err := reattachment(0.5, 1.6, 0.12)(nil, dir)
	if err != nil || len(got) != 1 || math.Abs(float64(got[0].Got)-1.63) > 1e-9 || !got[0].OK {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := reattachment(0.5, 1.2, 0.12)(nil, dir); err != nil || got[0].OK {
		t.Errorf("too long a recirculation: %+v, %v", got, err)
	}
	write(t, dir, "line_floor.csv", rows[:42])
	if _, err := reattachment(0.5, 1.6, 0.12)(nil, dir); err == nil || !strings.Contains(err.Error(), "over time") {
		t.Errorf("one block alone: %v", err)
	}
	for k, row := range rows[1:] {
		fields := strings.Split(row, ",")
		rows[k+1] = strings.Join(append(fields[:3], "1"), ",")
	}
	write(t, dir, "line_floor.csv", rows)
	if _, err := reattachment(0.5, 1.6, 0.12)(nil, dir); err == nil || !strings.Contains(err.Error(), "change its sign") {
		t.Errorf("attached flow: %v", err)
	}
}
