// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// InPlace updates values of every cell of a box in place: with 19 the traffic of the
// best population codes, with 10 the traffic of moments if they needed no second buffer.
func InPlace(components int, n [3]int) Job {
	return func(dev device.Device) (*contender, error) {
		roof, err := rooflines(dev)
		if err != nil {
			return nil, err
		}
		const p = model.Float32
		l := decomp.NewLayout(n, [3]int{}, components)
		data, err := dev.Alloc(l.Len() * p.Bytes())
		if err != nil {
			return nil, err
		}
		s, passes := dev.NewStream(false), 0
		return &contender{
			name: fmt.Sprintf("roofline: %d %s in place", components, p), cells: n[0] * n[1] * n[2],
			bytes: 2 * components * p.Bytes(), roofline: true, close: data.Free, wait: s.Sync,
			queue: func() {
				passes++
				roof.Update(s, data, components, l.Pitch, p)
			},
			done: func() error { return holds(data, float32(passes%2)) },
		}, nil
	}
}

// CopyPast copies that many values per cell from one buffer to another.
func CopyPast(components int, n [3]int) Job {
	return func(dev device.Device) (*contender, error) {
		roof, err := rooflines(dev)
		if err != nil {
			return nil, err
		}
		const p = model.Float32
		l := decomp.NewLayout(n, [3]int{}, components)
		src, err := dev.Alloc(l.Len() * p.Bytes())
		if err != nil {
			return nil, err
		}
		dst, err := dev.Alloc(src.Bytes())
		if err != nil {
			src.Free()
			return nil, err
		}
		free := func() { src.Free(); dst.Free() }
		s := dev.NewStream(false)
		roof.Update(s, src, components, l.Pitch, p) // ones
		if err := s.Sync(); err != nil {
			free()
			return nil, err
		}
		return &contender{
			name: fmt.Sprintf("copy past the caches, %d %s", components, p), cells: n[0] * n[1] * n[2],
			bytes: 2 * components * p.Bytes(), roofline: true, close: free, wait: s.Sync,
			queue: func() { roof.CopyPast(s, dst, src) },
			done:  func() error { return holds(dst, 1) },
		}, nil
	}
}

func rooflines(dev device.Device) (device.Roofline, error) {
	roof, ok := dev.(device.Roofline)
	if !ok {
		return nil, fmt.Errorf("%s shows no rooflines", dev.Info().Name)
	}
	return roof, nil
}

// holds checks values throughout the buffer.
func holds(b device.Buffer, want float32) error {
	one := binary.LittleEndian.AppendUint32(nil, math.Float32bits(want))
	got := make([]byte, len(one))
	for i := range 1000 {
		at := (b.Bytes()/len(one) - 1) / 999 * i * len(one)
		if err := b.Read(got, at); err != nil {
			return err
		}
		if !slices.Equal(got, one) {
			return fmt.Errorf("wrong value at byte %d", at)
		}
	}
	return nil
}
