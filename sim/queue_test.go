// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/brief"
	"lbmsim/model"
)

// recorder is the CPU as a device that records work and reads fields concurrently with the steps,
// like a GPU, in the slowest way.
type recorder struct {
	device.Device
	mu         sync.Mutex
	recording  bool
	recorded   []func()
	launches   int // of graphs
	replayed   int // calls of Step by them
	steps      int // calls of Step
	syncs      int
	shots      int
	unprepared int  // of these, without memory allocated in advance
	noMemory   bool // for snapshots
	lost       bool // snapshots do not arrive
	stride     int  // steps that are one piece of work; 0: none are
	pieces     int  // of these
	fuses      bool // steps write fields
	left       int  // snapshots of those
}

func (d *recorder) NewStream(urgent bool) device.Stream {
	return &recStream{d.Device.NewStream(urgent), d}
}

func (d *recorder) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := d.Device.Load(s, l, periodic, cells)
	return &recProgram{Program: p, d: d, components: s.FieldValues(), narrow: s.Precision != model.Float64, n: l.N}, err
}

// do runs work now, or with every launch of the recording.
func (d *recorder) do(work func()) {
	if d.recording {
		d.recorded = append(d.recorded, work)
		return
	}
	work()
}

func (d *recorder) Capture(s device.Stream, body func() error) (device.Graph, error) {
	d.recording, d.recorded = true, nil
	err := body()
	d.recording = false
	return &recGraph{d, d.recorded}, err
}

type recGraph struct {
	d    *recorder
	work []func()
}

func (g *recGraph) Launch(device.Stream) {
	g.d.launches++
	before := g.d.steps
	for _, w := range g.work {
		w()
	}
	g.d.replayed += g.d.steps - before
}

func (g *recGraph) Close() { g.work = nil }

type recStream struct {
	device.Stream
	d *recorder
}

func (s *recStream) Copy(dst device.Buffer, to int, src device.Buffer, from, n int) {
	s.d.do(func() { s.Stream.Copy(dst, to, src, from, n) })
}

func (s *recStream) Record() device.Event {
	e := &recEvent{}
	s.d.do(func() { e.Event = s.Stream.Record() })
	return e
}

func (s *recStream) After(e device.Event) {
	s.d.do(func() {
		if shot, ok := e.(*shotEvent); ok {
			_ = shot.Wait() // the host waits instead
			return
		}
		s.Stream.After(e.(*recEvent).Event)
	})
}

func (s *recStream) Sync() error {
	if s.d.recording {
		panic("a recording waits for the device")
	}
	s.d.syncs++
	return s.Stream.Sync()
}

type recEvent struct{ device.Event }

type recProgram struct {
	device.Program
	d          *recorder
	components int
	narrow     bool // snapshots are of float32
	n          [3]int
	prepared   []decomp.Box
	written    int // cells whose fields steps have written since the last snapshot
	state      device.Buffer
}

func (p *recProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	p.d.do(func() {
		p.d.steps++
		p.Program.Step(s.(*recStream).Stream, in, out, box, q)
	})
}

func (p *recProgram) Stride() int { return max(1, p.d.stride) }

// Steps goes through a separate buffer: code that relies on the states between is detected.
func (p *recProgram) Steps(s device.Stream, in, out device.Buffer, q model.Params) {
	p.d.do(func() {
		p.d.pieces++
		between, err := p.d.Alloc(in.Bytes())
		if err != nil {
			panic(err)
		}
		queue, from, to := s.(*recStream).Stream, in, between
		for range p.d.stride {
			p.Program.FillFaces(queue, from, false)
			p.Program.Step(queue, from, to, decomp.Box{Hi: p.n}, q)
			if from = to; to == between {
				to = out
			} else {
				to = between
			}
		}
		if err := queue.Sync(); err != nil {
			panic(err)
		}
		between.Free()
	})
}

func (p *recProgram) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	p.d.do(func() { p.Program.FillFaces(s.(*recStream).Stream, state, exchanged) })
}

func (p *recProgram) Schedule(steps []device.Moment) error {
	return p.Program.(device.Timed).Schedule(steps)
}

func (p *recProgram) Advance(s device.Stream) {
	p.d.do(func() { p.Program.(device.Timed).Advance(s.(*recStream).Stream) })
}

// Prepare records the box; FieldsAsync counts the snapshots without a prepared one.
func (p *recProgram) Prepare(box decomp.Box) error {
	if p.d.noMemory {
		return fmt.Errorf("no memory for a snapshot of %v", box)
	}
	p.prepared = append(p.prepared, box)
	return nil
}

// FieldsAsync reads the state a little later: code that overwrites it too early is detected.
func (p *recProgram) FieldsAsync(_ device.Stream, state device.Buffer, box decomp.Box, q model.Params) (device.Snapshot, error) {
	if p.d.noMemory {
		return nil, fmt.Errorf("no memory for a snapshot of %v", box)
	}
	p.d.mu.Lock()
	p.d.shots++
	if !slices.Contains(p.prepared, box) {
		p.d.unprepared++
	}
	p.d.mu.Unlock()
	s := &shot{taken: shotEvent{done: make(chan struct{})}, narrow: p.narrow}
	go func() {
		time.Sleep(3 * time.Millisecond)
		s.values = make([]float64, box.Cells()*p.components)
		if s.taken.err = p.Fields(state, box, s.values, q); p.d.lost {
			s.taken.err = errors.New("the fields were lost on their way")
		}
		close(s.taken.done)
	}()
	return s, nil
}

func (p *recProgram) PrepareStepFields() (bool, error) { return p.d.fuses, nil }

// StepFields notes the cells; SendFields requires all to be there, and reads the state all the same.
func (p *recProgram) StepFields(s device.Stream, in, out device.Buffer, box decomp.Box, _ device.Buffer, _ decomp.Box, q model.Params) {
	if p.d.recording {
		panic("a recording computes fields without a reader")
	}
	p.written += box.Cells()
	p.state = out
	p.Step(s, in, out, box, q)
}

func (p *recProgram) SendFields(s device.Stream, state, fields device.Buffer, frame decomp.Box, q model.Params) (device.Snapshot, device.Event, error) {
	if p.state != state || p.written == 0 || p.written > frame.Cells() {
		return nil, nil, fmt.Errorf("steps have left the fields of %d cells, of %v", p.written, frame)
	}
	p.written = 0
	p.d.left++
	shot, err := p.FieldsAsync(s, state, frame, q)
	return shot, s.Record(), err
}

type shot struct {
	taken  shotEvent
	values []float64
	narrow bool
}

func (s *shot) Taken() device.Event { return &s.taken }
func (s *shot) Close()              { s.values = nil }
func (s *shot) Wait() ([]float32, []float64, error) {
	err := s.taken.Wait()
	if !s.narrow {
		return nil, s.values, err
	}
	var single []float32
	for _, v := range s.values {
		single = append(single, float32(v))
	}
	return single, nil, err
}

type shotEvent struct {
	done chan struct{}
	err  error
}

func (e *shotEvent) Done() bool       { return false }
func (e *shotEvent) Wait() error      { <-e.done; return e.err }
func (e *shotEvent) Seconds() float64 { return 0 }

// on runs a case on ranks with separate devices and returns rank 0's report.
func on(t *testing.T, text, dir string, ranks int, restart string, wrap func(device.Device) device.Device) *silent {
	t.Helper()
	report := &silent{}
	err := comm.RunLocal(ranks, func(c comm.Comm) error {
		cfg, err := config.Load("test.toml", []byte(text))
		if err != nil {
			return err
		}
		cfg.OutputDir = dir
		dev, err := cpu.New(2)
		if err != nil {
			return err
		}
		defer dev.Close()
		return Run(Options{Case: cfg, Comm: c, Device: wrap(dev), Report: report, Restart: restart, Version: "test"})
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// stepByStep runs a case on one rank that waits for every step, as ranks with
// neighbours do.
func stepByStep(t *testing.T, text, dir string) {
	t.Helper()
	cfg, err := config.Load("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cfg.OutputDir = dir
	dev, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r, err := start(Options{Case: cfg, Comm: comm.Serial(), Device: dev, Report: &silent{}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r.level.Queued = nil
	if err := r.loop(); err != nil {
		t.Fatal(err)
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	r.close()
}

// files returns all fields and the state that a run left, by name.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"state": stateIn(t, dir)}
	list, err := filepath.Glob(filepath.Join(dir, "fields", "*"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no fields in %s: %v", dir, err)
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "fields", "*.parts", "*"))
	probes, _ := filepath.Glob(filepath.Join(dir, "probe_*"))
	for _, f := range slices.Concat(list, parts, probes) {
		if filepath.Ext(f) == ".parts" {
			continue
		}
		all[strings.TrimPrefix(f, dir)] = contents(t, f)
	}
	return all
}

// Queued, recorded and fields read beside the steps: the bits of a run whose every
// step is waited for, whatever is due in between, odd numbers of steps included.
func TestQueuedStepsAreTheSame(t *testing.T) {
	brief.Fewer(t, "numbers of steps")
	for name, text := range variety {
		for i, steps := range []int{41, 64} {
			if testing.Short() && i != len(name)%2 {
				continue
			}
			text := withPoint(text + ending("regularized", "float64", steps))
			plain, queued, recorded := t.TempDir(), t.TempDir(), t.TempDir()
			stepByStep(t, text, plain)
			on(t, text, queued, 1, "", func(d device.Device) device.Device { return d })
			var rec *recorder
			on(t, text, recorded, 1, "", func(d device.Device) device.Device {
				rec = &recorder{Device: d}
				return rec
			})
			want := files(t, plain)
			for what, dir := range map[string]string{"queued": queued, "recorded": recorded} {
				got := files(t, dir)
				if len(got) != len(want) {
					t.Errorf("%s, %d steps, %s: %d files, want %d", name, steps, what, len(got), len(want))
				}
				for file, b := range want {
					if !bytes.Equal(got[file], b) {
						t.Errorf("%s, %d steps, %s: %s differs", name, steps, what, file)
					}
				}
			}
			fused := t.TempDir()
			var fusing *recorder
			on(t, text, fused, 1, "", func(d device.Device) device.Device {
				fusing = &recorder{Device: d, fuses: true}
				return fusing
			})
			for file, b := range files(t, fused) {
				if !bytes.Equal(want[file], b) {
					t.Errorf("%s, %d steps, fields left by steps: %s differs", name, steps, file)
				}
			}
			wanted := steps / 10
			if strings.HasPrefix(name, "tunnel that") || strings.HasPrefix(name, "open channel") {
				wanted = 0 // derivatives, with ghost rows within planes
			}
			if fusing.left != wanted {
				t.Errorf("%s: steps left %d snapshots of %d steps", name, fusing.left, steps)
			}
			// How many steps a recording has follows the time they take.
			if rec.launches < 2 || rec.shots != steps/10+min(steps%10, 1) {
				t.Errorf("%s: %d launches in %d steps, %d snapshots", name, rec.launches, steps, rec.shots)
			}
		}
	}
}

// Steps in pieces of several: the same files, with pieces wherever hooks leave room for two.
func TestStepsInPieces(t *testing.T) {
	text := variety["closed box"] + `
[run]
steps = 240
[output.fields]
every = 25
[output.force.lid]
every = 16
[checkpoint]
`
	plain, pieces := t.TempDir(), t.TempDir()
	stepByStep(t, text, plain)
	rec := &recorder{stride: 4}
	on(t, text, pieces, 1, "", func(d device.Device) device.Device {
		rec.Device = d
		return rec
	})
	want, got := files(t, plain), files(t, pieces)
	for file, b := range want {
		if !bytes.Equal(got[file], b) {
			t.Errorf("%s differs", file)
		}
	}
	if len(got) != len(want) || rec.pieces < 2 || rec.pieces%2 != 0 {
		t.Errorf("%d files, want %d; %d pieces", len(got), len(want), rec.pieces)
	}
}

// A restart may start from either buffer.
func TestRestartOfRecordedSteps(t *testing.T) {
	text := variety["closed box"] + `
[run]
steps = %d
[output.fields]
[checkpoint]
`
	whole, parts := t.TempDir(), t.TempDir()
	wrap := func(d device.Device) device.Device { return &recorder{Device: d} }
	stepByStep(t, fmt.Sprintf(text, 60), whole)
	on(t, fmt.Sprintf(text, 33), parts, 1, "", wrap)
	on(t, fmt.Sprintf(text, 60), parts, 1, "latest", wrap)
	if !bytes.Equal(stateIn(t, parts), stateIn(t, whole)) {
		t.Error("the states differ")
	}
}

// Between hooks the host does not wait: the number of waits follows the hooks, not the steps.
func TestNobodyWaitsBetweenHooks(t *testing.T) {
	text := `
[domain]
cells = [16, 16]
periodic = ["x", "y"]
[fluid]
viscosity = 0.02
[run]
steps = 20000
watch_every = 20000
`
	var rec *recorder
	on(t, text, t.TempDir(), 1, "", func(d device.Device) device.Device {
		rec = &recorder{Device: d}
		return rec
	})
	// Synchronizations double their distance up to a tenth of a second: on a busy machine there are hundreds, and about two calls
	// beside each are not recorded.
	if rec.steps-rec.replayed > rec.steps/100+2*rec.syncs || rec.launches > 2000 || rec.syncs > 1000 {
		t.Errorf("%d of %d calls recorded, %d launches, %d waits in 20000 steps", rec.replayed, rec.steps, rec.launches, rec.syncs)
	}
}

// Several ranks read fields beside the steps too, and where one of them has no memory
// for it all go the slow way, with a word, and with the same files.
func TestSnapshotsOnRanks(t *testing.T) {
	for _, precision := range []string{"float64", "float32", "float16"} {
		text := variety["channel with a body"] + `
[collision]
precision = "` + precision + `"
[run]
steps = 12
[output.fields]
fields = ["velocity", "vorticity", "solid"]
precision = "float64"
every = 2
[checkpoint]
`
		var want map[string][]byte
		if precision == "float64" { // otherwise a snapshot has fewer digits than the CPU's fields
			plain := t.TempDir()
			stepByStep(t, text, plain)
			want = files(t, plain)
		}
		for k, crowded := range []bool{false, true, false} {
			dir := t.TempDir()
			var mu sync.Mutex
			var all []*recorder
			report := on(t, text, dir, 3, "", func(d device.Device) device.Device {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, &recorder{Device: d, noMemory: crowded && len(all) == 1, fuses: k > 0})
				return all[len(all)-1]
			})
			got := files(t, dir)
			if want == nil {
				want = got
			}
			for file, b := range want {
				if file != "fields.hdf.series" && file != "state" && !bytes.Equal(got[file], b) {
					t.Errorf("%s, crowded %v: %s differs", precision, crowded, file)
				}
			}
			shots, left := all[0].shots+all[1].shots+all[2].shots, all[0].left+all[1].left+all[2].left
			if !crowded && left != 18*(k/2) {
				t.Errorf("%s: steps left %d snapshots", precision, left)
			}
			if n := all[0].unprepared + all[2].unprepared; n > 0 {
				t.Errorf("%s, crowded %v: %d snapshots without memory taken before the first step", precision, crowded, n)
			}
			if crowded && (shots != 2 || len(report.warned) != 1) || !crowded && (shots != 3*6 || len(report.warned) > 0) {
				t.Errorf("%s, crowded %v: %d snapshots, warnings %q", precision, crowded, shots, report.warned)
			}
		}
	}
}

// A snapshot of one rank that does not arrive ends the run on every rank, and leaves
// no file that seems complete.
func TestLostSnapshotFailsEveryRank(t *testing.T) {
	text := variety["channel with a body"] + `
[run]
steps = 12
[output.fields]
at_start = true
`
	dir := t.TempDir()
	errs := make([]error, 3)
	_ = comm.RunLocal(len(errs), func(c comm.Comm) error {
		cfg, err := config.Load("test.toml", []byte(text))
		if err != nil {
			return err
		}
		cfg.OutputDir = dir
		dev, err := cpu.New(1)
		if err != nil {
			return err
		}
		defer dev.Close()
		errs[c.Rank()] = Run(Options{
			Case: cfg, Comm: c, Device: &recorder{Device: dev, lost: c.Rank() == 1}, Report: &silent{}, Version: "test",
		})
		return nil
	})
	for rank, err := range errs {
		if code, agreed := ExitCode(err); code != ExitFailure || !agreed || !strings.Contains(err.Error(), "step 0: fields: rank 1: the fields were lost") {
			t.Errorf("rank %d: %v, exit code %d, agreed %v", rank, err, code, agreed)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "fields", "*.hdf")); len(left) > 0 {
		t.Errorf("files %v", left)
	}
}
