// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"lbmsim/decomp"
	"lbmsim/internal/scaling"
)

// known holds the measurements on the H200 of docs/performance.md, and where these
// are missing the values of data sheets (docs/scaling.md reports which).
var known = Machine{
	Rate:      41636e6, // from 41,525 MLUPS at 512^3 and 35,574 at 128^3
	Launch:    8.58e-6, // from the same
	Network:   45e9,    // nine tenths of 400 Gb/s
	NetStart:  5e-6,
	Bus:       52e9, // lbmsim doctor: 52.2 to the GPU, 52.7 from it
	HostStart: 9e-6, // lbmsim doctor: 8.9
	Peer:      67e9, // bench scaling on 2 GPUs: 10.5 MB in 156 us, 2.6 MB in 37.9 us
	PeerStart: 1e-6, // from the same, which leave nothing of it
	Wait:      25e-6,
	Node:      8,
}

// size is a row of a table.
type size struct {
	what   string
	global [3]int
	ranks  int
	alongY []int // parts along y to show; 0: as a run chooses
}

var weakSizes = []size{
	{"a column", [3]int{512, 512, 512 * 8}, 8, []int{1}},
	{"a column", [3]int{512, 512, 512 * 64}, 64, []int{1}},
	{"a column", [3]int{512, 512, 512 * 1000}, 1000, []int{1}},
	{"a cube", [3]int{1024, 1024, 1024}, 8, []int{1, 0}},
	{"a cube", [3]int{2048, 2048, 2048}, 64, []int{1, 0}},
	{"a cube", [3]int{5120, 5120, 5120}, 1000, []int{1, 0}},
}

var strongSizes = []size{
	{"", [3]int{1024, 1024, 1024}, 8, []int{1}},
	{"", [3]int{1024, 1024, 1024}, 64, []int{1, 0}},
	{"", [3]int{1024, 1024, 1024}, 256, []int{1, 0}},
	{"", [3]int{1024, 1024, 1024}, 1000, []int{1, 0}},
	{"", [3]int{2048, 2048, 2048}, 64, []int{1, 0}},
	{"", [3]int{2048, 2048, 2048}, 256, []int{1, 0}},
	{"", [3]int{2048, 2048, 2048}, 1000, []int{1, 0}},
}

// tables prints them all.
func tables(w io.Writer, m Machine) error {
	fmt.Fprintf(w, "Weak scaling, 512^3 cells per GPU, %d GPUs per node:\n\n", m.Node)
	if err := table(w, m, weakSizes, func(f Forecast) float64 { return f.Weak }); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nStrong scaling, against one GPU with room for all of it:\n\n")
	return table(w, m, strongSizes, func(f Forecast) float64 { return f.Strong })
}

func table(w io.Writer, m Machine, sizes []size, efficiency func(Forecast) float64) error {
	head := []string{"cells", "GPUs", "cut (y x z)", "box of a rank", "messages", "pieces", "MB", "to other nodes", "needs"}
	for _, w := range ways {
		head = append(head, w.String())
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, s := range sizes {
		shown := map[[3]int]bool{}
		for _, y := range s.alongY {
			p, err := cut(s.global, s.ranks, y)
			if err != nil {
				return err
			}
			if shown[p.Parts()] {
				continue
			}
			shown[p.Parts()] = true
			fmt.Fprintln(w, line(m, s, p, efficiency))
		}
	}
	return nil
}

// line returns the table's line for a cut of a size.
func line(m Machine, s size, p decomp.Plan, efficiency func(Forecast) float64) string {
	var forecasts []Forecast
	for _, w := range ways {
		forecasts = append(forecasts, m.forecast(p, w))
	}
	f, n := forecasts[0], p.Parts()
	what := box(s.global)
	if s.what != "" {
		what += ", " + s.what
	}
	needs := "-"
	if f.AcrossBytes > 0 {
		if needs = "no bulk"; f.Bulk > 0 {
			needs = fmt.Sprintf("%.3g GB/s", m.needs(f.Load)/1e9)
		}
	}
	cells := []string{
		what, fmt.Sprint(s.ranks), fmt.Sprintf("%d x %d", n[1], n[2]), box(f.Plan.Largest()), fmt.Sprint(f.Messages), fmt.Sprint(f.Runs),
		fmt.Sprintf("%.3g", float64(f.Bytes)/1e6), fmt.Sprintf("%.3g", float64(f.AcrossBytes)/1e6), needs,
	}
	for _, f := range forecasts {
		cells = append(cells, percent(efficiency(f)))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func box(n [3]int) string { return fmt.Sprintf("%d x %d x %d", n[0], n[1], n[2]) }

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// compare prints measured efficiencies beside the model's.
func compare(w io.Writer, m Machine, in io.Reader) error {
	fmt.Fprint(w, "| | cells | GPUs | cut (y x z) | transport | sent a step | measured | model |\n|---|---|---|---|---|---|---|---|\n")
	lines, found := bufio.NewScanner(in), 0
	for n := 1; lines.Scan(); n++ {
		var r scaling.Row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("line %d is no JSON of bench scaling: %w", n, err)
		}
		if r.Part != "scaling" || r.Skipped != "" || r.Ranks < 2 {
			continue
		}
		found++
		p, err := decomp.Pencils(r.Size, [3]bool{}, r.Parts[1], r.Parts[2])
		if err != nil {
			return err
		}
		way := Way{r.Transport, "gpu"}
		if r.Transport == "auto" || r.Transport == "host" {
			way = Way{"host", "host"}
			if strings.HasPrefix(r.Way, "peer") {
				way = Way{"peer", "gpu"}
			}
		}
		f := m.forecast(p, way)
		model := f.Strong
		if r.Kind == scaling.Weak {
			model = f.Weak
		}
		mean := 0.0
		for rank := range p.Ranks() {
			mean += float64(m.loadOf(p, rank).Bytes) / float64(p.Ranks())
		}
		fmt.Fprintf(w, "| %s | %s | %d | %d x %d | %s | %.4g MB, model %.4g | %.1f %% (%.1f - %.1f) | %.1f %% |\n", r.Kind, box(r.Size), r.Ranks, r.Parts[1], r.Parts[2], r.Transport,
			r.Bytes/1e6, mean/1e6, 100*r.Efficiency, 100*r.EffLow, 100*r.EffHigh, 100*model)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if found == 0 {
		return fmt.Errorf("no scaling was measured there")
	}
	return nil
}
