package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

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

// Every 1.x has the commands and flags of 1.0 (docs/compatibility.md). testdata/1.0/commands.txt was written by 1.0.0 and only loses lines
// with a new major version.
func TestCommandsOfOneZero(t *testing.T) {
	b, err := os.ReadFile("testdata/1.0/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]bool{}
	for _, line := range commandLine() {
		now[line] = true
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 100 {
		t.Errorf("only %d commands and flags", len(lines))
	}
	for _, line := range lines {
		if !now[line] {
			t.Errorf("%q of 1.0 is gone, or takes another value: scripts break, which 1.x promises not to do", line)
		}
	}
}
