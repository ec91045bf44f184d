// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/sim"
)

func TestChoose(t *testing.T) {
	in := config.Device{Kind: config.CUDADevice, Share: true}
	for flag, want := range map[string]choice{
		"":     {config.CUDADevice, -1, true},
		"cpu":  {config.CPUDevice, -1, true},
		"auto": {config.AutoDevice, -1, true},
		"cuda": {config.CUDADevice, -1, true},
		"3":    {config.CUDADevice, 3, true},
	} {
		if got, err := choose(flag, in); got != want || err != nil {
			t.Errorf("%q: %+v %v, want %+v", flag, got, err, want)
		}
	}
	for _, flag := range []string{"gpu", "-1", "1.5", "cuda:0"} {
		if _, err := choose(flag, in); err == nil {
			t.Errorf("--device %s is accepted", flag)
		}
	}
}

// sees returns a rank on a host with the visible GPUs of a list such as "a b".
func sees(host string, local int, list string) seat {
	s := seat{Host: host, Local: local, By: "TEST_LOCAL_RANK", Reason: "there is no driver"}
	for i, id := range strings.Fields(list) {
		s.Visible = append(s.Visible, gpu{Number: i, Name: "H", PCI: "pci-" + id, UUID: host + id})
	}
	return s
}

func TestSeatRanks(t *testing.T) {
	auto := choice{kind: config.AutoDevice, number: -1}
	cuda := choice{kind: config.CUDADevice, number: -1}
	share := choice{kind: config.AutoDevice, number: -1, share: true}
	for _, test := range []struct {
		what  string
		seats []seat
		want  choice
		gpus  []int  // device of each rank, -1: CPU
		fails string // words of the error
	}{
		{"one rank", []seat{sees("n", 0, "a b")}, auto, []int{0}, ""},
		{"all ranks see all", []seat{sees("n", 0, "a b"), sees("n", 1, "a b")}, auto, []int{0, 1}, ""},
		{"two nodes", []seat{sees("n", 0, "a b"), sees("n", 1, "a b"), sees("m", 0, "a b"), sees("m", 1, "a b")}, cuda, []int{0, 1, 0, 1}, ""},
		{"ranks dealt round the nodes", []seat{sees("n", 0, "a b"), sees("m", 0, "a b"), sees("n", 1, "a b"), sees("m", 1, "a b")}, cuda, []int{0, 0, 1, 1}, ""},
		{"each rank sees its own", []seat{sees("n", 0, "a"), sees("n", 1, "b")}, auto, []int{0, 0}, ""},
		{"each rank sees its own two", []seat{sees("n", 0, "a b"), sees("n", 1, "c d")}, auto, []int{0, 1}, ""},
		{"too many ranks", []seat{sees("n", 0, "a b"), sees("n", 1, "a b"), sees("n", 2, "a b")}, auto, nil,
			"ranks 0 and 2 on n would both use the GPU pci-a (H): 3 ranks for 2 GPUs; start at most 2 ranks"},
		{"too many on one of the nodes", []seat{sees("n", 0, "a"), sees("m", 0, "a"), sees("m", 1, "a")}, cuda, nil, "ranks 1 and 2 on m"},
		{"sharing", []seat{sees("n", 0, "a b"), sees("n", 1, "a b"), sees("n", 2, "a b")}, share, []int{0, 1, 0}, ""},
		{"the same one is shown to two", []seat{sees("n", 0, "a"), sees("n", 1, "a")}, auto, nil, "ranks 0 and 1 on n would both use the GPU pci-a"},
		{"shown crosswise", []seat{sees("n", 0, "b a"), sees("n", 1, "a b")}, auto, nil, "do not see the same GPUs"},
		{"a launcher that counts wrong", []seat{sees("n", 0, "a b"), sees("n", 0, "a b")}, auto, nil, "the same local rank twice: 0 (TEST_LOCAL_RANK), 0"},
		{"named", []seat{sees("n", 0, "a b")}, choice{config.CUDADevice, 1, false}, []int{1}, ""},
		{"named, not there", []seat{sees("n", 0, "a b")}, choice{config.CUDADevice, 2, false}, nil, "--device 2: rank 0 on n sees 2 GPUs"},
		{"named for two ranks", []seat{sees("n", 0, "a b"), sees("n", 1, "a b")}, choice{config.CUDADevice, 1, false}, nil, "--device 1 selects it on every rank"},
		{"named on two nodes", []seat{sees("n", 0, "a b"), sees("m", 0, "a b")}, choice{config.CUDADevice, 1, false}, []int{1, 1}, ""},
		{"none at all", []seat{sees("n", 0, ""), sees("n", 1, "")}, auto, []int{-1, -1}, ""},
		{"none, but asked for", []seat{sees("n", 0, "")}, cuda, nil, "rank 0 on n has no GPU: there is no driver"},
		{"one node without", []seat{sees("n", 0, "a"), sees("m", 0, "")}, auto, nil, "rank 1 on m has no GPU: there is no driver; other ranks have one"},
	} {
		got, idle, err := seatRanks(test.seats, test.want)
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%s: %v %v, want an error with %q", test.what, got, err, test.fails)
			}
			continue
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(test.gpus) || (idle != "") != (got[0] < 0) {
			t.Errorf("%s: %v %q %v, want %v", test.what, got, idle, err, test.gpus)
		}
	}
}

// machine is a gpuSource of a test.
type machine struct {
	gpus   []gpu
	opened map[int]bool
}

func (m machine) list() ([]gpu, error) {
	if len(m.gpus) == 0 {
		return nil, errors.New("there is no driver")
	}
	return m.gpus, nil
}

func (m machine) open(n int) (device.Device, error) {
	if m.opened[n] = true; n == 1 {
		return nil, errors.New("GPU 1 fell off the bus")
	}
	return fakeGPU{number: n}, nil
}

func (machine) versions() string { return "test" }
func (machine) missed() bool     { return true }

type fakeGPU struct {
	device.Device
	number int
}

func TestOpenDevice(t *testing.T) {
	two := sees("", 0, "a b").Visible
	for _, test := range []struct {
		ranks int
		want  choice
		gpus  []gpu
		kind  string // of every rank's device
		note  string
		fails string
		code  int
	}{
		{1, choice{kind: config.AutoDevice, number: -1}, two, "main.fakeGPU", "", "", 0},
		{1, choice{kind: config.CPUDevice, number: -1}, two, "*cpu.Device", "", "", 0},
		{2, choice{kind: config.AutoDevice, number: -1}, nil, "*cpu.Device", "no GPU: there is no driver; computing on the CPU", "", 0},
		{2, choice{kind: config.CUDADevice, number: -1}, nil, "", "", "rank 0 on ", sim.ExitUsage},
		// An error of one rank is the same on all.
		{2, choice{kind: config.AutoDevice, number: -1}, two, "", "", "rank 1: GPU 1 fell off the bus", sim.ExitFailure},
		{3, choice{kind: config.AutoDevice, number: -1}, two, "", "", "3 ranks for 2 GPUs", sim.ExitUsage},
	} {
		err := comm.RunLocal(test.ranks, func(c comm.Comm) error {
			dev, note, err := openDevice(c, test.want, machine{test.gpus, map[int]bool{}}, 1)
			if test.fails != "" {
				if code, agreed := sim.ExitCode(err); err == nil || code != test.code || !agreed || !strings.Contains(err.Error(), test.fails) {
					return fmt.Errorf("%v (%d, %v), want an error of all ranks with %q", err, code, agreed, test.fails)
				}
				return nil
			}
			if err != nil {
				return err
			}
			if got := fmt.Sprintf("%T", dev); got != test.kind || note != test.note {
				return fmt.Errorf("%s, %q", got, note)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
