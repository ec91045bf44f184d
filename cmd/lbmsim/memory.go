// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/forecast"
	"lbmsim/internal/ram"
	"lbmsim/report"
	"lbmsim/sim"
)

// room is the memory available to the most constrained rank, in bytes; 0: unknown.
type room struct {
	host, gpu int64
	onGPU     bool
}

// roomOf returns the room of the ranks on their devices: ranks of one machine, or of one GPU, share it equally. Collective;
// the same on all ranks.
func roomOf(c comm.Comm, dev device.Device) (r room, err error) {
	type place struct {
		Host, GPU string
		Free, On  int64
	}
	mine := place{Host: hostname(), Free: ram.Left()}
	if m, is := dev.(interface{ FreeMemory() (int64, error) }); is {
		r.onGPU, mine.GPU = true, dev.Info().Detail
		if free, err := m.FreeMemory(); err == nil { // otherwise it is not known
			mine.On = free
		}
	}
	all, err := comm.Together(c, mine)
	if err != nil {
		return r, err
	}
	least := func(to *int64, free, ranks int64) {
		if free > 0 && (*to == 0 || free/ranks < *to) {
			*to = max(free/ranks, 1)
		}
	}
	for _, p := range all {
		var host, gpu int64
		for _, other := range all {
			if other.Host == p.Host {
				host++
				if other.GPU == p.GPU {
					gpu++
				}
			}
		}
		least(&r.host, p.Free, host)
		least(&r.gpu, p.On, gpu)
	}
	return r, nil
}

// demand is a rank's machine, the memory available to the ranks there, and the rank's certain need.
type demand struct {
	Host       string
	Free, Need int64 // bytes; Free is 0 where it is unknown
}

// enoughMemory refuses a case whose ranks do not all fit into memory, before they allocate: a
// system with overcommit would let them, and kill one later. Collective; the error is the same on
// all ranks.
func enoughMemory(c comm.Comm, flowCase *config.Case, onCPU bool) error {
	if _, err := flowCase.Hierarchy(c.Size()); err != nil {
		return nil // the run reports it
	}
	mine := demand{Host: hostname(), Free: ram.Left(), Need: forecast.FlagBytes(flowCase, c.Size()) + forecast.BaseBytes}
	if onCPU {
		mine.Need += forecast.StateBytes(flowCase, c.Size())
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
			return &sim.Error{Code: sim.ExitUsage, Err: fmt.Errorf("%s: %s %s of memory on %s, which has %s free: use more nodes or fewer cells; `lbmsim check` reports the memory per rank",
				flowCase.Path, where, report.Bytes(float64(need)), m.Host, report.Bytes(float64(free)))}
		}
	}
	return nil
}
