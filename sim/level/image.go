// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"errors"

	"lbmsim/device"
	"lbmsim/io/checkpoint"
)

// The image of this rank's own cells, which checkpoints and the post-mortem keep: of each row its values in the state and,
// where the law of the viscosity reads neighbours, its eddy viscosities. They belong to an earlier step and cannot be derived
// from the state.

// Image is the current state as an image of domain.Part.Bytes.
type Image struct{ *Level }

// Read copies the state into an image.
func (s Image) Read(image []byte) error { return s.planes(image, s.read) }

// Write makes an image the current state.
func (s Image) Write(image []byte) error { return s.planes(image, s.write) }

// Load makes this rank's part of a checkpoint the current state. Collective.
func (s Image) Load(f *checkpoint.Reader) error {
	return f.Load(s.Rank.Comm, s.Part.Extent(), func(first int, data []byte) error {
		err := s.write(first, data)
		s.Rank.Heartbeat.Mark()
		return err
	})
}

// planes processes the planes of an image from first on.
func (s Image) planes(image []byte, do func(first int, planes []byte) error) error {
	n := s.Part.Planes()
	each := len(image) / n
	pass := func(lo, hi int) error { return do(lo, image[lo*each:hi*each]) }
	if _, ok := s.State[0].(device.HostVisible); ok {
		return s.Rank.Share(n, pass)
	}
	return pass(0, n) // one thread calls the device
}

func (s Image) read(first int, planes []byte) error {
	eddies := eddiesOf(s.Program)
	if eddies == nil {
		return s.plain(first, planes, s.State[0].Read)
	}
	return s.woven(first, planes, func(k int, plane, state, own []byte) error {
		err := errors.Join(s.State[0].Read(state, s.Part.Interior(k, 1)[0].Lo), eddies.Read(own, k*len(own)))
		used := s.Part.Layout.N[0] * s.Part.Case.Spec.EddyBytes()
		for rest := own; len(rest) > 0; rest = rest[len(own)/s.Part.RowsOfPlane():] {
			clear(rest[used : len(own)/s.Part.RowsOfPlane()]) // the padding is arbitrary
		}
		s.weave(plane, state, own, func(image, part []byte) { copy(image, part) })
		return err
	})
}

func (s Image) write(first int, planes []byte) error {
	eddies := eddiesOf(s.Program)
	if eddies == nil {
		return s.plain(first, planes, s.State[0].Write)
	}
	return s.woven(first, planes, func(k int, plane, state, own []byte) error {
		s.weave(plane, state, own, func(image, part []byte) { copy(part, image) })
		return errors.Join(s.State[0].Write(state, s.Part.Interior(k, 1)[0].Lo), eddies.Write(own, k*len(own)))
	})
}

// plain passes planes in the layout of the state, with one call of the device per run.
func (s Image) plain(first int, planes []byte, pass func(run []byte, offset int) error) error {
	for _, run := range s.Part.Interior(first, len(planes)/s.planeBytes()) {
		n := run.Hi - run.Lo
		if err := pass(planes[:n], run.Lo); err != nil {
			return err
		}
		planes = planes[n:]
	}
	return nil
}

// woven processes each plane's image, with buffers for its part of the state and of the eddy viscosities.
func (s Image) woven(first int, planes []byte, do func(k int, plane, state, eddies []byte) error) error {
	each, at := s.planeBytes(), s.Part.Interior(first, 1)[0]
	room := make([]byte, each)
	for k := 0; k < len(planes)/each; k++ {
		if err := do(first+k, planes[k*each:][:each], room[:at.Hi-at.Lo], room[at.Hi-at.Lo:]); err != nil {
			return err
		}
	}
	return nil
}

// planeBytes returns the size of a plane's image.
func (s Image) planeBytes() int { return s.Part.Bytes() / s.Part.Planes() }

// weave passes the parts of each row of a plane's image: state and eddy viscosities.
func (s Image) weave(plane, state, eddies []byte, pass func(image, part []byte)) {
	rows := s.Part.RowsOfPlane()
	a, b := len(state)/rows, len(eddies)/rows
	for y := range rows {
		row := plane[y*(a+b):]
		pass(row[:a], state[y*a:(y+1)*a])
		pass(row[a:a+b], eddies[y*b:(y+1)*b])
	}
}
