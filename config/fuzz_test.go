// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/internal/brief"
	"lbmsim/internal/forecast"
)

// Whatever a case file contains, Load returns: no panic, no endless work, and text that
// it accepts is accepted again when written back.
func FuzzLoad(f *testing.F) {
	for _, p := range []string{"../cases/examples/*.toml", "testdata/messages/*.toml"} {
		files, _ := filepath.Glob(p)
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { answers(t, src) })
}

// answers holds for any text.
func answers(t *testing.T, src []byte) {
	c, err := config.Load("fuzz.toml", src)
	if err != nil {
		list, ok := err.(config.Errors)
		if !ok || len(list) == 0 || c != nil {
			t.Fatalf("%T", err)
		}
		if s := err.Error(); s == "" || !utf8.ValidString(s) {
			t.Fatalf("%q", s)
		}
		return
	}
	if len(c.Source) != len(src) || c.Run.Steps < 1 || !(c.Tau > 0.5) || !(c.Units.Time > 0) || c.Box().Cells() < 1 {
		t.Fatalf("%+v", c)
	}
	for _, n := range []int{c.LeastRanks(), c.Cells[1] * c.Cells[2]} {
		if _, err := c.Cut(n); err == nil {
			forecast.Table(c, n)
			forecast.Warnings(c)
		}
	}
	d, err := config.Load("fuzz.toml", []byte(c.Resolved))
	if err != nil {
		t.Fatalf("the resolved copy is refused: %v\n%s", err, c.Resolved)
	}
	if c.Resolved != d.Resolved {
		t.Fatalf("not a fixed point: %q", config.Diff(c.Resolved, d.Resolved, nil))
	}
	if c.Units != d.Units || c.Tau != d.Tau || c.Cells != d.Cells || !reflect.DeepEqual(c.Run, d.Run) {
		t.Fatalf("%+v\n%+v", c, d)
	}
}

// A case in an untrusted checkpoint that no case file could be.
func TestDeepCaseIsRefused(t *testing.T) {
	for _, text := range []string{"a = " + strings.Repeat("[", 1<<19), strings.Repeat("a={", 1<<18), "[" + strings.Repeat("a.", 1<<18) + "b]", strings.Repeat("#", 2<<20)} {
		if got := config.Diff(text, "[run]\nsteps = 1\n", nil); len(got) != 1 || !strings.Contains(got[0], "a case cannot be read") {
			t.Errorf("%.9s: %v", text, got)
		}
	}
}

// One value of a valid case, replaced by another: this passes the parser
// and reaches the checks.
func FuzzEdit(f *testing.F) {
	lines, of := exampleLines(f)
	for i, v := range hostile() {
		f.Add(uint(7*i), v)
	}
	f.Fuzz(func(t *testing.T, n uint, value string) {
		i := int(n % uint(len(lines)))
		k, _, _ := strings.Cut(lines[i], " = ")
		answers(t, []byte(strings.Replace(of[i], lines[i], k+" = "+value, 1)))
	})
}

// exampleLines returns all lines with a value in the examples, and for each the text it is from.
func exampleLines(f testing.TB) (lines, of []string) {
	files, _ := filepath.Glob("../cases/examples/*.toml")
	files = append(files, "testdata/messages/warnings.toml")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, l := range strings.Split(string(src), "\n") {
			if k, _, ok := strings.Cut(l, " = "); ok && !strings.HasPrefix(k, "#") {
				lines, of = append(lines, l), append(of, string(src))
			}
		}
	}
	return lines, of
}

// hostile values.
func hostile() []string {
	return []string{"1e300", `"1e-99 m"`, "0", "-1", `["1e9 m", 0]`, "[1, 1, 1]", `"1e-300 s"`, "1e-320", `["z-"]`, `"0 m"`, `"100 %"`, "[]", "true", "1099511627776", `"1e20 m2/s"`, `"1/x m/s"`}
}

// Every value of every example, replaced by every hostile one.
func TestHostileValues(t *testing.T) {
	brief.Fewer(t, "values")
	lines, of := exampleLines(t)
	for i, l := range lines {
		k, _, _ := strings.Cut(l, " = ")
		for j, v := range hostile() {
			if testing.Short() && (i+j)%2 == 1 {
				continue
			}
			answers(t, []byte(strings.Replace(of[i], l, k+" = "+v, 1)))
		}
	}
}

// Large files of nonsense are refused at once.
func TestLargeNonsense(t *testing.T) {
	many := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := 0; i < n && b.Len() < language.MaxSource-200; i++ {
			b.WriteString(row(i))
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"keys":       "[domain]\n" + many(1e6, func(i int) string { return fmt.Sprintf("k%d = 1\n", i) }),
		"tables":     many(1e6, func(i int) string { return fmt.Sprintf("[t%d]\n", i) }),
		"bodies":     many(1e6, func(i int) string { return fmt.Sprintf("[body.b%d]\n", i) }),
		"boundaries": many(300, func(i int) string { return fmt.Sprintf("[boundary.b%d]\n", i) }),
		"probes":     many(1e6, func(i int) string { return fmt.Sprintf("[output.probe.b%d]\n", i) }),
		"list":       "[domain]\nperiodic = [" + many(1e6, func(i int) string { return "'x'," }) + "]\n",
		"depth":      "a = " + many(1e6, func(i int) string { return "[" }),
		"inline":     "a = " + many(1e6, func(i int) string { return "{a=" }),
		"dots":       many(1e6, func(i int) string { return "a." }) + "a = 1",
		"header":     "[" + many(1e6, func(i int) string { return "a." }) + "a]",
		"expression": "[fluid]\nviscosity = \"" + many(1e6, func(i int) string { return "1+" }) + "1\"\n",
		"text":       "title = \"" + many(1e6, func(i int) string { return "ab" }) + "\"\n",
		"too large":  strings.Repeat("#\n", language.MaxSource),
	} {
		start := time.Now()
		if _, err := config.Load("large.toml", []byte(src)); err == nil || len(err.Error()) > 40000 {
			t.Errorf("%s: %.200v", name, err)
		}
		if d := time.Since(start); d > time.Minute { // a second; machines may be busy
			t.Errorf("%s took %v", name, d)
		}
		if testing.Verbose() {
			t.Log(name, time.Since(start))
		}
	}
}

// Every line left out, and every key of the language put into every example with a
// value of its kind: unforeseen combinations must be handled as well.
func TestEveryKey(t *testing.T) {
	brief.Fewer(t, "cases")
	lines, of := exampleLines(t)
	for i, l := range lines {
		answers(t, []byte(strings.Replace(of[i], l, "", 1)))
	}
	values := map[language.Kind][]string{
		language.Text: {`"a"`}, language.Integer: {"3"}, language.Integers: {"[4, 4]", "[4, 4, 4]"}, language.Number: {"0.6", "20"},
		language.Quantity: {"0.2", "1"}, language.Vector: {"[0.2, 0]", "[1, 1, 1]"}, language.Formula: {"0.2", `"x"`}, language.Formulas: {`["x", 0]`, `["x", 0, "z"]`},
		language.Pair: {"[0, 1]"}, language.Quantities: {"[0.2]", "[1, 2, 3]"}, language.Duration: {`"1 s"`}, language.Period: {"2"}, language.Tolerance: {`"1 %"`, "0.1"}, language.Flag: {"true"}, language.Name: {`"a"`}, language.Names: {`["a", "b"]`},
	}
	done := map[string]bool{}
	for _, src := range of {
		if done[src] {
			continue
		}
		done[src] = true
		if testing.Short() && len(done)%3 != 0 {
			continue
		}
		for _, tab := range config.Tables {
			head := strings.Replace("["+tab.Path+"]", "*", "extra", 1)
			for _, k := range tab.Keys {
				rows := values[k.Kind]
				for _, c := range k.Choices {
					rows = append(rows, strconv.Quote(c), "["+strconv.Quote(c)+"]")
				}
				for _, v := range rows {
					with := []string{v}
					if u := language.Symbol(k.Dim); u != "1" && k.Kind != language.Tolerance {
						// The same with units.
						with = append(with, regexp.MustCompile(`"?([0-9.a-z]+)"?`).ReplaceAllString(v, `"$1 `+u+`"`))
					}
					for _, v := range with {
						line := k.Name + " = " + v + "\n"
						switch {
						case tab.Path == "":
							answers(t, []byte(line+src))
						case strings.Contains(src, head+"\n"):
							answers(t, []byte(strings.Replace(src, head+"\n", head+"\n"+line, 1)))
						default:
							answers(t, []byte(src+head+"\n"+line))
						}
					}
				}
			}
		}
	}
}
