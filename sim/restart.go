// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
	"lbmsim/sim/exit"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/rank"
)

// Starting points that name no file.
const (
	Latest = "latest" // the newest checkpoint that is whole
	Auto   = "auto"   // the same where there is a checkpoint, otherwise the beginning
)

// chooseRestart resolves Auto. If there are checkpoints but none is intact, the run fails: starting
// over unasked would overwrite earlier results.
func (r *run) chooseRestart() error {
	if r.options.Restart != Auto {
		return nil
	}
	var found []string
	var err error
	if r.Rank.Root {
		if found, err = checkpoint.Latest(r.outputs.Path(output.CheckpointDir)); errors.Is(err, fs.ErrNotExist) {
			err = nil // the case has not been run
		}
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return Agreed(ExitFailure, fmt.Errorf("--restart auto: %w", err))
	}
	any, err := comm.Broadcast(r.Rank.Comm, []byte{byte(min(len(found), 1))})
	if err != nil {
		return err
	}
	r.options.Restart = ""
	if any[0] > 0 {
		r.options.Restart = Latest
	}
	return nil
}

// restart resumes from a checkpoint: the named one, or the newest intact one of the output folder.
func (r *run) restart() error {
	candidates := []string{r.options.Restart}
	if r.options.Restart == Latest {
		var err error
		if r.Rank.Root {
			candidates, err = checkpoint.Latest(r.outputs.Path(output.CheckpointDir))
			if len(candidates) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
				err = noCheckpoint(r.outputs)
			}
		}
		if err := comm.Agree(r.Rank.Comm, err); err != nil {
			return Agreed(ExitUsage, fmt.Errorf("--restart latest: %w", err))
		}
		list, err := comm.Broadcast(r.Rank.Comm, []byte(strings.Join(candidates, "\x00")))
		if err != nil {
			return err
		}
		candidates = strings.Split(string(list), "\x00")
	} else {
		var err error
		if r.Rank.Root {
			err = isThere(r.options.Restart, r.outputs.Path(output.CheckpointDir))
		}
		if err := comm.Agree(r.Rank.Comm, err); err != nil {
			return Agreed(ExitUsage, fmt.Errorf("--restart %s: %w", r.options.Restart, err))
		}
	}
	var refused error
	for i, path := range candidates {
		m, err := r.restore(path)
		if err == nil {
			warnOfUnreadable(r.Rank, candidates[i+1:])
			r.options.Restart = path
			r.watch.Start, r.watch.GridStart, r.watch.Fastest = m.Start, m.GridScale, m.Fastest
			if r.Rank.Root && r.Step() >= r.last {
				r.options.Report.Warn(finding.NothingLeft.Says("the checkpoint is at step %d and [run] has %d steps: nothing left to compute", r.Step(), r.last))
			}
			return r.resume(&m)
		}
		var other *otherCase
		var older *otherScheme
		var scalar *oldScalar
		if errors.As(err, &other) || errors.As(err, &older) || errors.As(err, &scalar) {
			return exit.With(exit.Usage, err)
		}
		var failure *comm.Failure
		if !errors.As(err, &failure) { // the ranks could not communicate
			return err
		}
		if refused = errors.Join(refused, err); r.Rank.Root && len(candidates) > 1 {
			r.options.Report.Warn(finding.CheckpointPassed.Says("%v; trying the previous one", err))
		}
	}
	return exit.With(exit.Failure, refused)
}

// resume continues with the memory in the checkpoint. Collective.
func (r *run) resume(m *output.Memory) error {
	r.loads.recall(m.Loads)
	r.driver.recall(m.Drive)
	if err := r.all("friction of walls", r.friction.resume(m.Walls)); err != nil {
		return err
	}
	r.level.SetForce(r.Step())
	return r.open(m)
}

// isThere describes a named path that is not a file, and the run's folder of checkpoints.
func isThere(path, checkpoints string) error {
	info, err := os.Stat(path)
	what, dir := "there is no such file", filepath.Dir(path)
	switch {
	case err == nil && info.IsDir():
		what, dir = "it is a folder; expected a file", path
	case !errors.Is(err, fs.ErrNotExist): // opening it gives a better error
		return nil
	case !filepath.IsAbs(path):
		if here, err := os.Getwd(); err == nil {
			what += ", relative to " + here
		}
	}
	const most = 5
	for _, dir := range slices.Compact([]string{filepath.Clean(dir), checkpoints}) {
		found, err := checkpoint.Latest(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			what += "\n  there is no folder " + dir
		case err != nil:
			what += fmt.Sprintf("\n  %v", err)
		case len(found) == 0:
			what += "\n  there is no checkpoint in " + dir
		default:
			what += fmt.Sprintf("\n  in %s, the latest first:", dir)
			for _, path := range found[:min(most, len(found))] {
				what += " " + filepath.Base(path)
			}
			if n := len(found) - most; n > 0 {
				what += fmt.Sprintf(" and %d more", n)
			}
		}
	}
	return errors.New(what + "\n  --restart latest uses the latest one in the output folder")
}

// noCheckpoint states where a checkpoint was searched for, and the alternatives.
func noCheckpoint(s *output.Set) error {
	dir := s.Path(output.CheckpointDir)
	what := "there is no checkpoint in the folder " + dir
	for _, folder := range []string{dir, s.Path()} {
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			what = "there is no folder " + folder
		}
	}
	if here, err := os.Getwd(); err == nil && !filepath.IsAbs(dir) {
		what += ", relative to " + here
	}
	if what = "no checkpoint to resume from: " + what; !s.Case.Checkpoint.On {
		what += "; the case has no table [checkpoint], so its runs write none"
	}
	return errors.New(what + "; omit --restart to start at step 0, or use\n" +
		"  --restart auto     to resume from the latest checkpoint if there is one, otherwise to start at step 0\n" +
		"  --restart FILE     to resume from a checkpoint elsewhere\n" +
		"  --output FOLDER    if the run was in another folder")
}

// warnOfUnreadable warns of files among older checkpoints that cannot be read: one of them may be
// the newest, with a damaged sequence number.
func warnOfUnreadable(on *rank.Rank, older []string) {
	for _, path := range older {
		if !on.Root {
			return
		}
		if err := checkpoint.Look(path); err != nil {
			on.Warn(finding.CheckpointPassed.Says("skipped: %v", err))
		}
	}
}

// otherCase is a checkpoint of another case.
type otherCase struct {
	path string
	keys []string
}

func (o *otherCase) Error() string {
	text := fmt.Sprintf("the checkpoint %s belongs to another case (its value / this case's):\n  %s\na restart may only change [run], [device], [output], [checkpoint], [expect] and [live]",
		o.path, strings.Join(o.keys, "\n  "))
	for _, k := range o.keys {
		if body, ok := strings.CutSuffix(k, ".type: wall / interpolated_wall"); ok {
			return text + fmt.Sprintf("\na curved body without type had a half-way wall in earlier versions: --set %s.type=wall resumes the checkpoint", body)
		}
	}
	return text
}

// otherScheme is a checkpoint from a version in which a moment-based model stored populations.
type otherScheme struct {
	path, model, version string
	has, want            int // numbers per cell
}

func (o *otherScheme) Error() string {
	return fmt.Sprintf("the checkpoint %s contains the populations of %s, %d numbers per cell; this version stores its moments, %d numbers: start over, or resume with the version that wrote the checkpoint (%s)",
		o.path, o.model, o.has, o.want, o.version)
}

// oldScalar is a checkpoint from a version in which a temperature had separate populations, or a
// different flux.
type oldScalar struct{ path, version string }

func (o *oldScalar) Error() string {
	return fmt.Sprintf("the checkpoint %s contains the temperature in another form; this version stores its value and the flux after the collision: start over, or resume with the version that wrote the checkpoint (%s)",
		o.path, o.version)
}

// schemeOf explains a state of populations for a model that now has moments, or a temperature with separate populations,
// whatever else differs; nil otherwise.
func schemeOf(path string, h checkpoint.Header) error {
	words := strings.Fields(h.Spec) // of model.Spec
	if len(words) < 3 {
		return nil
	}
	if slices.Contains(words, "scalar") || slices.Contains(words, "with_scalar") {
		return &oldScalar{path, h.Version}
	}
	var s model.Spec
	var ok [2]bool
	s.Lattice, ok[0] = model.FindLattice(words[0])
	s.Collision, ok[1] = model.FindCollision(words[1])
	s.Scalar = slices.Contains(words, "carries_scalar")
	if ok != [2]bool{true, true} || s.Collision.Scheme != model.Moments {
		return nil
	}
	want := s.Components()
	if populations := want - s.FlowComponents() + s.Lattice.Q(); h.Components != populations {
		return nil
	}
	return &otherScheme{path, s.Collision.Name, h.Version, h.Components, want}
}

// restore reads this rank's part, in stages that all ranks take together: the header,
// which every rank compares with the case by itself, then the state. Its
// error is the same on every rank unless it is an error of the communication.
func (r *run) restore(path string) (m output.Memory, err error) {
	r.Rank.Heartbeat.Doing("reading " + path)
	f, err := checkpoint.Open(path)
	if f != nil {
		defer f.Close()
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return m, err
	}
	if err := schemeOf(path, f.Header); err != nil { // before the case, which cannot fix it
		return m, err
	}
	keepFlow(r.Case, f.Header)
	if keys := differences(r.outputs, f.Header); len(keys) > 0 {
		return m, &otherCase{path, keys}
	}
	if err = json.Unmarshal(f.Header.Extra, &m); err != nil {
		err = fmt.Errorf("%s: the data stored beside the state cannot be read: %w", path, err)
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return m, err
	}
	if err := (level.Image{Level: r.level}).Load(f); err != nil {
		return m, err
	}
	if r.grid != nil {
		if err := loadPatches(r, f); err != nil {
			return m, err
		}
		r.grid.SetStep(int(f.Header.Step))
	} else {
		r.level.SetStep(int(f.Header.Step))
	}
	return m, r.outputs.Recall(path, &m)
}

// differences lists the reasons why this case cannot resume from a checkpoint.
func differences(s *output.Set, h checkpoint.Header) []string {
	keys := config.Diff(h.Case, s.Case.Resolved, config.RestartMayChange)
	for _, kind := range []string{"boundary", "body", "refine"} { // types of walls and patches are numbered in this order, in the checkpoint too
		if was, is := config.Order(h.Case, kind), config.Order(s.Case.Resolved, kind); len(keys) == 0 && !slices.Equal(was, is) {
			keys = append(keys, fmt.Sprintf("order of tables [%s.NAME]: %s / %s", kind, strings.Join(was, ", "), strings.Join(is, ", ")))
		}
	}
	want := s.Header()
	if len(keys) == 0 && (h.Spec != want.Spec || h.N != want.N || h.PlaneBytes() != want.PlaneBytes() || h.Planes != want.Planes) {
		keys = append(keys, fmt.Sprintf("state: %s, cells %v / %s, cells %v", model.SpecInWords(h.Spec), h.N, model.SpecInWords(want.Spec), want.N))
	}
	return keys
}

// open opens the outputs of a run that begins, or resumes from a checkpoint with a memory. Collective.
func (r *run) open(m *output.Memory) error {
	var before output.Provenance
	if m != nil {
		before = m.Provenance
	}
	r.outputs.Provenance = before.And(r.leg())
	return r.outputs.Open(output.Opening{FromStart: r.fromStart, Memory: m, Keep: r.options.Keep, Overwrite: r.options.Overwrite, Held: func() {
		folderOrders{r.outputs}.forget()
		if m == nil {
			r.outputs.ForgetBlowup()
		}
	}})
}
