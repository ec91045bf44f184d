// Package joint makes one file out of the parts of all ranks: whole or not at
// all. Rank 0 creates it under a temporary name, every rank writes its part where
// it belongs, and when all of it is on disk rank 0 gives it its name. Begin and
// Commit are collective; between them nothing talks to other ranks, so the
// writing may go on in another goroutine while the run computes.
package joint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"lbmsim/comm"
)

// File is a file under construction.
type File struct {
	c         comm.Comm
	path, tmp string
	room      chan struct{} // closed when room has been asked for; nil where nobody asks
	memory    *memory       // nil: the file is elsewhere
	writing   atomic.Bool   // a thread of this rank is in a call that writes
	mu        sync.Mutex
	f         *os.File
	err       error // the first failed write of this rank
	durable   bool  // this rank has written nothing since Flush
}

// suffix ends temporary names.
const suffix = ".part"

// Part is the temporary name of a file that will be path.
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

// Begin starts the file path. Rank 0 calls create with the temporary name; the
// note that it returns (where the parts go) reaches every rank. The error is the
// same on all ranks, and then no file is left.
func Begin(c comm.Comm, path string, create func(tmp string) (note []byte, err error)) (*File, []byte, error) {
	return beginTaking(c, path, create, reserve)
}

// beginTaking is Begin with the function that takes room on disk.
func beginTaking(c comm.Comm, path string, create func(tmp string) (note []byte, err error), take func(*os.File) error) (*File, []byte, error) {
	f := &File{c: c, path: path, tmp: Part(path), durable: c.Rank() != 0}
	var note []byte
	var err error
	if c.Rank() == 0 {
		if err = os.Remove(f.tmp); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			note, err = create(f.tmp)
		}
		if err == nil {
			err = enough(f.tmp)
		}
	}
	if err = comm.Agree(c, f.explain("create", err)); err != nil {
		f.Abort()
		return nil, nil, err
	}
	note, err = comm.Broadcast(c, note)
	if err == nil {
		f.f, err = os.OpenFile(f.tmp, os.O_RDWR, 0)
	}
	if err = comm.Agree(c, f.explain("open", err)); err != nil {
		f.Abort()
		return nil, nil, err
	}
	if f.memory = inMemory(f.f); f.memory == nil && c.Rank() == 0 {
		f.room = make(chan struct{})
		go func() {
			defer close(f.room)
			if err := take(f.f); err != nil {
				f.fail(f.explain("create", err))
			}
		}()
	}
	return f, note, nil
}

// explain says what was attempted and what helps.
func (f *File) explain(verb string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError // names the temporary file, which tells nobody anything
	if errors.As(err, &inner) && inner.Path == f.tmp {
		err = inner.Err
	}
	help := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		help = ": no room left on that disk; remove files or choose another output folder"
	case errors.Is(err, syscall.EFBIG):
		help = ": larger than a file may be here (see ulimit -f)"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		help = ": the folder cannot be written; choose another output folder"
	case errors.Is(err, fs.ErrNotExist) && f.c.Rank() != 0:
		help = ": this rank does not see the file that rank 0 created; the output folder must be shared by all nodes"
	case errors.Is(err, fs.ErrNotExist):
		help = ": the output folder does not exist"
	}
	return fmt.Errorf("rank %d: %s %s: %w%s", f.c.Rank(), verb, f.path, err, help)
}

// piece is how much is handed to the system before the disk is set to work.
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
// returns, and Commit need not wait for that. Any goroutine, no messages; like that of
// WriteAt, its error stays.
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

// Commit is collective and ends the file, whatever comes back. When every part
// is on disk, rank 0 runs seal on the file (may be nil), names it and runs after
// (may be nil). The error is the same on all ranks; unless it comes from after,
// the file of that name, if there was one, is as before.
func (f *File) Commit(seal func(*os.File) error, after func() error) error {
	err := f.Flush()
	if err = comm.Agree(f.c, err); err != nil {
		f.Abort()
		return err
	}
	f.mu.Lock()
	file := f.f
	f.mu.Unlock()
	if f.c.Rank() == 0 {
		if seal != nil {
			if err = seal(file); err == nil {
				err = file.Sync()
			}
		}
	}
	f.mu.Lock()
	f.f = nil
	f.mu.Unlock()
	// A network file system may report a lost write only here.
	if e := file.Close(); err == nil {
		err = e
	}
	if err = comm.Agree(f.c, f.explain("finish", err)); err != nil {
		f.Abort()
		return err
	}
	if f.c.Rank() == 0 {
		if err = os.Rename(f.tmp, f.path); err != nil {
			os.Remove(f.tmp)
		} else {
			err = SyncDir(filepath.Dir(f.path))
		}
		if err == nil && after != nil {
			err = after()
		}
	}
	return comm.Agree(f.c, f.explain("finish", err))
}

// Abort gives the file up; rank 0 removes it. It is not collective, and nothing
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

// SyncDir brings the names in a folder to the disk. Some file systems cannot.
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
// temporary name, brings that up to date the next time, and lets the two change places. Who has had
// path open for two calls may see the second one's text come. Extended removes the other file, and
// has to be called before the first Extend, too, for one that was killed may have left it half written.
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

// before ends the name that the file has had while the two change places.
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
	if err != nil || same > end || !alike(from, to, same) { // it is new, or somebody has edited path
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

// alike compares the end of what two files have in common.
func alike(a, b *os.File, end int64) bool {
	n := min(end, 1024)
	x, y := make([]byte, n), make([]byte, n)
	_, e1 := a.ReadAt(x, end-n)
	_, e2 := b.ReadAt(y, end-n)
	return e1 == nil && e2 == nil && string(x) == string(y)
}

// endOf is where the closing text of a file begins.
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
