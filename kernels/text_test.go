// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Bounds of the compiled kernels, in bytes of text, a third above the sizes measured when they were set. They limit the time
// and memory that a build takes: cold code that a template copies into every instance once made it eight times as long.
const (
	mostOfStep = 40 << 10   // of one step: a lattice, a precision and, of populations, a model
	mostOfSet  = 1500 << 10 // of the steps of one instruction set
	mostOfRest = 2700 << 10 // of the others: kernels shared by all sets, and kernels/cpu/wide.h
)

func TestCompiledTextStaysSmall(t *testing.T) {
	nm, err := exec.LookPath("nm")
	if err != nil {
		t.Fatal("no nm here, which comes with the compiler: ", err)
	}
	binary := filepath.Join(t.TempDir(), "kernels.test")
	if out, err := exec.Command("go", "test", "-c", "-buildvcs=false", "-tags", os.Getenv("LBMSIM_TAGS"), "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(nm, "-S", "-C", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	step := regexp.MustCompile(`^(?:\S+ )?lbm::\(anonymous namespace\)::((?:StepMoments|StepPopulations|ScalarOf|EddiesOf)<.*?>::)((run|step|find)\(lbm_case)?`)
	steps, copies := map[string]int{}, map[string]int{}
	all, rest := 0, 0
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.SplitN(line, " ", 4)
		if len(f) < 4 || !strings.Contains(f[3], "lbm::") || !strings.ContainsAny(f[2], "tT") {
			continue
		}
		size, err := strconv.ParseInt(f[1], 16, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all += int(size)
		if name := step.FindStringSubmatch(f[3]); name != nil {
			steps[name[1]] += int(size)
			if name[2] != "" && !strings.ContainsAny(f[3], "[{") {
				copies[name[1]]++
			}
		} else {
			rest += int(size)
		}
	}
	sets := 0
	for name, size := range steps {
		sets = max(sets, copies[name])
		if n := max(1, copies[name]); size/n > mostOfStep {
			t.Errorf("%s has %d bytes of text, more than %d", name, size/n, mostOfStep)
		}
	}
	if sets == 0 || len(steps) < 12 {
		t.Fatalf("%d steps of %d instruction sets were found in %s", len(steps), sets, binary)
	}
	if all-rest > sets*mostOfSet {
		t.Errorf("steps have %d bytes of text for %d instruction sets, more than %d each", all-rest, sets, mostOfSet)
	}
	if rest > mostOfRest {
		t.Errorf("kernels beside the steps have %d bytes of text, more than %d", rest, mostOfRest)
	}
	t.Logf("%d instruction sets: steps %d bytes, the rest %d", sets, all-rest, rest)
}
