// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is extended has all that was put into it, whatever lies beside it, and a user who edits it in between loses
// nothing.
func TestExtend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	extend := func(more, want string) {
		t.Helper()
		if err := Extend(path, more, "]"); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%q, want %q: %v", b, want, err)
		}
	}
	write(path, "[a]")
	extend("b", "[ab]")
	extend("c", "[abc]")
	write(Part(path), strings.Repeat("x", 100)+"]") // longer, and not from Extend
	extend("d", "[abcd]")
	extend("e", "[abcde]")
	write(path, "[Abc, abcde]") // edited
	extend("f", "[Abc, abcdef]")
	extend("g", "[Abc, abcdefg]")
	write(path, "[abc")
	if err := Extend(path, "h", "]"); err == nil || !strings.Contains(err.Error(), `it ends with "c" instead of "]"`) {
		t.Error(err)
	}
	Extended(path)
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
