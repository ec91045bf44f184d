package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim"
)

// demand is a rank's machine, what it has for the ranks there, and what the rank will
// take for sure.
type demand struct {
	Host       string
	Free, Need int64 // bytes; Free is 0 where it cannot be told
}

// enoughMemory refuses a case whose ranks cannot all have their memory, before they take
// it: a system that promises more than it has would let them, and kill one later.
// Collective; the error is the same on all ranks.
func enoughMemory(c comm.Comm, kase *config.Case, onCPU bool) error {
	if _, err := kase.Cut(c.Size()); err != nil {
		return nil // the run says so
	}
	mine := demand{Host: hostname(), Free: hostMemory(), Need: kase.FlagBytes(c.Size()) + config.BaseBytes}
	if onCPU {
		mine.Need += kase.StateBytes(c.Size())
	}
	all, err := comm.Together(c, mine)
	if err != nil {
		return err
	}
	for _, m := range all {
		need, free, ranks := int64(0), m.Free, 0
		for _, d := range all {
			if d.Host == m.Host {
				need, free, ranks = need+d.Need, min(free, d.Free), ranks+1
			}
		}
		if free > 0 && need > free {
			where := "the case needs"
			if ranks > 1 {
				where = fmt.Sprintf("%d ranks of the case need", ranks)
			}
			return &sim.Error{Code: sim.ExitUsage, Err: fmt.Errorf("%s: %s %s of memory on %s, which has %s left: take more machines or fewer cells; `lbmsim check` tells what a rank needs",
				kase.Path, where, bytesText(float64(need)), m.Host, bytesText(float64(free)))}
		}
	}
	return nil
}

// hostMemory is what this process may still take of the machine's memory, 0 if it cannot
// be told: what the system has left, and no more than a batch system allows the job.
func hostMemory() int64 {
	free := int64(0)
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			free = kib << 10
		}
	}
	if limit := groupLimit("/proc/self/cgroup", "/sys/fs/cgroup"); limit > 0 {
		free = min(free, limit)
	}
	return free
}

// groupLimit is the smallest limit of memory of the control groups that a process is in,
// 0 where there is none. (Linux: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst.)
func groupLimit(groups, mount string) (limit int64) {
	f, err := os.Open(groups)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		word := strings.SplitN(lines.Text(), ":", 3) // number:controllers:path
		if len(word) < 3 {
			continue
		}
		root, name := mount, "memory.max"
		if word[1] != "" {
			if !strings.Contains(","+word[1]+",", ",memory,") {
				continue
			}
			root, name = filepath.Join(mount, "memory"), "memory.limit_in_bytes"
		}
		for path := filepath.Join("/", word[2]); ; path = filepath.Dir(path) {
			text, err := os.ReadFile(filepath.Join(root, path, name))
			if n, e := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && e == nil && (limit == 0 || n < limit) {
				limit = n // "max" is no number
			}
			if path == "/" {
				break
			}
		}
	}
	return limit
}
