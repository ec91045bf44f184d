// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

// The first 64 bytes of the file, in HDF5's user block, little endian:
//
//	 0  magic, 8 bytes           8  format, uint32      12  0, uint32
//	16  sequence, uint64        24  file size, uint64
//	32  offset of the state     40  bytes of the state
//	48  CRC-32C of everything from byte 64 on that is not the state, uint32
//	52  bytes of the header     60  CRC-32C of bytes 0 to 59, uint32
//
// The header follows, as JSON: all that lbmsim reads (header.go). So the contents
// of the file never pass through the HDF5 library, which may crash on crafted files; its part of the file is for other
// readers.
//
// The state is covered by the checksums of its planes, so no byte of the file can
// change unnoticed. The place of magic, format and the last checksum is the same
// in all future formats.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"lbmsim/io/internal/joint"
)

// Format is the version of the file format, the only one that this program writes and reads.
const Format = 2

const preambleBytes = 64

// Magic is the beginning of a checkpoint.
const Magic = "LBMSIMCP"

var (
	magic     = []byte(Magic)
	signature = []byte("\x89HDF\r\n\x1a\n")
	order     = binary.LittleEndian
)

type preamble struct {
	sequence             uint64 // grows from checkpoint to checkpoint in a folder
	size                 int64  // of the file
	dataOffset, dataSize int64
	header               int64 // its bytes
	meta                 uint32
}

func (p preamble) marshal() []byte {
	b := make([]byte, preambleBytes)
	copy(b, magic)
	order.PutUint32(b[8:], Format)
	order.PutUint64(b[16:], p.sequence)
	order.PutUint64(b[24:], uint64(p.size))
	order.PutUint64(b[32:], uint64(p.dataOffset))
	order.PutUint64(b[40:], uint64(p.dataSize))
	order.PutUint32(b[48:], p.meta)
	order.PutUint64(b[52:], uint64(p.header))
	order.PutUint32(b[60:], joint.CRC(0, b[:60]))
	return b
}

// seal closes the file under its checksums.
func seal(f *os.File, dataOffset, dataSize, header int64, sequence uint64) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	p := preamble{sequence: sequence, size: st.Size(), dataOffset: dataOffset, dataSize: dataSize, header: header}
	if p.meta, err = p.sum(f); err != nil {
		return err
	}
	_, err = f.WriteAt(p.marshal(), 0)
	return err
}

// sum returns the checksum of all but preamble and state.
func (p preamble) sum(f io.ReaderAt) (crc uint32, err error) {
	buf := make([]byte, min(1<<20, max(p.dataOffset, p.size-p.dataOffset-p.dataSize)))
	for _, part := range [][2]int64{{preambleBytes, p.dataOffset}, {p.dataOffset + p.dataSize, p.size}} {
		for at := part[0]; at < part[1]; {
			b := buf[:min(int64(len(buf)), part[1]-at)]
			if _, err := f.ReadAt(b, at); err != nil {
				return 0, err
			}
			crc = joint.CRC(crc, b)
			at += int64(len(b))
		}
	}
	return crc, nil
}

// readPreamble explains the damage to a file as far as its first bytes show it.
func readPreamble(f *os.File) (p preamble, err error) {
	st, err := f.Stat()
	if err != nil {
		return p, err
	}
	if st.IsDir() {
		return p, errors.New("it is a folder")
	}
	b := make([]byte, preambleBytes)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return p, err
	}
	if n == 0 {
		return p, errors.New("the file is empty")
	}
	if !bytes.HasPrefix(b, magic) && !bytes.HasPrefix(magic, b[:n]) {
		return p, foreign(f, st.Size())
	}
	if n < preambleBytes {
		return p, fmt.Errorf("the file is truncated after %d bytes", n)
	}
	if joint.CRC(0, b[:60]) != order.Uint32(b[60:]) {
		return p, errors.New("the file is damaged: its first 64 bytes do not match their checksum")
	}
	if v := order.Uint32(b[8:]); v > Format {
		return p, fmt.Errorf("the file has format %d, this version of lbmsim reads up to %d: use the newer version that wrote it", v, Format)
	} else if v < Format {
		return p, fmt.Errorf("the file has format %d, written by unreleased versions only; this version of lbmsim reads format %d", v, Format)
	}
	p = preamble{sequence: order.Uint64(b[16:]), size: int64(order.Uint64(b[24:])),
		dataOffset: int64(order.Uint64(b[32:])), dataSize: int64(order.Uint64(b[40:])), header: int64(order.Uint64(b[52:])), meta: order.Uint32(b[48:])}
	if p.size != st.Size() {
		return p, fmt.Errorf("the file has %d bytes instead of %d: it was truncated, or copied incompletely", st.Size(), p.size)
	}
	if p.dataOffset < preambleBytes || p.dataSize < 1 || p.dataOffset > p.size || p.dataSize > p.size-p.dataOffset {
		return p, errors.New("the file is damaged: its state extends beyond its end")
	}
	if p.header < 2 || p.header > min(mostHeader, p.dataOffset-preambleBytes) {
		return p, fmt.Errorf("the file is damaged: a header of %d bytes does not fit before its state", p.header)
	}
	if beside := p.size - p.dataSize; beside > mostBeside {
		return p, fmt.Errorf("the file has %d bytes beside its state, more than %d MiB: not an lbmsim checkpoint", beside, mostBeside>>20)
	}
	return p, nil
}

// The amount read before any check is bounded.
const (
	mostHeader = 250 << 20
	mostBeside = 256 << 20
)

// foreign names the kind of a file without our magic.
func foreign(f io.ReaderAt, size int64) error {
	b := make([]byte, len(signature))
	for at := int64(0); at < size; at = max(512, 2*at) {
		if _, err := f.ReadAt(b, at); err == nil && bytes.Equal(b, signature) {
			if at == 0 {
				return errors.New("an HDF5 file, but not an lbmsim checkpoint")
			}
			return errors.New("an HDF5 file without the first bytes of an lbmsim checkpoint: from another program, or damaged")
		}
	}
	return errors.New("not an lbmsim checkpoint, nor an HDF5 file")
}
