// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"sync"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// core is the state shared by the parts of a program: the box and its lists in the GPU's memory, the kernels of the spec,
// and the numbers of a step.
type core struct {
	d       *Device
	spec    model.Spec
	layout  decomp.Layout
	wraps   [3]bool  // periodic axes that the box spans
	types   int      // of solid cells
	options []string // of the compiler, for what the box's cells need
	kernels kernelSet
	numbers numbers

	box   *buffer // boxABI
	lists []*buffer

	mu     sync.Mutex // of resources made after Load, and of closed
	closed bool
}

// load loads a file of kernels for the spec and the length of its rows: of kernels that read all cells.
func (c *core) load(m *module, doing, file string, found functions, rest func() error) error {
	return m.load(c.d, doing, fileOf(file, c.spec, ownPitch(c.layout.Pitch), c.options...), found, rest)
}

// loadShared loads a file for rows of any length. The latency of lists decides the time of its kernels, and levels and other grids share it.
func (c *core) loadShared(m *module, doing, file string, found functions) error {
	return m.load(c.d, doing, c.anyRows(file), found, nil)
}

func (c *core) anyRows(file string) compilation { return fileOf(file, c.spec, 0, c.options...) }

// put uploads the parts of a list to the GPU, contiguously in a given number of bytes; boxLists frees it.
func (c *core) put(bytes int, parts ...[]byte) (*buffer, error) {
	b, err := c.d.alloc(bytes)
	if err != nil {
		return nil, err
	}
	c.lists = append(c.lists, b)
	at := 0
	for _, part := range parts {
		if err := b.Write(part, at); err != nil {
			return nil, err
		}
		at += len(part)
	}
	return b, nil
}

// putList uploads a list of one part (put).
func (c *core) putList(list []byte) (*buffer, error) { return c.put(len(list), list) }

// uploadBox places a list and writes its address to the box.
func (c *core) uploadBox(field uintptr, list []byte) error {
	b, err := c.putList(list)
	if err == nil {
		err = c.box.Write(raw.Bytes([]uint64{uint64(b.at)}), int(field))
	}
	return err
}

// state checks that a buffer holds a state of this program.
func (c *core) state(b device.Buffer) (*buffer, error) {
	own, ok := b.(*buffer)
	if !ok || own.d != c.d {
		return nil, fmt.Errorf("a buffer of another device (%T)", b)
	}
	if need := c.layout.Len() * c.spec.Precision.Bytes(); own.bytes < need {
		return nil, fmt.Errorf("a buffer of %d bytes for a state of %d", own.bytes, need)
	}
	return own, nil
}

// inside checks that a box lies in the interior, grown by the given layers, and
// spans it along x if whole.
func (c *core) inside(b decomp.Box, layers [3]int, whole bool) error {
	for a := range b.Lo {
		if b.Lo[a] < -layers[a] || b.Hi[a] > c.layout.N[a]+layers[a] {
			return fmt.Errorf("box %v reaches out of the interior %v and its ghosts %v", b, c.layout.N, layers)
		}
	}
	if whole && b.Cells() > 0 && (b.Lo[0] != 0 || b.Hi[0] != c.layout.N[0]) {
		return fmt.Errorf("box %v does not span the rows of %d cells", b, c.layout.N[0])
	}
	return nil
}

// stream returns the stream as one of this device; it panics on a stream of another device, a programming error.
func (c *core) stream(s device.Stream) *stream {
	own, ok := s.(*stream)
	if !ok || own.d != c.d {
		panic(fmt.Sprintf("%s on a stream of another device (%T)", c.spec, s))
	}
	return own
}

// between checks the source and target of a step of box, and uploads the numbers to the GPU.
func (c *core) between(in, out device.Buffer, box decomp.Box, q model.Params) (from, to *buffer, err error) {
	from, err = c.state(in)
	to, err2 := c.state(out)
	for _, e := range []error{err2, c.inside(box, [3]int{}, true)} {
		if err == nil {
			err = e
		}
	}
	if err == nil && from == to {
		err = fmt.Errorf("in and out are the same buffer")
	}
	if err == nil {
		err = c.uploadStep(q)
	}
	return from, to, err
}

// rowsOf launches a kernel of the rows of a box: lbm_init or one of lbm_fields.
func (c *core) rowsOf(fn cu.Function, s cu.Stream, state, fields cu.DevicePtr, b decomp.Box) error {
	n := b.Size()
	args := []uint64{uint64(c.box.at), uint64(state), uint64(fields)}
	for _, corner := range [][3]int{b.Lo, b.Hi} {
		for _, k := range corner {
			args = append(args, uint64(int64(k)))
		}
	}
	return launch(fn, [3]int{raw.Ceil(n[0], rowThreads), n[1], n[2]}, [2]int{rowThreads, 1}, 0, s, args...)
}

// valueBytes returns the size of a value of fields that stay on the device or leave in snapshots, and of the kernels' own
// numbers.
func (c *core) valueBytes() int {
	if c.spec.Precision == model.Float64 {
		return 8
	}
	return 4
}

// cellsOf returns the range of a list's cells, by the first of each row, that a box may have: the cells of whole planes; of
// these the kernels take the box's rows.
func (c *core) cellsOf(rows []uint32, box decomp.Box) (first, last uint64) {
	ny := c.layout.N[1]
	from, to := box.Lo[2]*ny, box.Hi[2]*ny
	if c.spec.Lattice.Dims == 2 || box.Lo[2]+1 == box.Hi[2] {
		from, to = box.Lo[2]*ny+box.Lo[1], box.Lo[2]*ny+box.Hi[1]
	}
	return uint64(rows[from]), uint64(rows[to])
}

// BytesPerCell: every stored value is read once and written once.
func (c *core) BytesPerCell() int { return 2 * c.spec.Components() * c.spec.Precision.Bytes() }
