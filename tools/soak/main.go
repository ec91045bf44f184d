// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command soak tests recovery by killing runs (`make soak`): small cases that write continuously run
// on one to four ranks. kill -9 ends a rank, all ranks, the launcher or everything at random
// moments; the runs resume from their last checkpoint on another number of ranks and threads, until
// they reach their end. Then every file must have the bytes of an uninterrupted run. Some of the
// newest checkpoints are damaged before a resume, as by a power failure.
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
	s := soak{}
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random numbers")
	flag.IntVar(&s.kills, "kills", 300, "how many kills")
	flag.StringVar(&s.program, "program", "bin/lbmsim", "the program")
	launcher := flag.String("mpirun", "mpirun", "the launcher, with its options up to -np")
	flag.StringVar(&s.dir, "dir", "", "folder for the runs (default: a new one, removed when all is well)")
	flag.Float64Var(&s.damage, "damage", 0.1, "share of the kills after which the newest checkpoint is damaged as well")
	only := flag.String("case", "", "only the case of this name")
	flag.Parse()
	for _, c := range cases {
		if c.name == *only {
			s.cases = append(s.cases, c)
		}
	}
	s.launcher = strings.Fields(*launcher)
	s.log = func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	fresh := s.dir == ""
	err := s.prepare(*seed)
	if err == nil {
		err = s.run()
	}
	fmt.Println(s.figures)
	if err == nil {
		err = s.figures.verdict()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "soak: %v\nsoak: the runs are in %s; again with: -seed %d\n", err, s.dir, *seed)
		os.Exit(1)
	}
	if fresh {
		os.RemoveAll(s.dir)
	}
}

// soak is a series of runs.
type soak struct {
	kills    int
	program  string
	launcher []string // command and options before -np
	dir      string
	damage   float64
	cases    []soakCase // nil: all
	log      func(format string, args ...any)

	random  *rand.Rand
	figures figures
	started time.Time
	lasts   time.Duration // of a leg that is not killed
}

// figures are the results of a soak.
type figures struct {
	Seed      uint64
	Kills     int // that hit a run
	By        map[string]int
	At        map[string]int
	Runs      int // completed
	Legs      int
	FromStart int // legs without a checkpoint to resume from
	Older     int // legs that resumed from an older checkpoint because the newest was damaged

	Lost    int // runs that could not be resumed, or failed by themselves
	Wrong   int // files whose bytes differ from the uninterrupted run's
	Left    int // processes that outlived their run
	Files   int // temporary files in the folder of a finished run
	Slowest time.Duration
	Took    time.Duration
}

func (f figures) String() string {
	return fmt.Sprintf(`seed %d, %s
%d kills: of %v; when: %v
%d runs to their end in %d legs, of which %d started over and %d from an older checkpoint, the newest being damaged
lost runs %d, wrong files %d, processes left over %d, temporary files left over %d; the last process of a killed run was gone after %s at most`,
		f.Seed, f.Took.Round(time.Second), f.Kills, f.By, f.At, f.Runs, f.Legs, f.FromStart, f.Older,
		f.Lost, f.Wrong, f.Left, f.Files, f.Slowest.Round(time.Millisecond))
}

// verdict returns an error if lbmsim may not be trusted.
func (f figures) verdict() error {
	if f.Lost+f.Wrong+f.Left+f.Files > 0 {
		return fmt.Errorf("%d lost runs, %d wrong files, %d processes and %d temporary files left over", f.Lost, f.Wrong, f.Left, f.Files)
	}
	return nil
}

// prepare makes the folder and the uninterrupted runs, on one rank.
func (s *soak) prepare(seed uint64) (err error) {
	s.started = time.Now()
	s.random = rand.New(rand.NewPCG(seed, 1))
	s.figures = figures{Seed: seed, By: map[string]int{}, At: map[string]int{}}
	if s.cases == nil {
		s.cases = cases
	}
	if s.program, err = filepath.Abs(s.program); err != nil {
		return err
	}
	if s.dir == "" {
		s.dir, err = os.MkdirTemp("", "lbmsim-soak-")
	} else if s.dir, err = filepath.Abs(s.dir); err == nil {
		err = os.MkdirAll(s.dir, 0o777)
	}
	if err != nil {
		return err
	}
	s.log("seed %d, in %s", seed, s.dir)
	for _, k := range s.cases {
		l := leg{soak: s, dir: s.reference(k), threads: 1}
		if err := begin(l.dir, k); err != nil {
			return err
		}
		if err := l.start(); err != nil {
			return err
		}
		if err := l.wait(limit); err != nil {
			return fmt.Errorf("%s without interruption: %w\n%s", k.name, err, l.output())
		}
		s.lasts = max(s.lasts, time.Since(l.began))
	}
	return nil
}

// limit is the time limit of a leg; legs take seconds.
const limit = 3 * time.Minute

func (s *soak) reference(k soakCase) string { return filepath.Join(s.dir, "reference_"+k.name) }

// begin makes the folder of a run.
func begin(dir string, k soakCase) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "case.toml"), []byte(k.text), 0o666)
}

// run repeats runs until the number of kills is reached.
func (s *soak) run() error {
	defer func() { s.figures.Took = time.Since(s.started) }()
	for n := 0; s.figures.Kills < s.kills; n++ {
		k := s.cases[n%len(s.cases)]
		dir := filepath.Join(s.dir, fmt.Sprintf("run_%04d_%s", n, k.name))
		if err := begin(dir, k); err != nil {
			return err
		}
		lost, wrong := s.figures.Lost, s.figures.Wrong+s.figures.Files
		if err := s.once(dir, k); err != nil {
			return err
		}
		s.log("%s: %d of %d kills, lost %d, wrong %d, left %d", filepath.Base(dir), s.figures.Kills, s.kills, s.figures.Lost, s.figures.Wrong, s.figures.Left)
		if s.figures.Lost == lost && s.figures.Wrong+s.figures.Files == wrong {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// once completes one run, with some kills.
func (s *soak) once(dir string, k soakCase) error {
	kills := 3 + s.random.IntN(15)
	damaged := spoiled{}
	for number := 0; ; number++ {
		l := leg{soak: s, dir: dir, number: number, ranks: s.random.IntN(5), threads: 1 + s.random.IntN(2)}
		newest, err := l.latest()
		if err != nil {
			return err
		}
		l.restart = newest != ""
		bad := damaged.has(filepath.Join(dir, newest))
		s.figures.Legs++
		if !l.restart {
			s.figures.FromStart++
		}
		var attack *attack
		if kills > 0 && s.figures.Kills < s.kills {
			if attack, err = s.plan(dir); err != nil {
				return err
			}
		}
		if err := l.start(); err != nil {
			return err
		}
		hit := attack.carryOut(&l)
		err = l.wait(limit)
		slowest, left := l.leftOver()
		s.figures.Left += left
		if left > 0 {
			s.log("%s, leg %d, %s: %d processes left over", dir, number, attack, left)
		}
		from := l.from()
		if from != "" && from != newest {
			s.figures.Older++
			if !bad {
				s.log("%s, leg %d: went on from %s, not from %s\n%s", dir, number, from, newest, l.output())
				s.figures.Lost++
				return nil
			}
		}
		switch {
		case hit:
			kills--
			s.figures.Kills++
			s.figures.By[attack.target]++
			s.figures.At[attack.moment]++
			s.figures.Slowest = max(s.figures.Slowest, slowest)
		case err != nil:
			s.log("%s, leg %d, %d ranks, %d threads: %v\n%s", dir, number, l.ranks, l.threads, err, l.output())
			s.figures.Lost++
			return nil
		default:
			s.figures.Runs++
			wrong, temporary, err := compared(s.reference(k), dir)
			for _, text := range append(wrong, temporary...) {
				s.log("%s after %d legs: %s", dir, number+1, text)
			}
			s.figures.Wrong += len(wrong)
			s.figures.Files += len(temporary)
			return err
		}
		// Files under their final names are complete, except the ones damaged here.
		if bad := l.verify(damaged); len(bad) > 0 {
			s.log("%s, leg %d, %s: %s", dir, number, attack, strings.Join(bad, "\n"))
			s.figures.Wrong += len(bad)
		}
		if s.random.Float64() < s.damage {
			if err := l.spoil(damaged); err != nil {
				return err
			}
		}
	}
}
