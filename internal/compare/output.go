// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package compare reads the files of runs, of every kind, and reports how two outputs
// differ: in their numbers, their cases and their provenance.
package compare

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// Kind of a file.
type Kind string

// The kinds of files that can be compared.
const (
	Case       Kind = "case"
	Fields     Kind = "fields" // also averages and planes
	Checkpoint Kind = "checkpoint"
	Picture    Kind = "picture"
	Table      Kind = "table"
)

// Output is a file's own description.
type Output struct {
	Path       string
	Kind       Kind
	Case       string // resolved
	Version    string // of lbmsim; "" for a case
	Step       int    // none of a case; of the last row of a table
	Provenance output.Provenance
}

// Open determines the kind and the origin of a file. The error states why it is neither.
func Open(path string) (*Output, error) {
	head, err := firstBytes(path)
	if err != nil {
		return nil, err
	}
	o := &Output{Path: path}
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG")):
		o.Kind, err = Picture, o.picture()
	case bytes.HasPrefix(head, []byte("\x89HDF")):
		o.Kind, err = Fields, o.fields()
	case bytes.HasPrefix(head, []byte("LBMSIMCP")):
		o.Kind, err = Checkpoint, o.checkpoint()
	case bytes.HasPrefix(head, []byte("# lbmsim ")):
		o.Kind, err = Table, o.table()
	case strings.HasSuffix(path, ".toml"):
		o.Kind, err = Case, o.readCase()
	default:
		return nil, fmt.Errorf("%s is neither a case (.toml) nor an lbmsim output: fields, averages or planes (.hdf), a checkpoint (.h5), a picture (.png) or a table (.csv)", path)
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

func firstBytes(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}

func (o *Output) fields() error {
	f, err := fields.OpenLevels(o.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	o.Case, o.Version, o.Step = f.Meta.Case, f.Meta.Version, int(f.Meta.Step)
	return o.means(f.Meta.Provenance)
}

func (o *Output) checkpoint() error {
	f, err := checkpoint.Open(o.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(f.Header.Extra) == 0 {
		return fmt.Errorf("%s is a level of a checkpoint: give the checkpoint itself, which is compared in all levels", o.Path)
	}
	o.Case, o.Version, o.Step = f.Header.Case, f.Header.Version, int(f.Header.Step)
	o.Provenance, err = output.ProvenanceIn(f.Header)
	return o.named(err)
}

func (o *Output) picture() error {
	text, err := picture.ReadText(o.Path)
	if err != nil {
		return err
	}
	o.Case = text["Source"]
	o.Version = strings.TrimPrefix(text["Software"], "lbmsim ")
	if o.Step, err = strconv.Atoi(strings.TrimPrefix(text["Comment"], "step ")); err != nil || o.Case == "" {
		return fmt.Errorf("%s is a picture, but not from lbmsim", o.Path)
	}
	return o.means(text["Provenance"])
}

func (o *Output) table() error {
	t, err := readTable(o.Path)
	if err != nil {
		return err
	}
	o.Case, o.Version, o.Step = t.text, t.version, t.step()
	return o.means(t.provenance)
}

const mostCase = 1 << 20 // bytes

func (o *Output) readCase() error {
	f, err := os.Open(o.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostCase+1))
	if err == nil && len(text) > mostCase {
		err = fmt.Errorf("%s has more than 1 MiB; a case is a few KiB of TOML", o.Path)
	}
	if err != nil {
		return err
	}
	k, err := config.Load(o.Path, text)
	if err != nil {
		return err
	}
	o.Case = k.Resolved
	return nil
}

func (o *Output) means(text string) (err error) {
	o.Provenance, err = output.ProvenanceOf(text)
	return o.named(err)
}

func (o *Output) named(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	return nil
}

// table is a CSV file of a run.
type table struct {
	version, provenance, text string
	columns                   []string
	rows                      [][]float64
}

// step of the last row.
func (t *table) step() int {
	if n := len(t.rows); n > 0 && t.columns[0] == "step" {
		return int(t.rows[n-1][0])
	}
	return 0
}

func readTable(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &table{}
	var text strings.Builder
	inCase := false
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		comment, isComment := strings.CutPrefix(line, "# ")
		switch {
		case isComment && t.columns != nil:
			return nil, fmt.Errorf("%s:%d: a comment between rows", path, n)
		case isComment && inCase:
			text.WriteString(comment + "\n")
		case isComment && n == 1:
			t.version = strings.TrimPrefix(comment, "lbmsim ")
		case isComment && strings.HasPrefix(comment, output.ProvenanceMark):
			t.provenance = strings.TrimPrefix(comment, output.ProvenanceMark)
		case isComment && comment == output.CaseMark && t.provenance != "": // no title
			inCase = true
		case isComment:
		case t.columns == nil:
			if t.columns, err = csv.NewReader(strings.NewReader(line)).Read(); err != nil { // names of solids may have commas and quotes
				return nil, fmt.Errorf("%s:%d: the names of columns: %w", path, n, err)
			}
		default:
			words := strings.Split(line, ",")
			if len(words) != len(t.columns) {
				return nil, fmt.Errorf("%s:%d: %d values in %d columns", path, n, len(words), len(t.columns))
			}
			row := make([]float64, len(words))
			for i, w := range words {
				if row[i], err = strconv.ParseFloat(w, 64); err != nil {
					return nil, fmt.Errorf("%s:%d: %w", path, n, err)
				}
			}
			t.rows = append(t.rows, row)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.columns == nil {
		return nil, fmt.Errorf("%s has no columns", path)
	}
	t.text = text.String()
	return t, nil
}

// outputs lists the files in a folder that can be compared, relative to it.
func outputs(dir string) (list []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && (strings.HasSuffix(name, ".parts") || (name == output.InputDir || name == output.LevelDir) && path != dir):
			return filepath.SkipDir // reached through the files that show them
		case d.IsDir() || strings.HasPrefix(name, "."):
			return nil
		}
		switch filepath.Ext(name) {
		case ".hdf", ".h5", ".png", ".csv":
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			list = append(list, rel)
		}
		return nil
	})
	return list, err
}
