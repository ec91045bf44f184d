// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package checkpoint keeps the state of a run on disk: one HDF5 file per
// checkpoint with the memory image of all ranks' rows. Every rank writes its
// part at the speed of the disk; every byte of the file is covered by a
// checksum; the file gets its name only when it is complete and on disk, so that
// a run that is killed at any moment leaves the last good one. A file can be read
// by any number of ranks.
//
// preamble.go describes the first bytes, header.go the part that lbmsim reads: HDF5's part of the
// file is for other readers.
package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"lbmsim/comm"
	"lbmsim/io/internal/h5"
	"lbmsim/io/internal/joint"
)

// contains explains why an extent is not a part of the state.
func (h Header) contains(p Extent) error {
	for i, r := range [][2]int{p.Planes, p.Rows} {
		if n := []int{h.Planes, h.Rows}[i]; r[0] < 0 || r[0] > r[1] || r[1] > n {
			return fmt.Errorf("this rank's %s %d to %d are not among %d", []string{"planes", "rows"}[i], r[0], r[1]-1, n)
		}
	}
	return nil
}

// whole returns the part that is all of the state.
func (h Header) whole() Extent { return Extent{Planes: [2]int{0, h.Planes}, Rows: [2]int{0, h.Rows}} }

func (h Header) check() error {
	const most = 1 << 31
	for _, n := range []int{h.Planes, h.Rows, h.Components, h.Pitch, h.N[0], h.N[1], h.N[2]} {
		if n < 1 || n >= most {
			return fmt.Errorf("%d planes of %d rows of %d components of %d values for %v cells are not a state",
				h.Planes, h.Rows, h.Components, h.Pitch, h.N)
		}
	}
	if h.Bytes != 2 && h.Bytes != 4 && h.Bytes != 8 {
		return fmt.Errorf("values of %d bytes instead of 2, 4 or 8", h.Bytes)
	}
	// In floating point, because the product of damaged numbers may overflow.
	if size := float64(h.Planes) * float64(h.Rows) * float64(h.Components) * float64(h.Pitch) * float64(h.Bytes); size > 1e18 {
		return fmt.Errorf("a state of %g bytes is too large", size)
	}
	return nil
}

// Path returns the file of a step in a folder.
func Path(dir string, step int64) string {
	return filepath.Join(dir, fmt.Sprintf("checkpoint_%012d.h5", step))
}

const pattern = "checkpoint_*.h5"

// Pending is a checkpoint that is being written.
type Pending struct {
	dir      string
	file     *joint.File
	header   Header
	sequence uint64
	data     int64 // offset of the state
	sumsAt   int64 // offset of its checksums
	extraAt  int64
	stored   []byte // the header as the file has it
	state    *joint.Array
}

// Extent is one rank's part of the state: some rows of some planes.
type Extent = joint.Extent

// Begin creates the file of step h.Step in the folder, room for the state included, in which
// this rank will write its part. Collective. The error is the same on all ranks, and then no
// file is left. A folder has one checkpoint under construction at a time: Begin removes the
// files of killed runs.
func Begin(c comm.Comm, dir string, h Header, part Extent) (*Pending, error) {
	h.Ranks = c.Size()
	err := h.check()
	if err == nil {
		err = h.contains(part)
	}
	var user int
	if err == nil {
		user, err = userBlock(h)
	}
	if err != nil {
		err = fmt.Errorf("begin the checkpoint of step %d in %s: %w", h.Step, dir, err)
	}
	files, numbers, err := joint.Begin(c, err, joint.New{Path: Path(dir, h.Step), Numbers: 4, Create: func(tmp string) ([]int64, error) {
		joint.Sweep(filepath.Join(dir, pattern)) // left by a killed run
		at, err := create(tmp, h, user)
		return append(at, int64(lastSequence(dir)+1)), err
	}})
	if err != nil {
		return nil, err
	}
	file, at := files[0], numbers[0]
	header, err := stored{h, at[1]}.marshal()
	file.Fail(err)
	return &Pending{dir: dir, file: file, header: h, data: at[0], sumsAt: at[1], extraAt: at[2], stored: header,
		sequence: uint64(at[3]), state: joint.NewArray(joint.Within(file, at[0], h.Planes), h.Rows, h.rowBytes(), part)}, nil
}

// alignment of the state in the file.
func (h Header) alignment() int {
	if int64(h.Planes)*int64(h.PlaneBytes()) >= 16<<20 {
		return 1 << 20 // a stripe of parallel file systems
	}
	return 4096
}

// userBlock returns the number of bytes in front of HDF5's part, a power of 2.
func userBlock(h Header) (n int, err error) {
	b, err := stored{Header: h}.marshal()
	for n = h.alignment(); n < preambleBytes+len(b); n *= 2 {
	}
	return n, err
}

// create lays the file out for readers of HDF5; returned are the offsets of
// state, checksums and extra.
func create(path string, h Header, user int) (at []int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := h5.Create(path, h5.Options{UserBlock: user, Align: h.alignment(), Threshold: 4096})
	if err != nil {
		return nil, err
	}
	do := func(e error) {
		if err == nil {
			err = e
		}
	}
	do(f.Group("/lbmsim"))
	do(f.Int64s("/lbmsim", "format", Format))
	do(f.Int64s("/lbmsim", "step", h.Step))
	do(f.Float64s("/lbmsim", "time", h.Time))
	do(f.Int64s("/lbmsim", "ranks", int64(h.Ranks)))
	do(f.Int64s("/lbmsim", "cells", int64(h.N[0]), int64(h.N[1]), int64(h.N[2])))
	do(f.String("/lbmsim", "layout", "[plane][row][component][x]"))
	do(f.String("/lbmsim", "version", h.Version))
	do(f.String("/lbmsim", "spec", h.Spec))
	do(f.Text("/lbmsim/case", h.Case))
	place := func(name string, t h5.Type, dims ...int) {
		if err == nil {
			var o int64
			o, err = f.Contiguous(name, t, dims...)
			at = append(at, o)
		}
	}
	number := map[int]h5.Type{2: h5.Float16, 4: h5.Float32, 8: h5.Float64}[h.Bytes]
	place("/state", number, h.Planes, h.Rows, h.Components, h.Pitch)
	place("/lbmsim/crc32c", h5.Uint32, h.Planes)
	place("/lbmsim/extra", h5.Uint8, max(len(h.Extra), 1)) // HDF5 places nothing of length 0
	do(f.Close())
	return at, err
}

// Write puts planes of this rank's part into the file: plane 0 is its first. data is
// [plane][row][component][pitch] in the machine's byte order, no ghosts. Any
// goroutine may call it, also several at once; no messages. Its error comes
// again, on all ranks, from Commit.
func (p *Pending) Write(plane int, data []byte) error {
	if err := p.state.Check(plane, data); err != nil {
		p.file.Fail(err)
		return err
	}
	var sum sync.WaitGroup // checksums while the system copies
	sum.Add(1)
	go func() {
		defer sum.Done()
		p.state.Add(plane, data)
	}()
	err := p.state.Put(plane, data)
	sum.Wait()
	return err
}

// Flush comes after this rank's last Write and waits for the disk, so that Commit
// need not. Any goroutine, no messages.
func (p *Pending) Flush() error { return p.file.Flush() }

// Commit gives the checkpoint its name when all ranks have written all planes; then it removes
// checkpoints older than the last keep (keep < 1 keeps all). Collective. failed is this rank's error so far. After an
// error, the same on all ranks, earlier checkpoints are as before.
func (p *Pending) Commit(keep int, failed error) error {
	p.file.Fail(p.state.Missing())
	return joint.Commit([]*joint.File{p.file}, failed, p.state.Marshal(), func(f *os.File, parts [][]byte) error {
		sums, err := joint.Collect(p.header.Planes, p.header.PlaneBytes(), parts)
		if err != nil {
			return err
		}
		_, err1 := f.WriteAt(joint.Bytes(sums), p.sumsAt)
		_, err2 := f.WriteAt(p.header.Extra, p.extraAt)
		_, err3 := f.WriteAt(p.stored, preambleBytes)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		return seal(f, p.data, int64(p.header.Planes)*int64(p.header.PlaneBytes()), int64(len(p.stored)), p.sequence)
	}, func() error { return prune(p.dir, keep) })
}

// Abort abandons the checkpoint without a message; every rank calls it instead of
// Commit. The temporary file is removed, earlier checkpoints stay.
func (p *Pending) Abort() { p.file.Abort() }

// Library returns the version of the HDF5 library in use.
func Library() string { return h5.Version() }
