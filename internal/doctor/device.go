// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/bench"
	"lbmsim/halo"
	"lbmsim/model"
)

const reseat = "check the system log (dmesg, nvidia-smi -q) for errors of this device; take the node out of service if it recurs"

// noDevice returns the finding of checks that need a device.
func noDevice() []Finding {
	return []Finding{warning("not checked: the ranks have no device", "")}
}

// deviceWorks copies a pattern to the device and back.
func deviceWorks(s *Site) ([]Finding, error) {
	if s.Device == nil {
		return noDevice(), nil
	}
	mine, err := copyBoth(s.Device, s.Comm.Rank())
	all, wrong, broken := share(s, mine, err)
	switch {
	case broken != nil:
		return nil, broken
	case wrong != "":
		return []Finding{fault(wrong, reseat)}, nil
	}
	name := s.Device.Info().Model
	if all[0].Visible {
		return []Finding{fine(name + " computes in host memory: no copies")}, nil
	}
	to := slices.MinFunc(all, func(a, b copied) int { return int(a.To - b.To) })
	from := slices.MinFunc(all, func(a, b copied) int { return int(a.From - b.From) })
	return []Finding{fine(fmt.Sprintf("%s: copies to it at %.3g GB/s, from it at %.3g GB/s, slowest rank with all ranks active; every byte as written",
		name, to.To/1e9, from.From/1e9))}, nil
}

// copied is the speed of copies in bytes per second.
type copied struct {
	Visible  bool // the host reads the device's memory: no copies
	To, From float64
}

func copyBoth(dev device.Device, rank int) (c copied, err error) {
	const bytes = 64 << 20
	b, err := dev.Alloc(bytes)
	if err != nil {
		return c, err
	}
	defer b.Free()
	if _, c.Visible = b.(device.HostVisible); c.Visible {
		return c, nil
	}
	// Pinned memory, as messages are staged in.
	got := make([]byte, bytes)
	if h, ok := dev.(halo.HostAllocator); ok {
		memory, free, err := h.AllocHost(bytes)
		if err != nil {
			return c, err
		}
		defer free()
		got = memory
	}
	want := pattern(bytes, rank, rank)
	for range 2 { // the first warms up
		copy(got, want)
		start := time.Now()
		if err := b.Write(got, 0); err != nil {
			return c, err
		}
		c.To = bytes / time.Since(start).Seconds()
		clear(got)
		start = time.Now()
		if err := b.Read(got, 0); err != nil {
			return c, err
		}
		c.From = bytes / time.Since(start).Seconds()
		if err := compare(got, want); err != nil {
			return c, fmt.Errorf("%s returned different bytes than it received: %w", dev.Info().Name, err)
		}
	}
	return c, nil
}

// kernel compares one kernel with the oracle, compiled first where the device does that.
func kernel(s *Site) ([]Finding, error) {
	if s.Device == nil {
		return noDevice(), nil
	}
	spec := bench.Specs("D3Q19", model.Float32, "regularized")[0]
	start := time.Now()
	_, err := bench.Verify(s.Device, spec, 37)
	wrong, broken := s.agree(err)
	switch {
	case broken != nil:
		return nil, broken
	case wrong != "":
		return []Finding{fault(wrong, "if kernels do not compile: `lbmsim info` shows the driver and the kernel compiler that were found; if results are wrong: "+reseat)}, nil
	}
	return []Finding{fine(fmt.Sprintf("%s agrees with the float64 reference (loaded and run in %.2g s)", spec, time.Since(start).Seconds()))}, nil
}

// ghosts exchanges ghost planes as a run does and checks every byte that arrived.
func ghosts(s *Site) ([]Finding, error) {
	switch {
	case s.Device == nil:
		return noDevice(), nil
	case s.silent:
		return []Finding{warning("not checked: messages failed", "")}, nil
	}
	list := []halo.Transport{halo.Host}
	if _, ok := s.Device.(device.Peer); ok && s.Comm.Size() > 1 {
		list = append(list, halo.GPU, halo.Peer)
	}
	var found []Finding
	for _, t := range list {
		f, err := s.ghostsBy(t)
		if err != nil {
			return nil, err
		}
		if found = append(found, f); f.Severity == Fault {
			break // messages of the next one could collide with messages of this one
		}
	}
	return found, nil
}

// ghostsBy checks one transport. A transport that is unavailable is not a fault, since a run takes
// another; where all ranks are on one machine, their GPUs should reach each other.
func (s *Site) ghostsBy(t halo.Transport) (Finding, error) {
	mine, err := s.setUpGhosts()
	wrong, broken := s.agree(err)
	if wrong != "" || broken != nil {
		return fault(wrong, reseat), broken
	}
	defer mine.close()
	mine.setup.Want = t
	mine.halo, err = halo.New(mine.setup)
	var refused *comm.Failure
	switch {
	case errors.As(err, &refused) && t == halo.Host:
		return fault(refused.Error(), "please report this message"), nil
	case errors.As(err, &refused) && t == halo.Peer && s.onOneHost():
		return warning("not available: "+refused.Error(), "GPUs of all ranks must be visible to each other: one container for all ranks, with the host's IPC (--ipc=host), no limits of visible devices by cgroups (SLURM: --gpu-bind=none), and `nvidia-smi topo -p2p w` without errors"), nil
	case errors.As(err, &refused):
		return fine("not available here: " + refused.Error()), nil
	case err != nil:
		return Finding{}, err
	}
	if wrong, broken = s.agree(mine.exchange(s.Comm.Rank())); wrong != "" {
		// Some ranks may still be in it: it is kept until the processes end.
		mine.halo, mine.setup.States = nil, [2]device.Buffer{}
		return fault(wrong, "if messages and copies above are ok, please report this message"), broken
	}
	return fine(fmt.Sprintf("planes of %.3g MiB to both neighbours and back in %.3g ms, %s; every byte as sent",
		float64(mine.bytes)/(1<<20), 1e3*mine.seconds, mine.halo.Describe())), broken
}

func (s *Site) onOneHost() bool {
	return !slices.ContainsFunc(s.Ranks, func(r Rank) bool { return r.Host != s.Ranks[0].Host })
}

// planes is a small periodic state whose ghost planes an exchange fills.
type planes struct {
	plan    decomp.Plan
	setup   halo.Setup
	halo    halo.Exchange // nil: not made
	bytes   int           // of a plane
	seconds float64
}

func (s *Site) setUpGhosts() (p *planes, err error) {
	const components, valueBytes = 10, 4 // the moments in float32, the default
	// Two planes a rank, so that the lower and the upper edge differ.
	plan, err := decomp.Slabs([3]int{256, 256, 2 * s.Comm.Size()}, [3]bool{true, true, true}, 3, s.Comm.Size())
	if err != nil {
		return nil, err
	}
	layout := plan.Layout(s.Comm.Rank(), components)
	lo, hi := layout.Plane(0)
	p = &planes{plan: plan, bytes: (hi - lo) * valueBytes}
	p.setup = halo.Setup{Comm: s.Comm, Links: plan.Links(s.Comm.Rank()), Layout: layout, ValueBytes: valueBytes, Device: s.Device}
	for i := range p.setup.States {
		if p.setup.States[i], err = halo.AllocState(s.Device, layout.Len()*valueBytes); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *planes) close() {
	if p.halo != nil {
		p.halo.Close()
	}
	for _, b := range p.setup.States {
		if b != nil {
			b.Free()
		}
	}
}

// exchange fills the ghost planes a few times. Plane k of a rank holds the pattern of
// (rank, k); what should arrive is known without a message.
func (p *planes) exchange(rank int) error {
	at := func(k int) int { return (k + 1) * p.bytes } // plane -1 comes first
	for _, state := range p.setup.States {
		for k := range 2 {
			if err := state.Write(pattern(p.bytes, rank, k), at(k)); err != nil {
				return err
			}
		}
	}
	stream := p.setup.Device.NewStream(true)
	var times []float64
	for i := range 5 {
		start := time.Now()
		if err := p.halo.Start(p.setup.States[i%2], stream.Record()); err != nil {
			return err
		}
		if err := p.halo.Finish(); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds())
	}
	if err := stream.Sync(); err != nil {
		return err
	}
	slices.Sort(times)
	p.seconds = times[len(times)/2]
	for _, state := range p.setup.States {
		for _, ghost := range []struct{ side, plane, from int }{{-1, -1, 1}, {1, 2, 0}} {
			peer, ok := p.plan.Neighbour(rank, ghost.side)
			if !ok {
				return errors.New("a periodic domain has no neighbour")
			}
			got := make([]byte, p.bytes)
			if err := state.Read(got, at(ghost.plane)); err != nil {
				return err
			}
			if err := compare(got, pattern(p.bytes, peer, ghost.from)); err != nil {
				return fmt.Errorf("the ghost plane from rank %d has a wrong byte: %w", peer, err)
			}
		}
	}
	return nil
}
