// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package language

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The text of an expression in C, compiled, gives the same values as the expression.
func TestExpressionsAsC(t *testing.T) {
	list := []string{"-x^2", "2^-x", "x - -y", "0.03*z*(2*Lz-z)/Lz^2*(1 + 0.3*sin(0.4*t))", "1/(x - x)", "-1/(x - x)", "log(x - 5)", "min(x, y, z, t)", "max(x, 1/0)", "min(0/0, x)", "max(x, log(-1-y^2))",
		"if(x < y, z, -t)", "if(x >= 1, if(t == 2, 3, 4), e)", "(x <= y) + 2*(x != y) + 4*(x > y)", "step(x - 1)*step(1 - x)", "mod(-7*x, 3)", "mod(t, 0.1)", "pow(x, 1/3)", "atan2(-y, x)", "floor(-x/3)", "1e-300*1e-300*x", "pi*Lx*Ly"}
	for _, f := range Functions() {
		switch {
		case f.f1 != nil:
			list = append(list, f.Name+"(x/4)", f.Name+"(-y)")
		case f.f2 != nil:
			list = append(list, f.Name+"(x, y)", f.Name+"(t, -z)")
		default:
			list = append(list, f.Name+"(x - 1, y, z)")
		}
	}
	places := []Env{{1, 2, 3, 0.5, 10, 20, 30}, {0.25, 0.125, -1, 2, 10, 20, 30}, {-1.5, 1e3, 0, 1e-9, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2}}
	var program strings.Builder
	fmt.Fprintf(&program, "#include <math.h>\n#include <stdio.h>\n#include \"expression.h\"\nusing namespace lbm;\nint main() {\n")
	var want []float64
	var of []string
	for _, text := range list {
		e, rest, err := parseExpr(text)
		if err != nil || rest != len(text) {
			t.Fatalf("%s: %+v", text, err)
		}
		for _, p := range places {
			var values []string
			for i, v := range p {
				values = append(values, fmt.Sprintf("{%d}", i), InC(v))
			}
			fmt.Fprintf(&program, "\tprintf(\"%%.17g\\n\", double(%s));\n", strings.NewReplacer(values...).Replace(e.Code))
			want, of = append(want, e.Eval(p)), append(of, fmt.Sprintf("%s at %v: %s", text, p, e.Code))
		}
	}
	program.WriteString("}\n")
	dir := t.TempDir()
	file := filepath.Join(dir, "all.cpp")
	if err := os.WriteFile(file, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-std=c++17", "-O0", "-I../../kernels", file, "-o", filepath.Join(dir, "all")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "all")).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i, s := range got {
		v, err := strconv.ParseFloat(strings.TrimPrefix(s, "-nan"), 64)
		if s == "-nan" {
			v, err = math.NaN(), nil
		}
		if w := want[i]; err != nil || math.IsNaN(v) != math.IsNaN(w) || !math.IsNaN(w) && v != w && !(math.Abs(v-w) <= 1e-14*math.Max(1, math.Abs(w))) {
			t.Errorf("%s gives %s, want %g", of[i], s, want[i])
		}
	}
}
