// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command validate runs the cases of the validation book with lbmsim itself, compares
// what comes out against published values, and writes docs/validation.md:
//
//	go run ./tools/validate [-only REGEXP] [-short] [-gpu] [-np N] [-check]
//
// Where there is no Go, such as on a machine with a GPU, it runs as a program (go build -o
// validate ./tools/validate) beside bin/lbmsim and the folder cases:
//
//	./validate -device cuda -gpu -only 'taylor-green|sphere'
//
// and what it leaves in cases/validation/results.json is taken here with -add FILE -draw;
// docs/validation_*.png are the pictures.
//
// What a run is held to is in its case file (cases/validation/*.toml, [expect]), so that a
// user who runs the command of the book gets the verdict of the book; orders, and what is
// computed from several numbers, are in book.go. Results are kept in
// cases/validation/results.json: a part of the book can be rerun, and the page is drawn from
// that file alone. The exit code is 1 if a value exceeds its tolerance.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.program, "program", "bin/lbmsim", "the program to run")
	flag.StringVar(&o.only, "only", "", "run entries whose name matches this `regexp`, and keep the others' results")
	flag.StringVar(&o.skip, "skip", "", "leave out entries whose name matches this `regexp`")
	flag.BoolVar(&o.short, "short", false, "run the entries of the short form, which continuous integration runs")
	flag.BoolVar(&o.gpu, "gpu", false, "run the entries that need a GPU, too")
	flag.IntVar(&o.ranks, "np", 0, "ranks, started with $LBMSIM_MPIRUN (0: one, without a launcher)")
	flag.StringVar(&o.device, "device", "", "where to compute, as --device of lbmsim")
	flag.BoolVar(&o.check, "check", false, "only report, leave results and page as they are")
	flag.BoolVar(&o.draw, "draw", false, "draw the page from the results that there are, without a run")
	flag.StringVar(&o.add, "add", "", "first take the results in this `file`, which another machine wrote")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "validate:", err)
		os.Exit(1)
	}
}

type options struct {
	program, device         string
	only, skip              string
	add                     string
	short, gpu, check, draw bool
	ranks                   int
	root                    string // of the tree; "" is here
	report                  func(string)
}

// Files of the tree.
const (
	resultsFile = "cases/validation/results.json"
	pageFile    = "docs/validation.md"
)

func (o options) run() error {
	pick, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	leave, err := regexp.Compile(cmp.Or(o.skip, "^$")) // no entry has an empty name
	if err != nil {
		return err
	}
	if o.report == nil {
		o.report = func(s string) { fmt.Println(s) }
	}
	all := book()
	kept, err := readResults(filepath.Join(o.root, resultsFile))
	if err != nil {
		return err
	}
	if err := o.take(kept, all); err != nil {
		return err
	}
	var missed []string
	for _, e := range entries(all) {
		if o.draw || !pick.MatchString(e.id) || o.short && !e.short || e.gpu && !o.gpu || leave.MatchString(e.id) {
			continue
		}
		out, err := o.perform(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.id, err)
		}
		o.report(out.text())
		for _, c := range out.Checks {
			if !c.OK {
				missed = append(missed, e.id+": "+c.What)
			}
		}
		if o.check {
			continue
		}
		// Another process may have run another part of the book meanwhile.
		if kept, err = readResults(filepath.Join(o.root, resultsFile)); err != nil {
			return err
		}
		kept[e.id] = out
		if err := o.keepPicture(all, e); err != nil {
			return err
		}
		// A long book that is broken off keeps what it has.
		if err := writeResults(filepath.Join(o.root, resultsFile), all, kept); err != nil {
			return err
		}
	}
	if !o.check {
		if err := o.write(all, kept); err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("outside the tolerance:\n  %s", strings.Join(missed, "\n  "))
	}
	return nil
}

// keepPicture takes the last picture of a run whose section shows it.
func (o options) keepPicture(all []section, e entry) error {
	for _, s := range all {
		if s.picture != e.id {
			continue
		}
		files, err := filepath.Glob(filepath.Join(o.root, "out", "validation", e.id, "*.png"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("%s left no picture (%v)", e.id, err)
		}
		b, err := os.ReadFile(files[len(files)-1]) // their names end in the step
		if err != nil {
			return err
		}
		return o.document("validation_"+s.id+".png", b)
	}
	return nil
}

// write the page and its plots.
func (o options) write(all []section, kept map[string]outcome) error {
	text, plots, err := page(all, kept)
	if err != nil {
		return err
	}
	for name, b := range plots {
		if err := o.document(name, b); err != nil {
			return err
		}
	}
	return o.document(filepath.Base(pageFile), []byte(text))
}

// document writes a file of docs, a folder that a pack for another machine need not have.
func (o options) document(name string, b []byte) error {
	docs := filepath.Join(o.root, filepath.Dir(pageFile))
	if err := os.MkdirAll(docs, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, name), b, 0o666)
}

// take adds the results of another machine: a book need not be run in one place.
func (o options) take(kept map[string]outcome, all []section) error {
	if o.add == "" {
		return nil
	}
	more, err := readResults(o.add)
	if err == nil && len(more) == 0 {
		err = fmt.Errorf("-add %s: there are no results", o.add)
	}
	if err != nil {
		return err
	}
	maps.Copy(kept, more)
	if o.check {
		return nil
	}
	return writeResults(filepath.Join(o.root, resultsFile), all, kept)
}

// readResults reads the kept results, none where there is no file yet.
func readResults(name string) (map[string]outcome, error) {
	kept := map[string]outcome{}
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return kept, nil
	} else if err != nil {
		return nil, err
	}
	var list []outcome
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, r := range list {
		kept[r.ID] = r
	}
	return kept, nil
}

// writeResults in the order of the book; what it no longer has is dropped.
func writeResults(name string, all []section, kept map[string]outcome) error {
	var lines []string
	for _, e := range entries(all) {
		if r, ok := kept[e.id]; ok {
			b, err := json.Marshal(r)
			if err != nil {
				return err
			}
			lines = append(lines, string(b))
		}
	}
	return os.WriteFile(name, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o666)
}
