// Package ram tells what of the machine's memory a process may take.
package ram

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
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

// Limit is what a batch system allows the job by its control group and those above it,
// 0 if there is no limit or it cannot be told.
func Limit() int64 {
	limit, err := memlimit.FromCgroup()
	if err != nil || limit > math.MaxInt64 {
		return 0
	}
	return int64(limit)
}
