// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"lbmsim/config"
	"lbmsim/live"
)

func watchCommand() *cobra.Command {
	var address string
	var readOnly bool
	c := &cobra.Command{
		Use:   "watch DIR...",
		Short: "Serve a page of runs from their output folders",
		Long: `watch serves a page that shows runs from the files in their output folders: state,
forces, series, probes, pictures and warnings. It runs on any machine with access to the folders, without
any effect on the runs. Runs in folders below DIR are included, even if they start later:

  lbmsim watch out              all runs below out, a study as a growing table
  lbmsim watch out/wake         one run

The page refreshes itself: status.json changes every five seconds, tables every second.
Its buttons put files into the folder of a run (stop.now, checkpoint.now, picture.now,
averages.now). Slices of fields and the whole log are only on the page of lbmsim run --live.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("expected the output folder of a run; see lbmsim watch --help")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return watch(args, address, readOnly) },
	}
	c.Flags().StringVar(&address, "listen", live.Local, "`ADDRESS` of the page: PORT, HOST:PORT or :PORT (default: a free port of this machine)")
	c.Flags().BoolVar(&readOnly, "readonly", false, "the page cannot control runs")
	c.Flags().Lookup("listen").DefValue = ""
	return c
}

// watch serves the page until a signal comes.
func watch(dirs []string, address string, readOnly bool) error {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usageError{fmt.Errorf("%s is not a folder; lbmsim watch needs the output folder of a run, or one above it", dir)}
		}
	}
	at, err := config.PageAddress(address)
	if err != nil {
		return usageError{fmt.Errorf("--listen: %w", err)}
	}
	shelf := live.NewShelf(dirs, func(left string) { fmt.Fprintln(stdout, left) })
	server, err := live.Serve(live.Options{Address: at, ReadOnly: readOnly, Runs: shelf.Runs, LeftOut: shelf.LeftOut})
	if err != nil {
		return usageError{fmt.Errorf("--listen: %w", live.Refused(at, err))}
	}
	defer server.Close()
	fmt.Fprintln(stdout, server)
	fmt.Fprintln(stdout, "Ctrl-C ends the page, not the runs")
	go shelf.Runs() // reports omissions before a viewer connects; many folders take some time
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	<-end
	return nil
}
