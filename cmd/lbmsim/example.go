// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/cases/examples"
	"lbmsim/config"
	"lbmsim/report"
)

// exampleCommand lists the cases shipped with lbmsim, and writes them to files.
func exampleCommand() *cobra.Command {
	print := false
	c := &cobra.Command{
		Use:   "example [NAME]",
		Short: "List the example cases, or write one into this folder",
		Long: `example lists the included cases, or writes one as NAME.toml:

  lbmsim example cavity && lbmsim cavity.toml    a first run, with a picture in out/cavity`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				var table []config.Row
				for _, e := range examples.All() {
					table = append(table, config.Row{Name: e.Name, Lattice: e.Title})
				}
				report.Table(stdout, table)
				return nil
			}
			e, err := exampleOf(strings.TrimSuffix(args[0], ".toml"))
			if err != nil {
				return usageError{err}
			}
			if print {
				if _, err := fmt.Fprint(stdout, e.Text); err != nil {
					return fmt.Errorf("the case was printed incompletely: %w", err)
				}
				return nil
			}
			return writeExample(e)
		},
	}
	c.Flags().BoolVar(&print, "print", false, "print the case instead of writing it")
	return c
}

func exampleOf(name string) (examples.Example, error) {
	var names []string
	for _, e := range examples.All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return examples.Example{}, fmt.Errorf("there is no example %q; there are %s", name, strings.Join(names, ", "))
}

// writeExample never replaces a file: it may have been edited.
func writeExample(e examples.Example) error {
	file := e.Name + ".toml"
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; move it away, or show the example with --print", file)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(e.Text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "wrote %s; run it: lbmsim %s\n", file, file)
	return nil
}
