// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
)

// castagnoli is the polynomial of all checksums: processors compute it at many
// gigabytes per second.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a CRC-32C over p; start with 0.
func CRC(crc uint32, p []byte) uint32 { return crc32.Update(crc, castagnoli, p) }

// A CRC is the remainder of a polynomial over GF(2), so the CRC of two consecutive pieces is crc(A) x^(8 |B|) + crc(B), modulo
// the polynomial; what the CRC-32s put in front and behind cancels (Stigge et al., Reversing CRC, HU Berlin 2006, section 2).
// Remainders are written as CRCs are, with the highest bit for x^0.

// product of two remainders.
func product(a, b uint32) (p uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			p ^= b
		}
		carry := b & 1
		if b >>= 1; carry != 0 {
			b ^= crc32.Castagnoli
		}
	}
	return p
}

// shift returns x^(8 n), which moves a checksum before n bytes.
func shift(n int) uint32 {
	p, x := uint32(1)<<31, uint32(1)<<23 // 1 and x^8
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = product(p, x)
		}
		x = product(x, x)
	}
	return p
}

// Extent is one rank's share of an array [plane][row]: some rows of some planes, the
// same rows of each.
type Extent struct {
	Planes, Rows [2]int // lo, hi: half-open ranges of the whole array
}

// count returns the number of planes, 0 when the part has no rows either.
func (e Extent) count() int {
	if e.Rows[1] <= e.Rows[0] {
		return 0
	}
	return max(e.Planes[1]-e.Planes[0], 0)
}

// Sums are the checksums of one rank's part of an array. The file has one for each
// plane, so that it does not depend on the number of ranks; where ranks share a plane,
// Collect puts it together from theirs.
type Sums struct {
	part  Extent
	at    int // where the rank's bytes of a plane begin
	bytes int // and how many they are
	mu    sync.Mutex
	crc   []uint32
	done  []bool
}

// NewSums makes the checksums of a part whose rows have so many bytes.
func NewSums(p Extent, rowBytes int) *Sums {
	n := p.count()
	return &Sums{part: p, at: p.Rows[0] * rowBytes, bytes: (p.Rows[1] - p.Rows[0]) * rowBytes, crc: make([]uint32, n), done: make([]bool, n)}
}

// Check explains why data cannot be the part's rows of planes from plane first on,
// counted from the part's first.
func (s *Sums) Check(first int, data []byte) error {
	if s.bytes <= 0 || len(data)%s.bytes != 0 {
		return fmt.Errorf("%d bytes are not a whole number of planes of %d bytes", len(data), s.bytes)
	}
	if n := len(data) / s.bytes; first < 0 || first+n > len(s.crc) {
		return fmt.Errorf("planes %d to %d are not among this rank's %d planes", first, first+n-1, len(s.crc))
	}
	return nil
}

// Add computes the checksums of data, which passed Check.
func (s *Sums) Add(first int, data []byte) {
	for k := first; len(data) > 0; k++ {
		crc := CRC(0, data[:s.bytes])
		data = data[s.bytes:]
		s.mu.Lock()
		s.crc[k], s.done[k] = crc, true
		s.mu.Unlock()
	}
}

// Missing explains which plane was not written, if any.
func (s *Sums) Missing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, ok := range s.done {
		if !ok {
			return fmt.Errorf("plane %d was not written", s.part.Planes[0]+k)
		}
	}
	return nil
}

// Marshal packs the checksums for the message to rank 0.
func (s *Sums) Marshal() []byte {
	b := MarshalInts([]int64{int64(s.part.Planes[0]), int64(s.at), int64(s.bytes)})
	for _, c := range s.crc {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return b
}

// share is one rank's checksum of its bytes of a plane.
type share struct {
	rank, at, bytes int
	crc             uint32
}

// Collect joins the ranks' checksums of an array of n planes and makes sure that each
// byte of a plane comes from exactly one rank.
func Collect(n, planeBytes int, parts [][]byte) ([]uint32, error) {
	const head = 3 * 8
	shares := make([][]share, n)
	for rank, b := range parts {
		if len(b) < head {
			return nil, fmt.Errorf("rank %d sent no checksums", rank)
		}
		place := UnmarshalInts(b[:head])
		for k, b := place[0], b[head:]; len(b) >= 4; k, b = k+1, b[4:] {
			if k < 0 || k >= int64(n) {
				return nil, fmt.Errorf("rank %d wrote plane %d of %d", rank, k, n)
			}
			shares[k] = append(shares[k], share{rank, int(place[1]), int(place[2]), binary.LittleEndian.Uint32(b)})
		}
	}
	all := make([]uint32, n)
	shifts := map[int]uint32{} // few: ranks have equally many rows, or one more
	for k, list := range shares {
		slices.SortStableFunc(list, func(a, b share) int { return a.at - b.at })
		end := 0
		for i, s := range list {
			switch {
			case s.at < end:
				return nil, fmt.Errorf("ranks %d and %d both wrote plane %d", list[i-1].rank, s.rank, k)
			case s.at > end:
				return nil, fmt.Errorf("no rank wrote bytes %d to %d of plane %d", end, s.at-1, k)
			}
			end += s.bytes
			if i == 0 {
				all[k] = s.crc
				continue
			}
			if _, ok := shifts[s.bytes]; !ok {
				shifts[s.bytes] = shift(s.bytes)
			}
			all[k] = product(all[k], shifts[s.bytes]) ^ s.crc
		}
		switch {
		case len(list) == 0:
			return nil, fmt.Errorf("no rank wrote plane %d of %d", k, n)
		case end < planeBytes:
			return nil, fmt.Errorf("no rank wrote bytes %d to %d of plane %d", end, planeBytes-1, k)
		case end > planeBytes:
			return nil, fmt.Errorf("rank %d wrote beyond the %d bytes of plane %d", list[len(list)-1].rank, planeBytes, k)
		}
	}
	return all, nil
}

// Bytes returns the checksums in the byte order of this machine.
func Bytes(crc []uint32) []byte {
	b := make([]byte, 0, 4*len(crc))
	for _, c := range crc {
		b = binary.NativeEndian.AppendUint32(b, c)
	}
	return b
}

// MarshalInts packs offsets for the message from rank 0.
func MarshalInts(v []int64) []byte {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// UnmarshalInts inverts MarshalInts.
func UnmarshalInts(b []byte) []int64 {
	v := make([]int64, len(b)/8)
	for i := range v {
		v[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}
