package joint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"
)

// Castagnoli is the polynomial of all checksums: processors compute it at many
// gigabytes a second.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC continues a CRC-32C over p; start with 0.
func CRC(crc uint32, p []byte) uint32 { return crc32.Update(crc, castagnoli, p) }

// Sums are the checksums of one rank's planes [Lo, Hi) of an array. A checksum
// belongs to a plane, so that it does not depend on the number of ranks.
type Sums struct {
	Lo, Hi int // along the slowest axis of the whole array
	bytes  int // of a plane
	mu     sync.Mutex
	crc    []uint32
	done   []bool
}

// NewSums makes the checksums of planes [lo, hi) of the given size in bytes.
func NewSums(lo, hi, planeBytes int) *Sums {
	n := max(hi-lo, 0)
	return &Sums{Lo: lo, Hi: hi, bytes: planeBytes, crc: make([]uint32, n), done: make([]bool, n)}
}

// Check explains why data cannot be planes from plane first on, counted from Lo.
func (s *Sums) Check(first int, data []byte) error {
	if s.bytes == 0 || len(data)%s.bytes != 0 {
		return fmt.Errorf("%d bytes are not a whole number of planes of %d bytes", len(data), s.bytes)
	}
	if n := len(data) / s.bytes; first < 0 || first+n > len(s.crc) {
		return fmt.Errorf("planes %d to %d are not among this rank's %d planes", first, first+n-1, len(s.crc))
	}
	return nil
}

// Add computes the checksums of the planes of data, which passed Check.
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
			return fmt.Errorf("plane %d was not written", s.Lo+k)
		}
	}
	return nil
}

// Marshal packs the checksums for the way to rank 0.
func (s *Sums) Marshal() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s.Lo))
	for _, c := range s.crc {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return b
}

// Collect joins the ranks' checksums of an array of n planes and makes sure
// that each plane comes from exactly one rank.
func Collect(n int, parts [][]byte) ([]uint32, error) {
	all, owner := make([]uint32, n), make([]int, n)
	for rank, b := range parts {
		if len(b) < 8 {
			return nil, fmt.Errorf("rank %d sent no checksums", rank)
		}
		lo := int64(binary.LittleEndian.Uint64(b))
		for k, b := lo, b[8:]; len(b) >= 4; k, b = k+1, b[4:] {
			if k < 0 || k >= int64(n) {
				return nil, fmt.Errorf("rank %d wrote plane %d of %d", rank, k, n)
			}
			if owner[k] != 0 {
				return nil, fmt.Errorf("ranks %d and %d both wrote plane %d", owner[k]-1, rank, k)
			}
			owner[k], all[k] = rank+1, binary.LittleEndian.Uint32(b)
		}
	}
	for k, o := range owner {
		if o == 0 {
			return nil, fmt.Errorf("no rank wrote plane %d of %d", k, n)
		}
	}
	return all, nil
}

// Bytes is the checksums as the machine stores numbers.
func Bytes(crc []uint32) []byte {
	b := make([]byte, 0, 4*len(crc))
	for _, c := range crc {
		b = binary.NativeEndian.AppendUint32(b, c)
	}
	return b
}

// MarshalInts packs offsets for the way from rank 0.
func MarshalInts(v []int64) []byte {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// UnmarshalInts is the way back.
func UnmarshalInts(b []byte) []int64 {
	v := make([]int64, len(b)/8)
	for i := range v {
		v[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}
