package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/ram"
	"lbmsim/sim"
)

// what check forecasts is what a run takes, to 5 %. It does not know the threads, of which
// each has some MiB of its own: on 32 cores this small case takes 6 % more.
func TestForecastOfMemoryIsTrue(t *testing.T) {
	const text = `
[domain]
cells = [160, 160, 200]
[fluid]
viscosity = 0.03
[device]
kind = "cpu"
[collision]
model = "bgk"
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-", "z+"]
[run]
steps = 20
[checkpoint]
every = 10
`
	if os.Getenv("LBMSIM_TEST_CASE") != "" { // the child: one run, and no more
		os.Exit(execute([]string{"run", os.Getenv("LBMSIM_TEST_CASE"), "--output", os.Getenv("LBMSIM_TEST_OUT"), "--threads", "4"}))
	}
	kase, err := config.Load("case.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := float64(kase.StateBytes(1) + kase.FlagBytes(1) + kase.SnapshotBytes(1) + config.BaseBytes)
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/case.toml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "LBMSIM_TEST_CASE="+dir+"/case.toml", "LBMSIM_TEST_OUT="+dir+"/out")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * 1024
	if ratio := peak / want; ratio < 0.95 || ratio > 1.05 {
		t.Errorf("the peak of %.0f MiB is %.3f of the forecast's %.0f MiB", peak/(1<<20), ratio, want/(1<<20))
	}
}

// A case that cannot fit is refused in a sentence, not killed.
func TestTooLargeACaseIsRefused(t *testing.T) {
	kase, err := config.Load("large.toml", []byte("[domain]\ncells = [10000, 10000, 10000]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.03\n[run]\nsteps = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if ram.Left() == 0 {
		t.Skip("this system does not tell its memory")
	}
	err = enoughMemory(comm.Local(1)[0], kase, true)
	if code, agreed := sim.ExitCode(err); err == nil || code != sim.ExitUsage || !agreed || !strings.Contains(err.Error(), "large.toml: the case needs ") {
		t.Errorf("%v, code %d", err, code)
	}
	if kase.Cells = [3]int{10, 10, 10}; enoughMemory(comm.Local(1)[0], kase, true) != nil {
		t.Error("a small case was refused")
	}
}
