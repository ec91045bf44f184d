// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

// Reading: the preamble, then the checksum of all that is not the state, then the header,
// then planes, each checked against its checksum.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"lbmsim/comm"
	"lbmsim/io/internal/joint"
)

// Reader is an open checkpoint.
type Reader struct {
	Header Header
	path   string
	f      *os.File
	data   int64
	sums   []uint32
}

// Open reads and verifies all of a checkpoint but its planes. Errors distinguish files that are damaged, cut off, newer than
// lbmsim, or not checkpoints.
func Open(path string) (*Reader, error) {
	r, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("open the checkpoint %s: %w", path, err)
	}
	return r, nil
}

// Path of the file.
func (r *Reader) Path() string { return r.path }

// Look explains the damage to a file as far as its first bytes show it.
func Look(path string) error {
	f, err := openFile(path)
	if err == nil {
		defer f.Close()
		_, err = readPreamble(f)
	}
	if err != nil {
		return fmt.Errorf("the checkpoint %s: %w", path, err)
	}
	return nil
}

func open(path string) (*Reader, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, f: f}
	if err := r.load(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// openFile opens regular files only: opening a FIFO blocks until something writes to it.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return os.Open(path)
}

func (r *Reader) load() error {
	p, err := readPreamble(r.f)
	if err != nil {
		return err
	}
	crc, err := p.sum(r.f)
	if err != nil {
		return err
	}
	if crc != p.meta {
		return errors.New("the file is damaged: its header does not match its checksum")
	}
	b := make([]byte, p.header)
	if _, err := r.f.ReadAt(b, preambleBytes); err != nil {
		return err
	}
	at, err := parse(b, p)
	if err != nil {
		return err
	}
	r.Header, r.data = at.Header, p.dataOffset
	b = make([]byte, 4*r.Header.Planes)
	if _, err := r.f.ReadAt(b, at.Sums); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[4:] {
		r.sums = append(r.sums, binary.NativeEndian.Uint32(b))
	}
	return nil
}

// ReadPlanes reads planes [lo, hi) into dst, which has exactly their size, and
// checks each against its checksum. After an error dst must not be used. Several
// goroutines may read at once.
func (r *Reader) ReadPlanes(lo, hi int, dst []byte) error {
	n := r.Header.PlaneBytes()
	if lo < 0 || lo > hi || hi > r.Header.Planes || len(dst) != (hi-lo)*n {
		return fmt.Errorf("read the checkpoint %s: planes %d to %d of %d into %d bytes", r.path, lo, hi-1, r.Header.Planes, len(dst))
	}
	for k := lo; k < hi; k++ {
		b := dst[(k-lo)*n : (k-lo+1)*n]
		if _, err := r.f.ReadAt(b, r.data+int64(k)*int64(n)); err != nil {
			return fmt.Errorf("read plane %d of the checkpoint %s: %w", k, r.path, err)
		}
		if joint.CRC(0, b) != r.sums[k] {
			return r.damaged(k)
		}
	}
	return nil
}

// loadBytes is the approximate number of bytes that Load reads at once.
const loadBytes = 64 << 20

// Load reads this rank's part, some planes at a time, and gives them to use, with the number
// of the first in the part; data is [plane][row][component][pitch] and is used again for the
// next ones. Collective. The error is the same on all ranks, unless it is of the communication.
// Where ranks share planes it comes after use has received the data: the checksum of a plane is
// known only after all of them have read it.
func (r *Reader) Load(c comm.Comm, part Extent, use func(first int, data []byte) error) error {
	shared := []int64{0}
	if part.Rows != r.Header.whole().Rows {
		shared[0] = 1
	}
	if err := comm.Max(c, shared); err != nil {
		return fmt.Errorf("load the checkpoint %s: %w", r.path, err)
	}
	var sums *joint.Sums
	err := r.Header.contains(part)
	if err == nil {
		sums = joint.NewSums(part, r.Header.rowBytes())
		err = r.read(part, sums, shared[0] == 1, use)
	}
	if err := comm.Agree(c, err); err != nil || shared[0] == 0 {
		return err
	}
	parts, err := comm.Gather(c, sums.Marshal())
	if err != nil {
		return fmt.Errorf("gather the checksums of the checkpoint %s: %w", r.path, err)
	}
	if c.Rank() == 0 {
		var all []uint32
		all, err = joint.Collect(r.Header.Planes, r.Header.PlaneBytes(), parts)
		for k, crc := range all {
			if crc != r.sums[k] {
				err = r.damaged(k)
				break
			}
		}
	}
	return comm.Agree(c, err)
}

// read reads this rank's part in Load.
func (r *Reader) read(part Extent, sums *joint.Sums, shared bool, use func(first int, data []byte) error) error {
	n, row := r.Header.PlaneBytes(), r.Header.rowBytes()
	size := (part.Rows[1] - part.Rows[0]) * row
	step := max(1, loadBytes/max(size, 1))
	b := make([]byte, max(0, min(step, part.Planes[1]-part.Planes[0]))*size)
	for lo := part.Planes[0]; lo < part.Planes[1] && size > 0; lo += step {
		hi := min(lo+step, part.Planes[1])
		data := b[:(hi-lo)*size]
		if !shared {
			if err := r.ReadPlanes(lo, hi, data); err != nil {
				return err
			}
		}
		for k := lo; k < hi && shared; k++ {
			if _, err := r.f.ReadAt(data[(k-lo)*size:][:size], r.data+int64(k)*int64(n)+int64(part.Rows[0]*row)); err != nil {
				return fmt.Errorf("read plane %d of the checkpoint %s: %w", k, r.path, err)
			}
		}
		if shared {
			sums.Add(lo-part.Planes[0], data)
		}
		if err := use(lo-part.Planes[0], data); err != nil {
			return err
		}
	}
	return nil
}

// damaged returns the error of a plane whose checksum differs.
func (r *Reader) damaged(plane int) error {
	return fmt.Errorf("the checkpoint %s is damaged: plane %d does not match its checksum; restart from an older one", r.path, plane)
}

// Verify reads all planes.
func (r *Reader) Verify() error {
	b := make([]byte, r.Header.PlaneBytes())
	for k := 0; k < r.Header.Planes; k++ {
		if err := r.ReadPlanes(k, k+1, b); err != nil {
			return err
		}
	}
	return nil
}

// Close ends reading.
func (r *Reader) Close() error { return r.f.Close() }
