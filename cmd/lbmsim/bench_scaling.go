// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/plain"
	"lbmsim/internal/scaling"
	"lbmsim/report"
	"lbmsim/sim"
)

// scalingFlags are the flags of `lbmsim bench scaling`.
type scalingFlags struct {
	device, model, precision string
	weak, strong, transports []string
	ranks                    []int
	threads, rounds, steps   int
	seconds                  float64
	share, json              bool
}

func benchScalingCommand() *cobra.Command {
	var f scalingFlags
	c := &cobra.Command{
		Use:   "scaling",
		Short: "Measure weak and strong scaling on the available ranks",
		Long: `scaling runs a closed box with a moving lid on 1, 2, 4, ... and all ranks of the
launcher, and compares each, in alternating turns, with a single rank:

  mpirun -np 8 lbmsim bench scaling
  srun lbmsim bench scaling --json >scaling.json

weak: a fixed number of cells per rank; strong: a fixed total number of cells.
Before timing, every number of ranks must reproduce the state of a single rank bit for
bit; kernels are verified against the float64 oracle. Ranks without work in a turn sleep.
A size that does not fit is reported and skipped.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runScaling(f, os.Stdout) },
	}
	c.Flags().StringVar(&f.device, "device", "auto", "`DEVICE` to measure: cpu, cuda, auto, or the number of a GPU")
	c.Flags().StringVar(&f.model, "model", "regularized", "collision `MODEL`")
	c.Flags().StringVar(&f.precision, "precision", "float32", "`PRECISION` of the state")
	c.Flags().StringSliceVar(&f.weak, "weak", nil, "`CELLS` per rank for weak scaling, 512 or 512x512x256, comma-separated; none skips it (default: 512 on GPUs, 128 on CPUs)")
	c.Flags().StringSliceVar(&f.strong, "strong", nil, "total `CELLS` for strong scaling, in the same format (default: 1024, 512 and 256 on GPUs, 256 on CPUs)")
	c.Flags().StringSliceVar(&f.transports, "transport", nil, "halo exchange `METHODS`: peer, gpu, host, auto (default: the first three on GPUs, host on CPUs)")
	c.Flags().IntSliceVar(&f.ranks, "ranks", nil, "comma-separated `NUMBERS` of ranks besides 1 (default: powers of two, and all)")
	c.Flags().IntVar(&f.threads, "threads", 0, "`THREADS` per rank (default: its share of the cores)")
	c.Flags().IntVar(&f.rounds, "rounds", 9, "`TURNS` per configuration")
	c.Flags().IntVar(&f.steps, "steps", 0, "`STEPS` per turn (default: enough for --seconds, at least 4)")
	c.Flags().Float64Var(&f.seconds, "seconds", 0.25, "duration of a turn in `SECONDS`")
	c.Flags().BoolVar(&f.share, "share", false, "allow ranks to share a GPU, for tests")
	c.Flags().BoolVar(&f.json, "json", false, "print results as JSON, one per line; tools/benchplot draws them")
	return c
}

// boxes reads sizes of boxes.
func boxes(flag string, words []string) (list [][3]int, err error) {
	for _, w := range words {
		if w == "none" {
			continue
		}
		parts := strings.Split(w, "x")
		if len(parts) == 1 {
			parts = []string{w, w, w}
		}
		var n [3]int
		for i := range n {
			if len(parts) != 3 {
				err = errors.New("three numbers")
			} else if n[i], err = strconv.Atoi(parts[i]); err == nil && (n[i] < 4 || n[i] > 1<<20) {
				err = fmt.Errorf("%d cells", n[i])
			}
			if err != nil {
				return nil, usageError{fmt.Errorf("bench scaling: --%s %s: must be cells such as 512 or 512x512x256, at least 4 along each axis", flag, w)}
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// runScaling measures on the ranks that were started.
func runScaling(f scalingFlags, out io.Writer) error {
	if f.threads < 0 || f.rounds < 1 || f.steps < 0 || f.steps%2 > 0 || !(f.seconds > 0) {
		return usageError{errors.New("bench scaling: --rounds must be at least 1, --steps even, --seconds above 0, --threads at least 0")}
	}
	weak, err := boxes("weak", f.weak)
	if err != nil {
		return err
	}
	strong, err := boxes("strong", f.strong)
	if err != nil {
		return err
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error {
		return measureScaling(c, f, weak, strong, out, dev)
	}, func(err error) { fmt.Fprintln(os.Stderr, report.Failure(err)) }, func(string) {})
}

// measureScaling measures weak and strong scaling. Collective; rank 0 writes to out. The caller owns the opened
// device and closes it last.
func measureScaling(c comm.Comm, f scalingFlags, weak, strong [][3]int, out io.Writer, opened *device.Device) error {
	usage := func(err error) error { return &sim.Error{Code: sim.ExitUsage, Err: err} }
	if c.Size() == 1 {
		return usage(errors.New("bench scaling needs at least 2 ranks: mpirun -np 2 lbmsim bench scaling"))
	}
	want, err := choose(f.device, config.Device{Share: f.share})
	if err != nil {
		return usage(err)
	}
	threads, advice, err := share(c, &config.Case{}, f.threads)
	if err != nil {
		return err
	}
	dev, note, err := openDevice(c, want, gpus(), threads)
	if err != nil {
		return err
	}
	*opened = dev
	_, onCPU := dev.(*cpu.Device)
	if !onCPU {
		advice = ""
	}
	if f.weak == nil {
		if weak = [][3]int{{512, 512, 512}}; onCPU {
			weak = [][3]int{{128, 128, 128}}
		}
	}
	if f.strong == nil {
		if strong = [][3]int{{1024, 1024, 1024}, {512, 512, 512}, {256, 256, 256}}; onCPU {
			strong = [][3]int{{256, 256, 256}}
		}
	}
	if f.ranks == nil {
		f.ranks = scaling.Counts(c.Size())
	}
	if f.transports == nil {
		if f.transports = []string{"peer", "gpu", "host"}; onCPU {
			f.transports = []string{"host"}
		}
	}
	table := &scalingTable{out: out}
	done := func(r scaling.Row) { table.row(r) }
	if f.json {
		encoder := json.NewEncoder(out)
		done = func(r scaling.Row) { err = errors.Join(err, encoder.Encode(r)) }
	}
	m, failed := scaling.New(scaling.Options{
		Comm: c, Device: dev, Threads: threads, Version: version, Model: f.model, Precision: f.precision,
		Ranks: f.ranks, Transports: f.transports, Rounds: f.rounds, Steps: f.steps, Seconds: f.seconds, Done: done,
	})
	if failed != nil {
		return failed
	}
	if c.Rank() == 0 {
		for _, text := range []string{note, advice} {
			if text != "" {
				fmt.Fprintln(os.Stderr, "warning:", text)
			}
		}
		if !f.json {
			table.head(c, dev.Info().Model+" ("+dev.Info().Detail+")", f)
		}
	}
	for _, n := range weak {
		if err := m.Scale(scaling.Weak, n); err != nil {
			return err
		}
	}
	for _, n := range strong {
		if err := m.Scale(scaling.Strong, n); err != nil {
			return err
		}
	}
	m.Close()
	// A closed pipe concerns only rank 0.
	return sim.Agreed(sim.ExitFailure, comm.Agree(c, err))
}

// scalingTable prints rows for people.
type scalingTable struct {
	out  io.Writer
	kind string
	size [3]int
}

func (t *scalingTable) head(c comm.Comm, device string, f scalingFlags) {
	fmt.Fprintf(t.out, "lbmsim %s, %s, %s, %s\n", version, plain.Count(c.Size(), "rank"), comm.Describe(c), device)
	fmt.Fprintf(t.out, "D3Q19 %s %s in a closed box with a moving lid; medians of %d turns, each paired with a single-rank turn\n", f.model, f.precision, f.rounds)
	fmt.Fprintln(t.out, "us per step: compute, exposed and hidden communication, mean over the ranks; imbalance: compute time of the slowest rank relative to the mean")
}

func (t *scalingTable) row(r scaling.Row) {
	of := r.Size
	if r.Kind == scaling.Weak {
		of[2] /= r.Ranks
	}
	if t.kind != r.Kind || t.size != of {
		t.kind, t.size = r.Kind, of
		what := map[string]string{scaling.Weak: "cells per rank", scaling.Strong: "cells in total"}[r.Kind]
		fmt.Fprintf(t.out, "\n%s scaling, %d x %d x %d %s\n", r.Kind, of[0], of[1], of[2], what)
		fmt.Fprintf(t.out, "%5s %-8s %-9s %10s %22s %10s %17s %9s %9s %9s %9s %10s  %s\n", "ranks", "cut y,z", "transport", "MLUPS", "(low - high)", "efficiency", "(low - high)",
			"computing", "exposed", "hidden", "imbalance", "sent/step", "ghost planes by")
	}
	cut := fmt.Sprintf("%d x %d", r.Parts[1], r.Parts[2])
	if r.Skipped != "" {
		fmt.Fprintf(t.out, "%5d %-8s %-9s not measured: %s\n", r.Ranks, cut, r.Transport, r.Skipped)
		return
	}
	us := func(s float64) string { return fmt.Sprintf("%.4g", s*1e6) }
	fmt.Fprintf(t.out, "%5d %-8s %-9s %10.1f (%9.1f - %8.1f) %8.1f %% (%5.1f - %5.1f %%) %9s %9s %9s %7.1f %% %10s  %s\n", r.Ranks, cut, r.Transport, r.MLUPS, r.Low, r.High,
		100*r.Efficiency, 100*r.EffLow, 100*r.EffHigh, us(r.Compute), us(r.Exposed), us(r.Hidden), 100*r.Imbalance, report.Bytes(r.Bytes), r.Way)
}
