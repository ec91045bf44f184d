// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"lbmsim/device/bench"
)

// row is a line of `lbmsim bench --json`.
type row struct {
	Part, What, Device, Version string
	Size                        [3]int
	bench.Speed
}

// roofline: only what moves bytes and computes no flow has no state.
func (r row) roofline() bool { return r.Bytes == 0 }

// read keeps the lines with a kernel's speed, unlike ranks and checkpoints.
func read(in io.Reader) ([]row, error) {
	var rows []row
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d is no JSON of bench: %w", n, err)
		}
		if r.Name == "" {
			continue
		}
		if !(r.MLUPS > 0) || r.Traffic <= 0 || !(r.Low <= r.MLUPS && r.MLUPS <= r.High) {
			return nil, fmt.Errorf("line %d: %s has no speed: %g (%g to %g) MLUPS of %d bytes", n, r.Name, r.MLUPS, r.Low, r.High, r.Traffic)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// panel holds the measurements in one box.
type panel struct {
	title string
	bars  []bar
}

// bar is one kernel or roofline in GB/s: the median turn, the slowest and the fastest.
type bar struct {
	name            string
	gbps, low, high float64
	mark            float64 // fastest roofline measured alternately with it; 0 without one
	label           string
	roofline        bool
}

// panels gathers the rows by the box. In a run each kernel may have its own
// rooflines, measured alternately with it: these are its mark, and their medians one bar.
func panels(rows []row) []panel {
	type key struct {
		device, what, version string
		size                  [3]int
	}
	var order []key
	kernels, roofs := map[key][]bar{}, map[key][]bar{}
	samples := map[key]map[string][]float64{}
	var here key
	fastest, done := 0.0, true
	for _, r := range rows {
		k := key{r.Device, r.What, r.Version, r.Size}
		if samples[k] == nil {
			order, samples[k] = append(order, k), map[string][]float64{}
		}
		// Rooflines come first among those that take turns.
		if k != here || r.roofline() && done {
			here, fastest, done = k, 0, false
		}
		b := bar{name: r.Name, gbps: r.GBps, low: r.Low * float64(r.Traffic) / 1e3, high: r.High * float64(r.Traffic) / 1e3, roofline: r.roofline()}
		if b.roofline {
			fastest = max(fastest, r.GBps)
			samples[k][r.Name] = append(samples[k][r.Name], r.GBps)
			if len(samples[k][r.Name]) == 1 {
				roofs[k] = append(roofs[k], b)
			}
			for i := range roofs[k] {
				if o := &roofs[k][i]; o.name == r.Name {
					o.gbps = bench.Median(samples[k][r.Name])
					o.low, o.high = min(o.low, b.low), max(o.high, b.high)
					o.label = fmt.Sprintf("%s GB/s", rate(o.gbps))
				}
			}
			continue
		}
		done = true
		b.mark = fastest
		b.label = fmt.Sprintf("%s GB/s, %s MLUPS", rate(r.GBps), thousands(r.MLUPS))
		if r.Share > 0 {
			b.label = fmt.Sprintf("%.0f %%, ", 100*r.Share) + b.label
		}
		kernels[k] = append(kernels[k], b)
	}
	var list []panel
	for _, k := range order {
		list = append(list, panel{
			title: fmt.Sprintf("%s, %s cells, %s (version %s)", k.device, cells(k.size), k.what, k.version),
			bars:  append(roofs[k], kernels[k]...),
		})
	}
	return list
}

// rate formats a rate with three digits, or with all before the point.
func rate(gbps float64) string {
	if gbps >= 100 {
		return thousands(gbps)
	}
	return fmt.Sprintf("%.3g", gbps)
}

// thousands formats a whole number with commas.
func thousands(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
