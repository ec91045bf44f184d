package sim

import (
	"math"
	"testing"
	"time"
)

// at is an event at a time.
type at float64

func (at) Done() bool         { return true }
func (at) Wait() error        { return nil }
func (a at) Seconds() float64 { return float64(a) }

// Of queued steps one is looked at: what its exchange took is hidden as far as the bulk
// went on, and exposed beyond it.
func TestSampleOfQueuedSteps(t *testing.T) {
	for name, c := range map[string]struct {
		step            queuedStep
		exposed, hidden float64 // of ten steps
	}{
		"behind the bulk":      {queuedStep{edges: at(1), exchanged: at(3), bulk: at(8)}, 0, 20},
		"longer than the bulk": {queuedStep{edges: at(1), exchanged: at(9), bulk: at(8)}, 10, 70},
		"the bulk ends first":  {queuedStep{edges: at(5), exchanged: at(8), bulk: at(3)}, 30, 0},
		"nobody had to wait":   {queuedStep{edges: at(2), exchanged: at(2), bulk: at(8)}, 0, 0},
		"all at once":          {queuedStep{edges: at(8), exchanged: at(8), bulk: at(8)}, 0, 0},
	} {
		var s stopwatch
		s.steps(100*time.Second, at(0), at(100))
		s.sample(10, &c.step)
		if math.Abs(s.exposed()-c.exposed) > 1e-9 || math.Abs(s.hidden()-c.hidden) > 1e-9 {
			t.Errorf("%s: %g s exposed and %g s hidden, want %g and %g", name, s.exposed(), s.hidden(), c.exposed, c.hidden)
		}
	}
}
