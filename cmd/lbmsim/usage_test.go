// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lbmsim/sim"
)

// Arguments that a command does not take are an error of usage, not of the run.
func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{
		{"version", "x"}, {"info", "x"}, {"list", "nope"}, {"list", "reference", "x"}, {"example", "cavity", "couette"}, {"bench", "x"}, {"check"}, {"nope"},
	} {
		if code := execute(args); code != sim.ExitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
}

// A value is shown by what it is, in capitals: not by its type, nor by one of the values it may have.
func TestHelpNamesValues(t *testing.T) {
	line := regexp.MustCompile(`^ +(?:-[a-z], )?--([a-z-]+)(?: (\S+))?   +\S`)
	named := regexp.MustCompile(`^([A-Z]+(=[A-Z]+)?)?$`)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, text := range strings.Split(strings.TrimRight(c.Flags().FlagUsages(), "\n"), "\n") {
			m := line.FindStringSubmatch(text)
			if text != "" && (m == nil || !named.MatchString(m[2])) {
				t.Errorf("%s: %s", c.CommandPath(), text)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(command())
}

// A word that is not a file is treated as a command, and the nearest one is suggested.
func TestMisspeltCommand(t *testing.T) {
	for word, want := range map[string]string{"chek": `did you mean "check"?`, "stauts": `did you mean "status"?`, "xyzzy": "see lbmsim --help"} {
		root := command()
		root.SetArgs([]string{word})
		err := root.Execute()
		if err == nil || exitCode(err) != sim.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
		}
	}
	if code := execute([]string{"version"}); code != 0 {
		t.Errorf("version: exit code %d", code)
	}
}
