package sim

import (
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/sim/output"
)

// The factor of a wall follows the momentum that its links exchange, stays beside a laminar flow, and has bounds.
func TestFactorOfAWall(t *testing.T) {
	const law = device.ForceUnits / 1000
	tuned := func(corrections int, exchanged func(factor float64) float64, all int64) output.WallFactor {
		w := output.WallFactor{Factor: 1}
		for range corrections {
			correctFactor(&w, device.WallMomentum{Exchanged: int64(law * exchanged(w.Factor)), Law: law, All: all})
		}
		return w
	}
	curved := func(factor float64) float64 { return 1.2 + 2*(factor-1) }
	for _, c := range []struct {
		name      string
		exchanged func(float64) float64
		all       int64
		factor    float64
	}{
		{"a pipe", curved, law, 0.9},
		{"a face, whose exchange the factor does not change", func(float64) float64 { return 1.003 }, law, 1},
		{"an offset on a face", func(float64) float64 { return 1.006 }, law, 0.95},
		{"a flow mostly laminar", curved, 3 * law, 1},
		{"a small pipe", func(factor float64) float64 { return 1.5 + factor - 1 }, law, leastFactor},
		{"a sphere", func(float64) float64 { return 5 }, law, 1},
		{"a wall that pushes the fluid", func(float64) float64 { return -5 }, law, 1},
	} {
		if w := tuned(20000, c.exchanged, c.all); math.Abs(w.Factor-c.factor) > 0.005 {
			t.Errorf("%s: %+v, the factor should be %g", c.name, w, c.factor)
		}
	}
}
