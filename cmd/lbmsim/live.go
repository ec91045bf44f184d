// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/live"
	"lbmsim/sim"
)

// liveFlags are the flags of the page of a run.
type liveFlags struct {
	address  string // "": no page
	name     string // of the key with the address; "": the flag
	readOnly bool
	notebook bool
	page     *livePage // once it is served
}

func (f *liveFlags) add(c *cobra.Command) {
	c.Flags().Var(addressValue{&f.address}, "live", "serve a page that shows the run while it computes, at `ADDRESS`: --live=PORT, --live=HOST:PORT, plain --live for a free port of this machine, --live=false for no page, whatever [live] sets")
	c.Flags().Lookup("live").NoOptDefVal = anyPort
	c.Flags().BoolVar(&f.readOnly, "live-readonly", false, "the page cannot control the run, such as stop it; implies --live")
	c.Flags().BoolVar(&f.notebook, "live-notebook", false, "a notebook on this machine (localhost), or behind the same proxy as the page, may show the page in a frame; implies --live")
}

// addressValue is a flag with an optional address, shown in help like a boolean flag.
type addressValue struct{ to *string }

// Values of the flag that are not addresses, as for boolean flags: without a value it is on.
const (
	anyPort = "true"
	noPage  = "false"
)

// Set implements pflag.Value.
func (a addressValue) Set(text string) error {
	if *a.to = text; text == anyPort {
		*a.to = live.Local
	}
	return nil
}

func (a addressValue) String() string {
	if a.to == nil {
		return ""
	}
	return *a.to
}

// Type implements pflag.Value.
func (addressValue) Type() string { return "bool" }

// livePage is the page of a run on rank 0; nil on other ranks and without --live.
type livePage struct {
	server *live.Server
	run    *live.Process
}

// serve starts the page that the flags or the case ask for on rank 0, and adds its reporter. Collective: a port in use ends
// all ranks.
func (f *liveFlags) serve(c comm.Comm, asked config.Live, reports *reporters) (*livePage, error) {
	if f.address == "" && asked.On {
		f.address, f.name = asked.Address, "[live] address"
	}
	if f.address == noPage {
		if f.readOnly || f.notebook {
			return nil, &sim.Error{Code: sim.ExitUsage, Err: errors.New("--live=false excludes --live-readonly and --live-notebook, which ask for a page")}
		}
		return nil, nil
	}
	f.readOnly = f.readOnly || asked.ReadOnly
	if f.address == "" && (f.readOnly || f.notebook) {
		f.address = live.Local
	}
	if f.address == "" {
		return nil, nil
	}
	var page *livePage
	var err error
	if c.Rank() == 0 {
		page, err = newPage(*f, reports)
	}
	if err = comm.Agree(c, err); err != nil {
		return nil, sim.Agreed(sim.ExitUsage, err)
	}
	return page, nil
}

func newPage(f liveFlags, reports *reporters) (*livePage, error) {
	name := cmp.Or(f.name, "--live")
	address, err := config.PageAddress(f.address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	run := live.NewProcess(reports.status.State)
	server, err := live.Serve(live.Options{Address: address, ReadOnly: f.readOnly, Framed: f.notebook, Runs: func() []live.Run { return []live.Run{run} }})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, live.Refused(address, err))
	}
	reports.Note(server.String())
	reports.Many = append(reports.Many, run)
	return &livePage{server, run}, nil
}

// connect connects the page's orders and pictures to the run.
func (p *livePage) connect(o *sim.Options) {
	if p != nil {
		o.Orders, o.Viewer = append(o.Orders, p.run), p.run.Viewer()
	}
}

// close ends the page once viewers have received the end of the run and its error, which other reporters get later.
func (p *livePage) close(err error) {
	if p == nil {
		return
	}
	if err != nil {
		p.run.Fail(err)
	}
	p.server.Close()
}

// oneCaseOrAddress checks the arguments of a run: an address after --live and a blank is taken for a case.
func oneCaseOrAddress(c *cobra.Command, args []string) error {
	if len(args) == 2 && c.Flags().Changed("live") && !strings.HasSuffix(args[1], ".toml") {
		if _, err := config.PageAddress(args[1]); err == nil {
			return usageError{fmt.Errorf("an address follows --live with an equals sign: --live=%s", args[1])}
		}
	}
	return oneCase(c, args)
}
