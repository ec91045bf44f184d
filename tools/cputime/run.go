// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// row is a line of the file: a test, a subtest of the first level, or without Test a package.
type row struct {
	Package string
	Test    string  `json:",omitempty"`
	CPU     float64 // seconds of user and system time
	Elapsed float64 // seconds
}

// run starts a test binary, passes its output on to out, appends its rows to file and returns its exit status.
func run(file string, command []string, out io.Writer) (int, error) {
	begun := time.Now()
	cmd := exec.Command(command[0], command[1:]...)
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	// The same pipe for both, so that their lines keep their order.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, w, w
	// SIGQUIT is how go test asks a binary beyond -timeout for its goroutines. A terminal sends SIGINT to both.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	err = cmd.Start()
	w.Close()
	if err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt {
				_ = cmd.Process.Signal(s) // the binary may have ended
			}
		}
	}()
	m := newMeter(out, func() (time.Duration, time.Duration) { return used(cmd.Process.Pid), time.Since(begun) })
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(m, r)
		read <- err
	}()
	code, err := end(cmd, read)
	if err != nil {
		return 0, err
	}
	name, err := packageHere()
	if err != nil {
		return 0, err
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return code, write(file, append(m.rows(name), row{Package: name, CPU: cpu.Seconds(), Elapsed: time.Since(begun).Seconds()}))
}

// end waits for a binary and for all of its output, and returns its exit status. The binary stays a zombie, whose CPU time can be
// read, until its last lines are.
func end(cmd *exec.Cmd, read <-chan error) (int, error) {
	const byPid = 1 // P_PID
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byPid, uintptr(cmd.Process.Pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if err == 0 {
			break
		}
		if err != syscall.EINTR {
			return 0, fmt.Errorf("waitid: %w", err)
		}
	}
	var err error
	select {
	case err = <-read:
	case <-time.After(time.Minute): // as go test has it
		err = errors.New("a process that outlives the tests keeps their output open")
	}
	if ended := cmd.Wait(); ended != nil && cmd.ProcessState.ExitCode() < 0 {
		err = errors.Join(err, ended) // by a signal
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "cputime: %s: %v\n", filepath.Base(cmd.Path), err)
		return 1, nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// packageHere returns the path in its module of the package whose folder this is, which is where go test runs it.
func packageHere() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root := here; root != "/"; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Rel(root, here)
		}
	}
	return "", errors.New("this folder is in no module: start the program with go test -exec")
}

// write appends all rows at once: test binaries of several packages end at the same time.
func write(file string, rows []row) error {
	var lines []byte
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}
