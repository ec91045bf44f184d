// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/domain"
)

// Provenance records how the state of a run was computed: program, libraries,
// ranks and devices, with a new leg for each restart where these differ. Beside the resolved case,
// which has the checksums of the files that it names, every output carries it. Times,
// processes and paths are not part of it: the same run gives the same files.
type Provenance struct {
	Legs []Leg `json:"legs"`
}

// Leg is the means of the steps after the first one of it.
type Leg struct {
	From      int         `json:"from_step"`
	Version   string      `json:"lbmsim"`
	Go        string      `json:"go"`
	Libraries []string    `json:"libraries"`
	Ranks     int         `json:"ranks"`
	Cut       [3]int      `json:"cut"` // parts along x, y, z
	Transport string      `json:"transport"`
	Devices   []Processor `json:"devices"`
}

// Processor is devices of one kind.
type Processor struct {
	Ranks   int      `json:"ranks"` // that compute on one each
	Kind    string   `json:"kind"`  // cpu or cuda
	Model   string   `json:"model"`
	Details []string `json:"details"` // of them all, each once
}

// ProvenanceOf reads the provenance in an output.
func ProvenanceOf(text string) (p Provenance, err error) {
	if err = json.Unmarshal([]byte(text), &p); err != nil {
		err = fmt.Errorf("the provenance cannot be read: %w", err)
	}
	return p, err
}

// ProvenanceIn returns the provenance of a checkpoint's state.
func ProvenanceIn(h checkpoint.Header) (Provenance, error) {
	var m Memory
	if err := json.Unmarshal(h.Extra, &m); err != nil {
		return Provenance{}, fmt.Errorf("the provenance cannot be read: %w", err)
	}
	return m.Provenance, nil
}

// String returns the form that outputs carry: one line.
func (p Provenance) String() string {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and texts
	}
	return string(b)
}

// And adds a leg, unless its means equal the last leg's.
func (p Provenance) And(next Leg) Provenance {
	legs := slices.DeleteFunc(slices.Clone(p.Legs), func(l Leg) bool { return l.From >= next.From })
	if n := len(legs); n > 0 {
		same := next
		same.From = legs[n-1].From
		if (Provenance{[]Leg{same}}).String() == (Provenance{legs[n-1:]}).String() {
			return Provenance{legs}
		}
	}
	return Provenance{append(legs, next)}
}

// Lines of these comments, for readers.
const (
	ProvenanceMark = "provenance: "
	CaseMark       = "case:"
)

// InputDir is the folder, within the output folder, with copies of the files that the
// case names: SHA256.EXTENSION. With them the outputs alone suffice to repeat a run.
const InputDir = "inputs"

// keepInput copies one file. A large initial flow takes no space where the folder is on the same file system:
// both names lead to the same bytes, which no later run changes, since files get their names when they are complete.
func keepInput(in domain.Input, dir string) error {
	if err := keepFile(in.Path, filepath.Join(dir, in.SHA256+filepath.Ext(in.Path)), in.SHA256, in.Flow); err != nil {
		return err
	}
	for _, name := range in.Beside {
		to := name // by which the file refers to it
		if strings.HasPrefix(name, LevelDir+string(filepath.Separator)) {
			to = filepath.Join(filepath.Dir(name), in.SHA256+filepath.Ext(name)) // as PatchPath finds it beside the copy
		}
		if err := keepFile(filepath.Join(filepath.Dir(in.Path), name), filepath.Join(dir, to), "", in.Flow); err != nil {
			return err
		}
	}
	return nil
}

// keepFile copies a file that has the checksum, if one is given; where both names may lead to one file they do.
func keepFile(path, to, sum string, link bool) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if link && os.Link(path, to) == nil {
		return nil
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	tmp, err := os.CreateTemp(dir, ".part-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // without effect once it has its name
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, h), from)
	if e := tmp.Close(); err == nil {
		err = e
	}
	if got := hex.EncodeToString(h.Sum(nil)); err == nil && got != sum && sum != "" {
		err = fmt.Errorf("it changed while the run started: its SHA-256 is now %s", got)
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o444)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	return err
}
