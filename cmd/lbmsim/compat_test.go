// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lbmsim/internal/promise"
)

var update = flag.Bool("update", false, "write the list of the commands of the coming version")

// commandLine returns each command and each flag with its kind of value, a line for each.
func commandLine() (list []string) {
	flag := regexp.MustCompile(`(?m)^ +(?:-[a-z], )?(--[a-z-]+)(?: ([A-Z=]+))?`)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		list = append(list, c.CommandPath())
		for _, m := range flag.FindAllStringSubmatch(c.LocalFlags().FlagUsages(), -1) {
			if m[1] != "--help" { // cobra adds it when a command runs
				list = append(list, strings.TrimSpace(c.CommandPath()+" "+m[1]+" "+m[2]))
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(command())
	return list
}

// Every 1.x has the commands and flags of 1.0 (docs/compatibility.md).
func TestCommandsOfOneZero(t *testing.T) {
	promise.Kept(t, "commands.txt", commandLine(), 100, "scripts break")
}

// -update completes the list of the coming version.
func TestCommandsOfThisVersion(t *testing.T) {
	promise.Complete(t, "../..", "commands.txt", commandLine(), *update)
}
