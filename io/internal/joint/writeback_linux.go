package joint

import (
	"os"
	"syscall"
)

// startWriteback sets the disk to work on a range at once, instead of when fsync
// or a full page cache asks for it. A hint: errors show in fsync.
func startWriteback(f *os.File, offset, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE, sync_file_range(2)
	_ = syscall.SyncFileRange(int(f.Fd()), offset, n, write)
}
