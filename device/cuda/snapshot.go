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

// snapshotMemory is where fields lie on their way: on the GPU and page-locked on the
// host. Locking pages takes as long as sending them, so it is kept for the next one.
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

// memory finds or makes snapshot memory of exactly this size: a run takes the same
// snapshots again and again.
func (p *program) memory(bytes int) (*snapshotMemory, error) {
	p.mu.Lock()
	for i, m := range p.spare {
		if len(m.host) == bytes {
			p.spare = append(p.spare[:i], p.spare[i+1:]...)
			p.mu.Unlock()
			return m, nil
		}
	}
	p.mu.Unlock()
	m := &snapshotMemory{}
	var err error
	if m.there, err = p.d.reserve(bytes); err == nil {
		m.host, m.free, err = p.d.AllocHost(bytes)
	}
	if err != nil {
		m.release()
		return nil, err
	}
	return m, nil
}

// valueBytes is the size of a value of fields that stay on the device or leave in
// snapshots.
func (p *program) valueBytes() int {
	if p.spec.Precision == model.Float64 {
		return 8
	}
	return 4
}

// fieldsOn queues the kernel that writes fields of that size.
func (p *program) fieldsOn(s *stream, state cu.DevicePtr, box decomp.Box, out cu.DevicePtr) {
	fn := p.kernels.fields32
	if p.valueBytes() == 8 {
		fn = p.kernels.fields
	}
	for _, k := range pieces(box, p.spec.FieldValues(), 1<<62) {
		s.queue("fields", func() error {
			return p.rowsOf(fn, s.s, state, out+cu.DevicePtr(p.valueBytes()*k.first), k.box)
		})
	}
}

// snapshotBytes is the size of a snapshot of box.
func (p *program) snapshotBytes(box decomp.Box) int {
	return p.spec.FieldValues() * box.Cells() * p.valueBytes()
}

// Prepare makes snapshot memory and keeps it for FieldsAsync.
func (p *program) Prepare(box decomp.Box) error {
	m, err := p.memory(p.snapshotBytes(box))
	if err != nil {
		return fmt.Errorf("memory for snapshots of %s: %w", p.spec, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, m)
	return nil
}

// FieldsAsync computes fields into memory of their own and sends them to the host
// on a stream of their own.
func (p *program) FieldsAsync(s device.Stream, state device.Buffer, box decomp.Box, q model.Params) (device.Snapshot, error) {
	own := p.stream(s)
	from, err := p.state(state)
	if err == nil {
		err = p.inside(box, p.layout.Ghost, false)
	}
	if err == nil {
		err = p.tell(q)
	}
	var m *snapshotMemory
	if err == nil {
		m, err = p.memory(p.snapshotBytes(box))
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", p.spec, err)
	}
	p.fieldsOn(own, from.at, box, m.there.at)
	return p.send(own, m, m.there.at), nil
}

// send queues the journey of what the stream has left on the GPU.
func (p *program) send(own *stream, m *snapshotMemory, from cu.DevicePtr) *snapshot {
	taken := own.Record()
	c := p.d.copies
	c.After(taken)
	if len(m.host) > 0 {
		c.queue("sending fields to the host", func() error {
			return cu.MemcpyDtoHAsync(unsafe.Pointer(&m.host[0]), from, int64(len(m.host)), c.s)
		})
	}
	return &snapshot{p: p, memory: m, taken: taken, arrived: c.Record()}
}

// FieldsTo leaves the fields in a buffer.
func (p *program) FieldsTo(s device.Stream, state device.Buffer, box decomp.Box, out device.Buffer, q model.Params) {
	own := p.stream(s)
	from, err := p.state(state)
	if err == nil {
		err = p.inside(box, p.layout.Ghost, false)
	}
	var to cu.DevicePtr
	if err == nil {
		to, err = p.d.part(out, 0, p.spec.FieldValues()*box.Cells()*p.valueBytes())
	}
	if err == nil {
		err = p.tell(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("fields of %s: %w", p.spec, err))
		return
	}
	p.fieldsOn(own, from.at, box, to)
}

// snapshot is a device.Snapshot.
type snapshot struct {
	p              *program
	memory         *snapshotMemory // nil when closed
	taken, arrived device.Event
}

func (s *snapshot) Taken() device.Event { return s.taken }

func (s *snapshot) Wait() (single []float32, double []float64, err error) {
	if err := s.arrived.Wait(); err != nil {
		return nil, nil, err
	}
	b := s.memory.host
	if s.p.valueBytes() == 8 {
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
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.closed {
		m.release()
		return
	}
	s.p.spare = append(s.p.spare, m)
}
