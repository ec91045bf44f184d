package language

// program computes an expression: numbered values, each from earlier ones. The first ones are the variables. Equal parts
// of an expression are computed once: distances from a point occur many times where a user writes down a flow.
type program struct {
	start  []float64 // values before it runs: constants have theirs
	steps  []step
	result int
}

// step computes one value. The one of f1 to f3 that is set is called, else op says what it does.
type step struct {
	op           operation
	a, b, c, out int
	f1           func(a float64) float64
	f2           func(a, b float64) float64
	f3           func(a, b, c float64) float64
}

type operation byte

const (
	call1 operation = iota
	call2
	call3
	add
	subtract
	multiply
	divide
	negate
	square
	cube
	fourth
)

// fewValues is how many values need no memory beside the stack.
const fewValues = 64

// run computes it for given variables. It allocates nothing unless the expression is long.
func (g *program) run(e *Env) float64 {
	var few [fewValues]float64
	v := few[:]
	if len(g.start) > fewValues {
		v = make([]float64, len(g.start))
	}
	copy(v, g.start)
	copy(v, e[:])
	for i := range g.steps {
		s := &g.steps[i]
		v[s.out] = s.value(v)
	}
	return v[g.result]
}

func (s *step) value(v []float64) float64 {
	a := v[s.a]
	switch s.op {
	case add:
		return a + v[s.b]
	case subtract:
		return a - v[s.b]
	case multiply:
		return a * v[s.b]
	case divide:
		return a / v[s.b]
	case negate:
		return -a
	case square:
		return a * a
	case cube:
		return a * (a * a)
	case fourth:
		return (a * a) * (a * a)
	case call1:
		return s.f1(a)
	case call2:
		return s.f2(a, v[s.b])
	default:
		return s.f3(a, v[s.b], v[s.c])
	}
}

// constant is the number of a constant.
func (g *program) constant(v float64) int {
	g.start = append(g.start, v)
	return len(g.start) - 1
}

// append takes a step up and gives the number of its value.
func (g *program) append(s step) int {
	s.out = g.constant(0)
	g.steps = append(g.steps, s)
	return s.out
}
