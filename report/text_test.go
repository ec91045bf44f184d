// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/sim"
)

// The progress line never fills a terminal's last column: a longer one leaves a line behind at
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

// Written files are reported on a terminal in the rewritten line, and otherwise on a line each.
func TestFilesOnATerminal(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		var out bytes.Buffer
		r := &Text{out: &out}
		if terminal {
			r.terminal = os.Stdout
		}
		for step := range 20 {
			r.last = time.Time{} // long ago
			r.Progress(sim.Progress{Step: step, Last: 20})
			r.last = time.Time{}
			r.Wrote("picture", fmt.Sprintf("out/case/speed_%d.png", step))
		}
		r.Warn(finding.Speed.Says("the end"))
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

// The first table has the details relevant to the case and its ranks; --verbose has all.
func TestFirstTable(t *testing.T) {
	box := "[domain]\ncells = [8, 8]\nperiodic = [\"x\"]\n[fluid]\nviscosity = 0.1\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n[run]\nsteps = 1\n"
	one := []sim.RankInfo{{Host: "here", Hi: [3]int{8, 8, 1}, Device: device.Info{Name: "cpu", Model: "a processor"}, Transport: "none needed"}}
	two := append(one, sim.RankInfo{Rank: 1, Host: "here", Device: device.Info{Name: "cpu"}, Transport: "host: straight"})
	gpus := []sim.RankInfo{{Device: device.Info{Name: "cuda:0"}}, {Device: device.Info{Name: "cuda:1"}}}
	for name, c := range map[string]struct {
		more       string
		ranks      []sim.RankInfo
		verbose    bool
		with, sans []string
	}{
		"at rest":   {"", one, false, []string{"cells", "device    a processor"}, []string{"wall law", "spacing dx", "ghosts", "messages", "rank  host"}},
		"a channel": {"[force]\nacceleration = [1e-5, 0]\n", one, false, []string{"wall law", "body force"}, []string{"spacing dx"}},
		"all":       {"", one, true, []string{"wall law", "spacing dx", "rank  host", "ghosts    host", "messages  a library"}, nil},
		"ranks":     {"", two, false, []string{"rank  host", "host: straight"}, []string{"ghosts    ", "messages"}},
		"a wish":    {"[device]\ntransport = \"host\"\n", two, false, []string{"ghosts    host"}, nil},
		"GPUs":      {"", gpus, false, []string{"ghosts    host"}, nil},
	} {
		k, err := config.Load("a.toml", []byte(box+c.more))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		(&Text{out: &out, verbose: c.verbose}).Start(sim.Start{Case: k, Ranks: c.ranks, MPI: "a library", Routes: []sim.Routes{{Transport: "host", Why: "so"}}})
		for _, want := range c.with {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
		for _, no := range c.sans {
			if strings.Contains(out.String(), no) {
				t.Errorf("%s: %q in\n%s", name, no, out.String())
			}
		}
	}
}

// The summary repeats unreliable results.
func TestSummaryHasDoubts(t *testing.T) {
	var out bytes.Buffer
	(&Text{out: &out}).Finish(sim.Summary{Case: &config.Case{}, Doubts: finding.List{finding.Unresolved.Says("y+ 40 at the car")}})
	if !strings.Contains(out.String(), "doubt  y+ 40 at the car\n") {
		t.Errorf("%s", out.String())
	}
}

// No step is faster than the loop that measures the roofline: above 100 % the measurement was disturbed.
func TestDisturbedRoofline(t *testing.T) {
	for share, want := range map[float64]string{0.5: "50 % of it", 1: "100 % of it", 1.3: "it was disturbed by other load"} {
		if got := shareOfRoofline(share, "it"); got != want {
			t.Errorf("%g: %q, want %q", share, got, want)
		}
	}
}

// Quantities that were not measured are not reported: on refined grids, the breakdown of the time of steps.
func TestTimesTogether(t *testing.T) {
	for together, want := range map[bool]string{true: "steps 2.00 s, waiting for messages included", false: "exposed communication 0.00 s"} {
		var out strings.Builder
		(&Text{out: &out, ranks: 3}).Finish(sim.Summary{Case: &config.Case{}, Times: sim.Times{Compute: 2, Bytes: 1, Together: together}})
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "imbalance") == together {
			t.Errorf("together %t:\n%s", together, out.String())
		}
	}
}
