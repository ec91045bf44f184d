// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm/mpi/mpitest"
	"lbmsim/internal/brief"
	"lbmsim/internal/compare"
	"lbmsim/internal/harness"
	"lbmsim/io/checkpoint"
)

// Tests of lbmsim as users run it: the real binary, real ranks, real signals and files.

// testDevice returns the device of these tests: cpu, or the value of
// LBMSIM_TEST_DEVICE; ranks then share one GPU.
func testDevice() string {
	if name := os.Getenv("LBMSIM_TEST_DEVICE"); name != "" {
		return name
	}
	return "cpu"
}

// binary builds lbmsim once for all tests of this file.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lbmsim-test-")
	if err != nil {
		return "", err
	}
	return harness.Build("../..", dir)
})

// command line of lbmsim on n ranks; 0 = without a launcher.
func program(t *testing.T, ctx context.Context, dir string, n int, args ...string) *exec.Cmd {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env = os.Environ()
	if n > 0 {
		line, env := mpitest.Mpirun(t)
		line = append(append(line, "-np", fmt.Sprint(n), bin), args...)
		cmd = exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Env = append(os.Environ(), env...)
	}
	cmd.Dir = dir
	// The launcher and its ranks die together when the test gives up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// result of a finished program.
type result struct {
	code    int
	out     string // both streams
	elapsed time.Duration
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	start := time.Now()
	err := cmd.Run()
	r := result{out: b.String(), elapsed: time.Since(start)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%v\n%s", err, r.out)
	}
	return r
}

func runProgram(t *testing.T, dir string, n int, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return finish(t, program(t, ctx, dir, n, args...))
}

func writeCase(t *testing.T, dir, text string) string {
	t.Helper()
	text += fmt.Sprintf("\n[device]\nkind = %q\nshare = true\n", testDevice())
	if err := os.WriteFile(filepath.Join(dir, "case.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "case.toml"
}

const box = `
[domain]
cells = [30, 22, 17]
periodic = ["y"]
[fluid]
viscosity = 0.03
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "z-"]
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0.01, 0]
[body.ball]
shape = "sphere"
centre = [14, 11, 8]
radius = 4
[run]
steps = %d
[output.fields]
fields = ["pressure", "velocity", "vorticity"]
[output.picture]
[output.probe.p]
at = [4, 5, 6]
[checkpoint]
every = %d
`

func lastState(t *testing.T, dir string) []byte {
	t.Helper()
	return stateIn(t, filepath.Join(dir, "out", "case"))
}

func TestRealRanksGiveTheSameBits(t *testing.T) {
	want := []byte(nil)
	for _, n := range []int{0, 1, 2, 3, 5} {
		dir := t.TempDir()
		r := runProgram(t, dir, n, writeCase(t, dir, fmt.Sprintf(box, 60, 60)))
		if r.code != 0 {
			t.Fatalf("%d ranks: exit code %d\n%s", n, r.code, r.out)
		}
		state := lastState(t, dir)
		if want == nil {
			want = state
		} else if !bytes.Equal(state, want) {
			t.Errorf("%d ranks: the state differs from one rank's without mpirun", n)
		}
		pictures, _ := filepath.Glob(filepath.Join(dir, "out", "case", "*.png"))
		if len(pictures) == 0 {
			t.Errorf("%d ranks: no picture", n)
		}
	}
}

// Pencils over the real library: as given in the case and, with more ranks than planes, as chosen
// by lbmsim; and a restart on another cut. Fields and pictures also have the same bytes, except for
// the cut in the case's text.
func TestRealRanksInPencils(t *testing.T) {
	brief.Fewer(t, "cuts")
	short := strings.Replace(fmt.Sprintf(box, 60, 30), "cells = [30, 22, 17]", "cells = [30, 22, 4]", 1)
	short = strings.Replace(short, "centre = [14, 11, 8]\nradius = 4", "centre = [14, 11, 2]\nradius = 1.5", 1)
	short = strings.Replace(short, "at = [4, 5, 6]", "at = [4, 5, 3]", 1)
	straight := t.TempDir()
	same := func(dir string) bool {
		for _, pattern := range []string{"*.csv", "*.png", "fields/*.hdf"} {
			found, _ := filepath.Glob(filepath.Join(straight, "out", "case", pattern))
			if len(found) == 0 {
				t.Fatalf("no %s in %s", pattern, straight)
			}
			for _, f := range found {
				r, err := compare.Files(f, dir+strings.TrimPrefix(f, straight))
				if err != nil {
					t.Fatal(err)
				}
				if !r.Same() || len(r.Case) > 0 {
					return false
				}
			}
		}
		return true
	}
	if r := runProgram(t, straight, 0, writeCase(t, straight, short)); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	state := lastState(t, straight)
	for _, c := range []struct {
		ranks int
		parts string
		long  bool
	}{{6, "", true}, {8, "", false}, {12, "", true}, {2, "[1, 2, 1]", false}, {4, "[1, 2, 2]", true}, {12, "[1, 3, 4]", false}} {
		if testing.Short() && c.long {
			continue
		}
		dir := t.TempDir()
		text := short
		if c.parts != "" {
			text = strings.Replace(text, "[run]\n", "[run]\nranks = "+c.parts+"\n", 1)
		}
		if r := runProgram(t, dir, c.ranks, writeCase(t, dir, text)); r.code != 0 || !strings.Contains(r.out, "y 0-") {
			t.Fatalf("%d ranks, parts %s: exit code %d\n%s", c.ranks, c.parts, r.code, r.out)
		}
		if !bytes.Equal(lastState(t, dir), state) {
			t.Errorf("%d ranks, parts %s: the state differs from one rank's without mpirun", c.ranks, c.parts)
		}
		if c.parts == "" && !same(dir) {
			t.Errorf("%d ranks: fields, pictures or probes differ from one rank's without mpirun", c.ranks)
		}
		last, err := checkpoint.Latest(filepath.Join(dir, "out", "case", "checkpoints"))
		if err != nil || len(last) != 2 {
			t.Fatalf("%d checkpoints: %v", len(last), err)
		}
		if err := os.Remove(last[0]); err != nil {
			t.Fatal(err)
		}
		writeCase(t, dir, short)
		if r := runProgram(t, dir, 7, "run", "case.toml", "--restart", "latest"); r.code != 0 {
			t.Fatalf("restart of %d ranks on 7: exit code %d\n%s", c.ranks, r.code, r.out)
		}
		if !bytes.Equal(lastState(t, dir), state) {
			t.Errorf("%d ranks, parts %s, restarted on 7: another state", c.ranks, c.parts)
		}
	}
}

func TestWrongCaseEndsAllRanksWithCode2(t *testing.T) {
	dir := t.TempDir()
	r := runProgram(t, dir, 3, writeCase(t, dir, strings.Replace(fmt.Sprintf(box, 10, 10), "viscosity", "viscocity", 1)))
	if r.code != 2 || strings.Count(r.out, "did you mean") != 1 {
		t.Errorf("exit code %d, want 2 and one message:\n%s", r.code, r.out)
	}
	if r := runProgram(t, dir, 2, "nosuch.toml"); r.code != 2 || strings.Count(r.out, "nosuch.toml") != 1 {
		t.Errorf("no case: exit code %d\n%s", r.code, r.out)
	}
	if r := runProgram(t, dir, 23, writeCase(t, dir, fmt.Sprintf(box, 10, 10))); r.code != 2 || !strings.Contains(r.out, "the next smaller valid number is 22") {
		t.Errorf("more ranks than rows along y and z: exit code %d\n%s", r.code, r.out)
	}
}

// started waits until the run has written its first checkpoint.
func started(t *testing.T, dir string, cmd *exec.Cmd) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if files, _ := checkpoint.Latest(filepath.Join(dir, "out", "case", "checkpoints")); len(files) > 0 {
			return
		}
	}
	_ = cmd.Cancel()
	t.Fatal("no checkpoint within a minute")
}

func TestInterruptCheckpointsAndRestartGoesOn(t *testing.T) {
	for _, n := range []int{0, 2} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := program(t, ctx, dir, n, writeCase(t, dir, fmt.Sprintf(box, 1_000_000_000, 50)))
		// Open MPI's launcher kills ranks a second later, which is not enough on a busy machine.
		cmd.Env = append(cmd.Environ(), "OMPI_MCA_odls_base_sigkill_timeout=6")
		go func() {
			started(t, dir, cmd)
			_ = cmd.Process.Signal(os.Interrupt)
		}()
		r := finish(t, cmd)
		if !strings.Contains(r.out, "restart latest") {
			t.Fatalf("%d ranks: no clean end after an interrupt, exit code %d\n%s", n, r.code, r.out)
		}
		files, err := checkpoint.Latest(filepath.Join(dir, "out", "case", "checkpoints"))
		if err != nil || len(files) == 0 {
			t.Fatal("no checkpoint", err)
		}
		f, err := checkpoint.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		step := int(f.Header.Step)
		f.Close()
		writeCase(t, dir, fmt.Sprintf(box, step+40, 50))
		if r := runProgram(t, dir, 3, "run", "case.toml", "--restart", "latest"); r.code != 0 {
			t.Fatalf("restart: exit code %d\n%s", r.code, r.out)
		}
		straight := t.TempDir()
		if r := runProgram(t, straight, 0, writeCase(t, straight, fmt.Sprintf(box, step+40, 50))); r.code != 0 {
			t.Fatalf("exit code %d\n%s", r.code, r.out)
		}
		if !bytes.Equal(lastState(t, dir), lastState(t, straight)) {
			t.Errorf("%d ranks: the continued run differs from the uninterrupted one", n)
		}
	}
}

// pidsOf lists the ranks of a job by their working folder.
func pidsOf(dir string) []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if cwd == dir && filepath.Base(exe) == "lbmsim" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// transports supported by the device of these tests, including ranks on one GPU; gpu needs a
// GPU-aware MPI library.
func transports(t *testing.T) []string {
	t.Helper()
	if testDevice() != "cuda" {
		return []string{"auto", "host"}
	}
	list := []string{"auto", "host", "peer"}
	if yes, known := mpiTakesGPUs(t); yes && known {
		return append(list, "gpu")
	}
	t.Log("NOT TESTED: transport gpu, for this MPI library does not say that it takes GPU memory")
	return list
}

// mpiTakesGPUs queries the library, in a separate process.
func mpiTakesGPUs(t *testing.T) (yes, known bool) {
	t.Helper()
	r := runProgram(t, t.TempDir(), 2, "doctor", "--device", "cpu", "--disk-mib", "1")
	return strings.Contains(r.out, "GPU-aware? ") && strings.Contains(r.out, " says yes"), strings.Contains(r.out, " says ")
}

// The same bits for every number of ranks and every transport, after 1000 steps of a case
// with a body, a force and a moving wall; periodic, so that the ends are neighbours too.
func TestTransportsGiveTheSameBits(t *testing.T) {
	text := strings.Replace(box, `periodic = ["y"]`, `periodic = ["y", "z"]`, 1)
	text = strings.Replace(text, `faces = ["x-", "x+", "z-"]`, `faces = ["x-"]`, 1)
	text = strings.Replace(text, `faces = ["z+"]`, `faces = ["x+"]`, 1)
	text = strings.Replace(text, `velocity = [0.05, 0.01, 0]`, `velocity = [0, 0.02, 0.05]`, 1)
	text = strings.Replace(text, "[run]\n", "[force]\nacceleration = [0, 0, 1e-5]\n[run]\n", 1)
	text = fmt.Sprintf(text, 1000, 1000)
	want := []byte(nil)
	brief.Fewer(t, "numbers of ranks")
	for k, transport := range transports(t) {
		for _, n := range []int{1, 2, 3, 4} {
			if n == 1 && want != nil || n > 1 && testing.Short() && (n+k)%2 == 1 {
				continue
			}
			dir := t.TempDir()
			r := runProgram(t, dir, n, writeCase(t, dir, text), "--transport", transport)
			if r.code != 0 {
				t.Fatalf("%s, %d ranks: exit code %d\n%s", transport, n, r.code, r.out)
			}
			if n > 1 && transport != "auto" && !strings.Contains(r.out, "ghosts    "+transport+" (") {
				t.Errorf("%s, %d ranks: another transport is named:\n%s", transport, n, r.out)
			}
			state := lastState(t, dir)
			if want == nil {
				want = state
			} else if !bytes.Equal(state, want) {
				t.Errorf("%s, %d ranks: the state differs from one rank's", transport, n)
			}
			t.Logf("%s, %d ranks: state %.16x, %v", transport, n, sha256.Sum256(state), r.elapsed.Round(time.Millisecond))
		}
	}
}

// An unavailable transport is refused with the reason and its own exit code.
func TestTransportIsRefused(t *testing.T) {
	dir := t.TempDir()
	name := writeCase(t, dir, fmt.Sprintf(box, 10, 10))
	for transport, reason := range map[string]string{"peer": "no memory that other ranks can write", "gpu": "not in GPU memory", "pigeon": "--transport: pigeon is not one of auto, host, gpu, peer"} {
		r := runProgram(t, dir, 2, name, "--transport", transport, "--device", "cpu")
		if r.code != 2 || strings.Count(r.out, reason) != 1 {
			t.Errorf("%s: exit code %d, want 2 and once %q\n%s", transport, r.code, reason, r.out)
		}
	}
}

// kill -9 of one rank, in the middle of a run: all others end within 30 s with a message
// that names it, and none is left behind.
func TestKilledRankIsNamed(t *testing.T) {
	for i, transport := range transports(t) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := program(t, ctx, dir, 3, writeCase(t, dir, fmt.Sprintf(box, 1_000_000_000, 200)), "--transport", transport)
		var killed time.Time
		victim := 0
		go func() {
			started(t, dir, cmd)
			time.Sleep(100 * time.Millisecond)
			if pids := pidsOf(dir); len(pids) > 0 {
				victim, killed = pids[i%len(pids)], time.Now()
				_ = syscall.Kill(victim, syscall.SIGKILL)
			}
		}()
		r := finish(t, cmd)
		if r.code == 0 || killed.IsZero() || time.Since(killed) > 30*time.Second {
			t.Fatalf("%s: exit code %d, %v after the kill\n%s", transport, r.code, time.Since(killed), r.out)
		}
		named := regexp.MustCompile(fmt.Sprintf(`lbmsim: rank \d \(process %d on `, victim)).MatchString(r.out)
		// MPICH's mpiexec kills all ranks at once, at times before a rank can print. It reports
		// this itself.
		if !named && !strings.Contains(r.out, "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES") {
			t.Errorf("%s: no rank names process %d:\n%s", transport, victim, r.out)
		}
		for end := time.Now().Add(10 * time.Second); len(pidsOf(dir)) > 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: ranks are left behind", transport)
			}
		}
		t.Logf("%s: over %v after the kill", transport, time.Since(killed).Round(time.Millisecond))
	}
}

// kill -9 of one rank, at a random moment of a run with frequent checkpoints: the job ends within
// seconds, and the newest checkpoint restarts.
func TestKilledRankEndsTheJobAndLeavesACheckpoint(t *testing.T) {
	for trial := 0; trial < 3; trial++ {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := program(t, ctx, dir, 3, writeCase(t, dir, fmt.Sprintf(box, 1_000_000_000, 2)))
		var killed time.Time
		go func() {
			started(t, dir, cmd)
			time.Sleep(time.Duration(37*trial) * time.Millisecond)
			if pids := pidsOf(dir); len(pids) > 0 {
				killed = time.Now()
				_ = syscall.Kill(pids[trial%len(pids)], syscall.SIGKILL)
			}
		}()
		r := finish(t, cmd)
		if r.code == 0 || killed.IsZero() || time.Since(killed) > 20*time.Second {
			t.Fatalf("exit code %d, %v after the kill\n%s", r.code, time.Since(killed), r.out)
		}
		for end := time.Now().Add(10 * time.Second); len(pidsOf(dir)) > 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("ranks are left behind")
			}
		}
		lastState(t, dir) // opens and verifies every plane
	}
}

// a full disk stops the run with one message on one line of the log, and earlier checkpoints remain
// valid.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", out, "tmpfs", 0, "size=4m"); err != nil {
		notMounted(t, fmt.Sprintf("tmpfs: it needs root, and a container that allows it: %v", err))
	}
	defer func() { _ = syscall.Unmount(out, syscall.MNT_DETACH) }()
	text := strings.Replace(fmt.Sprintf(box, 10000, 20), "[checkpoint]", "[checkpoint]\nkeep = 1000", 1)
	r := runProgram(t, dir, 2, writeCase(t, dir, text))
	if r.code != 1 || !strings.Contains(r.out, "no space left") {
		t.Fatalf("exit code %d, want 1 and the reason\n%s", r.code, r.out)
	}
	if len(lastState(t, dir)) == 0 {
		t.Error("no good checkpoint is left")
	}
}

// The JSON of bench contains no other text, and counts that measure nothing are refused.
func TestBenchPrintsJSON(t *testing.T) {
	dir := t.TempDir()
	r := runProgram(t, dir, 0, "bench", "--device", "cpu", "--threads", "1", "--only", "checkpoint,plane", "--rounds", "0")
	if r.code != 2 || !strings.Contains(r.out, "--rounds") {
		t.Errorf("no rounds: exit code %d\n%s", r.code, r.out)
	}
	r = runProgram(t, dir, 0, "bench", "--device", "cpu", "--threads", "1", "--only", "checkpoint,speed", "--size", "16", "--passes", "2", "--rounds", "1", "--disk-mib", "1", "--json")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	parts := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
		var row struct{ Part string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		parts[row.Part]++
	}
	if parts["checkpoint"] != 1 || parts["speed"] < 5 || len(parts) != 2 {
		t.Errorf("rows %v", parts)
	}
}

func TestCheckListAndInfo(t *testing.T) {
	dir := t.TempDir()
	name := writeCase(t, dir, fmt.Sprintf(box, 10, 10))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"check", name}, []string{"tau", "bytes per cell"}},
		{[]string{"list"}, []string{"regularized", "moving_wall", "vorticity", "Phys. Rev."}},
		{[]string{"info"}, []string{"hdf5", "mpi", "avx"}},
		{[]string{"--version"}, []string{"lbmsim"}},
	} {
		r := runProgram(t, dir, 0, c.args...)
		for _, w := range c.want {
			if r.code != 0 || !strings.Contains(r.out, w) {
				t.Errorf("lbmsim %v: exit code %d, no %q in\n%s", c.args, r.code, w, r.out)
			}
		}
	}
	if r := runProgram(t, dir, 0); r.code != 2 {
		t.Errorf("no case: exit code %d", r.code)
	}
	if r := runProgram(t, dir, 0, "run", name, "--nosuch"); r.code != 2 {
		t.Errorf("unknown flag: exit code %d", r.code)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("check wrote something")
	}
}
