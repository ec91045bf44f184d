// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package watchdog

import (
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"lbmsim/comm"
)

// verdicts collects the reports of the ranks of a process, and ends them as a program would.
type verdicts struct {
	mu   sync.Mutex
	said []string
}

func (v *verdicts) options(c comm.Comm) Options {
	return Options{
		Speak: func(text string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.said = append(v.said, text)
		},
		End: func() { c.(comm.Aborter).Abort(1) },
	}
}

// limit is far above the delays of goroutines on a busy machine.
const limit = 3 * time.Second

// stall runs a few ranks, each of which does its work under a limit, and returns what was
// reported when they had all ended.
func stall(t *testing.T, work func(c comm.Comm) error) string {
	t.Helper()
	v := &verdicts{}
	err := comm.RunLocal(3, func(c comm.Comm) error {
		_, warning, err := Start(c, v.options(c))
		if err != nil || warning != "" {
			return fmt.Errorf("%q %w", warning, err)
		}
		comm.HeartbeatOf(c).Guard(limit)
		return work(c)
	})
	if err == nil {
		t.Error("the ranks ended without an error")
	}
	if len(v.said) != 1 {
		t.Fatalf("%d messages: %q", len(v.said), v.said)
	}
	return v.said[0]
}

// Stalled work is named by its own rank, with its step and its activity, while the
// others wait for it.
func TestOwnWorkThatRests(t *testing.T) {
	// Not beside other tests: all ranks are in one process here, whose use of the processor
	// is a sign of work.
	said := stall(t, func(c comm.Comm) error {
		p := comm.HeartbeatOf(c)
		p.Computing(41)
		if c.Rank() == 1 {
			p.Doing("writing out/fields")
			time.Sleep(3 * limit) // a disk that does not answer
		}
		return comm.Barrier(c)
	})
	for _, want := range []string{"rank 1 (process ", "stuck at step 41, writing out/fields", "ending all ranks"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
}

// Ranks that wait for each other are found where none of them has failed, and the one
// with the least steps is named.
func TestRanksThatWaitForEachOther(t *testing.T) {
	t.Parallel()
	said := stall(t, func(c comm.Comm) error {
		comm.HeartbeatOf(c).Computing(20 - c.Rank())
		next := (c.Rank() + 1) % c.Size()
		return c.Receive(&comm.Raw{0}, next, 7) // no rank sends
	})
	for _, want := range []string{"no progress on any rank", "furthest behind is rank 2 (process ", "at step 18, computing, waiting for other ranks"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
}

// A rank that works, waits a while for others, looks for messages or uses the processor in a long
// piece of work is left alone.
func TestWorkThatGoesOn(t *testing.T) {
	t.Parallel()
	v := &verdicts{}
	err := comm.RunLocal(3, func(c comm.Comm) error {
		d, warning, err := Start(c, v.options(c))
		if err != nil || warning != "" {
			return fmt.Errorf("%q %w", warning, err)
		}
		p := comm.HeartbeatOf(c)
		p.Guard(limit)
		for end, n := time.Now().Add(2*limit), 0; time.Now().Before(end); n++ {
			switch c.Rank() {
			case 0: // steps
				p.Computing(n)
				time.Sleep(limit / 10)
			case 1: // looks for a message
				p.Look(false)
				time.Sleep(time.Millisecond)
			case 2: // reads a surface
				if n == 0 {
					p.Doing("starting")
				}
			}
		}
		return d.Done()
	})
	if err != nil || len(v.said) > 0 {
		t.Errorf("%v %q", err, v.said)
	}
}

// An observer that was stopped itself accuses no other rank, although all its reports are old; one
// that was not does.
func TestAnObserverThatSlept(t *testing.T) {
	for _, slept := range []bool{true, false} {
		v := &verdicts{}
		c := comm.Serial()
		here, there := net.Pipe()
		defer there.Close()
		go func() { // what the dog says goes unheard
			b := make([]byte, 1<<10)
			for _, err := there.Read(b); err == nil; _, err = there.Read(b) {
			}
		}()
		old := time.Now().Add(-10 * limit)
		d := &Dog{Options: v.options(c), c: c, heartbeat: comm.HeartbeatOf(c), root: true,
			own: health{alive: old, moved: old}, down: []*peer{{name: "rank 1", conn: here, heard: old}}}
		d.heartbeat.Guard(limit)
		d.own.last = d.heartbeat.State() // nothing has moved since
		d.look(time.Now(), slept)
		if (len(v.said) == 0) != slept {
			t.Errorf("slept: %v, and says %q", slept, v.said)
		}
	}
}

// unreachable ranks hide the port that they listen on, as a firewall does.
type unreachable struct {
	comm.Comm
	comm.Collective
}

var port = regexp.MustCompile(`"Port":\d+`)

func (u unreachable) Heartbeat() *comm.Heartbeat { return comm.HeartbeatOf(u.Comm) }

func (u unreachable) Gather(data []byte, root int) ([][]byte, error) {
	return u.Collective.Gather(port.ReplaceAll(data, []byte(`"Port":0`)), root)
}

// Where ranks cannot connect, rank 0 warns once, and the run continues without being
// accused.
func TestRanksThatCannotConnect(t *testing.T) {
	t.Parallel()
	v := &verdicts{}
	err := comm.RunLocal(3, func(c comm.Comm) error {
		d, warning, err := Start(unreachable{c, c.(comm.Collective)}, v.options(c))
		if err != nil {
			return err
		}
		want := "rank 1 (process "
		if c.Rank() > 0 {
			want = ""
		}
		if (warning == "") != (want == "") || !strings.Contains(warning, want) || c.Rank() == 0 && !strings.Contains(warning, "(likewise for 1 more ranks)") {
			return fmt.Errorf("rank %d: warning %q", c.Rank(), warning)
		}
		p := comm.HeartbeatOf(c)
		p.Guard(limit)
		for end := time.Now().Add(limit + 2*tick); time.Now().Before(end); time.Sleep(tick / 10) {
			p.Computing(1)
		}
		return d.Done()
	})
	if err != nil || len(v.said) > 0 {
		t.Errorf("%v %q", err, v.said)
	}
}

// The tree keeps the connections of each rank few, and has all ranks in it.
func TestTree(t *testing.T) {
	for _, c := range []struct{ ranks, each int }{{1, 1}, {4, 4}, {6, 2}, {10_000, 64}, {10_000, 1}} {
		all := make([]place, c.ranks)
		for i := range all {
			all[i].Machine = fmt.Sprint(i / c.each)
		}
		above, below := parents(all), map[int]int{}
		for rank, up := range above {
			if rank == 0 && up == -1 {
				continue
			}
			if up < 0 || up >= rank {
				t.Fatalf("%+v: %d is above rank %d", c, up, rank)
			}
			below[up]++
		}
		for rank, n := range below {
			if n > fan+c.each {
				t.Errorf("%+v: rank %d has %d ranks below it", c, rank, n)
			}
		}
	}
	// Ranks whose machine is not known stand alone.
	if above := parents(make([]place, 3)); above[1] != 0 || above[2] != 0 {
		t.Errorf("%v", above)
	}
}

// A process without the job's token is sent away, whatever it says.
func TestStrangersAreSentAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	d := &Dog{c: comm.Serial()}
	all := []place{{Token: "secret"}, {}}
	go d.accept(listener, all, []int{-1, 0})
	port := listener.Addr().(*net.TCPAddr).Port
	up := place{Port: port, Addresses: []string{"127.0.0.1"}}
	for _, h := range []hello{{Rank: 1}, {Token: "guess", Rank: 1}, {Token: "secret"}, {Token: "secret", Rank: 2}, {Token: "secret", Rank: -1}} {
		if _, err := dial(place{}, up, h); err == nil {
			t.Errorf("%+v was let in", h)
		}
	}
	for _, text := range []string{"\n", "{}\n", "GET / HTTP/1.0\r\n", strings.Repeat("x", 2*longest)} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte(text))
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%.20q was answered with %d bytes", text, n)
		}
		_ = conn.Close()
	}
	if _, err := dial(place{}, up, hello{Token: "secret", Rank: 1}); err != nil {
		t.Errorf("the rank itself was sent away: %v", err)
	}
	// A rank that was answered late has tried once more: one connection is its own.
	again, err := dial(place{}, up, hello{Token: "secret", Rank: 1, Try: 4})
	if err != nil {
		t.Fatal(err)
	}
	if late, err := dial(place{}, up, hello{Token: "secret", Rank: 1, Try: 2}); err == nil {
		t.Errorf("try %d was let in after try 5", late.try)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.down) != 1 || d.down[0].try != 5 || d.down[0].conn.RemoteAddr().String() != again.conn.LocalAddr().String() {
		t.Errorf("%d connections of one rank", len(d.down))
	}
}
