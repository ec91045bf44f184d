// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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
	"time"

	"lbmsim/comm"
)

// sized makes files of a known size without content, as HDF5 does.
func sized(bytes int64) func(tmp string) ([]int64, error) {
	return func(tmp string) ([]int64, error) {
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

// A file for which memory has no space is refused at Begin.
func TestFullMemoryIsRefusedAtOnce(t *testing.T) {
	dir := small(t, "1m")
	fails(t, dir, "reserve 2097152 bytes: no space left on device: no space left on that disk; remove files", func(c comm.Comm) error {
		_, _, err := one(c, filepath.Join(dir, "a"), 0, sized(2<<20))
		if err == nil {
			t.Errorf("rank %d may begin", c.Rank())
		}
		return err
	})
	f, _, err := one(comm.Serial(), filepath.Join(dir, "b"), 0, sized(1<<20-4096))
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
}

// A file must not count on space that an unfinished one still needs: both would fail.
// Nothing is written here, so that the files may be as large as the memory.
func TestRoomIsPromisedOnce(t *testing.T) {
	dir, room := inSharedMemory(t)
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	large := sized(room / 5 * 3)
	f, _, err := one(comm.Serial(), first, 0, large)
	if err != nil {
		t.Fatal(err)
	}
	if g, _, err := one(comm.Serial(), second, 0, large); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a second file may begin (%v)", err)
		if err == nil {
			g.Abort()
		}
	}
	f.Abort()
	g, _, err := one(comm.Serial(), second, 0, large)
	if err != nil {
		t.Fatalf("after the first was given up: %v", err)
	}
	g.Abort()
}

// inSharedMemory returns a folder in the memory that Linux has for the files of all users, and how
// much room there is.
func inSharedMemory(t *testing.T) (dir string, room int64) {
	t.Helper()
	const shared = "/dev/shm"
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err != nil || fs.Type != tmpfs || fs.Blocks == 0 {
		t.Skipf("NOT TESTED: %s is no file system in memory with a limit (%v)", shared, err)
	}
	dir, err := os.MkdirTemp(shared, "lbmsim-test-")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir, int64(fs.Bavail) * fs.Bsize
}

// fills makes sure that this system fills mappings when asked to.
func fills(t *testing.T) {
	t.Helper()
	page, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Munmap(page) }()
	const populateWrite = 23 // of asm-generic/mman-common.h
	if err := syscall.Madvise(page, populateWrite); err != nil {
		t.Skipf("NOT TESTED: this system does not fill mappings (Linux 5.14 does): %v", err)
	}
}

// A full disk is found before rank 0 writes, and reported on all ranks at the end; ranks
// do not wait for that in Begin.
func TestFullDiskIsFoundBeforeWriting(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		dir := disk(t)
		fails(t, dir, "reserve 4096 bytes: "+why.Error()+": no space left on that disk; remove files", func(c comm.Comm) error {
			began := make(chan struct{})
			files, _, err := beginTaking(c, nil, []New{{filepath.Join(dir, "a"), 0, sized(4096)}}, func(*os.File) error {
				<-began
				return noRoom(4096, why)
			})
			close(began)
			if err != nil {
				return err
			}
			f := files[0]
			if err := f.WriteAt([]byte("x"), int64(c.Rank())); (err == nil) != (c.Rank() > 0) {
				t.Errorf("rank %d: writing: %v", c.Rank(), err)
			}
			return end(f, nil)
		})
	}
}

// disk returns a folder that is not in memory.
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
	dir := disk(t)
	probe, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	err = syscall.Fallocate(int(probe.Fd()), 0, 0, size)
	if got := blocks(t, probe); err != nil || got < size {
		t.Skipf("NOT TESTED: this file system takes no room beforehand: %d of %d bytes (%v)", got, size, err)
	}
	f, _, err := one(comm.Serial(), filepath.Join(dir, "a"), 0, sized(size))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	f.waitForRoom()
	if got := blocks(t, f.f); got < size {
		t.Errorf("%d of %d bytes are taken", got, size)
	}
}

// blocks returns the number of bytes of a file on disk.
func blocks(t *testing.T, f *os.File) int64 {
	t.Helper()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// Threads that find another one in a call write into memory, whatever the ends of
// their pieces; after Flush nothing is mapped.
func TestThreadsWriteSideBySide(t *testing.T) {
	fills(t)
	dir, _ := inSharedMemory(t)
	path := filepath.Join(dir, "a")
	want := make([]byte, 3*filled+12345)
	for i := range want {
		want[i] = byte(i * i >> 3)
	}
	f, _, err := one(comm.Serial(), path, 0, sized(int64(len(want))))
	if err != nil {
		t.Fatal(err)
	}
	f.writing.Store(true) // all threads but one
	whole := f.f
	if f.f, err = os.Open(f.tmp); err != nil { // into which no call can write
		t.Fatal(err)
	}
	defer f.f.Close()
	var wg sync.WaitGroup
	cuts := []int{0, 1, 4095, 100000, filled + 99999, 3*filled + 1, len(want)}
	for i, lo := range cuts[:len(cuts)-1] {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f.WriteAt(want[lo:cuts[i+1]], int64(lo)); err != nil {
				t.Errorf("bytes %d to %d do not go into memory: %v", lo, cuts[i+1], err)
			}
		}()
	}
	wg.Wait()
	f.f = whole
	if err := f.Flush(); err != nil || f.memory.b != nil {
		t.Errorf("after Flush: %v, %d bytes mapped", err, len(f.memory.b))
	}
	if err := end(f, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has other bytes (%v)", err)
	}
}

// A thread that copies into the mapping blocks no other one.
func TestMappingIsShared(t *testing.T) {
	fills(t)
	dir, _ := inSharedMemory(t)
	f, _, err := one(comm.Serial(), filepath.Join(dir, "a"), 0, sized(4096))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if !f.memory.write([]byte("x"), 0) {
		t.Fatal("nothing is mapped")
	}
	f.memory.mu.RLock() // as long as a thread copies
	defer f.memory.mu.RUnlock()
	wrote := make(chan bool, 1)
	go func() { wrote <- f.memory.write([]byte("y"), 1) }()
	select {
	case ok := <-wrote:
		if !ok {
			t.Error("the second thread does not write into memory")
		}
	case <-time.After(time.Minute):
		t.Error("the second thread waits for the first")
	}
}

// Memory that another process fills up is an error of the write, not the end of the
// program.
func TestMemoryFillsUp(t *testing.T) {
	dir := small(t, "2m")
	path := filepath.Join(dir, "other")
	f, _, err := one(comm.Serial(), filepath.Join(dir, "a"), 0, sized(1<<20))
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
	if e := end(f, nil); !errors.Is(e, syscall.ENOSPC) {
		t.Errorf("Commit: %v", e)
	}
}

// The speed of several threads, in gigabytes per second: into BENCH_DIR, otherwise the temporary folder. `-cpu 1,2,4` sets the
// threads.
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
		f, _, err := one(comm.Serial(), filepath.Join(dir, fmt.Sprint("bench", i)), 0, sized(size))
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
