package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"lbmsim/sim"
)

// The progress line never fills a terminal's last column: what is longer leaves a line behind at
// each update.
func TestProgressFits(t *testing.T) {
	p := sim.Progress{Step: 123456, Last: 1000000, MLUPS: 12345.6, Roofline: 0.98, Communication: 0.12, MaxMach: 0.101, ETA: 100*time.Hour + 59*time.Minute}
	whole := progressText(p, 1<<10)
	for room := range len(whole) + 2 {
		text := progressText(p, room)
		if len(text) > room {
			t.Errorf("%d columns: %q", room, text)
		}
		if room >= 50 && !strings.Contains(text, "ETA") {
			t.Errorf("%d columns: %q", room, text)
		}
	}
	for _, word := range []string{"step 123456 of 1000000 (12 %)", "ETA", "MLUPS", "Mach 0.101", "98 % of the roofline", "messages 12 %"} {
		if !strings.Contains(whole, word) {
			t.Errorf("no %q in %q", word, whole)
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

// A word that is no file is taken for a command, and the nearest one is named.
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
