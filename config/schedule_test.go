package config

import "testing"

// 0.5 ms are 1000 steps of 0.5 us, though their quotient is not 1000.
func TestPeriodsOfWholeStepsFireOnTheStep(t *testing.T) {
	for _, c := range []struct {
		every, step float64
		steps       int
	}{{0.5e-3, 0.5e-6, 1000}, {0.3, 0.1, 3}, {0.7e-3, 1e-4, 7}, {6e-3, 2e-6, 3000}} {
		s := Schedule{Period: c.every / c.step}
		for n := 1; n <= 10*c.steps; n++ {
			if want := n%c.steps == 0; s.Due(n) != want {
				t.Errorf("every %g with steps of %g: step %d is due: %v", c.every, c.step, n, !want)
			}
		}
		if n := s.Count(10 * c.steps); n != 10 {
			t.Errorf("every %g with steps of %g: %d times in %d steps, want 10", c.every, c.step, n, 10*c.steps)
		}
	}
}
