// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package promise

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An updated list has the present names, then those that are gone; a second update changes nothing.
func TestUpdate(t *testing.T) {
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(before) })
	for name, text := range map[string]string{"VERSION": "1.2.3\n", "testdata/1.2/words.txt": "gone\nkept\n", "testdata/1.0/words.txt": "kept\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := []string{"new", "kept"}
	for range 2 {
		Complete(t, ".", "words.txt", now, true)
		b, err := os.ReadFile("testdata/1.2/words.txt")
		if err != nil || string(b) != "new\nkept\ngone\n" {
			t.Fatalf("the list is %q, %v", b, err)
		}
	}
	Complete(t, ".", "words.txt", now, false)
	Kept(t, "words.txt", now, 1, "cases break")
}

func TestMissing(t *testing.T) {
	if got := missing([]string{"c", "a", "b"}, []string{"a", "d"}); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("missing are %q, want c and b", got)
	}
}
