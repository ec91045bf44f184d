// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command lbmsim runs lattice-Boltzmann flow cases. It connects the parts of a build, prints errors
// once, and decides the exit code; everything else is in the packages below.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm/mpi"
	"lbmsim/config"
	"lbmsim/internal/plain"
	"lbmsim/sim"
)

// version is set by scripts/build.sh: VERSION and the commit.
var version = "unversioned"

// MPI and the device are called from the process's initial thread.
func init() { runtime.LockOSThread() }

func main() {
	code := execute(os.Args[1:])
	mpi.Exit(code)
	os.Exit(code)
}

func execute(args []string) int {
	root := command()
	root.SetArgs(args)
	root.SetOut(stdout)
	stdout.err = nil
	err := root.Execute()
	if err == nil && stdout.err != nil {
		err = fmt.Errorf("writing to the standard output: %w", stdout.err)
	}
	var quiet alreadyPrinted
	if err != nil && !errors.As(err, &quiet) {
		fmt.Fprintln(os.Stderr, "lbmsim:", plain.Text(err))
	}
	return exitCode(err)
}

// alreadyPrinted is an error that has been printed; only its code is needed.
type alreadyPrinted struct{ code int }

func (a alreadyPrinted) Error() string { return fmt.Sprintf("exit code %d", a.code) }

// usageError is a wrong command line.
type usageError struct{ error }

// Unwrap returns the cause.
func (u usageError) Unwrap() error { return u.error }

func exitCode(err error) int {
	var quiet alreadyPrinted
	var wrong config.Errors
	var usage usageError
	switch {
	case errors.As(err, &quiet):
		return quiet.code
	case errors.As(err, &wrong), errors.As(err, &usage):
		return sim.ExitUsage
	}
	code, _ := sim.ExitCode(err)
	return code
}

func command() *cobra.Command {
	run := runCommand()
	root := &cobra.Command{
		Use:   "lbmsim CASE.toml",
		Short: "Lattice-Boltzmann flow simulator",
		Long: `lbmsim runs the flow case of a TOML file, on one rank or under mpirun and srun,
and writes HDF5 files for ParaView, pictures, probes and checkpoints.

  lbmsim case.toml                    run it here
  mpirun -np 4 lbmsim case.toml       run it on four ranks
  lbmsim check case.toml              dry run: report derived numbers and resource needs`,
		Version:       version,
		Args:          caseOrCommand,
		RunE:          run.RunE,
		SilenceUsage:  true,
		SilenceErrors: true,

		SuggestionsMinimumDistance: 2,
	}
	root.Flags().AddFlagSet(run.Flags())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(run, demoCommand(), exampleCommand(), checkCommand(), stlCommand(), studyCommand(), refineCommand(), tunnelCommand(), listCommand(), infoCommand(), benchCommand(), doctorCommand(), statusCommand(), watchCommand(), filmCommand(), diffCommand(), reproduceCommand(), versionCommand())
	wrongArguments(root)
	return root
}

// wrongArguments turns errors in the arguments of the commands below into usage errors.
func wrongArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		if rule := sub.Args; rule != nil {
			sub.Args = func(c *cobra.Command, args []string) error {
				err := rule(c, args)
				var usage usageError
				if err == nil || errors.As(err, &usage) {
					return err
				}
				return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
			}
		}
		wrongArguments(sub)
	}
}

// caseOrCommand checks the arguments of the root command: a word that is not a file may be a command.
func caseOrCommand(c *cobra.Command, args []string) error {
	if len(args) > 0 && !strings.ContainsAny(args[0], "./") {
		if _, err := os.Stat(args[0]); err != nil {
			hint := "see lbmsim --help"
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = fmt.Sprintf("did you mean %q?", near[0])
			}
			return usageError{fmt.Errorf("%q is neither a command nor a case file: %s", args[0], hint)}
		}
	}
	return oneCaseOrAddress(c, args)
}

// versionCommand returns the command that prints the same as --version.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version (see info for details)", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) { fmt.Fprintln(stdout, "lbmsim version", version) },
	}
}

// oneCase checks the arguments of commands that take a case file.
func oneCase(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("expected one case file, got %d arguments; see lbmsim --help", len(args))}
	}
	return nil
}
