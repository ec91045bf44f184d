package doctor

import (
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
	tagAll                 // rank 0 has heard them all
	tagPing
	tagPong
)

// able is what Punctual needs of the ranks, and passes on.
type able interface {
	comm.Comm
	comm.NonBlocking
	comm.Collective
	comm.Node
	comm.Describer
}

// Punctual is the ranks of c with collective operations that call the roll first: where
// MPI would wait for a missing rank for ever, they return an *Absent after the limit.
func Punctual(c comm.Comm, limit time.Duration) (comm.Comm, error) {
	a, ok := c.(able)
	if !ok {
		return nil, fmt.Errorf("%s has not the operations that the checks need", comm.Describe(c))
	}
	p := &punctual{a, limit}
	if g, ok := c.(onGPU); ok {
		return &punctualOnGPU{p, g}, nil
	}
	return p, nil
}

// onGPU is what some of them can do besides.
type onGPU interface {
	comm.DeviceMessages
	comm.GPUAware
}

type punctualOnGPU struct {
	*punctual
	onGPU
}

type punctual struct {
	able
	limit time.Duration
}

func (p *punctual) Barrier() error {
	if err := p.rollCall(); err != nil {
		return err
	}
	return p.able.Barrier()
}

func (p *punctual) Bcast(data []byte, root int) error {
	if err := p.rollCall(); err != nil {
		return err
	}
	return p.able.Bcast(data, root)
}

func (p *punctual) Gather(data []byte, root int) ([][]byte, error) {
	if err := p.rollCall(); err != nil {
		return nil, err
	}
	return p.able.Gather(data, root)
}

func (p *punctual) MaxInt64(x []int64) error {
	if err := p.rollCall(); err != nil {
		return err
	}
	return p.able.MaxInt64(x)
}

// Absent says which ranks did not answer the roll call.
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
	return text + ": stuck in the driver, the disk or the network, stopped, or on a node that cannot be reached"
}

// rollCall returns when every rank has made the call, or with an *Absent: on rank 0 first,
// so that one message is printed before all ranks are ended.
func (p *punctual) rollCall() error {
	rank, size := p.Rank(), p.Size()
	if rank > 0 {
		// Longer than rank 0 waits, and not all at once: who is first ends the others.
		limit := p.limit + p.limit/4 + time.Duration(min(rank, 100))*100*time.Millisecond
		here, err := p.Isend([]byte{1}, 0, tagHere)
		if err != nil {
			return err
		}
		all, err := p.Irecv(make([]byte, 1), 0, tagAll)
		if err != nil {
			return err
		}
		if late, err := await(limit, here, all); err != nil || len(late) == 0 {
			return err
		}
		return &Absent{Ranks: []int{0}, Limit: limit, underWay: []comm.Request{here, all}}
	}
	others := make([]comm.Request, size-1) // of rank 1, 2, ...
	for _, tag := range []int{tagHere, tagAll} {
		for i := range others {
			var err error
			if tag == tagHere {
				others[i], err = p.Irecv(make([]byte, 1), i+1, tag)
			} else {
				others[i], err = p.Isend([]byte{1}, i+1, tag)
			}
			if err != nil {
				return err
			}
		}
		late, err := await(p.limit, others...)
		if err != nil {
			return err
		}
		if len(late) > 0 {
			for i := range late {
				late[i]++
			}
			return &Absent{Ranks: late, Limit: p.limit, underWay: others}
		}
	}
	return nil
}

// busy is how long await looks without a pause: longer than a long message takes on a
// fast link, so that it is not the sleep that is timed; a slow link does not notice.
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
