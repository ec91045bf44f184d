// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command accuracy measures the accuracy of each precision on this machine's CPU, and prints the
// tables of docs/precision.md (the numbers of a GPU differ from a CPU's by rounding):
//
//	go run ./tools/accuracy [-threads N] [decay times break-up cavity channel mass]
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"

	"lbmsim/device"
	"lbmsim/device/accuracy"
	"lbmsim/device/cpu"
	"lbmsim/model"
)

// reynolds number of all flows but the channels, on the edge of the box and the largest
// first velocity or the lid's.
const reynolds = 100

func main() {
	threads := flag.Int("threads", runtime.NumCPU(), "threads")
	flag.Parse()
	if err := run(*threads, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(threads int, only []string) (err error) {
	dev, err := cpu.New(threads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	tables := []struct {
		name string
		make func(device.Device) error
	}{{"decay", decay}, {"times", times}, {"break-up", breakUp}, {"cavity", cavity}, {"channel", channel}, {"mass", mass}}
	if len(only) == 0 {
		for _, t := range tables {
			only = append(only, t.name)
		}
	}
	for _, name := range only {
		known := false
		for _, t := range tables {
			if t.name == name {
				known = true
				if err := t.make(dev); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		if !known {
			return fmt.Errorf("no table %s: give some of decay, times, break-up, cavity, channel, mass", name)
		}
	}
	return nil
}

// narrow are the precisions compared with float64.
var narrow = []model.Precision{model.Float32, model.Float16}

// each computes a flow in all precisions with every model, and calls row with the flow
// at the given times, in the flow's units.
func each(dev device.Device, f accuracy.Flow, units []float64, row func(c model.Collision, k int, m map[model.Precision]accuracy.Moment)) error {
	var steps []int
	for _, t := range units {
		steps = append(steps, f.Step(t))
	}
	for _, c := range model.Collisions {
		all := map[model.Precision][]accuracy.Moment{}
		for _, p := range model.Precisions {
			m, err := f.Run(dev, c, p, steps...)
			if err != nil {
				return fmt.Errorf("%s, %s %s: %w", f.Name, c.Name, p, err)
			}
			all[p] = m
		}
		for k := range steps {
			at := map[model.Precision]accuracy.Moment{}
			for p, m := range all {
				at[p] = m[k]
			}
			row(c, k, at)
		}
	}
	return nil
}

// columns prints the cells of one row, or of a head and the line under it.
func columns(cells ...string) {
	for _, c := range cells {
		fmt.Print("| ", c, " ")
	}
	fmt.Println("|")
}

func head(cells ...string) {
	fmt.Println()
	columns(cells...)
	for i := range cells {
		cells[i] = "---"
	}
	columns(cells...)
}

// number formats an error with two significant digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }

// decay: vortices that decay to 1/e, at several velocities and resolutions.
func decay(dev device.Device) error {
	head("u", "cells", "steps T", "tau", "model", "float64 - exact", "float32 - float64", "float16 - float64", "(max)", "(pressure)", "(mass)", "viscosity float32", "viscosity float16")
	for _, u := range []float64{0.1, 0.05, 0.01} {
		for _, n := range []int{64, 128, 256} {
			f := accuracy.TaylorGreen(n, reynolds, u)
			err := each(dev, f, []float64{1}, func(c model.Collision, _ int, m map[model.Precision]accuracy.Moment) {
				wide := m[model.Float64]
				single, half := m[model.Float32].From(wide), m[model.Float16].From(wide)
				columns(fmt.Sprint(u), fmt.Sprintf("%d^2", n), fmt.Sprint(wide.Step), fmt.Sprintf("%.3f", f.Tau), c.Name,
					number(wide.FromExact().L2), number(single.L2), number(half.L2), number(half.Max), number(half.Pressure), number(m[model.Float16].Mass-wide.Mass),
					fmt.Sprintf("%.4f", m[model.Float32].Viscosity()/wide.Viscosity()), fmt.Sprintf("%.3f", m[model.Float16].Viscosity()/wide.Viscosity()))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// times: one of these flows during its decay.
func times(dev device.Device) error {
	f, units := accuracy.TaylorGreen(128, reynolds, 0.05), []float64{1. / 16, 1. / 4, 1, 2}
	head("model", "t / T", "float64 - exact", "float32 - exact", "float16 - exact", "float32 - float64", "float16 - float64")
	return each(dev, f, units, func(c model.Collision, k int, m map[model.Precision]accuracy.Moment) {
		row := []string{c.Name, number(units[k])}
		for _, p := range []model.Precision{model.Float64, model.Float32, model.Float16} {
			row = append(row, number(m[p].FromExact().L2))
		}
		for _, p := range narrow {
			row = append(row, number(m[p].From(m[model.Float64]).L2))
		}
		columns(row...)
	})
}

// against prints a table of L2 and max differences from float64 at several times.
func against(dev device.Device, time string, units []float64, flows ...accuracy.Flow) error {
	head("flow", "model", time, "steps", "float32 L2", "max", "pressure", "float16 L2", "max", "pressure")
	for _, f := range flows {
		err := each(dev, f, units, func(c model.Collision, k int, m map[model.Precision]accuracy.Moment) {
			row := []string{f.Name, c.Name, number(units[k]), fmt.Sprint(m[model.Float64].Step)}
			for _, p := range narrow {
				e := m[p].From(m[model.Float64])
				row = append(row, number(e.L2), number(e.Max), number(e.Pressure))
			}
			columns(row...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func breakUp(dev device.Device) error {
	return against(dev, "t / T", []float64{1. / 4, 1, 2}, accuracy.TaylorGreen3D(48, reynolds, 0.1), accuracy.TaylorGreen3D(48, reynolds, 0.05))
}

func cavity(dev device.Device) error {
	return against(dev, "passes of the lid", []float64{1, 10, 40},
		accuracy.Cavity("D2Q9", 128, reynolds, 0.1), accuracy.Cavity("D2Q9", 128, reynolds, 0.05), accuracy.Cavity("D2Q9", 64, reynolds, 0.01))
}

// channel: a flow in which all cells of a row are one; there is no pressure to compare.
func channel(dev device.Device) error {
	units := []float64{1, 4, 16}
	head("flow", "model", "t / T", "steps", "float32 - float64", "float16 - float64")
	for _, f := range []accuracy.Flow{accuracy.Channel(32, 0.02, 0.05), accuracy.Channel(64, 0.02, 0.05)} {
		err := each(dev, f, units, func(c model.Collision, k int, m map[model.Precision]accuracy.Moment) {
			wide := m[model.Float64]
			columns(f.Name, c.Name, number(units[k]), fmt.Sprint(wide.Step), number(m[model.Float32].From(wide).L2), number(m[model.Float16].From(wide).L2))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mass: gain or loss of a closed box.
func mass(dev device.Device) error {
	head("flow", "model", "precision", "1,000 steps", "10,000 steps", "100,000 steps")
	for _, f := range []accuracy.Flow{accuracy.Cavity("D2Q9", 32, reynolds, 0.1), accuracy.Cavity("D3Q19", 16, reynolds, 0.1)} {
		for _, c := range model.Collisions {
			for _, p := range []model.Precision{model.Float64, model.Float32, model.Float16} {
				m, err := f.Run(dev, c, p, 1000, 10000, 100000)
				if err != nil {
					return fmt.Errorf("%s, %s %s: %w", f.Name, c.Name, p, err)
				}
				row := []string{f.Name, c.Name, p.String()}
				for _, at := range m {
					if !(math.Abs(at.Mass) < 1) {
						return fmt.Errorf("%s, %s %s: the density is %g after %d steps", f.Name, c.Name, p, 1+at.Mass, at.Step)
					}
					row = append(row, number(at.Mass))
				}
				columns(row...)
			}
		}
	}
	return nil
}
