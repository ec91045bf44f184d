package language

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/model"
)

// ParseQuantity reads a number with a unit of a dimension, "144 km/h", for text outside of case files. It returns SI units.
func ParseQuantity(text string, dim model.Dimension) (float64, error) {
	body := strings.TrimSpace(text)
	e, rest, wrong := parseExpr(body)
	if wrong != nil || !e.constant {
		return 0, fmt.Errorf("%s is not a number with a unit, such as %s", Quote(text), Quote("2 "+Symbol(dim)))
	}
	u, unwanted := parseUnit(strings.TrimSpace(body[rest:]))
	if unwanted != nil {
		return 0, fmt.Errorf("%s: %s", Quote(text), unwanted.msg)
	}
	if u.dim != dim {
		return 0, fmt.Errorf("%s must be %s, not %s", Quote(text), InWords(dim), InWords(u.dim))
	}
	v := e.value * u.factor()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is not a finite number", Quote(text))
	}
	return v, nil
}
