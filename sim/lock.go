package sim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the file by which a run holds its output folder.
const lockName = ".lbmsim.lock"

// hold keeps other runs out of an output folder, as long as the file is open: two jobs
// that were started there by mistake would write over each other's files. The lock ends
// with the process, whatever ends it. File systems without locks let everybody in.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("the output folder: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 200))
		f.Close()
		return nil, fmt.Errorf("another run writes into the output folder %s (%s); wait for its end, or choose another folder with --output", dir, holder)
	}
	if err == nil {
		host, _ := os.Hostname()
		text := fmt.Sprintf("process %d on %s", os.Getpid(), host)
		if job := os.Getenv("SLURM_JOB_ID"); job != "" {
			text += ", SLURM job " + job
		}
		if err := f.Truncate(0); err == nil {
			_, _ = f.WriteAt([]byte(text), 0) // only for the message above
		}
	}
	return f, nil
}
