// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"net"
	"strconv"

	"lbmsim/config/language"
)

// Live is [live]: the page that shows a run while it computes.
type Live struct {
	On       bool
	Address  string // host:port
	ReadOnly bool   // the page takes no orders
}

// liveTable describes [live].
func liveTable() language.Table {
	return language.Table{Path: "live", Optional: true, Keys: []language.Key{
		{Name: "address", Kind: language.Text, Default: `"0"`, Doc: "PORT of the machine of rank 0, 0: a free one; HOST:PORT or :PORT (all addresses of the machine) where others are to reach it"},
		{Name: "readonly", Kind: language.Flag, Default: "false", Doc: "the page takes no orders, such as to stop the run"},
	}, Doc: "A page that `lbmsim run` serves while it computes (docs/live.md). The table enables it; `--live` takes precedence."}
}

func (r *timing) readLive() {
	s := r.Section("live")
	if s == nil {
		return
	}
	r.Live.On = true
	if e := s.Get("address"); e != nil {
		var err error
		if r.Live.Address, err = PageAddress(e.Text); err != nil {
			r.Add(e.At, "address = \"8080\"", "address of [live]: %v", err)
		}
	}
	if e := s.Get("readonly"); e != nil {
		r.Live.ReadOnly = e.Flag
	}
}

// PageAddress returns the address that a case or a flag gives: HOST:PORT, :PORT (on all addresses of the machine) or PORT on this
// machine alone.
func PageAddress(text string) (string, error) {
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		text = "127.0.0.1:" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: PORT, HOST:PORT or :PORT (on all addresses of the machine)", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q is not an address: its port must be a number from 0 to 65535", text)
	}
	return net.JoinHostPort(host, port), nil
}
