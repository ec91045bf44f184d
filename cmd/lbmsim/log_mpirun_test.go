// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The log's keys are words of one style, whatever a case calls its outputs: names are values.
func TestLogKeys(t *testing.T) {
	dir := t.TempDir()
	caseFile := writeCase(t, dir, fmt.Sprintf(box, 40, 20)+`
[output.probe.Centre-1]
at = [4, 5, 6]
[output.force.ball]
velocity = 0.05
area = 50
[output.series.All-of-it]
quantities = ["kinetic_energy"]
[expect.max_speed]
[expect]
mass_error = 1e-3
`)
	r := runProgram(t, dir, 2, caseFile, "--log", "json")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, in := range v {
				if !snake.MatchString(k) {
					t.Errorf("%s has the key %q", where, k)
				}
				walk(where+"."+k, in)
			}
		case []any:
			for _, in := range v {
				walk(where+"[]", in)
			}
		}
	}
	events := map[string]map[string]any{}
	for _, line := range strings.Split(strings.TrimSpace(r.out), "\n") {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		walk("event", e)
		if data, ok := e["data"].(map[string]any); ok {
			events[fmt.Sprint(e["event"])] = data
		}
	}
	for event, keys := range map[string][]string{
		"start":    {"table", "ranks", "first_step"},
		"progress": {"step", "last_step", "eta", "max_mach", "watch"},
		"wrote":    {"kind", "path"},
		"finish":   {"last_step", "times", "files", "watch", "expect"},
	} {
		for _, k := range keys {
			if _, there := events[event][k]; !there {
				t.Errorf("%s without %s: %v", event, k, events[event])
			}
		}
	}
	if files := fmt.Sprint(events["finish"]["files"]); !strings.Contains(files, "kind:probe Centre-1") || !strings.Contains(files, "kind:force ball") {
		t.Errorf("files: %s", files)
	}
}
