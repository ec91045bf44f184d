// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package halo_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/mpi/mpitest"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cuda"
	"lbmsim/halo"
	"lbmsim/halo/halotest"
)

// needGPU skips aloud where there is no GPU, or fails if LBMSIM_REQUIRE_GPU=1.
func needGPU(t *testing.T) {
	t.Helper()
	if _, err := cuda.Devices(); err != nil {
		if os.Getenv("LBMSIM_REQUIRE_GPU") == "1" {
			t.Fatalf("no GPU: %v", err)
		}
		t.Skipf("no GPU: %v", err)
	}
}

// gpuOf returns the GPU of a rank: ranks share the available ones.
func gpuOf(c comm.Comm) (*cuda.Device, error) {
	all, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	local, _ := comm.LocalRank(c)
	return cuda.New(local % len(all))
}

// alone is a GPU that passes for one that no other rank uses, as ranks that share one have no inboxes.
type alone struct {
	*cuda.Device
	rank int
}

func (a alone) Identity() device.Identity {
	id := a.Device.Identity()
	id.Device += fmt.Sprint(" of rank ", a.rank)
	return id
}

// memoryFor returns the device for a requested transport.
func memoryFor(want halo.Transport, dev *cuda.Device, rank int) halo.Memory {
	if want == halo.Host {
		return alone{dev, rank}
	}
	return dev
}

// onGPUs returns the transports of real ranks on GPUs; halo.GPU
// only where the MPI library reports that it takes GPU memory.
func onGPUs(c comm.Comm) []halo.Transport {
	list := []halo.Transport{halo.Host, halo.Peer, halo.Auto}
	if yes, known := c.(comm.GPUAware).GPUAware(); yes && known {
		return append(list, halo.GPU)
	}
	if c.Rank() == 0 {
		fmt.Println("NOT TESTED: transport gpu, for this MPI library does not say that it takes GPU memory")
	}
	return list
}

// The transports over real GPUs, each rank a process: on separate GPUs, or sharing.
func TestOnGPUs(t *testing.T) {
	needGPU(t)
	mpitest.Run(t, []int{2, 3, 4}, func(c comm.Comm) error {
		dev, err := gpuOf(c)
		if err != nil {
			return err
		}
		for _, want := range onGPUs(c) {
			start := time.Now()
			for _, k := range halotest.Cases() {
				if err := halotest.Check(c, halotest.With(want), memoryFor(want, dev, c.Rank()), k); err != nil {
					return fmt.Errorf("%v, %v: %w", want, k, err)
				}
			}
			if c.Rank() == 0 {
				fmt.Printf("%d ranks, %v: %.1f s\n", c.Size(), want, time.Since(start).Seconds())
			}
		}
		return dev.Close()
	})
}

// Exchanges of items over real GPUs.
func TestTrafficOnGPUs(t *testing.T) {
	needGPU(t)
	mpitest.Run(t, []int{1, 2, 3, 4}, func(c comm.Comm) error {
		dev, err := gpuOf(c)
		if err != nil {
			return err
		}
		for _, want := range onGPUs(c) {
			for _, n := range halotest.Nests() {
				build := func(s halo.TrafficSetup) (halo.Exchange, error) {
					s.Want = want
					return halo.NewTraffic(s)
				}
				if err := halotest.CheckTraffic(c, build, memoryFor(want, dev, c.Rank()), n); err != nil {
					return fmt.Errorf("%v, %v: %w", want, n, err)
				}
			}
		}
		return dev.Close()
	})
}

// TestOnGPUsTime reports the time of an exchange of 10 float32 values per cell without overlap:
// waited for, queued, and recorded.
func TestOnGPUsTime(t *testing.T) {
	body := func(c comm.Comm) error {
		dev, err := gpuOf(c)
		if err != nil {
			return err
		}
		for _, want := range onGPUs(c) {
			for _, n := range []int{64, 256, 512, 1024} {
				if err := timeExchange(c, dev, want, n); err != nil {
					return fmt.Errorf("%v, planes of %d x %d: %w", want, n, n, err)
				}
			}
		}
		return dev.Close()
	}
	if mpitest.Rank(t, body) {
		return
	}
	needGPU(t)
	if testing.Short() {
		t.Skip("a measurement of the time of exchanges: make test-all runs it")
	}
	job := mpitest.Launch(t, t.Name(), 2)
	if job.Code != 0 {
		t.Errorf("exit code %d:\n%s", job.Code, job.Output)
	}
	t.Log(job.Output)
}

func timeExchange(c comm.Comm, dev *cuda.Device, want halo.Transport, n int) error {
	const steps = 100
	plan, err := decomp.Slabs([3]int{n, n, 4 * c.Size()}, [3]bool{true, true, true}, 3, c.Size())
	if err != nil {
		return err
	}
	s := halo.Setup{Comm: c, Links: plan.Links(c.Rank()), Layout: plan.Layout(c.Rank(), 10), ValueBytes: 4, Device: memoryFor(want, dev, c.Rank()), Want: want}
	for i := range s.States {
		if s.States[i], err = halo.AllocState(dev, 4*s.Layout.Len()); err != nil {
			return err
		}
		defer s.States[i].Free()
	}
	e, err := halo.New(s)
	if err != nil {
		return err
	}
	defer e.Close()
	stream := dev.NewStream(true)
	took := func(do func() error) (float64, error) {
		if err := comm.Barrier(c); err != nil {
			return 0, err
		}
		start := time.Now()
		err := do()
		return 1e6 * time.Since(start).Seconds() / steps, errors.Join(err, stream.Sync())
	}
	waited, err := took(func() error {
		for i := range steps {
			if err := e.Start(s.States[i%2], stream.Record()); err != nil {
				return err
			}
			if err := e.Finish(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%.1f us waited for", waited)
	if q, ok := e.(halo.Queued); ok {
		queued, err := took(func() error {
			for i := range steps {
				q.Queue(stream, s.States[i%2])
			}
			return stream.Sync()
		})
		if err != nil {
			return err
		}
		g, err := device.Recorder(dev).Capture(stream, func() error {
			q.Queue(stream, s.States[0])
			q.Queue(stream, s.States[1])
			return nil
		})
		if err != nil {
			return err
		}
		defer g.Close()
		recorded, err := took(func() error {
			for range steps / 2 {
				g.Launch(stream)
			}
			return stream.Sync()
		})
		if err != nil {
			return err
		}
		text += fmt.Sprintf(", %.1f us queued, %.1f us recorded", queued, recorded)
	}
	if c.Rank() == 0 {
		lo, hi := s.Layout.Plane(0)
		fmt.Printf("%-4v two planes of %6d kB each way: %s (%s)\n", want, 4*(hi-lo)/1000, text, e.Describe())
	}
	return nil
}
