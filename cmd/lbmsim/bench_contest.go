// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// contender is a whole case that is timed against others.
type contender struct {
	name, text string
	size       [3]int // of the domain
}

// steps returns the steps of a timed run with a number of cell updates in each: about two seconds.
func (b *benchmark) steps(onCPU bool, updates float64) int {
	budget, least := 6e10, 40.0
	if onCPU {
		budget = 4e8
	}
	return cmp.Or(10*b.passes, int(min(5e4, max(least, budget/updates))))
}

// whole returns a case, middle its faces, bodies and boxes.
func whole(spec model.Spec, n [3]int, middle string, viscosity float64, steps int) string {
	return fmt.Sprintf("[domain]\ncells = [%d, %d, %d]\nlattice = %q\n%s[fluid]\nviscosity = %g\n[collision]\nmodel = %q\n[run]\nsteps = %d\nwatch_every = 1000000\nforensics = false\n",
		n[0], n[1], n[2], spec.Lattice.Name, middle, viscosity, spec.Collision.Name, steps)
}

// program returns the command with which a user runs a case of this text on --ranks ranks.
func (b *benchmark) program(work, name, text string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(work, name+".toml")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return nil, err
	}
	command := []string{self, "run", file, "--device", b.device, "--threads", strconv.Itoa(b.threads), "--log", "json", "--output", filepath.Join(work, name)}
	if b.count > 1 {
		mpirun, err := launcher()
		if err != nil {
			return nil, err
		}
		command = append([]string{mpirun, "-np", strconv.Itoa(b.count)}, command...)
	}
	return command, nil
}

// launcher returns the program that starts ranks.
func launcher() (string, error) {
	mpirun, err := exec.LookPath(cmp.Or(os.Getenv("LBMSIM_MPIRUN"), "mpirun"))
	if err != nil {
		return "", fmt.Errorf("there is no mpirun on PATH (set LBMSIM_MPIRUN to another launcher)")
	}
	return mpirun, nil
}

// contest runs cases alternately and prints a row for each, with its speed relative to the first ones, which the words of of name.
func (b *benchmark) contest(head string, spec model.Spec, list []contender, of ...string) error {
	work, err := os.MkdirTemp("", "lbmsim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	commands, speeds := make([][]string, len(list)), make([][]float64, len(list))
	for k, c := range list {
		if commands[k], err = b.program(work, strconv.Itoa(k), c.text); err != nil {
			return err
		}
	}
	for range b.rounds {
		for k, command := range commands {
			v, _, err := speedOf(command)
			if err != nil {
				return err
			}
			speeds[k] = append(speeds[k], v)
		}
	}
	if !b.json {
		fmt.Printf("\n%-48s %9s %21s", head, "MLUPS", "(low - high)")
		for _, word := range of {
			fmt.Printf(" %11s", "of "+word)
		}
		fmt.Println()
	}
	for k, c := range list {
		v := speeds[k]
		if !b.json {
			fmt.Printf("%-48s %9.1f  (%8.1f - %8.1f)", c.name, bench.Median(v), slices.Min(v), slices.Max(v))
		}
		row := map[string]any{"part": b.part, "what": c.name, "device": b.dev.Info().Model, "version": version, "name": spec.String(), "size": c.size, "ranks": b.count, "mlups": bench.Median(v)}
		for j, word := range of {
			var ratios []float64
			for i := range v {
				ratios = append(ratios, v[i]/speeds[j][i])
			}
			if row["of_"+word] = bench.Median(ratios); !b.json {
				fmt.Printf(" %11.3f", bench.Median(ratios))
			}
		}
		if !b.json {
			fmt.Println()
		} else if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
			return err
		}
	}
	return nil
}
