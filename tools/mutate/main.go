// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command mutate tests lbmsim with randomly mutated case files (`make mutate`): the examples with
// bytes and words changed. `lbmsim check` must either reject each with exit code 2 and the wrong
// line, or accept it; and an accepted case must run briefly to an end documented in docs/run.md. No
// command may crash or hang.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	m := mutator{log: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random numbers")
	flag.IntVar(&m.count, "count", 200, "how many cases")
	flag.StringVar(&m.program, "program", "bin/lbmsim", "the program")
	flag.StringVar(&m.dir, "dir", "", "folder for the cases (default: a new one, removed when all is well)")
	flag.DurationVar(&m.moment, "moment", 500*time.Millisecond, "how long a case runs")
	only := flag.Int("only", 0, "only the case of this number")
	flag.StringVar(&m.cases, "cases", "cases/examples/*.toml,tools/mutate/testdata/*.toml", "the cases that are changed")
	flag.Parse()
	fresh := m.dir == ""
	err := m.prepare(".", *seed)
	if err == nil {
		m.all(*only)
		err = m.verdict()
	}
	fmt.Println(m.figures)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: %v\nmutate: the cases are in %s; again with: -seed %d\n", err, m.dir, *seed)
		os.Exit(1)
	}
	if fresh {
		os.RemoveAll(m.dir)
	}
}

// mutator creates cases and passes them to lbmsim.
type mutator struct {
	count   int
	program string
	dir     string
	cases   string
	moment  time.Duration // of a run
	log     func(format string, args ...any)

	seed    uint64
	sources []source
	pool    pool
	figures figures
}

// source is a valid case.
type source struct{ name, text string }

// figures count the outcomes of the cases.
type figures struct {
	Seed                                     uint64
	Cases, Refused, Taken, Large             int
	Ended, Unstable, Missed, RefusedByTheRun int
	Wrong                                    []string
	Slowest                                  time.Duration
	SlowestIs                                string
}

func (f figures) String() string {
	return fmt.Sprintf("seed %d: %d cases; check refused %d and took %d, of which %d were too large to be run here; %d runs came to their end, %d were unstable, %d missed what they expect, %d were refused at their line; slowest command %v (%s); wrong: %d",
		f.Seed, f.Cases, f.Refused, f.Taken, f.Large, f.Ended, f.Unstable, f.Missed, f.RefusedByTheRun, f.Slowest.Round(time.Millisecond), f.SlowestIs, len(f.Wrong))
}

// prepare reads the examples, and the words of the language from the cases of the tests.
func (m *mutator) prepare(root string, seed uint64) (err error) {
	m.seed, m.figures.Seed = seed, seed
	if m.program, err = filepath.Abs(m.program); err != nil {
		return err
	}
	if m.dir == "" {
		m.dir, err = os.MkdirTemp("", "lbmsim-mutate-")
	} else {
		err = os.MkdirAll(m.dir, 0o777)
	}
	if err != nil {
		return err
	}
	for _, pattern := range strings.Split(m.cases, ",") {
		list, err := read(filepath.Join(root, pattern))
		if err != nil {
			return err
		}
		m.sources = append(m.sources, list...)
	}
	others, err := read(filepath.Join(root, "config/testdata/messages/*.toml"))
	for _, s := range append(others, m.sources...) {
		m.pool.learn(s.text)
	}
	return err
}

func read(pattern string) (list []source, err error) {
	files, err := filepath.Glob(pattern)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		list = append(list, source{filepath.Base(f), string(b)})
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there are no cases %s", pattern)
	}
	return list, err
}

// all makes the cases, each from its own number, so that one can be had alone.
func (m *mutator) all(only int) {
	for n := 1; n <= m.count; n++ {
		if only != 0 && n != only {
			continue
		}
		random := rand.New(rand.NewPCG(m.seed, uint64(n)))
		from := m.sources[random.IntN(len(m.sources))]
		text, how := m.pool.mutate(random, from.text)
		m.try(n, from.name, text, how)
	}
}

func (m *mutator) verdict() error {
	if n := len(m.figures.Wrong); n > 0 {
		return fmt.Errorf("%d of %d cases were not answered as they should be", n, m.figures.Cases)
	}
	return nil
}
