// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// job returns ranks of the given number on each host, bound to cores: one list per rank, repeated.
func job(perHost map[string]int, hosts string, cores ...[]int) (ranks []Rank) {
	for _, h := range strings.Fields(hosts) {
		for range perHost[h] {
			ranks = append(ranks, Rank{Host: h, Online: 8, Threads: 1, Version: "v1", MPI: "Open MPI v4.1.4", GPUAware: "no"})
		}
	}
	for r := range ranks {
		ranks[r].Cores = cores[r%len(cores)]
	}
	return ranks
}

// see assigns GPUs of the node to the ranks, by number.
func see(ranks []Rank, lists ...string) []Rank {
	for r := range ranks {
		for _, g := range strings.Fields(lists[r%len(lists)]) {
			ranks[r].OnGPU = true
			ranks[r].Visible = append(ranks[r].Visible, ranks[r].Host+" "+g)
		}
	}
	return ranks
}

func with(ranks []Rank, r int, change func(*Rank)) []Rank {
	change(&ranks[r])
	return ranks
}

// The advice of doctor on jobs that were started wrongly, word for word.
func TestAdvice(t *testing.T) {
	eight := []int{0, 1, 2, 3, 4, 5, 6, 7}
	lower, upper := eight[:4], eight[4:]
	n4 := map[string]int{"n": 4}
	two := map[string]int{"n": 2, "m": 2}
	var out strings.Builder
	for _, c := range []struct {
		what  string
		look  func(*Site) ([]Finding, error)
		ranks []Rank
	}{
		{"one program everywhere", versions, job(n4, "n", eight)},
		{"two programs", versions, with(job(two, "n m", eight), 2, func(r *Rank) { r.Version = "v2" })},
		{"two libraries", versions, with(job(two, "n m", eight), 3, func(r *Rank) { r.MPI = "Open MPI v5.0.1" })},
		{"two nodes alike", nodes, job(two, "n m", eight)},
		{"nodes with different numbers of ranks", nodes, job(map[string]int{"n": 4, "m": 1}, "n m", eight)},
		{"idle GPUs", nodes, see(job(n4, "n", eight), "a b c d e f g h")},
		{"GPUs shown one by one", nodes, see(job(n4, "n", eight), "a", "b", "c", "d")},
		{"nodes with different numbers of GPUs", nodes, see(job(two, "n m", eight), "a b", "a b", "a b c d", "a b c d")},
		{"all on one core", cores, job(n4, "n", []int{0})},
		{"more ranks than cores", cores, job(map[string]int{"n": 9}, "n", eight)},
		{"bound to all", cores, job(n4, "n", eight)},
		{"bound to halves", cores, job(n4, "n", lower, upper)},
		{"overlapping halves", cores, job(n4, "n", eight[:5], upper)},
		{"few of many cores", cores, job(map[string]int{"n": 2}, "n", []int{0}, []int{2})},
		{"the same numbers on two nodes", cores, job(map[string]int{"n": 1, "m": 1}, "n m", lower)},
		{"no GPU-aware MPI", gpuAware, job(n4, "n", eight)},
		{"one node's MPI is GPU-aware", gpuAware, with(job(two, "n m", eight), 3, func(r *Rank) { r.GPUAware = "yes" })},
	} {
		found, err := c.look(&Site{Ranks: c.ranks})
		if err != nil {
			t.Fatal(err)
		}
		show(&out, c.what, found...)
	}

	apart := job(two, "n m", eight)
	show(&out, "clocks together", judgeClocks(apart, []int64{0, 1e6, 2e6, 9e8}))
	show(&out, "clocks apart", judgeClocks(apart, []int64{1e9, 1e9, 5e9, 5.04e9}))

	fast := []float64{2e-6, 1e-4, 1.6e-3}
	links := []link{{0, 1, fast}, {1, 2, []float64{4e-6, 2e-4, 3.2e-3}}, {2, 3, fast}, {3, 0, []float64{4e-6, 2e-4, 3.2e-3}}}
	show(&out, "links alike", judgeLinks(apart, links)...)
	links[3].Seconds = []float64{4e-6, 2e-3, 3e-2}
	show(&out, "a slow link", judgeLinks(apart, links)...)

	const golden = "testdata/advice.txt"
	if os.Getenv("LBMSIM_UPDATE") == "1" {
		if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("LBMSIM_UPDATE=1 accepts this as %s:\n%s", golden, out.String())
	}
}

func show(out *strings.Builder, what string, found ...Finding) {
	fmt.Fprintf(out, "# %s\n", what)
	for _, f := range found {
		fmt.Fprintf(out, "%s: %s\n", f.Severity, f.Text)
		if f.Advice != "" {
			fmt.Fprintf(out, "  -> %s\n", f.Advice)
		}
	}
}

func TestAbsentNamesRanks(t *testing.T) {
	a := &Absent{Ranks: []int{3, 5}, Limit: time.Minute}
	if got := a.Error(); !strings.HasPrefix(got, "ranks 3, 5 did not answer within 1m0s: ") {
		t.Error(got)
	}
	a.Hosts, a.Check = []string{"n", "n"}, "disk"
	if got := a.Error(); !strings.HasPrefix(got, `ranks 3, 5 on n did not answer within 1m0s (check "disk"): `) {
		t.Error(got)
	}
}
