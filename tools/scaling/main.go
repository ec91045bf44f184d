// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Command scaling forecasts the scaling of runs over more GPUs than available, from measurements on
// a few. It prints the tables of docs/scaling.md:
//
//	go run ./tools/scaling
//
// and compares the model with measurements of `lbmsim bench scaling --json`:
//
//	go run ./tools/scaling -measured scaling.json
//
// Bytes, messages and edges come from package decomp, which cuts real runs.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	m := known
	measured := flag.String("measured", "", "what `lbmsim bench scaling --json` printed, to be compared with the model")
	for _, f := range []struct {
		to    *float64
		name  string
		scale float64
		usage string
	}{
		{&m.Rate, "rate", 1e6, "MLUPS of a large box on one GPU"},
		{&m.Launch, "launch", 1e-6, "us of a step beside that"},
		{&m.Network, "network", 1e9, "GB/s of a GPU between nodes, one way"},
		{&m.NetStart, "network-start", 1e-6, "us of a message between nodes"},
		{&m.Bus, "bus", 1e9, "GB/s between a GPU and its host"},
		{&m.HostStart, "host-start", 1e-6, "us of a message inside a node"},
		{&m.Peer, "peer", 1e9, "GB/s between GPUs of a node, one way"},
		{&m.PeerStart, "peer-start", 1e-6, "us of a copy between them"},
		{&m.Wait, "wait", 1e-6, "us of the host in a step with messages"},
	} {
		flag.Func(f.name, fmt.Sprintf("%s (default %.4g)", f.usage, *f.to/f.scale), func(text string) error {
			if _, err := fmt.Sscan(text, f.to); err != nil || *f.to <= 0 {
				return fmt.Errorf("give a number above 0")
			}
			*f.to *= f.scale
			return nil
		})
	}
	flag.IntVar(&m.Node, "node", m.Node, "GPUs of a node")
	flag.Parse()
	if err := run(os.Stdout, m, *measured); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, m Machine, measured string) error {
	if measured == "" {
		return tables(w, m)
	}
	f, err := os.Open(measured)
	if err != nil {
		return err
	}
	defer f.Close()
	return compare(w, m, f)
}
