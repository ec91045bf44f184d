// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/model"
)

// rooflineKernels returns the loops that only move bytes. They are part of every
// instance; the instance of D2Q9 compiles fastest.
func (d *Device) rooflineKernels(p model.Precision) (kernelSet, error) {
	d.mu.Lock()
	k, ok := d.roofline[p]
	d.mu.Unlock()
	if ok {
		return k, nil
	}
	lattice, _ := model.FindLattice("D2Q9")
	collision, _ := model.FindCollision("bgk")
	k, err := d.kernels(model.Spec{Lattice: lattice, Collision: collision, Precision: p}, 0)
	if err != nil {
		return k, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roofline[p] = k
	return k, nil
}

// Update changes every value v of the rows to 1 - v, in place (device.Roofline).
func (d *Device) Update(to device.Stream, data device.Buffer, components, pitch int, p model.Precision) {
	s := to.(*stream)
	all, err := d.part(data, 0, data.Bytes())
	row := components * pitch * p.Bytes()
	if err == nil && (row <= 0 || pitch%32 != 0 || data.Bytes()%row != 0) {
		err = fmt.Errorf("%d bytes are not whole rows of %d values of pitch %d", data.Bytes(), components, pitch)
	}
	var k kernelSet
	if err == nil {
		k, err = d.rooflineKernels(p)
	}
	if err != nil {
		s.fail(fmt.Errorf("roofline: %w", err))
		return
	}
	rows := data.Bytes() / row
	s.queue("roofline", func() error {
		return launch(k.update, [3]int{rows, 1, 1}, [2]int{rowThreads, 1}, 0, s.s, uint64(all), uint64(rows), uint64(components), uint64(pitch))
	})
}

// CopyPast copies src to dst (device.Roofline).
func (d *Device) CopyPast(to device.Stream, dst, src device.Buffer) {
	s := to.(*stream)
	bytes := src.Bytes()
	into, err := d.part(dst, 0, bytes)
	from, err2 := d.part(src, 0, bytes)
	if err == nil {
		err = err2
	}
	if err == nil && bytes%64 != 0 {
		err = fmt.Errorf("%d bytes are not a multiple of 64", bytes)
	}
	var k kernelSet
	if err == nil {
		k, err = d.rooflineKernels(model.Float32)
	}
	if err != nil {
		s.fail(fmt.Errorf("roofline: %w", err))
		return
	}
	count := bytes / 16
	s.queue("roofline", func() error {
		// As many blocks as run at once: each copies an equal range.
		processors, err := d.gpu.Attribute(cu.MultiprocessorCount)
		if err != nil {
			return err
		}
		perProcessor, err := k.copy.MaxActiveBlocksPerMultiProcessor(rowThreads, 0)
		if err != nil {
			return err
		}
		return launch(k.copy, [3]int{max(1, processors*perProcessor), 1, 1}, [2]int{rowThreads, 1}, 0, s.s, uint64(into), uint64(from), uint64(count))
	})
}
