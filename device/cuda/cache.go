// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// cacheWait is the time that a rank waits for another one that compiles the same kernels, before it
// compiles them itself: several times the compile time, also of some side by side.
const cacheWait = 60 * time.Second

// key returns a digest of everything that the machine code depends on. NVRTC does not report the
// last part of its version; the size of its file changes with it.
func (j job) key() string {
	h := sha256.New()
	fmt.Fprintf(h, "NVRTC %d.%d, %d bytes\n%q\n%s", j.compiler.major, j.compiler.minor, j.compiler.size, j.options, j.text)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// cached returns the cached result of make for this key, or computes and caches it. Among several
// concurrent processes one works and the others wait. A folder that is not writable, or a broken
// file, only costs the time to compute it again.
func cached(dir, key string, make func() ([]byte, error)) ([]byte, error) {
	if dir == "" {
		return make()
	}
	file := filepath.Join(dir, key+".cubin")
	if code, ok := readSealed(file); ok {
		return code, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return make()
	}
	unlock := lock(filepath.Join(dir, key+".lock"), cacheWait)
	defer unlock()
	if code, ok := readSealed(file); ok {
		return code, nil
	}
	code, err := make()
	if err == nil {
		writeSealed(file, code)
	}
	return code, err
}

// readSealed returns a kept file without the digest of the rest with which it begins; false
// for a file that does not match it, such as one that a full disk or a crash cut off.
func readSealed(file string) ([]byte, bool) {
	text, err := os.ReadFile(file)
	if err != nil || len(text) <= sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(text[sha256.Size:])
	return text[sha256.Size:], bytes.Equal(sum[:], text[:sha256.Size])
}

// writeSealed renames the file to its name once it is complete.
func writeSealed(file string, code []byte) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(code)
	_, err = f.Write(append(sum[:], code...))
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// lock takes a file lock, which the system releases however the process ends. It gives up after
// patience, and immediately if locks are unsupported.
func lock(file string, patience time.Duration) (unlock func()) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return func() {}
	}
	// All ranks of a job may poll one file server: at growing intervals, up to half a second.
	pause := 20 * time.Millisecond
	for start := time.Now(); ; pause = min(2*pause, 500*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR || time.Since(start) > patience {
			break
		}
		time.Sleep(pause)
	}
	// The file is kept: removing it could remove a file that another process just locked.
	return func() { _ = f.Close() }
}
