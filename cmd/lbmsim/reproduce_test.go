package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/sim"
)

// A run that was ended early says nothing of the file.
func TestReproducedInPart(t *testing.T) {
	_, err := recipe{Step: 60, Output: t.TempDir()}.compare("a.csv", sim.Summary{Last: 30, Reason: "signal"})
	if err == nil || !strings.Contains(err.Error(), "ended at step 30 of 60 (signal): nothing was compared") {
		t.Error(err)
	}
}

// Files of earlier runs are not taken for new ones, nor are they written over.
func TestReproducedIntoAFreshFolder(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(home) })
	const path = "run/probe_a.csv"
	want := filepath.Join("out", "reproduced-probe_a")
	for _, name := range []string{want, want + "-2", want + "-3"} {
		got, err := fresh(path, "")
		if err != nil || got != name {
			t.Fatalf("%s, %v; want %s", got, err, name)
		}
		if err := os.MkdirAll(got, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := fresh(path, want); err != nil || got != want {
		t.Errorf("an empty folder: %s, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(want, "probe_a.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(want, "link"); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{want, "link"} {
		if _, err := fresh(path, output); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("%s: %v", output, err)
		}
	}
}
