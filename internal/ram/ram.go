// Package ram tells what of the machine's memory a process may take.
package ram

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Left is what this process may still take, 0 if it cannot be told: what the system has
// left, and no more than a batch system allows the job.
func Left() int64 {
	left, limit := Available(), Limit()
	if limit > 0 {
		left = min(left, limit)
	}
	return left
}

// Available is what the system has left, 0 if it cannot be told.
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

// Limit is what a batch system allows the job, 0 if there is no limit.
func Limit() int64 { return groupLimit("/proc/self/cgroup", "/sys/fs/cgroup") }

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
