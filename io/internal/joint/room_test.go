package joint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"lbmsim/comm"
)

// sized makes files of a known size without content, as HDF5 does.
func sized(bytes int64) func(tmp string) ([]byte, error) {
	return func(tmp string) ([]byte, error) {
		return nil, errors.Join(os.WriteFile(tmp, nil, 0o644), os.Truncate(tmp, bytes))
	}
}

// small mounts a file system in memory.
func small(t *testing.T, size string) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: mounting a small file system needs root")
	}
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("NOT TESTED: this system does not let root mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A file that memory has no room for does not even begin.
func TestFullMemoryIsRefusedAtOnce(t *testing.T) {
	dir := small(t, "1m")
	fails(t, dir, "reserve 2097152 bytes: no space left on device: no room left on that disk; remove files", func(c comm.Comm) error {
		_, _, err := Begin(c, filepath.Join(dir, "a"), sized(2<<20))
		if err == nil {
			t.Errorf("rank %d may begin", c.Rank())
		}
		return err
	})
	f, _, err := Begin(comm.Serial(), filepath.Join(dir, "b"), sized(1<<20-4096))
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
}

// A disk without room is found before rank 0 writes, and known to all in the end; ranks
// do not wait for that in Begin.
func TestFullDiskIsFoundBeforeWriting(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		dir := disk(t)
		fails(t, dir, "reserve 4096 bytes: "+why.Error()+": no room left on that disk; remove files", func(c comm.Comm) error {
			began := make(chan struct{})
			f, _, err := beginTaking(c, filepath.Join(dir, "a"), sized(4096), func(*os.File) error {
				<-began
				return noRoom(4096, why)
			})
			close(began)
			if err != nil {
				return err
			}
			if err := f.WriteAt([]byte("x"), int64(c.Rank())); (err == nil) != (c.Rank() > 0) {
				t.Errorf("rank %d: writing: %v", c.Rank(), err)
			}
			return f.Commit(nil, nil)
		})
	}
}

// disk is a folder that is not in memory.
func disk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Type == tmpfs {
		t.Skipf("NOT TESTED: the temporary folder is in memory, set TMPDIR to one on a disk (%v)", err)
	}
	return dir
}

func TestRoomIsTaken(t *testing.T) {
	const size = 1 << 20
	path := filepath.Join(disk(t), "a")
	f, _, err := Begin(comm.Serial(), path, sized(size))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	f.waitForRoom()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f.f.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	if st.Blocks*512 < size {
		t.Skipf("NOT TESTED: this file system takes no room beforehand: %d of %d bytes", st.Blocks*512, size)
	}
}

// Threads that find another one in a call write into memory, whatever the ends of
// their pieces; after Flush nothing is mapped.
func TestThreadsWriteSideBySide(t *testing.T) {
	path := filepath.Join(small(t, "64m"), "a")
	want := make([]byte, 3*filled+12345)
	for i := range want {
		want[i] = byte(i * i >> 3)
	}
	f, _, err := Begin(comm.Serial(), path, sized(int64(len(want))))
	if err != nil {
		t.Fatal(err)
	}
	f.writing.Store(true) // all threads but one
	var wg sync.WaitGroup
	cuts := []int{0, 1, 4095, 100000, filled + 99999, 3*filled + 1, len(want)}
	for i, lo := range cuts[:len(cuts)-1] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f.WriteAt(want[lo:cuts[i+1]], int64(lo)); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if f.memory == nil || f.memory.b == nil {
		t.Skip("NOT TESTED: this system does not fill mappings (Linux 5.14)")
	}
	if err := f.Flush(); err != nil || f.memory.b != nil {
		t.Errorf("after Flush: %v, %d bytes mapped", err, len(f.memory.b))
	}
	if err := f.Commit(nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has other bytes (%v)", err)
	}
}

// Memory that somebody else fills up is an error of the write, not the end of the
// program.
func TestMemoryFillsUp(t *testing.T) {
	dir := small(t, "2m")
	path := filepath.Join(dir, "other")
	f, _, err := Begin(comm.Serial(), filepath.Join(dir, "a"), sized(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, 3<<19), 0o644); err != nil {
		t.Fatal(err)
	}
	f.writing.Store(true)
	err = f.WriteAt(make([]byte, 1<<20), 0)
	t.Log(err)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	if e := f.Commit(nil, nil); !errors.Is(e, syscall.ENOSPC) {
		t.Errorf("Commit: %v", e)
	}
}

// What threads write together, at gigabytes a second: into BENCH_DIR, else the
// temporary folder. `-cpu 1,2,4` are the threads.
func BenchmarkWriteAt(b *testing.B) {
	dir := os.Getenv("BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	const size = 512 << 20
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = byte(i)
	}
	b.SetBytes(size)
	for i := range b.N {
		f, _, err := Begin(comm.Serial(), filepath.Join(dir, fmt.Sprint("bench", i)), sized(size))
		if err != nil {
			b.Fatal(err)
		}
		next := make(chan int64, size/len(piece))
		for at := int64(0); at < size; at += int64(len(piece)) {
			next <- at
		}
		close(next)
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for at := range next {
					if err := f.WriteAt(piece, at); err != nil {
						b.Error(err)
					}
				}
			}()
		}
		wg.Wait()
		if err := f.Flush(); err != nil {
			b.Error(err)
		}
		b.StopTimer()
		f.Abort()
		b.StartTimer()
	}
}

func BenchmarkCRC(b *testing.B) {
	piece := make([]byte, 1<<20)
	b.SetBytes(int64(len(piece)))
	for range b.N {
		CRC(0, piece)
	}
}
