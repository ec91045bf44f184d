// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command cputime measures the CPU time of tests, and compares it with bounds. The elapsed time of go test
// depends on other load; user and system time depend on it only weakly.
//
//	go test -json -exec "$PWD/.build/cputime run $PWD/times.json" ./...
//	.build/cputime judge -total 2100 -test 75 times.json
//
// The first form wraps each test binary of go test, and appends to the file. Subprocesses are included once
// their parent has waited for them.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	code, err := command(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "cputime:", err)
		code = 1
	}
	os.Exit(code)
}

// command returns the exit status, of the test binary if it ran one.
func command(args []string) (int, error) {
	if len(args) >= 3 && args[0] == "run" {
		return run(args[1], args[2:], os.Stdout)
	}
	if len(args) == 0 || args[0] != "judge" {
		return 0, fmt.Errorf("usage: cputime run FILE TESTBINARY [ARGUMENT...], or cputime judge [-total SECONDS] [-test SECONDS] FILE")
	}
	flags := flag.NewFlagSet("judge", flag.ExitOnError)
	var b bounds
	flags.Float64Var(&b.total, "total", 0, "CPU `seconds` that all tests may take (0: any)")
	flags.Float64Var(&b.test, "test", 0, "CPU `seconds` that one test may take, or of a test with subtests each of them (0: any)")
	flags.Parse(args[1:])
	if flags.NArg() != 1 {
		return 0, fmt.Errorf("give one file that cputime run has written")
	}
	r, err := read(flags.Arg(0))
	if err != nil {
		return 0, err
	}
	return 0, r.judge(os.Stdout, b)
}
