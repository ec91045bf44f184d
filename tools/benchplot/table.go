// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lbmsim/device/bench"
)

// group is the rows of one box: a table.
type group struct {
	device, what, version, part string
	size                        [3]int
	roofs, kernels              []row
	eddies                      map[string]row // by the name without the law
}

// tables gathers rows by the box, in the order that they were measured in. A kernel that
// was measured again in another run replaces the older row.
func tables(rows []row) (list []*group) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(g *group) bool {
			return g.device == r.Device && g.what == r.What && g.version == r.Version && g.part == r.Part && g.size == r.Size
		})
		if i < 0 {
			i = len(list)
			list = append(list, &group{device: r.Device, what: r.What, version: r.Version, part: r.Part, size: r.Size, eddies: map[string]row{}})
		}
		g := list[i]
		switch {
		case r.roofline():
			g.roofs = append(g.roofs, r)
		case r.Without > 0: // the law is the last word
			g.eddies[r.Name[:max(0, strings.LastIndex(r.Name, " "))]] = r
		default:
			if k := slices.IndexFunc(g.kernels, func(o row) bool { return o.Name == r.Name }); k >= 0 {
				g.kernels[k] = r
				continue
			}
			g.kernels = append(g.kernels, r)
		}
	}
	return list
}

// writeTables writes Markdown.
func writeTables(w io.Writer, rows []row) error {
	for i, g := range tables(rows) {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, g.markdown()); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s cells, %s (version %s):\n\n", g.device, cells(g.size), g.what, g.version)
	columns := []string{"", "MLUPS", "GB/s", "by " + strings.TrimPrefix(g.first(), "roofline: "), "of the faster roofline", "bytes per cell"}
	if len(g.eddies) > 0 {
		columns = append(columns, "MLUPS with eddy viscosity", "relative to without")
	}
	line := func(fields []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(fields, " | ")) }
	line(columns)
	fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(columns)))
	var done []string
	for _, r := range g.roofs {
		if slices.Contains(done, r.Name) {
			continue
		}
		done = append(done, r.Name)
		var mlups, gbps []float64
		for _, o := range g.roofs {
			if o.Name == r.Name {
				mlups, gbps = append(mlups, o.MLUPS), append(gbps, o.GBps)
			}
		}
		line(slices.Concat([]string{r.Name, thousands(bench.Median(mlups)), rate(bench.Median(gbps))}, make([]string, len(columns)-3)))
	}
	for _, r := range g.kernels {
		fields := []string{r.Name, thousands(r.MLUPS), rate(r.GBps), fmt.Sprintf("%.2f", r.Ratio), "", fmt.Sprintf("%.1f", r.Bytes)}
		if r.Share > 0 {
			fields[4] = fmt.Sprintf("%.0f %%", 100*r.Share)
		}
		if len(g.eddies) > 0 {
			if e, ok := g.eddies[r.Name]; ok {
				fields = append(fields, thousands(e.MLUPS), fmt.Sprintf("%.2f", e.Without))
			} else {
				fields = append(fields, "", "")
			}
		}
		line(fields)
	}
	return b.String()
}

// first names the reference of Ratio: the first row of the turns.
func (g *group) first() string {
	if len(g.roofs) > 0 {
		return g.roofs[0].Name
	}
	return "the first row"
}

// cells formats the size of a box.
func cells(n [3]int) string {
	s := fmt.Sprintf("%d x %d", n[0], n[1])
	if n[2] > 1 {
		s += fmt.Sprintf(" x %d", n[2])
	}
	return s
}
