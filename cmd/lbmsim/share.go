package main

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"lbmsim/comm"
	"lbmsim/config"
)

// place is where a rank runs: its machine and the cores it may use.
type place struct {
	Host string
	CPUs unix.CPUSet
}

// share is the number of threads of this rank: the cores that it may use, divided
// by the ranks that may use the same ones. Launchers bind ranks in many ways, so
// the ranks compare their masks. advice says so when cores stay idle.
func share(c comm.Comm, caseFile *config.Case, flag int) (threads int, advice string, err error) {
	if flag > 0 {
		return flag, "", nil
	}
	if caseFile.Run.Threads > 0 {
		return caseFile.Run.Threads, "", nil
	}
	mine := place{Host: hostname()}
	if unix.SchedGetaffinity(0, &mine.CPUs) != nil {
		for i := range runtime.NumCPU() { // it keeps none: all
			mine.CPUs.Set(i)
		}
	}
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
	threads = max(1, mine.CPUs.Count()/max(1, same))
	if online := onlineCPUs(); threads*local < online && mine.CPUs.Count() < online {
		advice = fmt.Sprintf("the launcher bound each rank to %d of the %d cores of %s: %d of them stay idle (mpirun --bind-to none lets ranks use all)",
			mine.CPUs.Count(), online, mine.Host, online-threads*local)
	}
	return threads, advice, nil
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
