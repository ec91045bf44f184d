// Command benchplot draws what `lbmsim bench --json` has measured beside the rooflines of
// the same run:
//
//	lbmsim bench --json >bench.json
//	go run ./scripts/benchplot -o roofline.svg bench.json [MORE.json...]
//
// The kernels are bound by memory, so the roofline is a bandwidth: bars are the
// unavoidable bytes by the time, marks the fastest roofline that took turns with them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "roofline.svg", "picture to write, .svg or .png")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "benchplot:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	var rows []row
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		more, err := readFile(name)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	all := panels(rows)
	if len(all) == 0 {
		return fmt.Errorf("no speeds in %v: give what `lbmsim bench --json` prints", files)
	}
	var b bytes.Buffer
	if err := picture(&b, filepath.Ext(out), all); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

func readFile(name string) ([]row, error) {
	var in io.Reader = os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	rows, err := read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}
