package joint

import (
	"fmt"
	"os"
	"syscall"
)

// A full disk must show before the run has gone on for long, and with a word that
// helps. Where files lie in memory the system knows at once how much is left. Elsewhere
// room is taken, which may last as long as writing (network file systems): a goroutine
// does that, and this rank's writes wait for it.

// enough refuses a file in memory for which there is no room. Its pages are better not
// taken beforehand: that is most of the work of writing them, by one thread.
func enough(tmp string) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(tmp, &fs); err != nil || fs.Type != tmpfs || fs.Blocks == 0 {
		return nil // not in memory, or as much as there is memory
	}
	var st syscall.Stat_t
	if err := syscall.Stat(tmp, &st); err != nil {
		return &os.PathError{Op: "stat", Path: tmp, Err: err}
	}
	if need := st.Size - 512*st.Blocks; need > int64(fs.Bavail)*fs.Bsize {
		return noRoom(st.Size, syscall.ENOSPC)
	}
	return nil
}

// reserve takes the room on disk, all of the file's size; the file lies in few pieces
// then. File systems without it are none the worse.
func reserve(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return err
	}
	for {
		err = syscall.Fallocate(int(f.Fd()), 0, 0, st.Size())
		if err != syscall.EINTR {
			break
		}
	}
	if err == syscall.ENOSPC || err == syscall.EDQUOT || err == syscall.EFBIG {
		return noRoom(st.Size(), err)
	}
	return nil
}

func noRoom(bytes int64, why error) error { return fmt.Errorf("reserve %d bytes: %w", bytes, why) }
