// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"debug/elf"
	"testing"
)

// mostOfTable bounds Go's table of functions, .gopclntab, in bytes: it grows with all Go code that is linked, whatever kernels and
// symbols a build has. It had 4,530,000 when this was set, a tenth above; scripts/dist.sh bounds the program as a whole.
const mostOfTable = 5_000_000

func TestProgramStaysSmall(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	section := file.Section(".gopclntab")
	if section == nil {
		t.Fatalf("%s has no section .gopclntab", path)
	}
	if section.Size > mostOfTable {
		t.Errorf("Go's table of functions has %d bytes, more than %d: which package came in, and what does it import?", section.Size, mostOfTable)
	}
	names, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(names, []byte("lbmsim/sim.Run")) {
		t.Error("lbmsim/sim.Run is not in the table: this test does not read it")
	}
	// A call of a method by a name that is known at run time lets the linker keep every exported method: 4.6 MB.
	for _, name := range []string{"text/template.(*state).evalField", "reflect.Value.MethodByName"} {
		if bytes.Contains(names, []byte(name)) {
			t.Errorf("%s is linked: some package uses text/template, html/template or reflect's MethodByName", name)
		}
	}
}
