// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
)

// Every example meets its [expect] table.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../cases/examples/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		t.Run(name, func(t *testing.T) {
			if testing.Short() && slices.Contains([]string{"sphere_3d", "cavity_3d", "cavity", "cylinder_2d", "buildings"}, name) {
				t.Skip("it takes many seconds: make test-all runs it")
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(file, text)
			if err != nil {
				t.Fatal(err)
			}
			if len(cfg.Expect) == 0 {
				t.Fatal("an example without [expect] tests nothing")
			}
			cfg.OutputDir = t.TempDir()
			dev, err := testDevice(0)
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			report := &silent{}
			if err := Run(Options{Case: cfg, Comm: comm.Serial(), Device: dev, Report: report, Version: "test"}); err != nil {
				t.Fatal(err)
			}
			for _, v := range report.summary.Expect {
				t.Logf("%s = %.6g (%.6g +- %.3g)", v.Quantity, v.Got, v.Want, v.Tolerance)
			}
		})
	}
}
