package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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

// Every 1.x has the commands and flags of 1.0 (docs/compatibility.md). testdata/1.0/commands.txt only gains lines until the release of 1.0,
// and loses lines with a new major version alone.
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

// Lists of the coming version, by VERSION, are complete, so that they are at its release. -update completes them, and leaves what the
// program no longer has for TestCommandsOfOneZero to report.
func TestCommandsOfThisVersion(t *testing.T) {
	version, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	number := strings.SplitN(string(version), ".", 3)
	path := filepath.Join("testdata", number[0]+"."+number[1], "commands.txt")
	b, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatalf("%v: run this test with -update", err)
	}
	now := commandLine()
	listed := strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
	for _, line := range now {
		if !*update && !slices.Contains(listed, line) {
			t.Errorf("%s lacks %q: run this test with -update", path, line)
		}
	}
	if !*update {
		return
	}
	for _, line := range listed {
		if !slices.Contains(now, line) {
			now = append(now, line)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
