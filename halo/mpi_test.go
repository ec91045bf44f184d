// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/mpi/mpitest"
	"lbmsim/decomp"
	"lbmsim/halo"
	"lbmsim/halo/halotest"
	"lbmsim/internal/brief"
)

// The transports over the real library.
func TestMPI(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	ranks := []int{1, 2, 3, 4, 5}
	if testing.Short() {
		ranks = []int{2, 4} // halotest.Run has the others
	}
	mpitest.Run(t, ranks, func(c comm.Comm) error {
		for _, k := range halotest.Cases() {
			for _, visible := range []bool{true, false} {
				if err := halotest.Check(c, halo.New, halotest.NewDevice(visible), k); err != nil {
					return fmt.Errorf("%v, visible %v: %w", k, visible, err)
				}
			}
			gpu := halotest.NewMachine("node").NewGPU(fmt.Sprint(c.Rank())) // each rank's own machine stands for the same
			if err := halotest.Check(c, expecting(halo.Host, halo.Host), gpu, k); err != nil {
				return fmt.Errorf("%v, inboxes: %w", k, err)
			}
		}
		return nil
	})
}

// TestMPITime reports the time of an exchange of 256 x 256 x 10 float32 planes without overlap, and
// its allocations.
func TestMPITime(t *testing.T) {
	body := func(c comm.Comm) error {
		const steps = 200
		for _, n := range []int{16, 256} {
			plan, err := decomp.Slabs([3]int{n, n, 4 * c.Size()}, [3]bool{true, true, true}, 3, c.Size())
			if err != nil {
				return err
			}
			layout := plan.Layout(c.Rank(), 10)
			dev := halotest.NewDevice(true)
			dev.Delay = 0
			setup := halo.Setup{Comm: c, Links: plan.Links(c.Rank()), Layout: layout, ValueBytes: 4, Device: dev}
			for i := range setup.States {
				if setup.States[i], err = dev.Alloc(layout.Len() * 4); err != nil {
					return err
				}
			}
			e, err := halo.New(setup)
			if err != nil {
				return err
			}
			ready := dev.NewStream(true).Record()
			if err := ready.Wait(); err != nil {
				return err
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			for i := range steps {
				if err := e.Start(setup.States[i%2], ready); err != nil {
					return err
				}
				if err := e.Finish(); err != nil {
					return err
				}
			}
			took := time.Since(start).Seconds() / steps
			runtime.ReadMemStats(&after)
			if c.Rank() == 0 {
				s := e.Stats()
				fmt.Printf("%d ranks, planes of %d kB: %.1f us an exchange (%.1f us from ready to arrival), %.1f allocations of %.0f bytes in all\n", c.Size(),
					(s.Bytes+s.Copied)/2/steps/1000, took*1e6, s.Seconds/steps*1e6,
					float64(after.Mallocs-before.Mallocs)/steps, float64(after.TotalAlloc-before.TotalAlloc)/steps)
			}
		}
		return nil
	}
	if mpitest.Rank(t, body) {
		return
	}
	if testing.Short() {
		t.Skip("a measurement of the time of exchanges: make test-all runs it")
	}
	for _, n := range []int{1, 2} {
		job := mpitest.Launch(t, t.Name(), n)
		if job.Code != 0 {
			t.Errorf("exit code %d:\n%s", job.Code, job.Output)
		}
		t.Log(job.Output)
	}
}
