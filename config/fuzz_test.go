package config

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
)

// Whatever stands in a case file, Load answers: no panic, no endless work, and what
// it accepts it accepts again when written back.
func FuzzLoad(f *testing.F) {
	for _, p := range []string{"../examples/*.toml", "testdata/messages/*.toml"} {
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
	c, err := Load("fuzz.toml", src)
	if err != nil {
		list, ok := err.(Errors)
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
			c.Forecast(n)
		}
	}
	d, err := Load("fuzz.toml", []byte(c.Resolved))
	if err != nil {
		t.Fatalf("the resolved copy is refused: %v\n%s", err, c.Resolved)
	}
	if c.Resolved != d.Resolved {
		t.Fatalf("not a fixed point: %q", Diff(c.Resolved, d.Resolved, nil))
	}
	if c.Units != d.Units || c.Tau != d.Tau || c.Cells != d.Cells || !reflect.DeepEqual(c.Run, d.Run) {
		t.Fatalf("%+v\n%+v", c, d)
	}
}

// A case out of a stranger's checkpoint that no case file could be.
func TestDeepCaseIsRefused(t *testing.T) {
	for _, text := range []string{"a = " + strings.Repeat("[", 1<<19), strings.Repeat("a={", 1<<18), "[" + strings.Repeat("a.", 1<<18) + "b]", strings.Repeat("#", 2<<20)} {
		if got := Diff(text, "[run]\nsteps = 1\n", nil); len(got) != 1 || !strings.Contains(got[0], "a case cannot be read") {
			t.Errorf("%.9s: %v", text, got)
		}
	}
}

// One value of a case that is right, replaced by another: this gets past the parser
// into the checks.
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

// Expressions and units alone, where the fuzzer gets deeper.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"0.1*sin(2*pi*y/Ly) m/s", "20 mm", "1e-6 m²/s", "if(x<1, 2, max(3,4,5)) N/(m s)", "1 %", "-2^-x^2 1/s", "2 kg·m^-1 s⁻²"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := &reader{}
		k := &key{name: "v", kind: kFormula, any: true, time: true}
		a := r.dimensioned(nowhere, k, s)
		if r.err() != nil {
			return
		}
		if a.f != nil {
			a.f.eval(env{1, 2, 3, 4, 5, 6, 7})
			return
		}
		text := a.toml()
		if text[0] != '"' {
			return
		}
		b := r.dimensioned(nowhere, k, text[1:len(text)-1])
		if err := r.err(); err != nil || b.v != a.v || b.dim != a.dim {
			t.Fatalf("%q: %v %v, written as %s, read as %v %v: %v", s, a.v, a.dim, text, b.v, b.dim, err)
		}
	})
}

// exampleLines are all lines with a value in the examples, and the texts they are of.
func exampleLines(f testing.TB) (lines, of []string) {
	files, _ := filepath.Glob("../examples/*.toml")
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
	lines, of := exampleLines(t)
	for i, l := range lines {
		k, _, _ := strings.Cut(l, " = ")
		for _, v := range hostile() {
			answers(t, []byte(strings.Replace(of[i], l, k+" = "+v, 1)))
		}
	}
}

// Large files of nonsense are refused in no time.
func TestLargeNonsense(t *testing.T) {
	many := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := 0; i < n && b.Len() < maxSource-200; i++ {
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
		"too large":  strings.Repeat("#\n", maxSource),
	} {
		start := time.Now()
		if _, err := Load("large.toml", []byte(src)); err == nil || len(err.Error()) > 40000 {
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
// value of its kind: combinations that nobody wrote down must be answered as well.
func TestEveryKey(t *testing.T) {
	lines, of := exampleLines(t)
	for i, l := range lines {
		answers(t, []byte(strings.Replace(of[i], l, "", 1)))
	}
	values := map[kind][]string{
		kText: {`"a"`}, kInteger: {"3"}, kIntegers: {"[4, 4]", "[4, 4, 4]"}, kNumber: {"0.6", "20"},
		kQuantity: {"0.2", "1"}, kVector: {"[0.2, 0]", "[1, 1, 1]"}, kFormula: {"0.2", `"x"`}, kFormulas: {`["x", 0]`, `["x", 0, "z"]`},
		kPair: {"[0, 1]"}, kDuration: {`"1 s"`}, kPeriod: {"2"}, kTolerance: {`"1 %"`, "0.1"}, kFlag: {"true"}, kName: {`"a"`}, kNames: {`["a", "b"]`},
	}
	done := map[string]bool{}
	for _, src := range of {
		if done[src] {
			continue
		}
		done[src] = true
		for _, tab := range schema() {
			head := strings.Replace("["+tab.path+"]", "*", "extra", 1)
			for _, k := range tab.keys {
				rows := values[k.kind]
				for _, c := range k.choices {
					rows = append(rows, strconv.Quote(c), "["+strconv.Quote(c)+"]")
				}
				for _, v := range rows {
					with := []string{v}
					if u := symbol(k.dim); u != "1" && k.kind != kTolerance {
						// The same with units.
						with = append(with, regexp.MustCompile(`"?([0-9.a-z]+)"?`).ReplaceAllString(v, `"$1 `+u+`"`))
					}
					for _, v := range with {
						line := k.name + " = " + v + "\n"
						switch {
						case tab.path == "":
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
