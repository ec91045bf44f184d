package sim

import (
	"slices"
	"testing"
	"time"

	"lbmsim/comm"
)

// The next file of a kind waits for the last one of that kind and for no other; a
// checkpoint alone waits for all that was begun before it.
func TestSettleWaitsForItsKind(t *testing.T) {
	report := &silent{}
	r := &run{Options: Options{Comm: comm.Serial(), Report: report}, root: true, files: map[string]string{}}
	nothing := func() error { return nil }
	slow := make(chan struct{})
	r.launch(&job{kind: "fields", path: "a", finish: nothing}, func() error { <-slow; return nil })
	r.launch(&job{kind: "picture", path: "b", finish: nothing}, nothing)
	if err := r.settle("picture"); err != nil {
		t.Fatal(err)
	}
	if err := r.settleInTurn("checkpoint"); err != nil { // there is none yet
		t.Fatal(err)
	}
	if want := []string{"picture b"}; !slices.Equal(report.wrote, want) || len(r.jobs) != 1 {
		t.Fatalf("%q are done, want %q; %d jobs are left", report.wrote, want, len(r.jobs))
	}
	r.launch(&job{kind: "checkpoint", path: "c", finish: nothing}, nothing)
	time.AfterFunc(10*time.Millisecond, func() { close(slow) })
	if err := r.settleInTurn("checkpoint"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"picture b", "fields a", "checkpoint c"}; !slices.Equal(report.wrote, want) || len(r.jobs) != 0 {
		t.Errorf("%q are done, want %q; %d jobs are left", report.wrote, want, len(r.jobs))
	}
}
