// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package doctor

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"lbmsim/comm"
)

// Tags of this package's messages.
const (
	tagHere = 31000 + iota // a rank answers the roll call
	tagAll                 // rank 0 has heard from all of them
	tagPing
	tagPong
	tagUp // parts of an operation
	tagDown
)

// able is the set of operations that Punctual needs of the ranks, and passes on.
type able interface {
	comm.Comm
	comm.NonBlocking
	comm.Node
	comm.Describer
}

// Punctual returns the ranks of c with collective operations that call the roll first: where
// MPI would wait for a missing rank indefinitely, they return an *Absent after the limit.
func Punctual(c comm.Comm, limit time.Duration) (comm.Comm, error) {
	a, ok := c.(able)
	if !ok {
		return nil, fmt.Errorf("%s lacks operations that the checks need", comm.Describe(c))
	}
	p := &punctual{a, limit}
	if g, ok := c.(onGPU); ok {
		return &punctualOnGPU{p, g}, nil
	}
	return p, nil
}

// onGPU is the set of operations that only some of them have.
type onGPU interface {
	comm.DeviceMessages
	comm.GPUAware
}

type punctualOnGPU struct {
	*punctual
	onGPU
}

var _ comm.Collective = (*punctual)(nil)

type punctual struct {
	able
	limit time.Duration
}

func (p *punctual) Barrier() error { return p.rollCall() }

// The operations are made of messages that no rank waits for longer than the limit:
// a rank that stops between the roll call and its part is missed there. Within the
// library's own operations the others would wait for it indefinitely.

func (p *punctual) Bcast(data []byte, root int) error {
	if err := p.rollCall(); err != nil {
		return err
	}
	if p.Rank() != root {
		return p.wait(p.patience(), []int{root}, func(int) (comm.Request, error) { return p.Irecv(data, root, tagDown) })
	}
	return p.wait(p.limit, p.others(), func(to int) (comm.Request, error) { return p.Isend(data, to, tagDown) })
}

func (p *punctual) Gather(data []byte, root int) ([][]byte, error) {
	if err := p.rollCall(); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	if p.Rank() != root {
		for _, part := range [][]byte{length, data} {
			err := p.wait(p.patience(), []int{root}, func(int) (comm.Request, error) { return p.Isend(part, root, tagUp) })
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	all := make([][]byte, p.Size())
	for r := range all {
		all[r] = make([]byte, 8)
	}
	receive := func(from int) (comm.Request, error) { return p.Irecv(all[from], from, tagUp) }
	if err := p.wait(p.limit, p.others(), receive); err != nil {
		return nil, err
	}
	for r, n := range all {
		all[r] = make([]byte, binary.LittleEndian.Uint64(n))
	}
	all[root] = append([]byte{}, data...)
	return all, p.wait(p.limit, p.others(), receive)
}

func (p *punctual) MaxInt64(x []int64) error {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	all, err := p.Gather(b, 0)
	if err != nil {
		return err
	}
	for _, theirs := range all { // of rank 0 alone
		for i := range x {
			x[i] = max(x[i], int64(binary.LittleEndian.Uint64(theirs[8*i:])))
			binary.LittleEndian.PutUint64(b[8*i:], uint64(x[i]))
		}
	}
	if err := p.Bcast(b, 0); err != nil {
		return err
	}
	for i := range x {
		x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}

// others returns all ranks but this one.
func (p *punctual) others() (list []int) {
	for r := range p.Size() {
		if r != p.Rank() {
			list = append(list, r)
		}
	}
	return list
}

// patience returns a limit longer than the root's, which knows most, and different on each rank up to 100: the first rank
// to time out ends the others.
func (p *punctual) patience() time.Duration {
	return p.limit + p.limit/4 + time.Duration(min(p.Rank(), 100))*100*time.Millisecond
}

// wait begins a message for each of the ranks and waits for them all.
func (p *punctual) wait(limit time.Duration, ranks []int, begin func(rank int) (comm.Request, error)) error {
	requests := make([]comm.Request, len(ranks))
	for i, r := range ranks {
		var err error
		if requests[i], err = begin(r); err != nil {
			return err
		}
	}
	late, err := await(limit, requests...)
	if err != nil || len(late) == 0 {
		return err
	}
	absent := &Absent{Limit: limit, underWay: requests}
	for _, i := range late {
		absent.Ranks = append(absent.Ranks, ranks[i])
	}
	return absent
}

// Absent is the error of ranks that did not answer the roll call.
type Absent struct {
	Ranks []int
	Limit time.Duration
	Check string   // before whose end, "" where that is not known
	Hosts []string // of the ranks, likewise

	underWay []comm.Request // keep their memory until all ranks are ended
}

func (a *Absent) Error() string {
	text := ranksText(a.Ranks)
	if len(a.Hosts) > 0 {
		text += " on " + strings.Join(slices.Compact(a.Hosts[:min(len(a.Hosts), 8)]), ", ")
	}
	text += fmt.Sprintf(" did not answer within %v", a.Limit)
	if a.Check != "" {
		text += fmt.Sprintf(" (check %q)", a.Check)
	}
	return text + ": blocked in the driver, the disk or the network, stopped, or on an unreachable node"
}

// rollCall returns when every rank has made the call, or with an *Absent: on rank 0 first,
// so that one message is printed before all ranks are ended.
func (p *punctual) rollCall() error {
	if p.Rank() > 0 {
		here, err := p.Isend([]byte{1}, 0, tagHere)
		if err != nil {
			return err
		}
		all, err := p.Irecv(make([]byte, 1), 0, tagAll)
		if err != nil {
			return err
		}
		limit := p.patience()
		if late, err := await(limit, here, all); err != nil || len(late) == 0 {
			return err
		}
		return &Absent{Ranks: []int{0}, Limit: limit, underWay: []comm.Request{here, all}}
	}
	err := p.wait(p.limit, p.others(), func(from int) (comm.Request, error) { return p.Irecv(make([]byte, 1), from, tagHere) })
	if err != nil {
		return err
	}
	return p.wait(p.limit, p.others(), func(to int) (comm.Request, error) { return p.Isend([]byte{1}, to, tagAll) })
}

// busy is the time that await polls without a pause: longer than a long message takes on a
// fast link, so that the sleep is not included in the timing; a slow link is unaffected.
const busy = 5 * time.Millisecond

// await tests requests until all are done or the time is over, and returns the numbers of
// those that are not.
func await(limit time.Duration, requests ...comm.Request) (late []int, err error) {
	left := slices.Clone(requests)
	for start := time.Now(); ; {
		late = late[:0]
		for i, r := range left {
			if r == nil {
				continue
			}
			done, err := r.Test()
			if err != nil {
				return nil, err
			}
			if done {
				left[i] = nil
			} else {
				late = append(late, i)
			}
		}
		waited := time.Since(start)
		if len(late) == 0 || waited > limit {
			return late, nil
		}
		if runtime.Gosched(); waited > busy {
			time.Sleep(200 * time.Microsecond)
		}
	}
}

// ranksText names the ranks of a list.
func ranksText(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("rank %d", list[0])
	}
	var names []string
	for _, r := range list[:min(len(list), 8)] {
		names = append(names, fmt.Sprint(r))
	}
	text := "ranks " + strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
