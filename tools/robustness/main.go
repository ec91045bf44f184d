// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command robustness runs the cases of the map of robustness with lbmsim, judges the results, and
// writes docs/models.md:
//
//	go run ./tools/robustness [-only REGEXP] [-missing] [-jobs N] [-device WHERE] [-long]
//
// Where there is no Go, such as on a machine with a GPU, it runs as a program (go build -o
// bin/robustness ./tools/robustness) beside bin/lbmsim and the folder cases:
//
//	bin/robustness -device cuda -jobs 16
//
// and its cases/robustness/results.csv is imported here with -add FILE -draw.
//
// plan.go chooses the runs, judge.go decides which are stable. Results are kept in
// cases/robustness/results.csv, which is embedded in lbmsim: rebuild it afterwards.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"lbmsim/cases/robustness"
	"lbmsim/internal/harness"
)

func main() {
	var o options
	flag.StringVar(&o.program.Path, "program", "bin/lbmsim", "the program to run")
	flag.StringVar(&o.only, "only", "", "run entries whose name matches this `regexp`, and keep the others' results")
	flag.BoolVar(&o.missing, "missing", false, "run the entries that have no result yet")
	flag.BoolVar(&o.short, "short", false, "run the entries of the short form, which continuous integration runs")
	flag.BoolVar(&o.long, "long", false, "20,000 steps of the uniform flow instead of 5,000")
	flag.IntVar(&o.jobs, "jobs", 1, "runs at a time, of one thread each")
	flag.StringVar(&o.program.Device, "device", "", "where to compute, as --device of lbmsim")
	flag.BoolVar(&o.check, "check", false, "compare the results with the stored ones, and leave these and the page unchanged")
	flag.BoolVar(&o.draw, "draw", false, "draw the page from the stored results, without a run")
	flag.StringVar(&o.add, "add", "", "first take the results in this `file`, which another machine wrote")
	flag.Parse()
	o.report = func(s string) { fmt.Println(s) }
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "robustness:", err)
		os.Exit(1)
	}
}

type options struct {
	program              harness.Program
	only, add            string
	missing, short, long bool
	check, draw          bool
	jobs                 int
	report               func(string)
}

// Files of the tree.
const (
	resultsFile = "cases/robustness/results.csv"
	pageFile    = "docs/models.md"
)

func (o options) run() error {
	pick, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	plan := entries(o.long)
	kept := map[string]robustness.Point{}
	if err := take(kept, filepath.Join(o.program.Root, resultsFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if o.add != "" {
		if err := take(kept, o.add); err != nil {
			return err
		}
	}
	var todo []entry
	for _, e := range plan {
		_, known := kept[name(e.Point)]
		if !o.draw && pick.MatchString(name(e.Point)) && (e.short || !o.short) && !(known && o.missing) {
			todo = append(todo, e)
		}
	}
	// The longest first: only short runs remain for the end, for all jobs.
	slices.SortStableFunc(todo, func(a, b entry) int { return cmp.Compare(b.work(), a.work()) })
	var other []string
	var save sync.Mutex
	err = each(todo, o.jobs, func(i int, e entry) error {
		p, err := o.perform(e)
		if err != nil {
			return fmt.Errorf("%s: %w", name(e.Point), err)
		}
		save.Lock()
		defer save.Unlock()
		o.report(fmt.Sprintf("%d of %d: %s", i+1, len(todo), describe(p)))
		if o.check {
			if was, ok := kept[name(p)]; ok && was.Holds != p.Holds {
				other = append(other, describe(p))
			}
			return nil
		}
		kept[name(p)] = p
		// An interrupted map keeps its results.
		return o.write(resultsFile, func() ([]byte, error) { return order(plan, kept).Text() })
	})
	if err != nil {
		return err
	}
	if len(other) > 0 {
		return fmt.Errorf("%s says otherwise of\n  %q", resultsFile, other)
	}
	if o.check {
		return nil
	}
	m := order(plan, kept)
	if err := o.write(resultsFile, m.Text); err != nil {
		return err
	}
	files, err := page(m)
	if err != nil {
		return err
	}
	for file, text := range files {
		if err := o.write(file, func() ([]byte, error) { return text, nil }); err != nil {
			return err
		}
	}
	return nil
}

// each calls f for all of a list, several at a time, and stops at the first error.
func each(list []entry, jobs int, f func(i int, e entry) error) error {
	var next, failed = make(chan int), make(chan error, max(1, jobs))
	var all sync.WaitGroup
	for range max(1, jobs) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				if err := f(i, list[i]); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	var err error
	for i := 0; i < len(list) && err == nil; i++ {
		select {
		case next <- i:
		case err = <-failed:
		}
	}
	close(next)
	all.Wait()
	close(failed)
	for e := range failed {
		err = errors.Join(err, e)
	}
	return err
}

// take adds the results of a file.
func take(kept map[string]robustness.Point, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := robustness.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range m {
		kept[name(p)] = p
	}
	return nil
}

// order returns the map in the order of the plan, without points no longer in the plan.
func order(plan []entry, kept map[string]robustness.Point) (m robustness.Map) {
	for _, e := range plan {
		if p, ok := kept[name(e.Point)]; ok {
			m = append(m, p)
		}
	}
	return m
}

// write a file of the tree, in a folder that a pack for another machine need not have.
func (o options) write(file string, text func() ([]byte, error)) error {
	b, err := text()
	if err != nil {
		return err
	}
	file = filepath.Join(o.program.Root, file)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}
