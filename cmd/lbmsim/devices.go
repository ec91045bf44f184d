// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/sim"
)

// gpu is a GPU that this process may use, with what distinguishes it from all others.
type gpu struct {
	Number     int // as this process counts
	Name       string
	PCI, UUID  string
	Memory     int64
	Capability string
}

// gpuSource is a build's access to GPUs: gpus_cuda.go or gpus_none.go.
type gpuSource interface {
	// list returns the visible GPUs, or the reason why there are none.
	list() ([]gpu, error)
	open(number int) (device.Device, error)
	// versions returns the versions of the driver and of the kernels' compiler.
	versions() string
	// missed reports whether a run on the CPU for lack of a GPU should warn about it.
	missed() bool
}

// choice is the device that the case and the command line ask for.
type choice struct {
	kind   config.DeviceKind
	number int // of the GPU, -1: by the rank's number on its node
	share  bool
}

// choose reads --device, which takes precedence over the case.
func choose(flag string, c config.Device) (choice, error) {
	want := choice{kind: c.Kind, number: -1, share: c.Share}
	switch flag {
	case "":
	case "auto":
		want.kind = config.AutoDevice
	case "cpu":
		want.kind = config.CPUDevice
	case "cuda":
		want.kind = config.CUDADevice
	default:
		n, err := strconv.Atoi(flag)
		if err != nil || n < 0 {
			return want, fmt.Errorf("--device %s: must be cpu, cuda, auto or the number of a GPU", flag)
		}
		want.kind, want.number = config.CUDADevice, n
	}
	return want, nil
}

// seat is a rank's number on its node, and the GPUs visible to it there.
type seat struct {
	Host    string
	Local   int    // number on its node
	By      string // source of this number
	Visible []gpu
	Reason  string // why no GPU is visible
}

// name returns a unique identity of a GPU within the job.
func (s seat) name(g gpu) string {
	if g.UUID != "" {
		return g.UUID
	}
	return s.Host + " " + g.PCI
}

// openDevice opens this rank's device. Collective; note is for the user, the same on every rank.
func openDevice(c comm.Comm, want choice, from gpuSource, threads int, options ...cpu.Option) (dev device.Device, note string, err error) {
	number := -1
	if want.kind != config.CPUDevice {
		seats, err := comm.Together(c, takeSeat(c, from))
		if err != nil {
			return nil, "", err
		}
		numbers, idle, err := seatRanks(seats, want)
		if err != nil { // the same seats give the same error everywhere
			return nil, "", &sim.Error{Code: sim.ExitUsage, Err: err}
		}
		if number = numbers[c.Rank()]; idle != "" && from.missed() {
			note = "no GPU: " + idle + "; computing on the CPU"
		}
	}
	code := sim.ExitFailure
	if number >= 0 {
		dev, err = from.open(number)
	} else { // errors here come from options: the instruction set
		code = sim.ExitUsage
		dev, err = cpu.New(threads, options...)
	}
	if err := comm.Agree(c, err); err != nil {
		return nil, "", sim.Agreed(code, err) // all ranks have a GPU, or no rank has
	}
	return dev, note, nil
}

func takeSeat(c comm.Comm, from gpuSource) seat {
	s := seat{Host: hostname()}
	var ok bool
	if s.Local, s.By, ok = comm.LocalByLauncher(c, os.LookupEnv); !ok {
		s.Local, _ = comm.LocalRank(c)
		s.By = "MPI"
	}
	var err error
	if s.Visible, err = from.list(); err != nil {
		s.Visible, s.Reason = nil, err.Error()
	}
	return s
}

// seatRanks gives each rank the number of its GPU, as the rank itself counts, or -1
// for the CPU; idle is then the reason. A launcher may show all GPUs of a node to
// all of its ranks, or each rank its own: a rank uses the GPU with its number among the visible
// ones, and no GPU serves two ranks unless the case allows it.
func seatRanks(seats []seat, want choice) (numbers []int, idle string, err error) {
	var blind []int
	for rank, s := range seats {
		if len(s.Visible) == 0 {
			blind = append(blind, rank)
		}
	}
	numbers = make([]int, len(seats))
	switch {
	case len(blind) == len(seats) && want.kind == config.AutoDevice:
		for rank := range numbers {
			numbers[rank] = -1
		}
		return numbers, seats[0].Reason, nil
	case len(blind) > 0:
		s := seats[blind[0]]
		text := fmt.Sprintf("rank %d on %s has no GPU: %s", blind[0], s.Host, s.Reason)
		if len(blind) < len(seats) {
			text += "; other ranks have one: give every rank a GPU, or use --device cpu"
		}
		return nil, "", errors.New(text)
	}
	user := map[string]int{} // GPU -> its rank
	for rank, s := range seats {
		n := want.number
		if n < 0 {
			n = s.Local % len(s.Visible)
		}
		if n >= len(s.Visible) {
			return nil, "", fmt.Errorf("--device %d: rank %d on %s sees %d GPUs, counted from 0", n, rank, s.Host, len(s.Visible))
		}
		numbers[rank] = s.Visible[n].Number
		name := s.name(s.Visible[n])
		other, taken := user[name]
		if taken && !want.share {
			return nil, "", shared(seats, want, other, rank, s.Visible[n])
		}
		user[name] = rank
	}
	return numbers, "", nil
}

// shared explains why two ranks share a GPU.
func shared(seats []seat, want choice, a, b int, g gpu) error {
	host := seats[b].Host
	ranks, distinct, places := 0, map[string]bool{}, map[string]bool{}
	for _, s := range seats {
		if s.Host == host {
			ranks++
			places[fmt.Sprint(s.Local)] = true
			for _, g := range s.Visible {
				distinct[s.name(g)] = true
			}
		}
	}
	text := fmt.Sprintf("ranks %d and %d on %s would both use the GPU %s (%s)", a, b, host, g.PCI, g.Name)
	const allow = "set `share = true` in [device] to let ranks share a GPU, or use --device cpu"
	switch {
	case want.number >= 0:
		return fmt.Errorf("%s: --device %d selects it on every rank; omit the number, or %s", text, want.number, allow)
	case ranks > len(distinct):
		return fmt.Errorf("%s: %d ranks for %d GPUs; start at most %d ranks per node, or %s", text, ranks, len(distinct), len(distinct), allow)
	case len(places) < ranks:
		var said []string
		for _, s := range seats {
			if s.Host == host && len(said) < 8 {
				said = append(said, fmt.Sprintf("%d (%s)", s.Local, s.By))
			}
		}
		sort.Strings(said)
		return fmt.Errorf("%s: the launcher assigned the same local rank twice: %s", text, strings.Join(said, ", "))
	}
	return fmt.Errorf("%s, though the node has %d: the ranks do not see the same GPUs (CUDA_VISIBLE_DEVICES); make all GPUs visible to every rank, or one per rank", text, len(distinct))
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "?"
	}
	return host
}

// nvidiaHere reports whether the machine has an NVIDIA GPU or a driver for one, visible to this
// process or not.
func nvidiaHere() bool {
	if _, err := os.Stat("/proc/driver/nvidia/version"); err == nil {
		return true
	}
	vendors, _ := filepath.Glob("/sys/bus/pci/devices/*/vendor")
	for _, file := range vendors {
		vendor, _ := os.ReadFile(file)
		class, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "class"))
		if strings.TrimSpace(string(vendor)) == "0x10de" && strings.HasPrefix(string(class), "0x03") { // a display or 3D controller
			return true
		}
	}
	return false
}
