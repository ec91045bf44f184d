// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"lbmsim/io/picture"
	"lbmsim/io/status"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// Folder is a run on any machine, observed by the files in its output folder.
type Folder struct {
	dir  string
	list *listing

	mu    sync.Mutex
	at    time.Time // of state
	state State
	text  string // the case
}

// NewFolder returns the run that writes, or wrote, into a folder.
func NewFolder(dir string) *Folder { return &Folder{dir: dir, list: &listing{}} }

// State implements Run.
func (f *Folder) State() State {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.at) < listedEvery {
		return f.state
	}
	s, err := status.Read(f.dir)
	now := time.Now()
	f.at = now
	if err != nil {
		f.state.Standing, f.state.Bad = err.Error(), true
		return f.state
	}
	f.state = State{State: s}
	f.state.Standing, f.state.Bad = s.Standing(filepath.Join(f.dir, output.LockName), now)
	f.state.Elapsed = s.Updated.Sub(s.Started).Seconds()
	return f.state
}

// Folder implements Run.
func (f *Folder) Folder() string { return f.dir }

// About implements Run.
func (f *Folder) About() About {
	a := About{Orders: []string{}, Case: f.caseText()}
	if f.State().Phase == status.Running {
		a.Orders = []string{stopOrder, saveOrder, drawOrder, meanOrder}
	}
	return a
}

// caseText returns the resolved case, which tables and pictures contain.
func (f *Folder) caseText() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text != "" {
		return f.text
	}
	files := f.list.of(f.dir)
	if f.text = caseIn(f.dir, files); f.text != "" {
		return f.text
	}
	for _, s := range files.Pictures {
		if path, ok := picturePath(f.dir, s, s.Steps[len(s.Steps)-1]); ok {
			if text, err := picture.ReadText(path); err == nil && text["Source"] != "" {
				f.text = text["Source"]
				break
			}
		}
	}
	return f.text
}

// Lines implements Run: the folder has no log, but the state has the outcome of the run.
func (f *Folder) Lines(from int) ([]string, int) {
	s := f.State()
	var all []string
	if s.Phase != status.Running && s.Reason != "" {
		all = append(all, fmt.Sprintf("%s: step %d", s.Reason, s.Step))
	}
	if s.Error != "" {
		all = append(all, s.Error)
	}
	return append([]string{}, all[min(max(from, 0), len(all)):]...), len(all)
}

// Order implements Run: a file in the folder is an order to its run.
func (f *Folder) Order(o sim.Order) error {
	if f.State().Phase != status.Running {
		return errors.New("the run has ended")
	}
	for name, on := range map[string]bool{sim.StopFile: o.Stop, sim.SaveFile: o.Save, sim.DrawFile: o.Draw, sim.MeanFile: o.Mean} {
		if !on {
			continue
		}
		file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return fmt.Errorf("orders are files in the folder of the run: %w", err)
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Shelf finds runs below folders, repeatedly, since runs may start while they are watched.
type Shelf struct {
	roots []string

	mu     sync.Mutex
	at     time.Time
	known  map[string]bool
	runs   []Run
	left   string
	report func(string)
}

// NewShelf returns the runs whose output folders are the given ones, or are in them. report, or nil, is called when the shelf
// first omits something.
func NewShelf(roots []string, report func(string)) *Shelf {
	return &Shelf{roots: roots, known: map[string]bool{}, report: report}
}

const (
	soughtEvery = 5 * time.Second
	mostRuns    = 500
	mostDeep    = 3     // folders of a study are study/refined_FACTOR in the folder of its case
	mostSeen    = 20000 // folders
)

// search is one search for runs.
type search struct {
	seen   int // folders
	runs   int // beyond the shelf's limit
	cut    int // folders not searched: too many
	deep   int // folders not searched: too deep
	deeper string
}

// leftOut describes the omissions of a search; "" without omissions.
func (s search) leftOut() string {
	var all []string
	if s.runs > 0 {
		all = append(all, fmt.Sprintf("%d runs are not shown: the page has room for %d", s.runs, mostRuns))
	}
	if s.cut > 0 {
		all = append(all, fmt.Sprintf("folders were not searched for runs: there are more than %d", mostSeen))
	}
	if s.deep > 0 {
		all = append(all, fmt.Sprintf("%d folders more than %d deep were not searched for runs, %s among them", s.deep, mostDeep, s.deeper))
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "; ") + ". Give lbmsim watch folders nearer to the runs"
}

// Runs returns the runs found, in order of discovery.
func (s *Shelf) Runs() []Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) < soughtEvery {
		return s.runs
	}
	var found search
	for _, root := range s.roots {
		s.seek(root, mostDeep, &found)
	}
	s.at = time.Now()
	before := s.left
	if s.left = found.leftOut(); s.left != "" && before == "" && s.report != nil {
		s.report(s.left)
	}
	return s.runs
}

// LeftOut describes the omissions of Runs; "" without omissions.
func (s *Shelf) LeftOut() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

func (s *Shelf) seek(dir string, deep int, found *search) {
	if info, err := os.Stat(filepath.Join(dir, status.Name)); err == nil && info.Mode().IsRegular() && !s.known[dir] {
		if len(s.runs) < mostRuns {
			s.known[dir] = true
			s.runs = append(s.runs, NewFolder(dir))
		} else {
			found.runs++
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == output.CheckpointDir {
			continue
		}
		inner := filepath.Join(dir, e.Name())
		switch {
		case deep == 0:
			found.deep++
			found.deeper = cmp.Or(found.deeper, inner)
		case found.seen >= mostSeen:
			found.cut++
		default:
			found.seen++
			s.seek(inner, deep-1, found)
		}
	}
}
