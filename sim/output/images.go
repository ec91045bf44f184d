// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "lbmsim/io/checkpoint"

// writeBytes is the approximate number of bytes of a checkpoint written at once.
const writeBytes = 64 << 20

// bring writes an image of some planes in pieces, so that the watchdog sees progress on a slow disk.
func bring(r *Run, p *checkpoint.Pending, image []byte, planes int) error {
	each := len(image) / planes
	for k, n := 0, max(1, writeBytes/max(each, 1)); k < planes; k += n {
		if err := p.Write(k, image[k*each:min(k+n, planes)*each]); err != nil {
			return err
		}
		r.Rank.Heartbeat.Mark()
	}
	return p.Flush()
}
