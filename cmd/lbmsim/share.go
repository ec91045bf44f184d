// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/plain"
)

// place is the location of a rank: its machine and the cores it may use.
type place struct {
	Host string
	CPUs unix.CPUSet
}

// share returns the number of threads of this rank: from the flag or the case, otherwise the cores that it may use,
// divided by the ranks that share them. Launchers bind ranks in many ways, so the ranks compare their masks. advice is
// set when cores stay idle, or have more threads than they can run. Collective.
func share(c comm.Comm, caseFile *config.Case, flag int) (threads int, advice string, err error) {
	mine := place{Host: hostname(), CPUs: ownCPUs()}
	all, err := comm.Together(c, mine)
	if err != nil {
		return 0, "", err
	}
	same, local := 0, 0
	for _, other := range all {
		if other.Host == mine.Host {
			local++
			if other.CPUs == mine.CPUs {
				same++
			}
		}
	}
	cores := mine.CPUs.Count()
	if threads = cmp.Or(flag, caseFile.Run.Threads); threads > 0 {
		return threads, crowded(threads, max(1, same), cores), nil
	}
	threads = max(1, cores/max(1, same))
	if online := onlineCPUs(); threads*local < online && cores < online {
		advice = fmt.Sprintf("the launcher bound each rank to %d of the %d cores of %s: %d of them stay idle (mpirun --bind-to none allows all)",
			cores, online, mine.Host, online-threads*local)
	}
	return threads, advice, nil
}

// ownCPUs returns the cores that this process may use.
func ownCPUs() (set unix.CPUSet) {
	if unix.SchedGetaffinity(0, &set) != nil {
		for i := range runtime.NumCPU() { // it keeps none: all
			set.Set(i)
		}
	}
	return set
}

// crowded returns a warning about ranks with more threads than shared cores; empty without a reason.
func crowded(threads, ranks, cores int) string {
	if threads*ranks <= cores {
		return ""
	}
	of := ""
	if ranks > 1 {
		of = fmt.Sprintf(" per rank and %d ranks", ranks)
	}
	return fmt.Sprintf("%d threads%s on %s: oversubscribed cores make the run slower than one thread per core; without threads each rank uses its share", threads, of, plain.Count(cores, "core"))
}

// onlineCPUs of the machine, not only of this process.
func onlineCPUs() int {
	var n, lo, hi int
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return runtime.NumCPU()
	}
	for _, part := range splitComma(string(b)) {
		switch k, _ := fmt.Sscanf(part, "%d-%d", &lo, &hi); k {
		case 1:
			n++
		case 2:
			n += hi - lo + 1
		}
	}
	return n
}

func splitComma(s string) []string { return strings.Split(strings.TrimSpace(s), ",") }
