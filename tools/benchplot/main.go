// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command benchplot draws the results of `lbmsim bench --json` with the rooflines of the same run:
//
//	lbmsim bench --json >bench.json
//	go run ./tools/benchplot -o roofline.svg bench.json [MORE.json...]
//
// or prints the same numbers as a table for docs/performance.md:
//
//	go run ./tools/benchplot -table bench.json
//
// It also draws the results of `lbmsim bench scaling --json`:
//
//	mpirun -np 8 lbmsim bench scaling --json >scaling.json
//	go run ./tools/benchplot -o scaling.svg scaling.json
//
// The kernels are memory-bound, so the roofline is a bandwidth: bars are the unavoidable bytes per
// time, marks the fastest roofline measured alternately with them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lbmsim/internal/scaling"
)

func main() {
	out := flag.String("o", "roofline.svg", "picture to write, .svg or .png")
	table := flag.Bool("table", false, "print the speeds of kernels as Markdown instead")
	flag.Parse()
	var err error
	if *table {
		err = printTables(os.Stdout, flag.Args())
	} else {
		err = run(*out, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchplot:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	rows, scales, err := readAll(files)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	switch bars, curves := panels(rows), diagrams(scales); {
	case len(bars) > 0 && len(curves) > 0:
		err = fmt.Errorf("%v hold speeds of kernels and scaling: draw them one by one", files)
	case len(bars) > 0:
		err = picture(&b, filepath.Ext(out), bars)
	case len(curves) > 0:
		err = scalingPicture(&b, filepath.Ext(out), curves)
	default:
		err = fmt.Errorf("no speeds in %v: give what `lbmsim bench --json` prints", files)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

// printTables writes the speeds of kernels.
func printTables(w io.Writer, files []string) error {
	rows, _, err := readAll(files)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("no speeds of kernels in %v: give what `lbmsim bench --json` prints", files)
	}
	if err != nil {
		return err
	}
	return writeTables(w, rows)
}

// readAll reads files, or standard input without any.
func readAll(files []string) (rows []row, scales []scaling.Row, err error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		text, err := readFile(name)
		if err != nil {
			return nil, nil, err
		}
		more, err := read(bytes.NewReader(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		curves, err := readScaling(bytes.NewReader(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		rows, scales = append(rows, more...), append(scales, curves...)
	}
	return rows, scales, nil
}

func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}
