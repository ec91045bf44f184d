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
	"lbmsim/comm/commtest"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/halo/halotest"
)

func TestHostStraight(t *testing.T) {
	halotest.Run(t, halotest.With(halo.Host), func(int) halo.Memory { return halotest.NewDevice(true) })
}

func TestHostStaged(t *testing.T) {
	halotest.Run(t, halotest.With(halo.Host), func(int) halo.Memory { return halotest.NewDevice(false) })
}

// own gives each rank a separate GPU of one machine, and then lets change adjust it.
func own(change func(rank int, g *halotest.GPU)) func(int) halo.Memory {
	m := halotest.NewMachine("node")
	return func(rank int) halo.Memory {
		g := m.NewGPU(fmt.Sprint(rank))
		change(rank, g)
		return g
	}
}

func asIs(int, *halotest.GPU) {}

// expecting returns a Build for transport want that fails unless every link gets transport got and
// the exchange can be queued exactly if it sends no messages.
func expecting(want, got halo.Transport) halotest.Build {
	return func(s halo.Setup) (halo.Exchange, error) {
		e, err := halotest.With(want)(s)
		if err != nil {
			return nil, err
		}
		for _, r := range e.Routes() {
			if r.Transport != got {
				return nil, fmt.Errorf("%v leads to %v: %s", want, r.Transport, r.Why)
			}
		}
		if _, queued := e.(halo.Queued); len(e.Routes()) > 0 && queued != queues(e) {
			return nil, fmt.Errorf("%s: can be queued: %v", e.Describe(), queued)
		}
		return e, nil
	}
}

// queues reports whether no link of an exchange is served by messages.
func queues(e halo.Exchange) bool { return !strings.Contains(e.Describe(), "messages") }

// Devices that copy by themselves write outgoing data to the neighbour's inbox if both share
// memory; otherwise to staging memory, overlapped with the messages.
func TestHostBesideCopies(t *testing.T) {
	for _, test := range []struct {
		alone func(rank int) bool
		says  func(rank int, neighbours []halo.Route) string
	}{
		{func(int) bool { return false }, func(int, []halo.Route) string { return "host memory of both" }},
		{func(int) bool { return true }, func(int, []halo.Route) string { return "messages through host memory" }},
		{func(rank int) bool { return rank == 1 }, func(rank int, neighbours []halo.Route) string {
			inboxes, messages := false, rank == 1
			for _, r := range neighbours {
				inboxes = inboxes || rank != 1 && r.Rank != 1
				messages = messages || r.Rank == 1
			}
			switch {
			case inboxes && messages:
				return "host memory of both, or messages"
			case inboxes:
				return "host memory of both"
			}
			return "messages through host memory"
		}},
	} {
		build := func(s halo.Setup) (halo.Exchange, error) {
			e, err := expecting(halo.Host, halo.Host)(s)
			if err != nil || len(e.Routes()) == 0 {
				return e, err
			}
			if want := test.says(s.Comm.Rank(), e.Routes()); !strings.Contains(e.Describe(), want) {
				return nil, fmt.Errorf("rank %d: %q, want %q", s.Comm.Rank(), e.Describe(), want)
			}
			return e, nil
		}
		halotest.Run(t, build, own(func(rank int, g *halotest.GPU) { g.Alone = test.alone(rank) }))
	}
}

// Messages of more than one piece, of whole planes and of rows.
func TestInboxesInPieces(t *testing.T) {
	for ranks, k := range map[int]halotest.Case{
		2: {Dims: 3, Cells: [3]int{264, 130, 4}, Periodic: true, Components: 10, ValueBytes: 4},
		4: {Dims: 3, Cells: [3]int{264, 4, 130}, Components: 10, ValueBytes: 4, Along: 2, Listed: 3},
	} {
		dev := own(func(_ int, g *halotest.GPU) { quick(g.Device) })
		err := comm.RunLocal(ranks, func(c comm.Comm) error {
			return halotest.Check(c, expecting(halo.Host, halo.Host), dev(c.Rank()), k)
		})
		if err != nil {
			t.Errorf("%v, %d ranks: %v", k, ranks, err)
		}
	}
}

func TestPeer(t *testing.T) {
	halotest.Run(t, expecting(halo.Peer, halo.Peer), own(asIs))
}

// Ranks that share a GPU write into each other's memory on request.
func TestPeerOnOneGPU(t *testing.T) {
	m := halotest.NewMachine("node")
	halotest.Run(t, expecting(halo.Peer, halo.Peer), func(int) halo.Memory { return m.NewGPU("one") })
	halotest.Run(t, expecting(halo.Auto, halo.Host), func(int) halo.Memory { return m.NewGPU("one") })
}

func TestAutoOnOneMachine(t *testing.T) {
	halotest.Run(t, expecting(halo.Auto, halo.Peer), own(asIs))
}

func TestGPU(t *testing.T) {
	m := halotest.NewMachine("node")
	halotest.RunWith(t, expecting(halo.GPU, halo.GPU), func(rank int) halo.Memory { return m.NewGPU(fmt.Sprint(rank)) },
		func(c comm.Comm) comm.Comm { return m.Aware(c, true) })
}

// A GPU that two ranks share never waits for a rank, nor do their neighbours on other GPUs.
func TestSharedGPU(t *testing.T) {
	m := halotest.NewMachine("node")
	halotest.Run(t, func(s halo.Setup) (halo.Exchange, error) {
		e, err := halo.New(s)
		if err != nil {
			return nil, err
		}
		shared := func(rank int) bool { return s.Comm.Size() > 2 && (rank == 0 || rank == 2) }
		for _, r := range e.Routes() {
			want := halo.Peer
			if shared(r.Rank) || shared(s.Comm.Rank()) {
				want = halo.Host
			}
			if r.Transport != want || want == halo.Host && !strings.Contains(r.Why, "ranks share a GPU") {
				return nil, fmt.Errorf("rank %d to rank %d by %v: %s", s.Comm.Rank(), r.Rank, r.Transport, r.Why)
			}
		}
		return e, nil
	}, func(rank int) halo.Memory { return m.NewGPU(fmt.Sprint([]int{0, 1, 0, 3, 4}[rank])) })
}

// Two machines, ranks 0 and 1 on one and the rest on the other: links within and across machines
// are served together.
func TestMixed(t *testing.T) {
	for _, aware := range []bool{false, true} {
		all := halotest.NewMachine("both") // for the addresses of messages
		nodes := []*halotest.Machine{all.Part("one"), all.Part("two")}
		across := halo.Host
		if aware {
			across = halo.GPU
		}
		build := func(s halo.Setup) (halo.Exchange, error) {
			e, err := halo.New(s)
			if err != nil {
				return nil, err
			}
			for _, r := range e.Routes() {
				want := across
				if (r.Rank < 2) == (s.Comm.Rank() < 2) {
					want = halo.Peer
				}
				if r.Transport != want {
					return nil, fmt.Errorf("rank %d to rank %d by %v: %s", s.Comm.Rank(), r.Rank, r.Transport, r.Why)
				}
			}
			return e, nil
		}
		halotest.RunWith(t, build, func(rank int) halo.Memory { return nodes[min(rank/2, 1)].NewGPU(fmt.Sprint(rank)) },
			func(c comm.Comm) comm.Comm { return all.Aware(c, aware) })
	}
}

// If a rank cannot open the memory of others, both sides know and use another path.
func TestDeafDevice(t *testing.T) {
	halotest.Run(t, func(s halo.Setup) (halo.Exchange, error) {
		e, err := halo.New(s)
		if err != nil {
			return nil, err
		}
		for _, r := range e.Routes() {
			want := halo.Peer
			if r.Rank == 0 || s.Comm.Rank() == 0 {
				want = halo.Host
			}
			if r.Transport != want || want == halo.Host && !strings.Contains(r.Why, "no access to the other GPU") {
				return nil, fmt.Errorf("rank %d to rank %d by %v: %s", s.Comm.Rank(), r.Rank, r.Transport, r.Why)
			}
		}
		return e, nil
	}, own(func(rank int, g *halotest.GPU) { g.Deaf = rank == 0 }))
}

// A transport that is requested and not available is refused on every rank, with the reason.
func TestRefused(t *testing.T) {
	m := halotest.NewMachine("node")
	for _, test := range []struct {
		name string
		want halo.Transport
		word halo.Word
		over func(comm.Comm) comm.Comm
		dev  func(rank int) halo.Memory
		says string
	}{
		{"peer on the CPU", halo.Peer, halo.Ask, nil, func(int) halo.Memory { return halotest.NewDevice(true) }, "no memory that other ranks can write"},
		{"gpu on the CPU", halo.GPU, halo.Yes, nil, func(int) halo.Memory { return halotest.NewDevice(true) }, "not in GPU memory"},
		{"peer across machines", halo.Peer, halo.Ask, nil, func(rank int) halo.Memory { return halotest.NewMachine(fmt.Sprint(rank)).NewGPU("0") }, "on another node"},
		{"peer without a way", halo.Peer, halo.Ask, nil, own(func(rank int, g *halotest.GPU) { g.Deaf = rank == 1 }), "no access to the other GPU"},
		{"peer that spoils", halo.Peer, halo.Ask, nil, own(func(rank int, g *halotest.GPU) { g.Spoils = rank == 1 }), "transport peer does not work: rank 1 sent"},
		{"an inbox that spoils", halo.Host, halo.Ask, nil, own(func(rank int, g *halotest.GPU) { g.Spoils = rank == 1 }), "transport host does not work: rank 1 sent"},
		{"gpu without messages", halo.GPU, halo.Yes, nil, own(asIs), "does not support messages from GPU memory"},
		{"gpu, the library says no", halo.GPU, halo.Ask, func(c comm.Comm) comm.Comm { return m.Aware(c, false) }, func(int) halo.Memory { return m.NewGPU("") }, "reports that it is not GPU-aware"},
		{"gpu, the user says no", halo.GPU, halo.No, func(c comm.Comm) comm.Comm { return m.Aware(c, true) }, func(int) halo.Memory { return m.NewGPU("") }, "according to the case"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := comm.RunLocal(3, func(c comm.Comm) error {
				if test.over != nil {
					c = test.over(c)
				}
				err := halotest.Check(c, func(s halo.Setup) (halo.Exchange, error) {
					s.Want, s.Aware = test.want, test.word
					return halo.New(s)
				}, test.dev(c.Rank()), halotest.Cases()[2])
				var all *comm.Failure
				if !errors.As(err, &all) || !strings.Contains(err.Error(), test.says) {
					return fmt.Errorf("rank %d: %v, want %q from all", c.Rank(), err, test.says)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The user's word takes precedence over the library.
func TestWordOfTheUser(t *testing.T) {
	m := halotest.NewMachine("node")
	err := comm.RunLocal(2, func(c comm.Comm) error {
		return halotest.Check(m.Aware(c, false), func(s halo.Setup) (halo.Exchange, error) {
			s.Aware = halo.Yes
			return expecting(halo.GPU, halo.GPU)(s)
		}, m.NewGPU(fmt.Sprint(c.Rank())), halotest.Cases()[2])
	})
	if err != nil {
		t.Error(err)
	}
}

// All opened memory is closed before its owner frees it, by successful and failed exchanges.
func TestDoorsAreClosed(t *testing.T) {
	type fault func(rank int, g *halotest.GPU)
	for _, test := range []struct {
		name  string
		by    halo.Transport
		fault fault // nil: none
	}{
		{"peer", halo.Peer, nil},
		{"host", halo.Host, nil},
		{"peer that spoils", halo.Peer, func(_ int, g *halotest.GPU) { g.Spoils = true }},
		{"host without a barrier", halo.Host, func(rank int, g *halotest.GPU) { g.NoBarrier = rank == 1 }},
		{"host that spoils", halo.Host, func(_ int, g *halotest.GPU) { g.Spoils = true }},
		{"peer without a way", halo.Peer, func(rank int, g *halotest.GPU) { g.Deaf = rank == 1 }},
		{"peer without a barrier", halo.Peer, func(rank int, g *halotest.GPU) { g.NoBarrier = rank == 1 }},
		{"host in place of peer", halo.Auto, func(rank int, g *halotest.GPU) { g.Deaf, g.Spoils = rank == 1, rank == 0 }},
	} {
		m := halotest.NewMachine("node")
		err := comm.RunLocal(3, func(c comm.Comm) error {
			g := m.NewGPU(fmt.Sprint(c.Rank()))
			if g.Late = c.Rank() == 0; test.fault != nil {
				test.fault(c.Rank(), g)
			}
			err := halotest.Check(c, halotest.With(test.by), g, halotest.Cases()[2])
			if (err != nil) != (test.fault != nil) {
				return fmt.Errorf("%s: %v", test.name, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if n := m.Open(); n != 0 {
			t.Errorf("%s: %d buffers of neighbours are still open", test.name, n)
		}
		if n := m.Early(); n != 0 {
			t.Errorf("%s: %d buffers were freed while neighbours had them open", test.name, n)
		}
	}
}

// Others wait for the messages of a rank that fails in the first exchange, so they cannot agree on
// its error: it returns at once, alone, and its caller ends them.
func TestFirstExchangeBreaks(t *testing.T) {
	result := make(chan error, 1)
	go func() {
		m := halotest.NewMachine("node")
		result <- comm.RunLocal(3, func(c comm.Comm) error {
			g := m.NewGPU(fmt.Sprint(c.Rank()))
			g.Alone, g.Breaks = c.Rank() == 0, c.Rank() == 1 // rank 1 has both messages and an inbox
			s, err := setup(c, g, true)
			if err != nil {
				return err
			}
			s.Want = halo.Host
			_, err = halo.New(s)
			var all *comm.Failure
			if errors.As(err, &all) {
				return fmt.Errorf("rank %d: all ranks are said to know: %v", c.Rank(), err)
			}
			return err
		})
	}()
	select {
	case err := <-result:
		if err == nil || !strings.Contains(err.Error(), "rank 1: ") || !strings.Contains(err.Error(), "the copy broke") {
			t.Errorf("the ranks ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the ranks wait for one that has failed")
	}
}

// pinned is a device with fast host memory.
type pinned struct {
	*halotest.Device
	held *int
}

func (p pinned) AllocHost(n int) ([]byte, func(), error) {
	*p.held++
	return make([]byte, n), func() { *p.held-- }, nil
}

func TestStagingMemoryOfTheDevice(t *testing.T) {
	err := comm.RunLocal(2, func(c comm.Comm) error {
		held := 0
		if err := halotest.Check(c, halo.New, pinned{halotest.NewDevice(false), &held}, halotest.Cases()[0]); err != nil {
			return err
		}
		if held != 0 {
			return fmt.Errorf("%d buffers were not given back", held)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		ranks    int
		periodic bool
		visible  bool
		want     string
	}{
		{1, false, true, "none needed"},
		{1, true, false, "copies within the device"},
		{2, false, true, "directly from the state"},
		{2, true, false, "through host memory"},
	} {
		err := comm.RunLocal(test.ranks, func(c comm.Comm) error {
			s, err := setup(c, halotest.NewDevice(test.visible), test.periodic)
			if err != nil {
				return err
			}
			e, err := halo.New(s)
			if err != nil {
				return err
			}
			if got := e.Describe(); !strings.Contains(got, test.want) {
				return fmt.Errorf("%q, want %q", got, test.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// setup returns the Setup of a small 3D box.
func setup(c comm.Comm, dev halo.Memory, periodic bool) (halo.Setup, error) {
	plan, err := decomp.Slabs([3]int{8, 8, 8}, [3]bool{2: periodic}, 3, c.Size())
	s := halo.Setup{Comm: c, Links: plan.Links(c.Rank()), Layout: plan.Layout(c.Rank(), 10), ValueBytes: 4, Device: dev}
	for i := range s.States {
		if err == nil {
			s.States[i], err = halo.AllocState(dev, 4*s.Layout.Len())
		}
	}
	return s, err
}

func TestNewRefuses(t *testing.T) {
	bad := map[string]func(*halo.Setup){
		"non-blocking":  func(s *halo.Setup) { s.Comm = commtest.Bare(s.Comm) },
		"rank 2 of 2":   func(s *halo.Setup) { s.Links[1].Rank = 2 },
		"layout":        func(s *halo.Setup) { s.Layout = decomp.NewLayout([3]int{8, 8, 5}, s.Layout.Ghost, 10) },
		"ghosts":        func(s *halo.Setup) { s.Layout = decomp.NewLayout(s.Layout.N, [3]int{}, 10) },
		"receives":      func(s *halo.Setup) { s.Links[1].Recv = s.Links[1].Send },
		"a state fewer": func(s *halo.Setup) { s.States[1], _ = s.Device.Alloc(8) },
	}
	for words, change := range bad {
		err := comm.RunLocal(2, func(c comm.Comm) error {
			s, err := setup(c, halotest.NewDevice(true), true)
			if err != nil {
				return err
			}
			if words == "non-blocking" || c.Rank() == 1 { // a refusal of one rank applies to all
				change(&s)
			}
			if _, err := halo.New(s); err == nil || !strings.Contains(err.Error(), words) {
				return fmt.Errorf("rank %d, %s: %v", c.Rank(), words, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// exchange runs one exchange with its own event; others call New alone.
func exchange(c comm.Comm, visible bool, ready device.Event) error {
	s, err := setup(c, halotest.NewDevice(visible), true)
	if err != nil {
		return err
	}
	e, err := halo.New(s)
	if err != nil || ready == nil {
		return err
	}
	if err := e.Start(s.States[0], ready); err != nil {
		return err
	}
	return e.Finish()
}

// A lost rank ends the others' exchange with an error, not a hang.
func TestLostNeighbour(t *testing.T) {
	for _, visible := range []bool{true, false} {
		ranks := comm.Local(3)
		result := make(chan error, 2)
		for _, c := range ranks[:2] {
			go func() { result <- exchange(c, visible, halotest.NewDevice(visible).NewStream(true).Record()) }()
		}
		if err := exchange(ranks[2], visible, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // the others wait for it
		ranks[2].(comm.Aborter).Abort(7)
		for range ranks[:2] {
			var abort *comm.AbortError
			if err := <-result; !errors.As(err, &abort) || !strings.Contains(err.Error(), "exchange 1") {
				t.Errorf("the exchange ended with %v", err)
			}
		}
	}
}

type failed struct{}

func (failed) Done() bool       { return true }
func (failed) Wait() error      { return errors.New("kernel failed") }
func (failed) Seconds() float64 { return 0 }

// Results of failed edge kernels are not sent to the neighbours.
func TestFailedEdges(t *testing.T) {
	ranks := comm.Local(2)
	go func() { _ = exchange(ranks[1], true, nil) }()
	err := exchange(ranks[0], true, failed{})
	if err == nil || !strings.Contains(err.Error(), "rank 0: exchange 1, send: the edge cells: kernel failed") {
		t.Errorf("got %v", err)
	}
}

func TestMisuse(t *testing.T) {
	dev := halotest.NewDevice(true)
	s, err := setup(comm.Serial(), dev, true)
	if err != nil {
		t.Fatal(err)
	}
	e, err := halo.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Finish(); err != nil {
		t.Errorf("finish without start: %v", err)
	}
	ready := dev.NewStream(true).Record()
	if err := e.Start(s.States[0], ready); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(s.States[1], ready); err == nil {
		t.Error("two exchanges at once were accepted")
	}
	if e, err = halo.New(s); err != nil {
		t.Fatal(err)
	}
	other, _ := dev.Alloc(s.States[0].Bytes())
	if err := e.Start(other, ready); err == nil {
		t.Error("an exchange of a third state was accepted")
	}
}

// Neighbours that write into a rank's memory rely on its states alternating.
func TestTurns(t *testing.T) {
	for _, want := range []halo.Transport{halo.Peer, halo.Host} {
		turns(t, want)
	}
}

func turns(t *testing.T, want halo.Transport) {
	m := halotest.NewMachine("node")
	err := comm.RunLocal(2, func(c comm.Comm) error {
		g := m.NewGPU(fmt.Sprint(c.Rank()))
		s, err := setup(c, g, true)
		if err != nil {
			return err
		}
		s.Want = want
		e, err := halo.New(s)
		if err != nil {
			return err
		}
		defer e.Close()
		if err := e.Start(s.States[0], g.NewStream(true).Record()); err != nil {
			return err
		}
		if err := e.Finish(); err != nil {
			return err
		}
		if err := e.Start(s.States[0], g.NewStream(true).Record()); err == nil || !strings.Contains(err.Error(), "twice in a row") {
			return fmt.Errorf("the same state again: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Equal rows are copied in one operation.
func TestManyRowsAreFewPieces(t *testing.T) {
	plan, err := decomp.Pencils([3]int{64, 64, 64}, [3]bool{true, true, true}, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := halotest.NewMachine("node")
	err = comm.RunLocal(8, func(c comm.Comm) error {
		g := m.NewGPU(fmt.Sprint(c.Rank()))
		s := halo.Setup{Comm: c, Links: plan.Links(c.Rank()), Layout: plan.Layout(c.Rank(), 10), ValueBytes: 4, Device: g, Want: halo.Peer}
		for i := range s.States {
			s.States[i], _ = halo.AllocState(g, 4*s.Layout.Len())
		}
		e, err := halo.New(s)
		if err != nil {
			return err
		}
		defer e.Close()
		before := g.Copies()
		if err := e.Start(s.States[0], g.NewStream(true).Record()); err != nil {
			return err
		}
		if n := g.Copies() - before; n != len(plan.Links(c.Rank())) {
			return fmt.Errorf("%d copies for %d links", n, len(plan.Links(c.Rank())))
		}
		return e.Finish()
	})
	if err != nil {
		t.Error(err)
	}
}
