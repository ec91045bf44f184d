// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// meter reads the output of a test binary for its tests' starts and ends, and passes it on. The time between two of
// them is charged to the tests that were running: to subtests of the first level rather than to their test, and in
// equal parts where several run in parallel.
type meter struct {
	out     io.Writer
	clock   func() (cpu, elapsed time.Duration) // of the binary and the subprocesses that it has waited for
	line    []byte                              // not complete yet
	running []string
	tests   map[string]*row
	order   []string // of the starts
	cpu     time.Duration
	elapsed time.Duration
}

func newMeter(out io.Writer, clock func() (cpu, elapsed time.Duration)) *meter {
	return &meter{out: out, clock: clock, tests: map[string]*row{}}
}

func (m *meter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		m.line, rest = append(m.line, line...), after
		if ended {
			m.read(string(m.line))
			m.line = m.line[:0]
		}
	}
	return m.out.Write(p)
}

// read takes a line of output. With -test.v=test2json, which go test -json gives, the testing package puts ^V before
// its own words, so that a test which prints "--- PASS" changes nothing here.
func (m *meter) read(line string) {
	_, words, found := strings.Cut(line, "\x16")
	if !found {
		return
	}
	words = words[strings.LastIndex(words, "\x16")+1:]
	f := strings.Fields(words)
	if len(f) < 3 || f[0] != "===" && f[0] != "---" || strings.Count(f[2], "/") > 1 {
		return
	}
	switch name := f[2]; f[1] {
	case "RUN", "CONT":
		m.charge()
		m.start(name)
	case "PAUSE", "PASS:", "FAIL:", "SKIP:":
		m.charge()
		m.stop(name)
	}
}

func (m *meter) start(name string) {
	m.stop(name)
	m.running = append(m.running, name)
	if m.tests[name] == nil {
		m.tests[name] = &row{Test: name}
		m.order = append(m.order, name)
	}
}

func (m *meter) stop(name string) {
	for i, n := range m.running {
		if n == name {
			m.running = append(m.running[:i], m.running[i+1:]...)
			return
		}
	}
}

// charge gives the time since the last call to the tests that were running.
func (m *meter) charge() {
	cpu, elapsed := m.clock()
	var charged []*row
	for _, n := range m.running {
		inner := false
		for _, other := range m.running {
			inner = inner || strings.HasPrefix(other, n+"/")
		}
		if !inner {
			charged = append(charged, m.tests[n])
		}
	}
	for _, t := range charged {
		t.CPU += (cpu - m.cpu).Seconds() / float64(len(charged))
		t.Elapsed += (elapsed - m.elapsed).Seconds()
	}
	m.cpu, m.elapsed = cpu, elapsed
}

// rows returns the tests in the order of their starts. The row of a test with subtests has the time outside them.
func (m *meter) rows(pkg string) []row {
	var rows []row
	for _, name := range m.order {
		r := *m.tests[name]
		r.Package = pkg
		rows = append(rows, r)
	}
	return rows
}

// used returns the user and system time of a process and of the subprocesses that it has waited for (proc(5): stat,
// fields 14 to 17, in ticks of 10 ms). It exists until the process has been waited for.
func used(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name in brackets may have spaces
	const state = 3                                                           // the number of the first field there
	var ticks int64
	for _, f := range fields[14-state : 18-state] {
		n, _ := strconv.ParseInt(f, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
