// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/plain"
)

// sizes of the messages that are timed: latency, then bandwidth.
var sizes = []struct{ bytes, rounds int }{{8, 200}, {1 << 20, 10}, {16 << 20, 5}}

// link is the measurement of one rank of a pair of neighbours: half a round trip of each size.
type link struct {
	From, To int
	Seconds  []float64
}

// bandwidth of the longest messages in bytes per second.
func (l link) bandwidth() float64 {
	last := len(sizes) - 1
	return float64(sizes[last].bytes) / l.Seconds[last]
}

// messages sends patterns back and forth between neighbours, the ranks r and r+1 and the ends
// of a periodic domain, and compares every byte with the sent one. The pairs that have
// no rank in common run concurrently, as in a run.
func messages(s *Site) ([]Finding, error) {
	if s.Comm.Size() == 1 {
		return []Finding{fine("single rank: none")}, nil
	}
	mine, spoilt, err := pingNeighbours(s)
	deaf, broken := s.agree(err)
	if deaf != "" {
		// No call may follow, not even MPI_Finalize: messages are in flight, whose memory is
		// kept until all ranks are ended. Rank 0 reports the reason, so the others wait a moment.
		if s.Comm.Rank() != 0 {
			time.Sleep(time.Second)
		}
		runtime.KeepAlive(s.underWay)
		return nil, fmt.Errorf("%s, although it answers otherwise: check the MPI settings for this network, and whether a firewall or MTU blocks messages of this size", deaf)
	}
	if broken != nil {
		return nil, broken
	}
	all, wrong, broken := share(s, mine, spoilt)
	if broken != nil {
		return nil, broken
	}
	if wrong != "" {
		s.silent = true
		return []Finding{fault(wrong, "check for a failing network card, cable or driver, and the MPI settings for this network; try other nodes")}, nil
	}
	return judgeLinks(s.Ranks, slices.Concat(all...)), nil
}

func pingNeighbours(s *Site) (mine []link, wrong, err error) {
	rank, size := s.Comm.Rank(), s.Comm.Size()
	// A wrong byte is reported at the end, since others wait for this rank's next messages. A
	// neighbour that does not answer ends it here, after half of the limit, so that this
	// rank still answers the roll call.
	end := time.Now().Add(s.Limit / 2)
	// Pairs (0, 1) (2, 3), then (1, 2) (3, 4), then the ends of the domain, if they are not
	// a pair already: every rank is in one pair at a time.
	for turn := range 3 {
		for low := range size {
			high := low + 1
			if last := low == size-1; last != (turn == 2) || !last && low%2 != turn || last && size == 2 {
				continue
			} else if last {
				high = 0
			}
			if rank != low && rank != high {
				continue
			}
			l := link{From: low, To: high}
			for _, m := range sizes {
				seconds, spoilt, err := s.pingPong(l, m.bytes, m.rounds, end)
				if err != nil {
					return nil, nil, err
				}
				if wrong == nil {
					wrong = spoilt
				}
				l.Seconds = append(l.Seconds, seconds)
			}
			if rank == low {
				mine = append(mine, l)
			}
		}
	}
	return mine, wrong, nil
}

// pingPong sends bytes from one end of the link to the other and others back, and returns
// the time of half a round trip: the median of short messages, the best of long ones,
// which other users of the machine disturb. Both ends check what arrived in the first
// round and in the last; wrong is the first byte that differs.
func (s *Site) pingPong(l link, bytes, rounds int, end time.Time) (seconds float64, wrong, err error) {
	c := s.Comm
	nb := c.(comm.NonBlocking) // Punctual has looked
	rank, peer, out, back := c.Rank(), l.To, tagPing, tagPong
	if rank == l.To {
		peer, out, back = l.From, tagPong, tagPing
	}
	sent, got := pattern(bytes, rank, peer), make([]byte, bytes)
	want := pattern(bytes, peer, rank)
	send := func() error {
		r, err := nb.Isend(sent, peer, out)
		return s.answered(r, err, peer, bytes, end)
	}
	receive := func() error {
		r, err := nb.Irecv(got, peer, back)
		return s.answered(r, err, peer, bytes, end)
	}
	first, second := send, receive
	if rank == l.To {
		first, second = receive, send
	}
	var times []float64
	for round := range rounds {
		start := time.Now()
		if err := first(); err != nil {
			return 0, nil, err
		}
		if err := second(); err != nil {
			return 0, nil, err
		}
		times = append(times, time.Since(start).Seconds()/2)
		if round == 0 || round == rounds-1 {
			if err := compare(got, want); err != nil && wrong == nil {
				wrong = fmt.Errorf("a message of %d bytes from rank %d to rank %d arrived with a wrong byte: %w", bytes, peer, rank, err)
			}
			clear(got)
		}
	}
	slices.Sort(times)
	if bytes < 1<<20 {
		return times[len(times)/2], wrong, nil
	}
	return times[0], wrong, nil
}

func (s *Site) answered(r comm.Request, err error, peer, bytes int, end time.Time) error {
	if err != nil {
		return err
	}
	late, err := await(time.Until(end), r)
	if err == nil && len(late) > 0 {
		s.underWay = append(s.underWay, r)
		err = fmt.Errorf("rank %d did not send or receive a message of %d bytes in time", peer, bytes)
	}
	return err
}

// pattern returns bytes that depend on sender, receiver and position: neither a
// message of another pair nor one shifted by a page or a packet is the same.
func pattern(n, from, to int) []byte {
	b := make([]byte, n)
	x := uint32(from)*0x9e3779b1 + uint32(to)*0x85ebca6b + 1
	for i := range b {
		x ^= x << 13 // Marsaglia, Xorshift RNGs, J. Stat. Softw. 8 (2003) 14
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// compare returns the first difference.
func compare(got, want []byte) error {
	for i, b := range want {
		if got[i] != b {
			return fmt.Errorf("byte %d of %d is 0x%02x, not 0x%02x", i, len(want), got[i], b)
		}
	}
	return nil
}

// judgeLinks summarizes the pairs of each class and names a link that is far slower than
// others of its class.
func judgeLinks(ranks []Rank, links []link) (found []Finding) {
	for _, class := range []string{"inside a node", "between nodes"} {
		var of []link
		for _, l := range links {
			if (ranks[l.From].Host == ranks[l.To].Host) == (class == "inside a node") {
				of = append(of, l)
			}
		}
		if len(of) == 0 {
			continue
		}
		slices.SortFunc(of, func(a, b link) int {
			if a.bandwidth() < b.bandwidth() {
				return -1
			}
			return 1
		})
		text := fmt.Sprintf("%s, %s:", class, plain.Count(len(of), "pair"))
		for i, m := range sizes {
			t := median(of, i)
			if i == 0 {
				text += fmt.Sprintf(" %d bytes in %.2g us", m.bytes, 1e6*t)
			} else {
				text += fmt.Sprintf(", %d MiB at %.3g GB/s", m.bytes>>20, float64(m.bytes)/t/1e9)
			}
		}
		text += ", every byte as sent"
		slow, usual := of[0], of[len(of)/2].bandwidth()
		if slow.bandwidth() < usual/2 {
			found = append(found, warning(fmt.Sprintf("%s; but ranks %d on %s and %d on %s only at %.3g GB/s",
				text, slow.From, ranks[slow.From].Host, slow.To, ranks[slow.To].Host, slow.bandwidth()/1e9),
				"check whether this link runs at its full width and speed (ibstat, ethtool, nvidia-smi topo -m), or exclude the node"))
			continue
		}
		found = append(found, fine(text))
	}
	return found
}

// median over the links of the time of one size.
func median(links []link, size int) float64 {
	var t []float64
	for _, l := range links {
		t = append(t, l.Seconds[size])
	}
	slices.Sort(t)
	return t[(len(t)-1)/2]
}
