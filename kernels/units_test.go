// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels_test

import (
	"bytes"
	"debug/elf"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Bounds of text, a proxy for the cost of a clean build: times and memory depend on the machine and its load, bytes do not. g++
// 12 takes 50 to 70 us per byte, and 1 kB of memory per byte above 0.2 GB. All 21 units had 5,010,000 bytes, the units of
// ISA=auto with AVX-512 3,990,888, and the largest, cells_d3q27.cpp, 560,616 when these were set, a tenth above.
const (
	mostOfUnit   = 600 << 10
	mostOfAll    = 5400 << 10
	mostOfAVX512 = 4300 << 10
)

// mostOf returns the bound for all units of a build with these tags. Builds for another processor have none.
func mostOf(tags string) int {
	switch {
	case runtime.GOARCH != "amd64":
		return math.MaxInt
	case !strings.Contains(tags, "isa_"):
		return mostOfAll
	case strings.Contains(tags, "isa_avx512"):
		return mostOfAVX512
	}
	return math.MaxInt
}

// TestUnitsStaySmall compiles nothing that the build cache has: it reads the package's archive there.
func TestUnitsStaySmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-buildvcs=false", "-export", "-f", "{{.Export}} {{len .CXXFiles}}", "-tags", os.Getenv("LBMSIM_TAGS"), ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	export, files, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	archive, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	all, units := 0, 0
	for _, member := range membersOf(t, archive) {
		name, size := textOf(t, member)
		if name == "" {
			continue
		}
		units++
		all += size
		t.Logf("%7d bytes: %s", size, name)
		if size > mostOfUnit {
			t.Errorf("the unit of %s has %d bytes of text, more than %d: make fewer instances, or another unit for some of them", name, size, mostOfUnit)
		}
	}
	if most := mostOf(os.Getenv("LBMSIM_TAGS")); all > most {
		t.Errorf("%d units have %d bytes of text, more than %d: make fewer instances", units, all, most)
	}
	if strconv.Itoa(units) != files {
		t.Errorf("%d units were found in the archive of package kernels, which has %s C++ files", units, files)
	}
	t.Logf("%7d bytes: all %d units", all, units)
}

// membersOf returns the files in an archive.
func membersOf(t *testing.T, archive []byte) (members [][]byte) {
	t.Helper()
	const magic, header = "!<arch>\n", 60
	rest, ok := bytes.CutPrefix(archive, []byte(magic))
	if !ok {
		t.Fatal("package kernels is not an archive")
	}
	for len(rest) >= header {
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || len(rest) < header+size {
			t.Fatalf("the header %q in the archive of package kernels: %v", rest[:header], err)
		}
		members = append(members, rest[header:header+size])
		rest = rest[min(len(rest), header+size+size%2):]
	}
	return members
}

// textOf returns the first function for Go that an object defines, "" if C++ defines no such function, and its bytes of text.
func textOf(t *testing.T, object []byte) (name string, size int) {
	t.Helper()
	if !bytes.HasPrefix(object, []byte(elf.ELFMAG)) {
		return "", 0 // an object of Go's compiler
	}
	file, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			size += int(s.Size)
		}
	}
	symbols, _ := file.Symbols() // an error means no symbols
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) == elf.STB_GLOBAL && strings.HasPrefix(s.Name, "lbm_") {
			return s.Name, size
		}
	}
	return "", size
}
