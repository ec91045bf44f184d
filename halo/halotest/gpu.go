// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halotest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/device/hostmem"
	"lbmsim/halo"
)

// Machine is the shared part of devices in one process that represent devices of several processes:
// their memory by handles and by addresses.
type Machine struct {
	name string
	*memory
}

// memory is all buffers, by number.
type memory struct {
	mu    sync.Mutex
	at    []*shared
	host  atomic.Int32 // pieces of host memory in use
	early atomic.Int32 // buffers that were freed while open
}

// NewMachine returns a machine.
func NewMachine(name string) *Machine { return &Machine{name, &memory{}} }

// Part returns another machine whose addresses are valid for the messages of this one.
func (m *Machine) Part(name string) *Machine { return &Machine{name, m.memory} }

// stride is the distance between the addresses of buffers.
const stride = 1 << 32

type shared struct {
	hidden
	home   *memory
	number int
	public bool // handed out
	open   atomic.Int32
}

// Free counts violations that a driver does not check and leaves undefined.
func (b *shared) Free() {
	if b.open.Load() > 0 {
		b.home.early.Add(1)
	}
}

// Address implements device.Addressed: an address that Go cannot dereference.
func (b *shared) Address() uintptr { return uintptr(b.number+1) * stride }

// GPU is a Device as GPUs are: others of its machine can write its memory, its streams
// copy rows and to the host, and it has addresses.
type GPU struct {
	*Device
	machine *Machine
	name    string
	// Deaf marks a device that opens no other device's memory.
	Deaf bool
	// Alone marks a device whose host memory others cannot access.
	Alone bool
	// Spoils marks a device that sends wrong bytes to its neighbours.
	Spoils bool
	// Late marks a device that delays closing the memory of others.
	Late bool
	// Breaks marks a device whose copies of rows fail.
	Breaks bool
	// NoBarrier marks a device without barriers.
	NoBarrier bool
	copies    atomic.Int32
	lost      []*byte // host memory that copies do not reach
}

// NewGPU returns a device of the machine.
func (m *Machine) NewGPU(name string) *GPU {
	return &GPU{Device: NewDevice(false), machine: m, name: name}
}

var _ interface {
	halo.Memory
	halo.HostAllocator
	device.Peer
	device.HostSharer
} = (*GPU)(nil)

// Alloc implements halo.Memory.
func (g *GPU) Alloc(bytes int) (device.Buffer, error) {
	m := g.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	b := &shared{hidden: hidden{make([]byte, bytes)}, home: m.memory, number: len(m.at)}
	m.at = append(m.at, b)
	return b, nil
}

// AllocShared implements device.Peer.
func (g *GPU) AllocShared(bytes int) (device.Buffer, error) {
	b, err := g.Alloc(bytes)
	b.(*shared).public = true
	return b, err
}

// AllocHost implements halo.HostAllocator.
func (g *GPU) AllocHost(bytes int) ([]byte, func(), error) {
	return make([]byte, bytes), func() {}, nil
}

// ShareHost implements device.HostSharer: real memory, for ranks that are processes too.
func (g *GPU) ShareHost(bytes int) (memory, key []byte, free func(), err error) {
	if g.Alone {
		return nil, nil, nil, errors.New("no memory to share")
	}
	memory, key, release, err := hostmem.Share(bytes)
	if err != nil {
		return nil, nil, nil, err
	}
	return memory, fmt.Append(nil, g.machine.name, "/", string(key)), g.machine.held(release), nil
}

// OpenHost implements device.HostSharer.
func (g *GPU) OpenHost(key []byte) (memory []byte, free func(), err error) {
	machine, handle, _ := strings.Cut(string(key), "/")
	if machine != g.machine.name || g.Alone {
		return nil, nil, fmt.Errorf("%q is not of this machine", key)
	}
	memory, release, err := hostmem.Open([]byte(handle))
	if err != nil {
		return nil, nil, err
	}
	if g.Spoils {
		g.lost = append(g.lost, unsafe.SliceData(memory))
	}
	return memory, g.machine.held(release), nil
}

// held counts memory of the host until it is released.
func (m *Machine) held(release func()) func() {
	m.host.Add(1)
	return func() {
		release()
		m.host.Add(-1)
	}
}

// Identity implements device.Peer.
func (g *GPU) Identity() device.Identity {
	return device.Identity{Machine: g.machine.name, Device: g.machine.name + g.name}
}

// Share implements device.Peer.
func (g *GPU) Share(b device.Buffer) ([]byte, error) {
	s, ok := b.(*shared)
	if !ok || !s.public {
		return nil, errors.New("this memory cannot be shared")
	}
	return []byte(strconv.Itoa(s.number)), nil
}

// Open implements device.Peer.
func (g *GPU) Open(handle []byte) (device.Buffer, error) {
	if g.Deaf {
		return nil, errors.New("no access to the other GPU")
	}
	n, err := strconv.Atoi(string(handle))
	if err != nil {
		return nil, err
	}
	g.machine.mu.Lock()
	defer g.machine.mu.Unlock()
	s := g.machine.at[n]
	s.open.Add(1)
	return &opened{s, g}, nil
}

// opened is another device's memory.
type opened struct {
	*shared
	by *GPU
}

func (o *opened) Free() {
	if o.by.Late {
		time.Sleep(20 * time.Millisecond)
	}
	o.open.Add(-1)
}

func (o *opened) bytes() []byte {
	if o.by.Spoils && len(o.data) > 27*device.BarrierWord {
		return make([]byte, len(o.data)) // writes to it are lost
	}
	return o.data
}

// Open counts the openings of the machine's memory that have not been closed, the host's too.
func (m *Machine) Open() (n int) {
	n = int(m.host.Load())
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.at {
		n += int(b.open.Load())
	}
	return n
}

// Early counts the buffers that their owners freed while others had them open.
func (m *Machine) Early() int { return int(m.early.Load()) }

// NewStream implements halo.Memory.
func (g *GPU) NewStream(bool) device.Stream { return &rowStream{g.stream(), g} }

// Copies returns the number of copies that were queued.
func (g *GPU) Copies() int { return int(g.copies.Load()) }

type rowStream struct {
	*stream
	of *GPU
}

// CopyRows implements device.RowCopier.
func (s *rowStream) CopyRows(dst, src device.Rows, bytes, count int) {
	s.of.copies.Add(1)
	if s.of.Breaks {
		s.then(func() { s.err = errors.Join(s.err, errors.New("the copy broke")) })
		return
	}
	if dst.Host != nil && slices.Contains(s.of.lost, unsafe.SliceData(dst.Host)) {
		return
	}
	s.rows(place(dst), place(src), dst.Offset, src.Offset, dst.Stride, src.Stride, bytes, count)
}

func place(r device.Rows) []byte {
	if r.Buffer != nil {
		return bytesOf(r.Buffer)
	}
	return r.Host
}

// NewBarrier implements device.Peer.
func (g *GPU) NewBarrier(parties []device.Party) (device.Barrier, error) {
	if g.NoBarrier {
		return nil, errors.New("no barrier can be made")
	}
	m := &barrier{}
	for _, p := range parties {
		m.signal = append(m.signal, word(p.Signal))
		m.await = append(m.await, word(p.Await))
	}
	return m, nil
}

func word(at device.Rows) *uint64 {
	return (*uint64)(unsafe.Pointer(&place(at)[at.Offset : at.Offset+8][0]))
}

// barrier is a device.Barrier; a stream's goroutine acts as the kernel.
type barrier struct {
	signal, await []*uint64
	count         uint64
	broken        atomic.Bool
}

// patience is how long a test waits for a missing neighbour.
const patience = 20 * time.Second

func (m *barrier) Queue(on device.Stream) {
	s := on.(*rowStream)
	s.then(func() {
		m.count++
		for _, w := range m.signal {
			atomic.StoreUint64(w, m.count)
		}
		start := time.Now()
		for i, w := range m.await {
			for atomic.LoadUint64(w) < m.count && !m.broken.Load() {
				if time.Since(start) > patience {
					s.err = errors.Join(s.err, fmt.Errorf("party %d did not come to barrier %d", i, m.count))
					return
				}
				time.Sleep(10 * time.Microsecond)
			}
		}
	})
}

func (m *barrier) Break() { m.broken.Store(true) }
func (m *barrier) Close() {}

// Aware returns a Comm whose messages are sent from and received in the devices' memory; its GPUAware returns says.
func (m *Machine) Aware(c comm.Comm, says bool) comm.Comm {
	return &aware{c, c.(comm.NonBlocking), c.(comm.Collective), m, says}
}

type aware struct {
	comm.Comm
	comm.NonBlocking
	comm.Collective
	machine *Machine
	says    bool
}

func (a *aware) GPUAware() (yes, known bool) { return a.says, true }
func (a *aware) Describe() string            { return "a library of messages" }

func (a *aware) find(address uintptr, bytes int) []byte {
	a.machine.mu.Lock()
	defer a.machine.mu.Unlock()
	b := a.machine.at[address/stride-1]
	return b.data[address%stride:][:bytes]
}

func (a *aware) IsendFrom(address uintptr, bytes, destination, tag int) (comm.Request, error) {
	return a.Isend(a.find(address, bytes), destination, tag)
}

func (a *aware) IrecvTo(address uintptr, bytes, source, tag int) (comm.Request, error) {
	return a.Irecv(a.find(address, bytes), source, tag)
}
