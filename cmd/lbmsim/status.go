// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lbmsim/internal/plain"
	"lbmsim/io/status"
	"lbmsim/report"
	"lbmsim/sim"
)

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR...",
		Short: "Show the status of runs by output folder",
		Long: `status prints the state of runs from DIR/status.json, which a run with outputs rewrites
every five seconds: its step, speed, remaining time, last checkpoint,
warnings, results, and how it ended. On the run's own host its lock and process
show whether it is alive; elsewhere a run with an overdue state is silent.

The exit code is 1 if a folder has no state, or if a run was killed, is silent or has failed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("expected the output folder of a run; see lbmsim status --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			bad := false
			for _, dir := range args {
				s, err := readStatus(dir)
				if err != nil {
					fmt.Fprintln(os.Stderr, "lbmsim:", plain.Text(err))
					bad = true
					continue
				}
				bad = report.State(stdout, dir, s, time.Now()) || bad
			}
			if bad {
				return alreadyPrinted{sim.ExitFailure}
			}
			return nil
		},
	}
}

// readStatus reads the state in a folder. Opening a FIFO would block until something writes to it.
func readStatus(dir string) (s status.State, err error) {
	path := filepath.Join(dir, status.Name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return s, fmt.Errorf("%s is not a regular file", path)
	}
	return status.Read(dir)
}
