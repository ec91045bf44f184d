// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A full disk must be reported early in the run, with a message that
// helps. Where files lie in memory the system knows at once how much is left. Elsewhere
// space is reserved, which may last as long as writing (network file systems): a goroutine
// does that, and this rank's writes wait for it.

// enough refuses a file in memory for which there is no space. It is better not to take
// its pages beforehand: that is most of the work of writing them, by one thread.
func enough(tmp string) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(tmp, &fs); err != nil || fs.Type != tmpfs || fs.Blocks == 0 {
		return nil // not in memory, or as much as there is memory
	}
	var st syscall.Stat_t
	if err := syscall.Stat(tmp, &st); err != nil {
		return &os.PathError{Op: "stat", Path: tmp, Err: err}
	}
	if missing(&st)+promised(&st) > int64(fs.Bavail)*fs.Bsize {
		return noRoom(st.Size, syscall.ENOSPC)
	}
	return nil
}

// missing returns the bytes of a file for which no room is allocated yet.
func missing(st *syscall.Stat_t) int64 { return max(0, st.Size-512*st.Blocks) }

// promised returns the bytes that other unfinished files of this process, on the disk of the given one, will still take: all of
// them would fail together. They are the files that it has open under temporary names; finding them needs no list that all files
// would share.
func promised(to *syscall.Stat_t) (bytes int64) {
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	if err != nil {
		return 0 // a system without: the writes find out
	}
	seen := map[uint64]bool{to.Ino: true}
	for _, e := range entries {
		link := filepath.Join(open, e.Name())
		name, err := os.Readlink(link)
		if err != nil || !strings.HasSuffix(name, suffix) {
			continue
		}
		var st syscall.Stat_t
		if syscall.Stat(link, &st) != nil || st.Dev != to.Dev || seen[st.Ino] {
			continue
		}
		seen[st.Ino] = true
		bytes += missing(&st)
	}
	return bytes
}

// reserve takes the room on disk, all of the file's size; the file lies in few pieces
// then. File systems without this call are used as they are.
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
