package sim

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/domain"
)

// The next picture waits for the last one and for nothing else; checkpoints and fields
// also wait for what was begun before the last one of their kind.
func TestSettleWaitsForItsKind(t *testing.T) {
	report := &silent{}
	r := &run{stepper: &stepper{Part: &domain.Part{Comm: comm.Serial(), Root: true}}, options: Options{Report: report}, files: map[string]string{}, took: map[string]time.Duration{}}
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

// While fields follow each other on a slow disk there is always a writer at work. A
// checkpoint among them gets its name with the next of them, not when all is quiet.
func TestCheckpointAmongFields(t *testing.T) {
	report := &silent{}
	r := &run{stepper: &stepper{Part: &domain.Part{Comm: comm.Serial(), Root: true}}, options: Options{Report: report}, files: map[string]string{}, took: map[string]time.Duration{}}
	nothing := func() error { return nil }
	slow := make(chan struct{})
	defer close(slow)
	r.launch(&job{kind: "fields", path: "a", finish: nothing}, nothing)
	r.launch(&job{kind: "checkpoint", path: "b", finish: nothing}, nothing)
	for _, next := range []struct {
		path  string
		work  func() error
		wrote []string
	}{
		{"c", nothing, []string{"fields a"}},
		{"d", func() error { <-slow; return nil }, []string{"fields a", "checkpoint b", "fields c"}},
	} {
		if err := r.settleInTurn("fields"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(report.wrote, next.wrote) {
			t.Errorf("before %s: %q are done, want %q", next.path, report.wrote, next.wrote)
		}
		r.launch(&job{kind: "fields", path: next.path, finish: nothing}, next.work)
	}
	if !r.busy() || len(r.jobs) != 1 {
		t.Errorf("%d jobs are left, want the slow one", len(r.jobs))
	}
}

// last is an output of the end that looks at what has its name by then.
type last struct{ seen []string }

func (l *last) schedule() config.Schedule { return config.Schedule{End: true} }
func (l *last) written() int              { return -1 }
func (l *last) close()                    {}
func (l *last) write(r *run) error {
	l.seen = slices.Clone(r.options.Report.(*silent).wrote)
	return nil
}

// The last fields may fill the disk: the checkpoint is safe before they begin.
func TestCheckpointIsSafeBeforeTheEnd(t *testing.T) {
	out := &last{}
	r := &run{stepper: &stepper{Part: &domain.Part{Comm: comm.Serial(), Root: true}}, options: Options{Report: &silent{}}, files: map[string]string{}, took: map[string]time.Duration{}, outputs: []output{out}}
	nothing := func() error { return nil }
	r.launch(&job{kind: "checkpoint", path: "a", finish: nothing}, nothing)
	if err := r.lastOutputs(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"checkpoint a"}; !slices.Equal(out.seen, want) {
		t.Errorf("%q are done before the last output, want %q", out.seen, want)
	}
}

// A run that goes on where an older version wrote says that its film has files of two kinds.
func TestFilmOfTwoVersions(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 20
[output.fields]
every = 5
[checkpoint]
every = 10
`
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	const warning = "files of an older version"
	if s := (trial{text: text, ranks: 1, dir: dir, restart: Latest}).must(t); s.warnedOf(warning) > 0 {
		t.Errorf("files of this version: %q", s.warned)
	}
	path := filepath.Join(dir, "fields", "fields.hdf.series")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = regexp.MustCompile(`(?m),"grid".*?(,?)$`).ReplaceAll(b, []byte("}$1"))
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if s := (trial{text: text, ranks: 2, dir: dir, restart: Latest}).must(t); s.warnedOf(warning) != 1 {
		t.Errorf("%q\n%s", s.warned, b)
	}
}
