// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package ram reports the memory of the machine that a process may take.
package ram

import (
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Left returns the memory that this process may still take, 0 if unknown: the rest that
// the system has, and no more than a batch system allows the job, or ulimit -v the process.
func Left() int64 {
	left, limit := Available(), Limit()
	if limit > 0 {
		left = min(left, limit)
	}
	if rest := addressSpace(); rest > 0 {
		left = min(left, rest)
	}
	return left
}

// Rest returns the memory that this process may still take while it runs, where so many processes share the machine; 0 if unknown. A
// limit of the job is shared with what each already has.
func Rest(processes int) int64 {
	n := int64(processes)
	rest := Available() / n
	if limit := Limit(); limit > 0 {
		rest = min(rest, max(limit/n-resident(), 1))
	}
	if own := addressSpace(); own > 0 {
		rest = min(rest, own)
	}
	return rest
}

// resident returns the most memory that this process has had so far.
func resident() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}

// space returns the limit of this process's virtual memory, which ulimit -v sets; 0 without one.
func space() int64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &l); err != nil || l.Cur > math.MaxInt64 {
		return 0
	}
	return int64(l.Cur)
}

// addressSpace returns the rest below that limit, 0 without one.
func addressSpace() int64 {
	limit := space()
	text, err := os.ReadFile("/proc/self/statm")
	if limit == 0 || err != nil {
		return limit
	}
	var pages int64
	_, _ = fmt.Sscan(string(text), &pages)
	return max(limit-pages*int64(os.Getpagesize()), 1)
}

// Available returns the memory that the system has left, 0 if unknown.
func Available() (bytes int64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			bytes = kib << 10
		}
	}
	return bytes
}

// Limit returns the memory that a batch system allows the job by its control group and
// the groups above it, 0 if there is no limit or it is unknown.
func Limit() int64 {
	limit, err := memlimit.FromCgroup()
	if err != nil || limit > math.MaxInt64 {
		return 0
	}
	return int64(limit)
}
