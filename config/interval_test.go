package config

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Whatever the expression: its values in a box lie in the interval of the box, or the interval
// is not bounded.
func TestIntervalsHoldAllValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var make func(depth int) string
	make = func(depth int) string {
		if depth == 0 {
			return pick("x", "y", "z", "t", "1", "2", "0.3", "pi", "Lx", "0", "(-1.5)")
		}
		arg := func() string { return make(depth - 1 - random.IntN(depth)) }
		switch random.IntN(4) {
		case 0:
			return "(" + arg() + pick("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=") + arg() + ")"
		case 1:
			return "(-" + arg() + "^" + pick("2", "3", "0.5", "(-1)", "(-2)", "y", "0") + ")"
		case 2:
			f := functions()[random.IntN(len(functions()))]
			switch {
			case f.f1 != nil:
				return f.name + "(" + arg() + ")"
			case f.f3 != nil:
				return f.name + "(" + arg() + "," + arg() + "," + arg() + ")"
			}
			return f.name + "(" + arg() + "," + arg() + ")"
		}
		return pick("sin", "cos", "exp", "sqrt", "abs", "tanh") + "(" + arg() + ")"
	}
	bounded, known := 0, 0
	for range 200000 {
		text := make(1 + random.IntN(4))
		e, _, err := parseExpr(text)
		if err != nil {
			t.Fatal(text, err.msg)
		}
		var b box
		for i := range b {
			lo := math.Round(20*random.NormFloat64()) / 8
			b[i] = interval{lo, lo + math.Round(8*random.ExpFloat64())/8}
		}
		over := e.over(&b)
		if over.bounded() {
			bounded++
		}
		for k := range 30 {
			var p env
			for i := range p {
				p[i] = b[i].lo + float64(k%4)/3*(b[i].hi-b[i].lo)
				if k > 3 {
					p[i] = b[i].lo + random.Float64()*(b[i].hi-b[i].lo)
				}
			}
			v := e.eval(p)
			if over.bounded() && !(v >= over.lo && v <= over.hi) {
				t.Fatalf("%s at %v is %v, not in %v over %v", text, p, v, over, b)
			}
		}
		known++
	}
	if bounded < known/2 {
		t.Errorf("only %d of %d intervals are bounded", bounded, known)
	}
}

// Expressions of a large domain are looked at in no time, in all of their 2^33 cells.
func TestEverywhereIsQuick(t *testing.T) {
	const text = `
[domain]
cells = [2048, 2048, 2048]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.05
[run]
steps = 1
[initial]
density = "1 + 0.01*exp(-((x-Lx/2)^2 + (y-Ly/2)^2)/1000)*cos(2*pi*z/Lz)"
velocity = ["0.05*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)", "0.03*max(0, 1 - sqrt((x-700)^2 + (y-800)^2 + (z-900)^2)/100)", "0.01*if(x < 100, tanh((100-x)/8), 1/(1 + y*z/Lx^2))"]
`
	start := time.Now()
	if c, err := Load("large.toml", []byte(text)); err != nil || len(c.Warnings) > 0 {
		t.Errorf("%v %q", err, c.Warnings)
	}
	if d := time.Since(start); d > 5*time.Second { // 10 ms
		t.Errorf("it took %v", d)
	}
	// One that intervals know nothing of is looked at in some cells, and that is said.
	c, err := Load("large.toml", []byte(text[:strings.Index(text, "density")]+"density = \"1 + 0.01*sqrt(sin(x)^2 - sin(x)^2*cos(y)^2 - sin(x)^2*sin(y)^2 + 1e-9*z)\"\n"))
	if err == nil && (len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "density in line 10 has too many places")) {
		t.Errorf("%q", c.Warnings)
	}
	if d := time.Since(start); d > time.Minute { // 2 s
		t.Errorf("it took %v", d)
	}
}
