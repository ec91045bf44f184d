// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

// The header as in the file, after the preamble: JSON, which all programs read
// and which grows without a new format.

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Header describes a checkpoint. All ranks give the same.
type Header struct {
	Case    string  // text of the resolved case
	Spec    string  // model.Spec as text: which kernels the state belongs to
	Version string  // of the program
	Step    int64   // time steps done
	Time    float64 // simulated time in seconds
	Ranks   int     // that wrote it; set by Begin
	Extra   []byte  // the caller's own: schedules, lengths of probe files ...

	N          [3]int // global cells x, y, z
	Planes     int    // along the slowest axis
	Rows       int    // of a plane
	Components int    // values a cell
	Pitch      int    // padded length of a row in values
	Bytes      int    // of a value: 2, 4 or 8
}

// stored is the header in the file.
type stored struct {
	Header
	Sums int64 // offset of the checksums of the planes
}

// marshal returns the header in the file; its length does not depend on the offset.
func (s stored) marshal() ([]byte, error) {
	offset := s.Sums
	s.Sums = 1e18
	most, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	if len(most) > mostHeader {
		return nil, fmt.Errorf("a header of %d MiB; at most %d MiB can be read back", len(most)>>20, mostHeader>>20)
	}
	s.Sums = offset
	b, err := json.Marshal(s)
	for len(b) < len(most) {
		b = append(b, ' ')
	}
	return b, err
}

// parse reads the header and checks it against the file. A file with valid checksums may be forged: nothing here takes more
// memory than the file has bytes beside its state.
func parse(b []byte, p preamble) (s stored, err error) {
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("the header of the file cannot be read: %w", err)
	}
	if s.Extra == nil {
		s.Extra = []byte{}
	}
	h := s.Header
	if err := h.check(); err != nil {
		return s, err
	}
	if h.Step < 0 || h.Ranks < 1 {
		return s, fmt.Errorf("step %d of %d ranks is invalid", h.Step, h.Ranks)
	}
	if int64(h.Planes)*int64(h.PlaneBytes()) != p.dataSize {
		return s, errors.New("the shape of the state does not match the file")
	}
	inside := func(lo, hi int64) bool { return s.Sums >= lo && s.Sums <= hi-4*int64(h.Planes) }
	if !inside(preambleBytes+p.header, p.dataOffset) && !inside(p.dataOffset+p.dataSize, p.size) {
		return s, errors.New("the checksums do not match the state")
	}
	return s, nil
}

// PlaneBytes returns the size of one plane: [row][component][pitch] values.
func (h Header) PlaneBytes() int { return h.Rows * h.rowBytes() }

// rowBytes returns the size of a row: [component][pitch] values.
func (h Header) rowBytes() int { return h.Components * h.Pitch * h.Bytes }
