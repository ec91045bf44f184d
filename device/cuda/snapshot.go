// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// snapshotMemory is the memory of fields on their way: on the GPU and page-locked on the
// host. Locking pages takes as long as sending them, so it is kept for the next snapshot.
type snapshotMemory struct {
	there *buffer
	host  []byte
	free  func()
}

func (m *snapshotMemory) release() {
	m.there.Free()
	if m.free != nil {
		m.free()
	}
}

// snapshots are fields that the device reads beside the steps, and their memory.
type snapshots struct {
	*core
	spare []*snapshotMemory // guarded by core.mu
}

// free frees the memory that no snapshot has; a snapshot that is closed later frees its own.
func (f *snapshots) free() {
	for _, m := range f.spare {
		m.release()
	}
	f.spare = nil
}

// take finds or allocates snapshot memory of exactly this size: a run takes the same snapshots
// again and again.
func (f *snapshots) take(bytes int) (*snapshotMemory, error) {
	f.mu.Lock()
	for i, m := range f.spare {
		if len(m.host) == bytes {
			f.spare = append(f.spare[:i], f.spare[i+1:]...)
			f.mu.Unlock()
			return m, nil
		}
	}
	f.mu.Unlock()
	m := &snapshotMemory{}
	var err error
	if m.there, err = f.d.reserve(bytes); err == nil {
		m.host, m.free, err = f.d.AllocHost(bytes)
	}
	if err != nil {
		m.release()
		return nil, err
	}
	return m, nil
}

// give keeps memory for the next snapshot.
func (f *snapshots) give(m *snapshotMemory) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		m.release()
		return
	}
	f.spare = append(f.spare, m)
}

// fieldsOn queues the kernel that writes fields of that size.
func (f *snapshots) fieldsOn(s *stream, state cu.DevicePtr, box decomp.Box, out cu.DevicePtr) {
	fn := f.kernels.fields32
	if f.valueBytes() == 8 {
		fn = f.kernels.fields
	}
	for _, k := range pieces(box, f.spec.FieldValues(), 1<<62) {
		s.queue("fields", func() error {
			return f.rowsOf(fn, s.s, state, out+cu.DevicePtr(f.valueBytes()*k.first), k.box)
		})
	}
}

// bytes returns the size of a snapshot of box.
func (f *snapshots) bytes(box decomp.Box) int {
	return f.spec.FieldValues() * box.Cells() * f.valueBytes()
}

// Prepare allocates snapshot memory and keeps it for FieldsAsync.
func (f *snapshots) Prepare(box decomp.Box) error {
	m, err := f.take(f.bytes(box))
	if err != nil {
		return fmt.Errorf("memory for snapshots of %s: %w", f.spec, err)
	}
	f.give(m)
	return nil
}

// FieldsAsync computes fields into separate memory and sends them to the host on a separate stream.
func (f *snapshots) FieldsAsync(s device.Stream, state device.Buffer, box decomp.Box, q model.Params) (device.Snapshot, error) {
	own := f.stream(s)
	from, err := f.state(state)
	if err == nil {
		err = f.inside(box, f.layout.Ghost, false)
	}
	if err == nil {
		err = f.upload(q)
	}
	var m *snapshotMemory
	if err == nil {
		m, err = f.take(f.bytes(box))
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", f.spec, err)
	}
	f.fieldsOn(own, from.at, box, m.there.at)
	return f.send(own, m, m.there.at), nil
}

// send queues the transfer of the stream's results from the GPU.
func (f *snapshots) send(own *stream, m *snapshotMemory, from cu.DevicePtr) *snapshot {
	taken := own.Record()
	c := f.d.copies
	c.After(taken)
	if len(m.host) > 0 {
		c.queue("sending fields to the host", func() error {
			return cu.MemcpyDtoHAsync(unsafe.Pointer(&m.host[0]), from, int64(len(m.host)), c.s)
		})
	}
	return &snapshot{of: f, memory: m, taken: taken, arrived: c.Record()}
}

// FieldsTo writes the fields to a buffer.
func (f *snapshots) FieldsTo(s device.Stream, state device.Buffer, box decomp.Box, out device.Buffer, q model.Params) {
	own := f.stream(s)
	from, err := f.state(state)
	if err == nil {
		err = f.inside(box, f.layout.Ghost, false)
	}
	var to cu.DevicePtr
	if err == nil {
		to, err = f.d.part(out, 0, f.spec.FieldValues()*box.Cells()*f.valueBytes())
	}
	if err == nil {
		err = f.upload(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("fields of %s: %w", f.spec, err))
		return
	}
	f.fieldsOn(own, from.at, box, to)
}

// snapshot is a device.Snapshot.
type snapshot struct {
	of             *snapshots
	memory         *snapshotMemory // nil when closed
	taken, arrived device.Event
}

func (s *snapshot) Taken() device.Event { return s.taken }

func (s *snapshot) Wait() (single []float32, double []float64, err error) {
	if err := s.arrived.Wait(); err != nil {
		return nil, nil, err
	}
	b := s.memory.host
	if s.of.valueBytes() == 8 {
		return nil, unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8), nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4), nil, nil
}

// Close gives the memory to the next snapshot, once nothing is written to it.
func (s *snapshot) Close() {
	m := s.memory
	if m == nil {
		return
	}
	s.memory = nil
	_ = s.arrived.Wait()
	s.of.give(m)
}
