// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"os"
	"syscall"
)

// startWriteback starts writing a range to disk at once, instead of when fsync
// or a full page cache requires it. A hint: errors show in fsync.
func startWriteback(f *os.File, offset, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE, sync_file_range(2)
	_ = syscall.SyncFileRange(int(f.Fd()), offset, n, write)
}
