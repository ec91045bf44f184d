// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/comm/mpi/mpitest"
	"lbmsim/config"
	"lbmsim/device"
)

// These tests are parts of scripts/test-slurm.sh, which starts a SLURM cluster and runs this test
// binary in its jobs.

// slurmGPUs is the driver of a virtual node's GPUs, which are plain files: it shows
// what CUDA would show of them, all of the node's or the GPUs of CUDA_VISIBLE_DEVICES.
type slurmGPUs struct {
	node   string
	number []string // as the node counts its GPUs
	opened *string
}

func (s slurmGPUs) list() ([]gpu, error) {
	if len(s.number) == 0 {
		return nil, fmt.Errorf("CUDA_VISIBLE_DEVICES of %s is empty", s.node)
	}
	var list []gpu
	for i, n := range s.number {
		// The virtual nodes have one host name: the UUID keeps their GPUs apart.
		list = append(list, gpu{Number: i, Name: "a virtual GPU", PCI: n, UUID: s.node + "/" + n})
	}
	return list, nil
}

func (s slurmGPUs) open(n int) (device.Device, error) {
	*s.opened = s.number[n]
	return fakeGPU{number: n}, nil
}

func (slurmGPUs) versions() string { return "virtual" }
func (slurmGPUs) missed() bool     { return true }

// The GPU that each rank of a SLURM job takes. The expected one follows from SLURM's
// node names alone: the k-th rank of a node has the local rank k, and each takes a separate GPU out of the first ones of its
// node; the k-th one where all are visible.
func TestSlurmBinding(t *testing.T) {
	if !mpitest.Rank(t, slurmBinding) {
		t.Skip("needs the ranks of a SLURM job: make test-slurm starts them")
	}
}

func slurmBinding(c comm.Comm) error {
	var all []string
	for i := range 16 {
		name := fmt.Sprint(i)
		if _, err := os.Stat(filepath.Join(os.Getenv("LBMSIM_SLURM_DEV"), "gpu"+name)); err != nil {
			break
		}
		all = append(all, name)
	}
	visible, limited := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	var opened string
	source := slurmGPUs{os.Getenv("SLURMD_NODENAME"), all, &opened}
	if limited {
		source.number = strings.FieldsFunc(visible, func(r rune) bool { return r == ',' })
	}
	_, _, err := openDevice(c, choice{kind: config.CUDADevice, number: -1}, source, 1)
	if want := os.Getenv("LBMSIM_SLURM_REFUSED"); want != "" {
		if err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("%v, want an error with %q", err, want)
		}
		if c.Rank() == 0 {
			fmt.Println("refused:", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	type taken struct {
		Node, Visible, GPU, By string
		Local, MPI, Sees       int
	}
	seat := takeSeat(c, source)
	mine := taken{Node: source.node, Visible: visible, GPU: opened, By: seat.By, Local: seat.Local, Sees: len(source.number)}
	mine.MPI, _ = comm.LocalRank(c)
	table, err := comm.Together(c, mine)
	if err != nil {
		return err
	}
	count, user := map[string]int{}, map[string]int{}
	for rank, row := range table {
		k := count[row.Node]
		count[row.Node]++
		if c.Rank() == 0 {
			fmt.Printf("rank %d on %s: local rank %d (%s), CUDA_VISIBLE_DEVICES=%q, takes GPU %s\n", rank, row.Node, row.Local, row.By, row.Visible, row.GPU)
		}
		if row.Local != k || row.MPI != k {
			return fmt.Errorf("rank %d is number %d on %s: its local rank is %d by %s and %d by MPI", rank, k, row.Node, row.Local, row.By, row.MPI)
		}
		if row.Sees > 1 && row.GPU != fmt.Sprint(k) {
			return fmt.Errorf("rank %d, number %d on %s, takes GPU %s of %q", rank, k, row.Node, row.GPU, row.Visible)
		}
		name := row.Node + "/" + row.GPU
		if other, used := user[name]; used {
			return fmt.Errorf("ranks %d and %d both take %s", other, rank, name)
		}
		user[name] = rank
	}
	nodes := strings.Fields(os.Getenv("LBMSIM_SLURM_NODES"))
	for _, node := range nodes {
		for _, number := range all {
			if _, used := user[node+"/"+number]; !used {
				return fmt.Errorf("no rank takes GPU %s of %s", number, node)
			}
		}
	}
	if len(user) != len(nodes)*len(all) {
		return fmt.Errorf("%d ranks took %d GPUs; the job has %d nodes with %d", c.Size(), len(user), len(nodes), len(all))
	}
	return nil
}

// The last states of runs in several folders, which LBMSIM_SLURM_RUNS lists, are the
// same bit for bit.
func TestSlurmStates(t *testing.T) {
	list := filepath.SplitList(os.Getenv("LBMSIM_SLURM_RUNS"))
	if len(list) == 0 {
		t.Skip("needs the runs of SLURM jobs: make test-slurm makes them")
	}
	if len(list) < 2 {
		t.Fatal("LBMSIM_SLURM_RUNS names one run: nothing to compare")
	}
	want := lastState(t, list[0])
	for _, dir := range list[1:] {
		if !bytes.Equal(lastState(t, dir), want) {
			t.Errorf("the last state in %s differs from that in %s", dir, list[0])
		}
	}
}
