// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// LockName is the file by which a run locks its output folder.
const LockName = ".lbmsim.lock"

// holderText is the lock file's record of the process that holds it.
const holderText = "process %d on %s"

// dyingFor is the time that a new run waits for one that was killed: its lock stays until
// the last of its threads has returned from the disk.
const dyingFor = 30 * time.Second

// dying reports whether a holder on this machine no longer has memory: it was killed.
func dying(holder string) bool {
	var pid int
	var host string
	if n, _ := fmt.Sscanf(holder, holderText, &pid, &host); n != 2 || strings.TrimSuffix(host, ",") != hostname() {
		return false
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(line) == 0
}

func hostname() string {
	host, _ := os.Hostname()
	return host
}

// hold locks an output folder as long as the file is open: two jobs
// that were started there by mistake would overwrite each other's files. The lock ends
// with the process, however it ends. File systems without locks admit every run.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("the output folder: %w", err)
	}
	var holder []byte
	for end := time.Now().Add(dyingFor); ; time.Sleep(50 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			holder, _ = io.ReadAll(io.NewSectionReader(f, 0, 200))
			if !dying(string(holder)) || time.Now().After(end) {
				break
			}
		} else if err != syscall.EINTR {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("another run is writing to the output folder %s (%s); wait until it ends, or choose another folder with --output", dir, holder)
	}
	if err == nil {
		text := fmt.Sprintf(holderText, os.Getpid(), hostname())
		if job := os.Getenv("SLURM_JOB_ID"); job != "" {
			text += ", SLURM job " + job
		}
		if err := f.Truncate(0); err == nil {
			_, _ = f.WriteAt([]byte(text), 0) // only for the message above
		}
	}
	return f, nil
}
