// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package joint makes one file out of the parts of all ranks: whole or not at
// all. Rank 0 creates it under a temporary name, every rank writes its part where
// it belongs, and when all of it is on disk rank 0 gives it its name. Begin and
// Commit are collective; between them nothing communicates with other ranks, so the writing may continue in another goroutine
// while the run computes.
package joint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"lbmsim/comm"
)

// File is a file under construction.
type File struct {
	c         comm.Comm
	path, tmp string
	room      chan struct{} // closed when room has been asked for; nil where no room is asked for
	memory    *memory       // nil: the file is elsewhere
	writing   atomic.Bool   // a thread of this rank is in a call that writes
	mu        sync.Mutex
	f         *os.File
	err       error // the first failed write of this rank
	durable   bool  // this rank has written nothing since Flush
}

// suffix ends temporary names.
const suffix = ".part"

// Part returns the temporary name of a file that will be path.
func Part(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix)
}

// Sweep removes what killed runs left of files that match the pattern.
func Sweep(pattern string) {
	left, err := filepath.Glob(Part(pattern))
	if err != nil {
		return
	}
	for _, p := range left {
		os.Remove(p)
	}
}

// New is a file to be started. Rank 0 calls Create with the temporary name; the numbers that it returns, so many (where the parts
// go), reach every rank.
type New struct {
	Path    string
	Numbers int
	Create  func(tmp string) ([]int64, error)
}

// Begin starts files. Collective, with one reduction; failed is this rank's error so far. The error is the same on all
// ranks, and then no file is left. A file that a rank cannot open fails there with its writes, and everywhere with Commit.
func Begin(c comm.Comm, failed error, list ...New) (files []*File, numbers [][]int64, err error) {
	return beginTaking(c, failed, list, reserve)
}

// beginTaking does the work of Begin, with the function that reserves room on disk.
func beginTaking(c comm.Comm, failed error, list []New, take func(*os.File) error) (files []*File, numbers [][]int64, err error) {
	root, all := c.Rank() == 0, []int64(nil)
	for _, n := range list {
		f := &File{c: c, path: n.Path, tmp: Part(n.Path), durable: !root}
		files = append(files, f)
		mine := slices.Repeat([]int64{math.MinInt64}, n.Numbers)
		if root && failed == nil {
			var made []int64
			made, failed = f.create(n)
			copy(mine, made)
		}
		all = append(all, mine...)
	}
	if err := comm.AgreeMax(c, failed, all); err != nil {
		Abort(files)
		return nil, nil, err
	}
	for i, f := range files {
		if !root {
			f.err = f.open()
		}
		if f.memory = inMemory(f.f); f.memory == nil && root {
			f.room = make(chan struct{})
			go func() {
				defer close(f.room)
				if err := take(f.f); err != nil {
					f.fail(f.explain("create", err))
				}
			}()
		}
		n := list[i].Numbers
		numbers, all = append(numbers, all[:n]), all[n:]
	}
	return files, numbers, nil
}

// create makes the file, on rank 0. It stays open: the space it still needs is promised (enough).
func (f *File) create(n New) (made []int64, err error) {
	if err = os.Remove(f.tmp); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		made, err = n.Create(f.tmp)
	}
	if err == nil {
		err = enough(f.tmp)
	}
	if err == nil && len(made) != n.Numbers {
		err = fmt.Errorf("%d numbers instead of %d", len(made), n.Numbers)
	}
	if err != nil {
		return nil, f.explain("create", err)
	}
	return made, f.open()
}

func (f *File) open() (err error) {
	f.f, err = os.OpenFile(f.tmp, os.O_RDWR, 0)
	return f.explain("open", err)
}

// explain adds to an error what was attempted and what helps.
func (f *File) explain(verb string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError // names the temporary file, which users do not know
	if errors.As(err, &inner) && inner.Path == f.tmp {
		err = inner.Err
	}
	help := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		help = ": no space left on that disk; remove files or choose another output folder"
	case errors.Is(err, syscall.EFBIG):
		help = ": above the file size limit (see ulimit -f)"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		help = ": the folder is not writable; choose another output folder"
	case errors.Is(err, fs.ErrNotExist) && f.c.Rank() != 0:
		help = ": this rank does not see the file that rank 0 created; the output folder must be shared by all nodes"
	case errors.Is(err, fs.ErrNotExist):
		help = ": the output folder does not exist"
	}
	return fmt.Errorf("rank %d: %s %s: %w%s", f.c.Rank(), verb, f.path, err, help)
}

// piece is the number of bytes handed to the system before the disk is set to work.
const piece = 8 << 20

// WriteAt puts p at the offset. Any goroutine, no messages. The first error
// stays and makes Commit fail on all ranks.
func (f *File) WriteAt(p []byte, offset int64) error {
	f.waitForRoom()
	f.mu.Lock()
	file, err := f.f, f.err
	f.durable = false
	f.mu.Unlock()
	if err != nil {
		return err
	}
	if file == nil {
		return fmt.Errorf("write %s: the file is committed or aborted already", f.path)
	}
	for len(p) > 0 {
		n := min(len(p), piece)
		first := f.writing.CompareAndSwap(false, true)
		if first || !f.memory.write(p[:n], offset) {
			_, err := file.WriteAt(p[:n], offset)
			if first {
				f.writing.Store(false)
			}
			if err != nil {
				return f.fail(f.explain("write", err))
			}
			if f.memory == nil {
				startWriteback(file, offset, int64(n))
			}
		}
		p, offset = p[n:], offset+int64(n)
	}
	return nil
}

func (f *File) waitForRoom() {
	if f.room != nil {
		<-f.room
	}
}

// Flush comes after the last write of this rank: what was written is on disk when it
// returns, and Commit need not wait for that. Any goroutine, no messages; like an error of WriteAt, its error stays.
func (f *File) Flush() error {
	f.waitForRoom()
	f.memory.close()
	f.mu.Lock()
	file, err, durable := f.f, f.err, f.durable
	f.mu.Unlock()
	switch {
	case err != nil:
		return err
	case file == nil:
		return fmt.Errorf("flush %s: the file is committed or aborted already", f.path)
	case durable:
		return nil
	}
	if err := file.Sync(); err != nil {
		return f.fail(f.explain("flush", err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.durable = true
	return nil
}

func (f *File) fail(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	return f.err
}

// Fail makes Commit fail with this error, which the caller found out itself.
func (f *File) Fail(err error) {
	if err != nil {
		f.fail(f.explain("write", err))
	}
}

// Commit ends files, whatever the outcome. Collective, with one gather and one reduction. failed is this rank's error so
// far, note the bytes that it sends to rank 0. When every part is on disk, rank 0 runs seal on the last file (may be
// nil), gives the files their names, the last one last, and runs after (may be nil). The error is the same on all ranks;
// unless it comes from after or from the naming of several, the files of these names, if there were any, are as before.
func Commit(files []*File, failed error, note []byte, seal func(last *os.File, notes [][]byte) error, after func() error) error {
	c := files[0].c
	for _, f := range files {
		if err := f.Flush(); failed == nil {
			failed = err
		}
	}
	if c.Rank() != 0 { // rank 0 still has to seal
		if err := closeAll(files); failed == nil {
			failed = err
		}
	}
	mark := byte(0)
	if failed != nil {
		mark = 1
	}
	notes, err := comm.Gather(c, append([]byte{mark}, note...))
	if err != nil {
		Abort(files)
		return fmt.Errorf("end the file %s: %w", files[len(files)-1].path, err)
	}
	if c.Rank() == 0 && !slices.ContainsFunc(notes, func(n []byte) bool { return n[0] != 0 }) {
		for i := range notes {
			notes[i] = notes[i][1:]
		}
		failed = name(files, notes, seal, after)
	}
	if err := comm.Agree(c, failed); err != nil {
		Abort(files)
		return err
	}
	return nil
}

// name seals files and gives them their names.
func name(files []*File, notes [][]byte, seal func(*os.File, [][]byte) error, after func() error) (err error) {
	last := files[len(files)-1]
	if seal != nil {
		if err = seal(last.f, notes); err == nil {
			err = last.f.Sync()
		}
	}
	if err != nil {
		return last.explain("finish", err)
	}
	if err := closeAll(files); err != nil {
		return err
	}
	for i, f := range files {
		if err = os.Rename(f.tmp, f.path); err != nil {
			return f.explain("finish", err)
		}
		if dir := filepath.Dir(f.path); f == last || filepath.Dir(files[i+1].path) != dir {
			if err := SyncDir(dir); err != nil {
				return f.explain("finish", err)
			}
		}
	}
	if after != nil {
		return last.explain("finish", after())
	}
	return nil
}

// closeAll closes files. A network file system may report a lost write only here.
func closeAll(files []*File) (err error) {
	for _, f := range files {
		f.mu.Lock()
		file := f.f
		f.f = nil
		f.mu.Unlock()
		if file != nil {
			if e := file.Close(); err == nil {
				err = f.explain("finish", e)
			}
		}
	}
	return err
}

// Abort abandons files, as each one's Abort does.
func Abort(files []*File) {
	for _, f := range files {
		f.Abort()
	}
}

// Abort abandons the file; rank 0 removes it. It is not collective, and has no effect
// after Commit.
func (f *File) Abort() {
	f.waitForRoom()
	f.memory.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = fmt.Errorf("write %s: aborted", f.path)
	}
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
	if f.c.Rank() == 0 {
		os.Remove(f.tmp)
	}
}

// SyncDir flushes the names in a folder to disk. Some file systems cannot.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// Replace writes a small file whole or not at all.
func Replace(path string, data []byte) error {
	tmp := Part(path)
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return SyncDir(filepath.Dir(path))
}

// Extend puts more into a text file before its closing text, without writing the whole of it again:
// at any moment path is a file that ends with that. It keeps the file as it was before under its
// temporary name, updates that file the next time, and swaps the two. A reader that has had path open for two
// calls may see the second one's text appear. Extended removes the other file, and must be called before the first Extend, too,
// since a killed run may have left it half written.
func Extend(path, more, closing string) error {
	other := Part(path)
	err := extend(path, other, more, closing)
	if err == nil {
		kept := other + before
		linked := os.Link(path, kept) == nil // without links it is copied each time
		if err = os.Rename(other, path); err == nil && linked {
			linked = os.Rename(kept, other) == nil
		}
		if !linked || err != nil {
			os.Remove(kept)
		}
	}
	if err != nil {
		os.Remove(other)
		return fmt.Errorf("extend %s: %w", path, err)
	}
	return SyncDir(filepath.Dir(path))
}

// before ends the name of the file while the two are swapped.
const before = "2"

// Extended removes what Extend keeps beside a file.
func Extended(path string) {
	os.Remove(Part(path))
	os.Remove(Part(path) + before)
}

func extend(path, other, more, closing string) (err error) {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(other, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if e := to.Close(); err == nil {
			err = e
		}
	}()
	end, err := endOf(from, closing)
	if err != nil {
		return err
	}
	same, err := endOf(to, closing)
	if err != nil || same > end || !alike(from, to, same) { // it is new, or a user has edited path
		same = 0
	}
	if err := to.Truncate(same); err != nil {
		return err
	}
	if _, err := to.Seek(same, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(to, io.NewSectionReader(from, same, end-same)); err != nil {
		return err
	}
	if _, err := to.WriteString(more + closing); err != nil {
		return err
	}
	return to.Sync()
}

// alike compares the ends of the common parts of two files.
func alike(a, b *os.File, end int64) bool {
	n := min(end, 1024)
	x, y := make([]byte, n), make([]byte, n)
	_, e1 := a.ReadAt(x, end-n)
	_, e2 := b.ReadAt(y, end-n)
	return e1 == nil && e2 == nil && string(x) == string(y)
}

// endOf returns the offset of the closing text of a file.
func endOf(f *os.File, closing string) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	at := info.Size() - int64(len(closing))
	b := make([]byte, len(closing))
	if at < 0 {
		return 0, errors.New("it is too short")
	}
	if _, err := f.ReadAt(b, at); err != nil {
		return 0, err
	}
	if string(b) != closing {
		return 0, fmt.Errorf("it ends with %q instead of %q", b, closing)
	}
	return at, nil
}
