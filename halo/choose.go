// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo/transport"
)

// Transport is a path to a neighbour.
type Transport = transport.Kind

const (
	Auto = transport.Auto // the best of the others, for each neighbour
	Host = transport.Host // through the host's memory
	GPU  = transport.GPU  // messages from and to GPU memory
	Peer = transport.Peer // into the neighbour's memory
)

// Word is a user's answer to a question that lbmsim would otherwise decide by queries.
type Word = transport.Answer

const (
	Ask = transport.Ask
	Yes = transport.Yes
	No  = transport.No
)

// Route is the transport of one link of a rank, and the reason for it.
type Route struct {
	Rank      int // the neighbour
	Transport Transport
	Why       string
}

// New makes the exchange of a rank: it chooses a transport for each neighbour, and tests transports
// that may fail silently (verify.go). Collective; an error is the same on every rank
// (*comm.Failure), unless it is an error of the communication or occurs while others wait for this
// rank's messages: then the caller ends them.
//
// No property is determined by an attempt that could crash lbmsim: a library without GPU support
// crashes on GPU addresses.
func New(s Setup) (Exchange, error) { return newExchange(s, "ghost planes", s.paths) }

// newExchange creates an exchange on the paths to others and to the rank itself.
func newExchange(s Setup, what string, paths func() ([]path, []loop, error)) (Exchange, error) {
	b := &builder{Setup: s, paths: paths, e: &exchange{c: s.Comm, states: s.States}}
	for _, stage := range []func() error{b.look, b.exchangeOffers, b.open, b.choose, b.shareHost, b.build, b.verify} {
		err := stage()
		if err != nil {
			err = fmt.Errorf("rank %d: set up the exchange of %s: %w", s.Comm.Rank(), what, err)
		}
		var amid *midway
		if !errors.As(err, &amid) {
			err = comm.Agree(s.Comm, err)
		}
		if err != nil {
			// If the ranks do not agree, messages may still be using the memory.
			var all *comm.Failure
			if errors.As(err, &all) {
				b.drop()
			}
			return nil, err
		}
	}
	e := b.e
	e.stats, e.last = Stats{}, nil
	if e.messages == nil {
		return queuedExchange{e}, nil
	}
	return e, nil
}

// builder is an exchange under construction.
type builder struct {
	Setup
	paths   func() (others []path, self []loop, err error)
	e       *exchange
	others  []path
	nb      comm.NonBlocking // of all ranks with other ranks
	notGPU  string           // why the MPI library gets no GPU memory; "": it does
	mine    offer
	talk    bool                 // some rank has more to choose from
	theirs  []offer              // of each link's neighbour
	opened  map[int]openedMemory // to the neighbours whose memory is open ...
	refused map[int]string       // ... and why other neighbours' memory is not; "": it is
	boxes   []*inbox             // by link; nil: none
	pieces  int                  // of an exchange through them
}

// offer is the message that neighbours exchange for each of their links.
type offer struct {
	Machine, Device string
	Shared          bool      // the device serves several ranks
	States          [2][]byte // handles; nil: nothing is shared ...
	Words           []byte
	Word            int    // the number of the word of this link
	NoPeer          string // ... for this reason
	NoGPU           string
	Send, Recv      []stridedCopy // location of the link's bytes in the state
}

// openedMemory is a neighbour's memory, open to this device.
type openedMemory struct {
	states [2]device.Buffer
	words  device.Buffer
}

func (d openedMemory) close() {
	for _, b := range []device.Buffer{d.states[0], d.states[1], d.words} {
		if b != nil {
			b.Free()
		}
	}
}

// look determines the capabilities of this rank, without messages.
func (b *builder) look() error {
	others, self, err := b.paths()
	if err != nil {
		return err
	}
	b.others, b.e.self = others, self
	if len(others) > 0 {
		precise()
		var ok bool
		if b.nb, ok = b.Comm.(comm.NonBlocking); !ok {
			return fmt.Errorf("%s has no non-blocking messages", comm.Describe(b.Comm))
		}
	}
	b.notGPU = b.whyNotGPU()
	b.mine.NoGPU = b.notGPU
	p, ok := b.Device.(device.Peer)
	if ok {
		id := p.Identity()
		b.mine.Machine, b.mine.Device = id.Machine, id.Device
	}
	switch {
	case !ok:
		b.mine.NoPeer = "the device has no memory that other ranks can write"
		return nil
	case b.Want == Host || b.Want == GPU || len(others) == 0:
		b.mine.NoPeer = "not requested"
		return nil
	}
	if b.e.words, err = p.AllocShared(len(others) * device.BarrierWord); err != nil {
		return err
	}
	// Memory that cannot be shared is not an error yet: other transports do not need it.
	for i, state := range b.States {
		if b.mine.States[i], err = p.Share(state); err != nil {
			b.mine.NoPeer = err.Error()
		}
	}
	if b.mine.Words, err = p.Share(b.e.words); err != nil {
		b.mine.NoPeer = err.Error()
	}
	return nil
}

// whyNotGPU queries the MPI library; the user's answer takes precedence.
func (b *builder) whyNotGPU() string {
	name := comm.Describe(b.Comm)
	if _, ok := b.States[0].(device.Addressed); !ok {
		return "the states are not in GPU memory"
	}
	if _, ok := b.Comm.(comm.DeviceMessages); !ok {
		return name + " does not support messages from GPU memory"
	}
	switch b.Aware {
	case Yes:
		return ""
	case No:
		return "according to the case " + name + " is not GPU-aware"
	}
	if a, ok := b.Comm.(comm.GPUAware); ok {
		switch yes, known := a.GPUAware(); {
		case known && yes:
			return ""
		case known:
			return name + " reports that it is not GPU-aware"
		}
	}
	return name + " does not report whether it is GPU-aware (set gpu_aware_mpi = \"yes\" in [device] if it is)"
}

// exchangeOffers exchanges offers with the neighbours, if some rank has more to choose from than
// MPI messages from host memory.
func (b *builder) exchangeOffers() error {
	more := []int64{0}
	_, shares := sharesHost(b.Device)
	if len(b.others) > 0 && shares || b.Want != Host && (b.mine.NoPeer == "" || b.notGPU == "") {
		more[0] = 1
	}
	if err := comm.Max(b.Comm, more); err != nil {
		return err
	}
	b.talk = more[0] > 0
	if b.talk && (b.Want == Auto || b.Want == Host) {
		all, err := comm.Together(b.Comm, b.mine.Device)
		if err != nil {
			return err
		}
		same := func(other string) bool { return other != "" && other == b.mine.Device }
		b.mine.Shared = slices.ContainsFunc(append(all[:b.Comm.Rank():b.Comm.Rank()], all[b.Comm.Rank()+1:]...), same)
	}
	offers := make([]offer, len(b.others))
	for i, p := range b.others {
		offers[i] = b.mine
		offers[i].Word = i
		offers[i].Send, offers[i].Recv = spans(p.send), spans(p.recv)
	}
	if !b.talk {
		b.theirs = offers // the same holds for all
		return nil
	}
	var err error
	b.theirs, err = swap(b, offers)
	return err
}

// open opens the memory of neighbours and reports the outcome to them: a link has the same
// transport in both directions.
func (b *builder) open() error {
	b.opened, b.refused = map[int]openedMemory{}, map[int]string{}
	for i, p := range b.others {
		if _, known := b.refused[p.Rank]; known {
			continue
		}
		why := b.whyRefused(b.theirs[i])
		if why == "" {
			d, err := openMemory(b.Device.(device.Peer), b.theirs[i])
			if err == nil {
				b.opened[p.Rank] = d
			} else {
				why = err.Error()
			}
		}
		b.refused[p.Rank] = why
	}
	if !b.talk {
		return nil
	}
	mine := make([]string, len(b.others))
	for i, p := range b.others {
		mine[i] = b.refused[p.Rank]
	}
	theirs, err := swap(b, mine)
	if err != nil {
		return err
	}
	for i, p := range b.others {
		if b.refused[p.Rank] == "" && theirs[i] != "" {
			b.refused[p.Rank] = theirs[i]
		}
	}
	return nil
}

// whyRefused returns the reason why this rank cannot open a neighbour's memory, "" if there is
// none. It is the same on both sides.
func (b *builder) whyRefused(theirs offer) string {
	switch {
	case b.mine.NoPeer != "":
		return b.mine.NoPeer
	case theirs.NoPeer != "":
		return theirs.NoPeer
	case b.mine.Machine != theirs.Machine:
		return "on another node"
	case b.mine.Shared || theirs.Shared:
		// It works, but a GPU alternates between processes: a process that waits on it delays the work of the others that it
		// waits for. Four ranks sharing two H200 this way lost a quarter of the speed, compared with messages through the host.
		return "ranks share a GPU, where a waiting rank would slow down the others"
	}
	return ""
}

func openMemory(p device.Peer, c offer) (d openedMemory, err error) {
	for i, handle := range c.States {
		if d.states[i], err = p.Open(handle); err != nil {
			d.states[i] = nil
			d.close()
			return openedMemory{}, err
		}
	}
	if d.words, err = p.Open(c.Words); err != nil {
		d.words = nil
		d.close()
		return openedMemory{}, err
	}
	return d, nil
}

// choose finds the route of each link.
func (b *builder) choose() error {
	for i, p := range b.others {
		noPeer, noGPU := b.refused[p.Rank], b.notGPU
		if noGPU == "" {
			noGPU = b.theirs[i].NoGPU
		}
		r := Route{Rank: p.Rank}
		switch {
		case b.Want == Host:
			r.Transport, r.Why = Host, "asked for"
		case b.Want == Peer && noPeer == "" || b.Want == GPU && noGPU == "":
			r.Transport, r.Why = b.Want, "asked for"
		case b.Want == Peer:
			return fmt.Errorf("transport peer to rank %d: %s", p.Rank, noPeer)
		case b.Want == GPU:
			return fmt.Errorf("transport gpu to rank %d: %s", p.Rank, noGPU)
		case b.Want != Auto:
			return fmt.Errorf("no rule selects transport %s", b.Want)
		case noPeer == "":
			r.Transport, r.Why = Peer, "GPUs of one node with peer access"
		case noGPU == "":
			r.Transport, r.Why = GPU, fmt.Sprintf("%s; %s is GPU-aware", noPeer, comm.Describe(b.Comm))
		default:
			r.Transport, r.Why = Host, noPeer+"; "+noGPU
			if _, visible := b.States[0].(device.HostVisible); visible {
				r.Why = "the states are in host memory"
			}
		}
		b.e.routes = append(b.e.routes, r)
	}
	return nil
}

// build creates the transports of the routes.
func (b *builder) build() error {
	var links []peerLink
	var signals, opened []device.Buffer
	var boxes []inbox
	for i, p := range b.others {
		var c carrier
		var err error
		switch b.e.routes[i].Transport {
		case Peer:
			d := b.opened[p.Rank]
			to := unspan(b.theirs[i].Recv)
			if n := span(to); n != p.sendBytes {
				return fmt.Errorf("%d bytes for rank %d, which has room for %d", p.sendBytes, p.Rank, n) // a bug in decomp
			}
			links = append(links, peerLink{path: p, theirs: d.states, copies: stridedCopies(p.send, to), signal: b.theirs[i].Word, await: i})
			signals = append(signals, d.words)
			continue
		case GPU:
			c, err = newOnGPU(p, b.Comm.(comm.DeviceMessages), b.Device)
		case Host:
			_, visible := b.States[0].(device.HostVisible)
			switch {
			case b.boxes != nil && b.boxes[i] != nil:
				boxes = append(boxes, *b.boxes[i])
				continue
			case visible && len(p.send) <= 1 && len(p.recv) <= 1:
				c = &straight{path: p, nb: b.nb}
			default:
				c, err = newStaged(p, b.nb, b.Device)
			}
		default:
			panic("there is no transport for " + b.e.routes[i].Transport.String())
		}
		if err != nil {
			return err
		}
		if b.e.messages == nil {
			_, onHost := b.States[0].(device.HostVisible)
			b.e.messages = &messages{awake: !onHost, heartbeat: comm.HeartbeatOf(b.Comm)}
		}
		b.e.messages.list = append(b.e.messages.list, &message{path: p, carrier: c})
	}
	for rank, d := range b.opened {
		if slices.ContainsFunc(links, func(l peerLink) bool { return l.Rank == rank }) {
			opened = append(opened, d.states[0], d.states[1], d.words)
		} else {
			d.close()
			delete(b.opened, rank)
		}
	}
	if len(links) > 0 {
		var err error
		b.e.peers, err = newPeers(links, signals, b.e.words, b.States, b.Device)
		if err != nil {
			return err
		}
		b.e.peers.opened = opened
	}
	b.opened = nil
	if len(boxes) > 0 {
		var err error
		if b.e.inboxes, err = newInboxes(boxes, b.pieces, b.States, b.Device); err != nil {
			return err
		}
		b.boxes = nil
	}
	if len(links) > 0 || len(boxes) > 0 || len(b.e.self) > 0 {
		b.e.stream = b.Device.NewStream(true)
	}
	return nil
}

// drop releases the resources of a New that failed on all ranks. Collective.
func (b *builder) drop() {
	for _, d := range b.opened {
		d.close()
	}
	for _, box := range b.boxes {
		if box != nil {
			box.close()
		}
	}
	b.e.broken = errors.New("never made")
	b.e.end(true) // the caller frees the states, which other ranks had open
}

// swap exchanges one value with the neighbour of each link.
func swap[T any](b *builder, mine []T) ([]T, error) {
	// Lengths first, since a receiver has to know them.
	lengths, bodies := make([][]byte, len(mine)), make([][]byte, len(mine))
	in := make([][]byte, len(mine))
	for i, v := range mine {
		var err error
		if bodies[i], err = json.Marshal(v); err != nil {
			return nil, err
		}
		lengths[i] = binary.LittleEndian.AppendUint64(nil, uint64(len(bodies[i])))
		in[i] = make([]byte, 8)
	}
	if err := b.exchange(lengths, in); err != nil {
		return nil, err
	}
	for i, n := range in {
		in[i] = make([]byte, binary.LittleEndian.Uint64(n))
	}
	if err := b.exchange(bodies, in); err != nil {
		return nil, err
	}
	theirs := make([]T, len(mine))
	for i := range theirs {
		if err := json.Unmarshal(in[i], &theirs[i]); err != nil {
			return nil, err
		}
	}
	return theirs, nil
}

// exchange sends each link's neighbour a message and waits for its own.
func (b *builder) exchange(out, in [][]byte) error {
	var requests []comm.Request
	for i, p := range b.others {
		r, err := b.nb.Irecv(in[i], p.Rank, p.RecvTag)
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	for i, p := range b.others {
		r, err := b.nb.Isend(out[i], p.Rank, p.SendTag)
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	for _, r := range requests {
		if err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// span returns the number of bytes in ranges.
func span(list []decomp.Range) (n int) {
	for _, r := range list {
		n += r.Hi - r.Lo
	}
	return n
}

// Describe implements Exchange.
func (e *exchange) Describe() string {
	ranks := map[Transport][]int{}
	for _, r := range e.routes {
		if !slices.Contains(ranks[r.Transport], r.Rank) {
			ranks[r.Transport] = append(ranks[r.Transport], r.Rank)
		}
	}
	var parts []string
	for _, t := range []Transport{Peer, GPU, Host} {
		if len(ranks[t]) == 0 {
			continue
		}
		text := "peer: into the memory of neighbours"
		switch t {
		case GPU:
			text = "gpu: messages from GPU memory"
		case Host:
			text = "host: " + e.hostText()
		}
		if len(ranks) > 1 {
			text += " (" + strings.Trim(fmt.Sprint(ranks[t]), "[]") + ")"
		}
		parts = append(parts, text)
	}
	if len(e.self) > 0 {
		parts = append(parts, "copies within the device")
	}
	if len(parts) == 0 {
		return "none needed"
	}
	return strings.Join(parts, ", ")
}

// hostText reports how messages through the host leave the state.
func (e *exchange) hostText() string {
	direct, staging := 0, 0
	if e.messages != nil {
		for _, m := range e.messages.list {
			switch m.carrier.(type) {
			case *straight:
				direct++
			case *staged:
				staging++
			}
		}
	}
	switch {
	case e.inboxes != nil && direct+staging == 0:
		return "through host memory of both"
	case e.inboxes != nil:
		return "through host memory of both, or messages through host memory"
	case direct == 0:
		return "messages through host memory"
	case staging == 0:
		return "messages directly from the state"
	}
	return "messages directly from the state, across y through host memory"
}
