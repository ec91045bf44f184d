package main

import (
	"bytes"
	"fmt"
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
	w := written{12, "picture speed_000000120000.png"}
	whole := progressText(p, w, 1<<10)
	for room := range len(whole) + 2 {
		text := progressText(p, w, room)
		if len(text) > room {
			t.Errorf("%d columns: %q", room, text)
		}
		if room >= 50 && !strings.Contains(text, "ETA") {
			t.Errorf("%d columns: %q", room, text)
		}
	}
	for _, word := range []string{"step 123456 of 1000000 (12 %)", "ETA", "MLUPS", "Mach 0.101", "98 % of the roofline", "messages 12 %", "12 files written", "last picture speed_000000120000.png"} {
		if !strings.Contains(whole, word) {
			t.Errorf("no %q in %q", word, whole)
		}
	}
}

// What a run writes is told on a terminal in the one line that is written anew, and elsewhere in a
// line each.
func TestFilesOnATerminal(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		var out bytes.Buffer
		r := &textReport{out: &out, terminal: terminal}
		for step := range 20 {
			r.last = time.Time{} // long ago
			r.Progress(sim.Progress{Step: step, Last: 20})
			r.last = time.Time{}
			r.Wrote("picture", fmt.Sprintf("out/case/speed_%d.png", step))
		}
		r.Warn("the end")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		switch drawn := strings.Split(lines[0], "\r\x1b[K"); {
		case terminal && (len(lines) != 1 || len(drawn) < 40 || !strings.Contains(out.String(), "\r\x1b[Kwarning: the end\n")):
			t.Errorf("on a terminal: %q", out.String())
		case terminal && !strings.Contains(drawn[len(drawn)-2], "20 files written"):
			t.Errorf("the last line is %q", drawn[len(drawn)-2])
		case !terminal && (len(lines) != 41 || strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), "wrote picture out/case/speed_19.png\n")):
			t.Errorf("in a log: %q", out.String())
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
