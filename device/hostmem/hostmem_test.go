// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package hostmem

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Another process sees the writes of this one, and vice versa.
func TestTwoProcesses(t *testing.T) {
	if key := os.Getenv("LBMSIM_TEST_MEMORY"); key != "" {
		memory, free, err := Open([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		defer free()
		if string(memory) != "ping" {
			t.Errorf("%q came", memory)
		}
		copy(memory, "pong")
		return
	}
	memory, key, free, err := Share(4)
	if err != nil {
		t.Fatal(err)
	}
	if string(memory) != "\x00\x00\x00\x00" {
		t.Errorf("new memory holds %q", memory)
	}
	copy(memory, "ping")
	other := exec.Command(os.Args[0], "-test.run", "^TestTwoProcesses$")
	other.Env = append(os.Environ(), "LBMSIM_TEST_MEMORY="+string(key))
	if out, err := other.CombinedOutput(); err != nil || string(memory) != "pong" {
		t.Errorf("%v, %q: %s", err, memory, out)
	}
	free()
	if _, _, err := Open(key); err == nil {
		t.Error("memory that was freed can be opened")
	}
}

// Any other memory is refused.
func TestOpenRefuses(t *testing.T) {
	_, handle, free, err := Share(100)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	_, other, freeOther, err := Share(100)
	if err != nil {
		t.Fatal(err)
	}
	defer freeOther()
	var k, o key
	for _, e := range []error{json.Unmarshal(handle, &k), json.Unmarshal(other, &o)} {
		if e != nil {
			t.Fatal(e)
		}
	}
	for what, change := range map[string]func(*key){
		"processes of its own":         func(k *key) { k.Names = "pid:[1]" },
		"another machine":              func(k *key) { k.Machine = "elsewhere" },
		"is not the memory of process": func(k *key) { k.FD = o.FD },
		"is not the memory":            func(k *key) { k.Bytes++ },
		"no such file":                 func(k *key) { k.FD = 1 << 20 },
	} {
		bad := k
		change(&bad)
		text, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(text); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
	if _, _, err := Open([]byte("no key")); err == nil {
		t.Error("nonsense was taken for a key")
	}
}
