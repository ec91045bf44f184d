// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{"8080": "127.0.0.1:8080", ":8080": ":8080", "node7:80": "node7:80", "[::1]:80": "[::1]:80", "127.0.0.1:0": "127.0.0.1:0"} {
		if got, err := PageAddress(text); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "a:b", "1:2:3", "99999", "host:99999", "case.toml"} {
		if got, err := PageAddress(text); err == nil {
			t.Errorf("%q is the address %q", text, got)
		}
	}
}

// [live] enables the page, at a free port of this machine by default.
func TestLive(t *testing.T) {
	const text = "[domain]\ncells = [8, 8]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"
	for table, want := range map[string]Live{"": {}, "[live]\n": {true, "127.0.0.1:0", false}, "[live]\naddress = \":8080\"\nreadonly = true\n": {true, ":8080", true}} {
		c, err := Load("a.toml", []byte(text+table))
		if err != nil || c.Live != want {
			t.Errorf("%q: %+v %v, want %+v", table, c.Live, err, want)
		}
	}
	if _, err := Load("a.toml", []byte(text+"[live]\naddress = \"node7\"\n")); err == nil || !strings.Contains(err.Error(), "not an address") {
		t.Errorf("%v", err)
	}
}
