// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package status

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLastStateIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	w := NewWriter(dir)
	var wg sync.WaitGroup
	for range 4 { // readers see whole states
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 200 {
				if s, err := Read(dir); err == nil && (s.Case != "a.toml" || s.Step < 1 || s.Step > 1000) {
					t.Errorf("read %+v", s)
				} else if err != nil && !strings.Contains(err.Error(), "there is no") {
					t.Error(err)
				}
			}
		}()
	}
	for n := 1; n <= 1000; n++ {
		w.Write(State{Phase: Running, Identity: Identity{Case: "a.toml"}, Progress: Progress{Step: n}})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if s, err := Read(dir); err != nil || s.Step != 1000 || s.Phase != Running {
		t.Errorf("%+v %v", s, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v %v", left, err)
	}
}

func TestFailedWritesAreReported(t *testing.T) {
	w := NewWriter(filepath.Join(t.TempDir(), "none"))
	w.Write(State{})
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), Name) {
		t.Error(err)
	}
	if err := NewWriter(t.TempDir()).Close(); err != nil {
		t.Error("nothing was to be written:", err)
	}
}

func TestWhatIsNoState(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not the output folder") {
		t.Error(err)
	}
	for _, text := range []string{`{"phase": `, `{}`, `null`, `{"phase": "dancing"}`, `{"phase": "running", "started": "soon"}`} {
		if err := os.WriteFile(filepath.Join(dir, Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "is not the state of a run") || strings.Contains(err.Error(), "parsing") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The groups of State are not visible in the file: each value is a key of one object, in the order of the groups.
func TestStateIsFlat(t *testing.T) {
	text, err := json.Marshal(State{})
	want := `{"phase":"","case":"","version":"","units":"","host":"","process":0,"ranks":0,` +
		`"started":"0001-01-01T00:00:00Z","updated":"0001-01-01T00:00:00Z","every":0,` +
		`"first_step":0,"step":0,"last_step":0,"time":0,"mlups":0,"eta":0,` +
		`"max_mach":0,"max_speed":0,"density_drift":0,"grid_scale":0,"temperature_excess":0}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestSilent(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		phase Phase
		ago   time.Duration
		want  time.Duration
	}{
		{Running, 0, 0}, {Running, 34 * time.Second, 0}, {Running, 36 * time.Second, 36 * time.Second},
		{Finished, time.Hour, 0}, {Failed, time.Hour, 0},
	} {
		s := State{Phase: c.phase, Progress: Progress{Updated: now.Add(-c.ago), Every: 5}}
		if got := s.Silent(now); got != c.want {
			t.Errorf("%s, written %v ago: silent for %v, want %v", c.phase, c.ago, got, c.want)
		}
	}
}

// A rank 0 that wakes after another rank has written that the run failed leaves that state alone; a run that starts later does not.
func TestRunningDoesNotReplaceFailed(t *testing.T) {
	dir, began := t.TempDir(), time.Now()
	w := NewWriter(dir)
	put := func(s State) State {
		w.Write(s)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	put(State{Phase: Running, Progress: Progress{Started: began}})
	if err := Fail(dir, "", began, "rank 0 has not answered", 1); err != nil {
		t.Fatal(err)
	}
	if s := put(State{Phase: Running, Progress: Progress{Started: began, Step: 7}}); s.Phase != Failed || s.Error != "rank 0 has not answered" {
		t.Errorf("the woken rank wrote %+v", s)
	}
	if s := put(State{Phase: Running, Progress: Progress{Started: began.Add(time.Minute)}}); s.Phase != Running {
		t.Errorf("the next run wrote %+v", s)
	}
}
