// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// leg is one run of lbmsim, from a start to its end or kill.
type leg struct {
	*soak
	dir     string
	number  int
	ranks   int // 0: without a launcher
	threads int
	restart bool

	cmd    *exec.Cmd
	mark   string // environment entry of all processes of the leg
	began  time.Time
	ended  chan struct{} // closed once err is set
	err    error
	killed time.Time
}

func (l *leg) logPath() string { return filepath.Join(l.dir, fmt.Sprintf("leg_%03d.log", l.number)) }

func (l *leg) output() string {
	b, _ := os.ReadFile(l.logPath())
	return string(b)
}

// temporary returns a separate folder for MPI's files, which no other process clears.
func (l *leg) temporary() string {
	return filepath.Join("/dev/shm", "mpi-of-"+filepath.Base(l.soak.dir))
}

// start starts lbmsim on its ranks.
func (l *leg) start() error {
	args := []string{l.program, "run", "case.toml", "--device", "cpu", "--threads", strconv.Itoa(l.threads)}
	if l.restart {
		args = append(args, "--restart", "latest")
	} else {
		args = append(args, "--overwrite") // a leg that was killed before its first checkpoint has left files
	}
	if l.ranks > 0 {
		args = append(append(append([]string{}, l.launcher...), "-np", strconv.Itoa(l.ranks)), args...)
	}
	if err := os.MkdirAll(l.temporary(), 0o777); err != nil {
		return err
	}
	out, err := os.Create(l.logPath())
	if err != nil {
		return err
	}
	defer out.Close()
	l.mark = fmt.Sprintf("LBMSIM_SOAK=%s.%d", l.dir, l.number)
	l.cmd = exec.Command(args[0], args[1:]...)
	l.cmd.Dir = l.dir
	l.cmd.Env = append(os.Environ(), l.mark, "TMPDIR="+l.temporary(), "OMPI_MCA_btl_vader_backing_directory="+l.temporary(),
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_hwloc_base_binding_policy=none", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
		"PRTE_MCA_hwloc_default_binding_policy=none", "HWLOC_COMPONENTS=-gl")
	l.cmd.Stdout, l.cmd.Stderr = out, out
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.cmd.Start(); err != nil {
		return err
	}
	l.began, l.ended = time.Now(), make(chan struct{})
	go func() {
		l.err = l.cmd.Wait()
		close(l.ended)
	}()
	return nil
}

var errHangs = errors.New("the run hangs")

// wait waits until the leg has ended.
func (l *leg) wait(limit time.Duration) error {
	select {
	case <-l.ended:
		return l.err
	case <-time.After(limit):
	}
	for _, p := range l.processes() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	<-l.ended
	return errHangs
}

type process struct {
	pid  int
	rank bool // not a launcher
}

// processes returns the live processes with the leg's mark.
func (l *leg) processes() (list []process) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+l.mark+"\x00")) {
			continue
		}
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil {
			continue // has ended
		}
		list = append(list, process{pid, exe == l.program})
	}
	return list
}

// grace is the time for which processes may outlive a killed run.
const grace = 15 * time.Second

// leftOver waits for the last process of the leg, counts the remaining ones, and ends them.
func (l *leg) leftOver() (took time.Duration, n int) {
	since := l.killed
	if since.IsZero() {
		since = time.Now()
	}
	for left := l.processes(); len(left) > 0; left = l.processes() {
		if time.Since(since) > grace {
			for _, p := range left {
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
			n = len(left)
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	_ = os.RemoveAll(l.temporary())
	return time.Since(since), n
}

// from returns the checkpoint that the leg resumed from, according to its output.
func (l *leg) from() string {
	for _, line := range strings.Split(l.output(), "\n") {
		if rest, ok := strings.CutPrefix(line, "restart   from "); ok {
			path, _, _ := strings.Cut(rest, " at step ")
			return path
		}
	}
	return ""
}
