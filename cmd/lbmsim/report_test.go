package main

import (
	"strings"
	"testing"
	"time"

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
