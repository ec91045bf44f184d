// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/model"
)

// roofline: the loops that only move bytes move all of them, and no others.
func roofline(t *testing.T, d device.Device, o Options) {
	r, ok := d.(device.Roofline)
	if !ok {
		return // an ability that a device need not have
	}
	const pitch, rows = 96, 7
	s := d.NewStream(false)
	for _, p := range model.Precisions {
		for _, components := range []int{1, 10, 19} {
			n := rows * components * pitch
			one := make([]byte, 8)
			binary.LittleEndian.PutUint64(one, math.Float64bits(1))
			switch p {
			case model.Float32:
				binary.LittleEndian.PutUint32(one, math.Float32bits(1))
			case model.Float16:
				binary.LittleEndian.PutUint16(one, 0x3c00)
			}
			one = one[:p.Bytes()]
			old, want := make([]byte, n*p.Bytes()), make([]byte, n*p.Bytes())
			for i := range n {
				side := old
				if i%3 == 0 {
					side = want
				}
				copy(side[i*p.Bytes():], one)
			}
			data := alloc(t, d, len(old))
			defer data.Free()
			write(t, data, old, 0)
			r.Update(s, data, components, pitch, p)
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(read(t, data, len(old), 0), want) {
				t.Errorf("Update of %d components in %s left values other than 1 - v", components, p)
			}
		}
	}
	for _, size := range []int{64, 64 * 1001, 5<<20 + 64} {
		src, dst := alloc(t, d, size), alloc(t, d, size)
		defer src.Free()
		defer dst.Free()
		want := noise(size, int64(size))
		write(t, src, want, 0)
		r.CopyPast(s, dst, src)
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, dst, size, 0), want) {
			t.Errorf("CopyPast of %d bytes copied something else", size)
		}
	}
}
