// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/fields"
)

// Statistics that a restart changes start over, aloud, and what there was stays: tables under another name. Statistics that the
// checkpoint does not have, though samples were due, are reported, and so is a folder with averages of two grids.
func TestChangedStatistics(t *testing.T) {
	const averages, profile = "[output.averages]\nsample_every = 2\nstart = %d\nfields = [\"mean_velocity\"]\n", "[output.profile.across]\nalong = \"y\"\nsample_every = 2\nstart = %d\nevery = 10\n"
	text := func(steps int, outputs ...string) string {
		return fmt.Sprintf("[domain]\ncells = [12, 10, 8]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.05\n[initial]\nvelocity = [\"0.03*sin(2*pi*y/Ly)\", 0, 0]\n[run]\nsteps = %d\n[checkpoint]\nevery = 10\nkeep = 9\n", steps) +
			strings.Join(outputs, "")
	}
	const spectrum = "[output.spectrum.waves]\nalong = \"x\"\nnormal = \"y\"\nat = [%g]\ncumulative = false\nsample_every = 2\nevery = 10\n"
	both := text(20, fmt.Sprintf(averages, 4), fmt.Sprintf(profile, 4), fmt.Sprintf(spectrum, 2.5))
	for _, c := range []struct {
		name, text string
		spectrum   float64 // where it is
		first      int64   // sample of the averages at the end; 0: no averages
		warnings   string  // one a line
		aside      string  // the table that has gone there
	}{
		{"goes on", text(30, fmt.Sprintf(averages, 4), fmt.Sprintf(profile, 4)), 2.5, 4, "", ""},
		{"another plane", text(30, fmt.Sprintf(averages, 4), fmt.Sprintf(profile, 4)), 3.5, 4, "[output.spectrum.waves] differs from the one in the checkpoint: restarting its averages\nspectrum waves: ", "spectrum_waves.csv"},
		{"another start", text(30, fmt.Sprintf(averages, 24), fmt.Sprintf(profile, 24)), 2.5, 24,
			"[output.profile.across] differs from the one in the checkpoint: restarting its averages\n[output.averages]: the checkpoint has averages from another start, step 4; restarting the averages\nprofile across: ", "profile_across.csv"},
		{"other fields", text(30, strings.ReplaceAll(fmt.Sprintf(averages, 4), "mean_velocity", "mean_pressure"), fmt.Sprintf(profile, 4)), 2.5, 22,
			"[output.averages]: the checkpoint has averages of other fields; restarting the averages", ""},
		{"over an axis", text(30, fmt.Sprintf(averages, 4)+"over = \"z\"\n", fmt.Sprintf(profile, 4)), 2.5, 4, "[output.averages]: over changed from \"\" to \"z\": ", ""},
		{"another spacing", strings.ReplaceAll(text(30, fmt.Sprintf(averages, 4), fmt.Sprintf(profile, 4)), "sample_every = 2", "sample_every = 1"), 2.5, 4,
			"[output.profile.across]: samples in the checkpoint are 2 steps apart, new samples 1: \n[output.averages]: samples in the checkpoint are 2 steps apart", ""},
		{"a new one", text(30, fmt.Sprintf(averages, 4), fmt.Sprintf(profile, 4), strings.ReplaceAll(fmt.Sprintf(profile, 4), "across", "second")), 2.5, 4,
			"[output.profile.second]: its first sample was due at step 4, but the checkpoint of step 20 has no samples: sampling starts at step 22", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			trial{text: both, ranks: 2, dir: dir}.must(t)
			before := map[string]string{}
			for _, table := range []string{"profile_across.csv", "spectrum_waves.csv"} {
				b, err := os.ReadFile(filepath.Join(dir, table))
				if err != nil {
					t.Fatal(err)
				}
				before[table] = string(b)
			}
			report, err := trial{text: c.text + fmt.Sprintf(spectrum, c.spectrum), ranks: 2, dir: dir, restart: "latest"}.run(t)
			if err != nil {
				t.Fatal(err)
			}
			heldTo(t, report.warned, c.warnings)
			for table, rows := range before {
				kept, err := os.ReadFile(filepath.Join(dir, table+".before1"))
				if gone := c.aside == table; gone != (err == nil) || gone && string(kept) != rows {
					t.Errorf("%s as it was: %v, %d bytes of %d", table, err, len(kept), len(rows))
				}
			}
			f, err := fields.Open(filepath.Join(dir, "averages", "averages_0000000030.hdf"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			samples := (30-c.first)/2 + 1
			if c.name == "another spacing" {
				samples += 5 // of steps 21, 23 ... 29
			}
			if m := f.Meta; m.First != c.first || m.Last != 30 || m.Samples != samples {
				t.Errorf("the averages have %d samples, of steps %d to %d", m.Samples, m.First, m.Last)
			}
		})
	}
}

// A table that a leg of the run has left out, and that comes back, does not replace what it had.
func TestOutputThatComesBack(t *testing.T) {
	const probe = "[output.probe.p]\nat = [3.5, 3.5, 3.5]\nevery = 2\n"
	text := func(steps int, outputs string) string {
		return fmt.Sprintf("[domain]\ncells = [8, 8, 8]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.05\n[run]\nsteps = %d\n[checkpoint]\nevery = 10\n%s", steps, outputs)
	}
	dir := t.TempDir()
	trial{text: text(10, probe), ranks: 1, dir: dir}.must(t)
	want, err := os.ReadFile(filepath.Join(dir, "probe_p.csv"))
	if err != nil {
		t.Fatal(err)
	}
	trial{text: text(20, ""), ranks: 1, dir: dir, restart: "latest"}.must(t)
	report, err := trial{text: text(30, probe), ranks: 1, dir: dir, restart: "latest"}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	heldTo(t, report.warned, "probe p: ")
	// A leg that got no further leaves nothing that matters.
	report, err = trial{text: text(30, probe), ranks: 1, dir: dir, restart: filepath.Join(dir, "checkpoints", "checkpoint_000000000020.h5")}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	heldTo(t, report.warned, "")
	if got, err := os.ReadFile(filepath.Join(dir, "probe_p.csv.before1")); err != nil || string(got) != string(want) {
		t.Errorf("its rows of the first leg: %v, %d bytes of %d", err, len(got), len(want))
	}
}

// heldTo compares warnings with how they begin, one a line.
func heldTo(t *testing.T, got []string, want string) {
	t.Helper()
	begin := strings.Split(want, "\n")
	if want == "" {
		begin = nil
	}
	ok := len(got) == len(begin)
	for i := range got {
		ok = ok && strings.HasPrefix(got[i], begin[i])
	}
	if !ok {
		t.Errorf("warnings:\n%s\ninstead of\n%s", strings.Join(got, "\n"), want)
	}
}
