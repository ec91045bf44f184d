// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/device"
	"lbmsim/model"
)

// rooflinePieces is the number of tasks that a thread's share is cut into.
const rooflinePieces = 8

// Update changes every value v of the rows to 1 - v, in place (device.Roofline).
func (d *Device) Update(s device.Stream, data device.Buffer, components, pitch int, p model.Precision) {
	own := s.(*stream)
	all, err := parts(data, 0, data.Bytes())
	row := components * pitch * p.Bytes()
	if err == nil && (row <= 0 || pitch%16 != 0 || len(all)%row != 0) {
		err = fmt.Errorf("%d bytes are not whole rows of %d values of pitch %d", len(all), components, pitch)
	}
	if err != nil {
		own.fail(fmt.Errorf("roofline: %w", err))
		return
	}
	rows, n := len(all)/row, rooflinePieces*d.threads
	var tasks []task
	for i := 0; i < n; i++ {
		lo, hi := rows*i/n, rows*(i+1)/n
		if lo < hi {
			tasks = append(tasks, func(*worker) error {
				d.isa.Update(unsafe.Pointer(&all[lo*row]), hi-lo, components, pitch, p.Bytes())
				return nil
			})
		}
	}
	own.pool.push(own, &operation{tasks: tasks})
}

// CopyPast copies src to dst past the caches (device.Roofline).
func (d *Device) CopyPast(s device.Stream, dst, src device.Buffer) {
	own := s.(*stream)
	to, err := parts(dst, 0, src.Bytes())
	from, err2 := parts(src, 0, src.Bytes())
	if err == nil {
		err = err2
	}
	if err == nil && len(from)%64 != 0 {
		err = fmt.Errorf("%d bytes are not a multiple of 64", len(from))
	}
	if err != nil {
		own.fail(fmt.Errorf("roofline: %w", err))
		return
	}
	lines, n := len(from)/64, rooflinePieces*d.threads
	var tasks []task
	for i := 0; i < n; i++ {
		lo, hi := lines*i/n*64, lines*(i+1)/n*64
		if lo < hi {
			tasks = append(tasks, func(*worker) error {
				d.isa.Copy(unsafe.Pointer(&to[lo]), unsafe.Pointer(&from[lo]), hi-lo)
				return nil
			})
		}
	}
	own.pool.push(own, &operation{tasks: tasks})
}
