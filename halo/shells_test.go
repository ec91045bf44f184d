// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/mpi/mpitest"
	"lbmsim/decomp"
	"lbmsim/halo"
	"lbmsim/halo/halotest"
	"lbmsim/internal/brief"
)

// by returns a BuildTraffic for transport want that fails unless every path gets the transport returned by got.
func by(want halo.Transport, got func(rank, other int) halo.Transport) halotest.BuildTraffic {
	return func(s halo.TrafficSetup) (halo.Exchange, error) {
		s.Want = want
		e, err := halo.NewTraffic(s)
		if err != nil {
			return nil, err
		}
		if len(e.Routes()) != len(s.Traffic.Peers) {
			return nil, fmt.Errorf("%d routes to %d ranks", len(e.Routes()), len(s.Traffic.Peers))
		}
		for _, r := range e.Routes() {
			if w := got(s.Comm.Rank(), r.Rank); r.Transport != w {
				return nil, fmt.Errorf("rank %d to rank %d by %v, not %v: %s", s.Comm.Rank(), r.Rank, r.Transport, w, r.Why)
			}
		}
		if _, queued := e.(halo.Queued); queued != queues(e) {
			return nil, fmt.Errorf("%s: can be queued: %v", e.Describe(), queued)
		}
		return e, nil
	}
}

// always returns that every path is served so.
func always(t halo.Transport) func(rank, other int) halo.Transport {
	return func(int, int) halo.Transport { return t }
}

func same(c comm.Comm) comm.Comm { return c }

// quick removes the delay of a device's copies: an exchange of items has many.
func quick(d *halotest.Device) halo.Memory {
	d.Delay = time.Microsecond
	return d
}

// quickly gives each rank a separate quick GPU of one machine, and then lets change adjust it.
func quickly(change func(rank int, g *halotest.GPU)) func(int) halo.Memory {
	m := halotest.NewMachine("node")
	return func(rank int) halo.Memory {
		g := m.NewGPU(fmt.Sprint(rank))
		quick(g.Device)
		change(rank, g)
		return g
	}
}

func TestTrafficStraight(t *testing.T) {
	halotest.RunTraffic(t, by(halo.Host, always(halo.Host)), func(int) halo.Memory { return quick(halotest.NewDevice(true)) }, same)
}

func TestTrafficStaged(t *testing.T) {
	halotest.RunTraffic(t, by(halo.Host, always(halo.Host)), func(int) halo.Memory { return quick(halotest.NewDevice(false)) }, same)
}

// Inboxes, and without shared host memory messages overlapped with copies; both with rank 1 alone on its machine.
func TestTrafficBesideCopies(t *testing.T) {
	for _, alone := range []func(rank int) bool{func(int) bool { return false }, func(int) bool { return true }, func(rank int) bool { return rank == 1 }} {
		halotest.RunTraffic(t, by(halo.Host, always(halo.Host)), quickly(func(rank int, g *halotest.GPU) { g.Alone = alone(rank) }), same)
	}
}

func TestTrafficPeer(t *testing.T) {
	halotest.RunTraffic(t, by(halo.Peer, always(halo.Peer)), quickly(asIs), same)
}

func TestTrafficGPU(t *testing.T) {
	m := halotest.NewMachine("node")
	halotest.RunTraffic(t, by(halo.GPU, always(halo.GPU)), func(rank int) halo.Memory {
		g := m.NewGPU(fmt.Sprint(rank))
		quick(g.Device)
		return g
	}, func(c comm.Comm) comm.Comm { return m.Aware(c, true) })
}

// Two machines: ranks 0 and 1 on one and the rest on the other.
func TestTrafficMixed(t *testing.T) {
	all := halotest.NewMachine("both") // for the addresses of messages
	nodes := []*halotest.Machine{all.Part("one"), all.Part("two")}
	for _, aware := range []bool{false, true} {
		across := halo.Host
		if aware {
			across = halo.GPU
		}
		halotest.RunTraffic(t, by(halo.Auto, func(rank, other int) halo.Transport {
			if (rank < 2) == (other < 2) {
				return halo.Peer
			}
			return across
		}), func(rank int) halo.Memory {
			g := nodes[min(rank/2, 1)].NewGPU(fmt.Sprint(rank))
			quick(g.Device)
			return g
		}, func(c comm.Comm) comm.Comm { return all.Aware(c, aware) })
	}
}

// The same over the real library.
func TestTrafficMPI(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	ranks := []int{1, 2, 3, 4, 7}
	if testing.Short() {
		ranks = []int{2, 4} // halotest.RunTraffic has the others
	}
	mpitest.Run(t, ranks, func(c comm.Comm) error {
		for _, n := range halotest.Nests() {
			gpu := halotest.NewMachine("node").NewGPU(fmt.Sprint(c.Rank())) // each rank's own machine stands for the same
			for _, dev := range []halo.Memory{quick(halotest.NewDevice(true)), quick(halotest.NewDevice(false)), gpu} {
				quick(gpu.Device)
				if err := halotest.CheckTraffic(c, by(halo.Host, always(halo.Host)), dev, n); err != nil {
					return fmt.Errorf("%v, %T: %w", n, dev, err)
				}
			}
		}
		return nil
	})
}

// ring returns the exchange of a hierarchy of two levels between two ranks.
func ring(c comm.Comm, dev halo.Memory, kind decomp.Passing) (s halo.TrafficSetup, err error) {
	plan, err := decomp.Slabs([3]int{16, 24, 1}, [3]bool{}, 2, c.Size())
	if err != nil {
		return s, err
	}
	h, err := decomp.NewHierarchy(plan, []decomp.Refinement{{Name: "a", Level: 1, From: [3]float64{3, 3, 0}, To: [3]float64{13, 17, 1}}})
	if err != nil {
		return s, err
	}
	s = halo.TrafficSetup{Comm: c, Traffic: h.Traffic(kind, 0, c.Rank()), ItemBytes: 240, Device: dev}
	s.Buffers, err = halo.AllocTraffic(dev, s.Traffic, 0, s.ItemBytes)
	return s, err
}

func TestTrafficRefuses(t *testing.T) {
	for words, change := range map[string]func(*halo.TrafficSetup){
		"items of 26 bytes, want a multiple of 4": func(s *halo.TrafficSetup) { s.ItemBytes = 26 },
		"items of 0 bytes":                        func(s *halo.TrafficSetup) { s.ItemBytes = 0 },
		"a buffer fewer":                          func(s *halo.TrafficSetup) { s.Buffers[1], _ = s.Device.Alloc(8) },
		"items for rank 5 from rank 1 of 2":       func(s *halo.TrafficSetup) { s.Traffic.Peers[0].Rank = 5 },
		"no memory that other ranks can write":    func(s *halo.TrafficSetup) { s.Want = halo.Peer },
	} {
		err := comm.RunLocal(2, func(c comm.Comm) error {
			s, err := ring(c, halotest.NewDevice(true), decomp.Shells)
			if err != nil {
				return err
			}
			if c.Rank() == 1 || strings.Contains(words, "memory") {
				change(&s)
			}
			_, err = halo.NewTraffic(s)
			var all *comm.Failure
			if !errors.As(err, &all) || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "what refined levels need") {
				return fmt.Errorf("rank %d: %v, want %q from all", c.Rank(), err, words)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Corruption by neighbours' memory or inboxes is detected before use.
func TestSpoiltTraffic(t *testing.T) {
	for _, want := range []halo.Transport{halo.Peer, halo.Host} {
		m := halotest.NewMachine("node")
		err := comm.RunLocal(2, func(c comm.Comm) error {
			g := m.NewGPU(fmt.Sprint(c.Rank()))
			g.Spoils = c.Rank() == 0
			s, err := ring(c, g, decomp.Shells)
			if err != nil {
				return err
			}
			s.Want = want
			if _, err = halo.NewTraffic(s); err == nil || !strings.Contains(err.Error(), "does not work: rank 0 sent") {
				return fmt.Errorf("rank %d, %v: %v", c.Rank(), want, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if open, early := m.Open(), m.Early(); open+early != 0 {
			t.Errorf("%v: %d buffers are still open, %d were freed too early", want, open, early)
		}
	}
}

// A lost rank ends the exchange of items with an error, even if it only sends or only receives.
func TestLostRankOfTraffic(t *testing.T) {
	for _, kind := range []decomp.Passing{decomp.Shells, decomp.Means} {
		ranks := comm.Local(2)
		result := make(chan error, 1)
		take := func(c comm.Comm, start bool) error {
			dev := halotest.NewDevice(false)
			s, err := ring(c, dev, kind)
			if err != nil {
				return err
			}
			e, err := halo.NewTraffic(s)
			if err != nil || !start {
				return err
			}
			if err := e.Start(s.Buffers[0], dev.NewStream(true).Record()); err != nil {
				return err
			}
			return e.Finish()
		}
		go func() { result <- take(ranks[0], true) }()
		if err := take(ranks[1], false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		ranks[1].(comm.Aborter).Abort(7)
		select {
		case err := <-result:
			var abort *comm.AbortError
			if !errors.As(err, &abort) || !strings.Contains(err.Error(), "exchange 1") {
				t.Errorf("kind %d ended with %v", kind, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("kind %d: a rank waits for one that is gone", kind)
		}
	}
}
