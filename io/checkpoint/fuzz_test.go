// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lbmsim/io/internal/joint"
)

// file returns the bytes of a checkpoint as far as Open reads it, without HDF5's part.
func file(t testing.TB, h Header) []byte {
	t.Helper()
	s := stored{Header: h}
	b, err := s.marshal()
	if err != nil {
		t.Fatal(err)
	}
	p := preamble{sequence: 1, header: int64(len(b)), dataOffset: int64(preambleBytes + len(b)), dataSize: int64(h.Planes) * int64(h.PlaneBytes())}
	s.Sums = p.dataOffset + p.dataSize
	if b, err = s.marshal(); err != nil {
		t.Fatal(err)
	}
	planes := state(h, 0, h.Planes)
	var sums []uint32
	for k := range h.Planes {
		sums = append(sums, joint.CRC(0, planes[k*h.PlaneBytes():][:h.PlaneBytes()]))
	}
	all := append(append(append(p.marshal(), b...), planes...), joint.Bytes(sums)...)
	return resealed(all)
}

// resealed returns a file with matching size and checksums, whatever its contents, as a forger could make it.
func resealed(b []byte) []byte {
	if len(b) < preambleBytes {
		return b
	}
	b = append([]byte{}, b...)
	copy(b, magic)
	order.PutUint32(b[8:], Format)
	order.PutUint64(b[24:], uint64(len(b)))
	at, n := order.Uint64(b[32:]), order.Uint64(b[40:])
	if at <= uint64(len(b)) && at >= preambleBytes && n <= uint64(len(b))-at {
		order.PutUint32(b[48:], joint.CRC(joint.CRC(0, b[preambleBytes:at]), b[at+n:]))
	}
	order.PutUint32(b[60:], joint.CRC(0, b[:60]))
	return b
}

func small() Header {
	h := testHeader(3)
	h.Case, h.N, h.Planes, h.Rows, h.Components, h.Pitch = "[run]\nsteps = 9\n", [3]int{4, 2, 3}, 3, 2, 1, 4
	h.Ranks = 2
	return h
}

// Open accepts untrusted files: it reports damage, and takes no memory that the file
// does not have.
func FuzzOpen(f *testing.F) {
	good := file(f, small())
	f.Add(good, true)
	f.Add(good, false)
	f.Add(good[:70], true)
	f.Add(good[:30], false)
	path := filepath.Join(f.TempDir(), "checkpoint.h5")
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = resealed(b)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Open(path)
		if err == nil {
			_ = r.Verify()
			r.Close()
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20+100*uint64(len(b)) {
			t.Errorf("%d bytes of memory for a file of %d", took, len(b))
		}
	})
}
