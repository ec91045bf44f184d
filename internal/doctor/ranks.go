// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/plain"
)

// Rank is a rank's own description.
type Rank struct {
	Host     string
	Cores    []int    // that it may use
	Online   int      // cores of its machine
	Threads  int      // that a run would start
	OnGPU    bool     // it has got one
	Visible  []string // names of the GPUs it sees, unique in the job
	Version  string   // of lbmsim
	MPI      string   // library and version
	GPUAware string   // the library's own answer: "yes", "no" or "nothing"
}

// hosts in the order of their first ranks, with the ranks of each.
func hosts(ranks []Rank) (names []string, on map[string][]int) {
	on = map[string][]int{}
	for r, rank := range ranks {
		if on[rank.Host] == nil {
			names = append(names, rank.Host)
		}
		on[rank.Host] = append(on[rank.Host], r)
	}
	return names, on
}

// versions: ranks of different programs or libraries may start, and then misread each
// other's messages.
func versions(s *Site) ([]Finding, error) {
	first := s.Ranks[0]
	for r, rank := range s.Ranks {
		for _, v := range []struct{ what, here, there string }{
			{"lbmsim", rank.Version, first.Version}, {"MPI", rank.MPI, first.MPI},
		} {
			if v.here != v.there {
				return []Finding{fault(
					fmt.Sprintf("rank %d on %s has %s %s, rank 0 on %s has %s", r, rank.Host, v.what, v.here, first.Host, v.there),
					"install the same lbmsim and libraries on every node, or start it from a shared file system")}, nil
			}
		}
	}
	return []Finding{fine(fmt.Sprintf("lbmsim %s; %s", first.Version, first.MPI))}, nil
}

// nodes: every rank gets an equal part of the domain, so unequal nodes wait for each other.
func nodes(s *Site) (found []Finding, _ error) {
	names, on := hosts(s.Ranks)
	gpus := map[string]int{}
	most, least := 0, len(s.Ranks)
	for _, host := range names {
		distinct := map[string]bool{}
		onGPU := false
		for _, r := range on[host] {
			onGPU = onGPU || s.Ranks[r].OnGPU
			for _, name := range s.Ranks[r].Visible {
				distinct[name] = true
			}
		}
		n, g := len(on[host]), len(distinct)
		gpus[host] = g
		most, least = max(most, n), min(least, n)
		if onGPU && n < g {
			found = append(found, warning(fmt.Sprintf("%s has %d GPUs and %s: %d stay idle", host, g, plain.Count(n, "rank"), g-n),
				fmt.Sprintf("start %d ranks on it (mpirun --map-by ppr:%d:node, srun --ntasks-per-node=%d)", g, g, g)))
		}
	}
	for _, host := range names[1:] {
		if gpus[host] != gpus[names[0]] {
			found = append(found, warning(fmt.Sprintf("%s has %s, %s has %s", names[0], plain.Count(gpus[names[0]], "GPU"), host, plain.Count(gpus[host], "GPU")),
				"use nodes of one kind, or as many ranks per node as the smallest number of GPUs"))
			break
		}
	}
	if most != least {
		found = append(found, warning(fmt.Sprintf("nodes have %d to %d ranks; all ranks get equal parts, so the fullest node limits the speed", least, most),
			"start as many ranks on each node (mpirun --map-by ppr:N:node, srun --ntasks-per-node=N)"))
	}
	if found = few(found); len(found) == 0 {
		found = append(found, fine(fmt.Sprintf("%s on %s", plain.Count(len(s.Ranks), "rank"), plain.Count(len(names), "node"))))
	}
	return found, nil
}

// cores: launchers bind ranks to cores in many ways. Two of them are ruinous: all ranks
// on one core, and sets of cores that overlap in part.
func cores(s *Site) (found []Finding, _ error) {
	const advice = "bind every rank to its own cores (mpirun --map-by slot:PE=N --bind-to core, srun --cpus-per-task=N --cpu-bind=cores), or none (mpirun --bind-to none, srun --cpu-bind=none)"
	names, on := hosts(s.Ranks)
	for _, host := range names {
		same := map[string][]int{} // ranks by their set of cores
		var sets []string
		used := map[int]bool{}
		threads := 0
		for _, r := range on[host] {
			set := Span(s.Ranks[r].Cores)
			if same[set] == nil {
				sets = append(sets, set)
			}
			same[set] = append(same[set], r)
			threads += s.Ranks[r].Threads
			for _, core := range s.Ranks[r].Cores {
				used[core] = true
			}
		}
		bad := false
		for i, set := range sets {
			ranks := same[set]
			mine := s.Ranks[ranks[0]].Cores
			if len(ranks) > len(mine) {
				bad = true
				how := advice
				if len(mine) == s.Ranks[ranks[0]].Online {
					how = fmt.Sprintf("start at most %s on such a node", plain.Count(len(mine), "rank"))
				}
				found = append(found, warning(fmt.Sprintf("%s on %s share %s (%s)", ranksText(ranks), host, plain.Count(len(mine), "core"), set), how))
			}
			for _, other := range sets[:i] {
				theirs := s.Ranks[same[other][0]].Cores
				if slices.ContainsFunc(mine, func(core int) bool { return slices.Contains(theirs, core) }) {
					bad = true
					found = append(found, warning(fmt.Sprintf("on %s the cores of %s (%s) and of %s (%s) overlap in part",
						host, ranksText(same[other]), other, ranksText(ranks), set), advice))
				}
			}
		}
		first := s.Ranks[on[host][0]]
		if !bad && !first.OnGPU && len(used) < first.Online && threads < first.Online {
			found = append(found, warning(fmt.Sprintf("the ranks on %s may use only %d of its %d cores", host, len(used), first.Online),
				"mpirun --bind-to none or srun --cpus-per-task=N allows more, unless other jobs use the rest"))
		}
	}
	if found = few(found); len(found) == 0 {
		found = append(found, fine("every rank has enough cores"))
	}
	return found, nil
}

// few keeps the list readable where hundreds of nodes have the same fault.
func few(found []Finding) []Finding {
	const most = 4
	if len(found) <= most {
		return found
	}
	return append(found[:most:most], warning(fmt.Sprintf("and %d more like these", len(found)-most), ""))
}

// Span writes a sorted list of cores as 0-3,8.
func Span(cores []int) string {
	var parts []string
	for i := 0; i < len(cores); {
		j := i
		for j+1 < len(cores) && cores[j+1] == cores[j]+1 {
			j++
		}
		if part := fmt.Sprint(cores[i]); i == j {
			parts = append(parts, part)
		} else {
			parts = append(parts, fmt.Sprintf("%s-%d", part, cores[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// clocks: differing clocks of hosts corrupt logs and the times of files.
func clocks(s *Site) ([]Finding, error) {
	if err := comm.Barrier(s.Comm); err != nil {
		return nil, err
	}
	times, err := comm.Together(s.Comm, time.Now().UnixNano())
	if err != nil {
		return nil, err
	}
	return []Finding{judgeClocks(s.Ranks, times)}, nil
}

// judgeClocks compares the ranks' clocks at a barrier.
func judgeClocks(ranks []Rank, times []int64) Finding {
	early, late := 0, 0
	for r, t := range times {
		if t < times[early] {
			early = r
		}
		if t > times[late] {
			late = r
		}
	}
	apart := time.Duration(times[late] - times[early])
	if apart > time.Second {
		return warning(fmt.Sprintf("the clock of %s is %v ahead of %s's: times in logs and of files will be inconsistent",
			ranks[late].Host, apart.Round(100*time.Millisecond), ranks[early].Host),
			"synchronize both with the same time servers (chronyc sources, timedatectl)")
	}
	return fine("the clocks of all ranks agree within a second")
}

// gpuAware reports the MPI library's own answer.
func gpuAware(s *Site) ([]Finding, error) {
	said := map[string]bool{}
	for _, r := range s.Ranks {
		said[r.GPUAware] = true
	}
	var words []string
	for w := range said {
		words = append(words, w)
	}
	sort.Strings(words)
	text := fmt.Sprintf("GPU-aware MPI: %s reports %s",
		s.Ranks[0].MPI, strings.Join(words, " and "))
	if len(words) > 1 {
		return []Finding{warning(text, "use the same library and environment on every node")}, nil
	}
	return []Finding{fine(text)}, nil
}
