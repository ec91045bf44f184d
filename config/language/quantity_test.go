package language

import (
	"math"
	"strings"
	"testing"

	"lbmsim/model"
)

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]float64{"40 m/s": 40, "144 km/h": 40, " 2*20 m/s ": 40, "4e4 mm/s": 40} {
		if got, err := ParseQuantity(text, model.Velocity); err != nil || math.Abs(got/want-1) > 1e-15 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "not a number", "fast": "not a number", "x m/s": "not a number", "40": "a unit is missing", "40 m": "must be a velocity (m/s), not a length",
		"40 furlongs": "furlongs", "1e308*1e308 m/s": "not a finite number",
	} {
		if _, err := ParseQuantity(text, model.Velocity); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
