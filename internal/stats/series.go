package stats

import "math"

// Series is everything that is kept of a quantity over time. The zero value is empty.
type Series struct {
	Blocking
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Last   float64 `json:"last"`
	Cycles Cycles  `json:"cycles"`
}

// Add goes on with a sample; times grow.
func (s *Series) Add(t, x float64) {
	if len(s.Levels) == 0 {
		s.Min, s.Max = x, x
	}
	s.Min, s.Max, s.Last = math.Min(s.Min, x), math.Max(s.Max, x), x
	s.Blocking.Add(x)
	l := s.Levels[0]
	s.Cycles.add(t, x, l.Mean, math.Sqrt(l.Squares/float64(l.N)))
}

// Cycles counts oscillations: times at which a series rises through its mean so far,
// between two samples by linear interpolation. Noise at the mean is none: the series
// has to have been a quarter of its standard deviation below before it counts again.
type Cycles struct {
	Before [2]float64 `json:"before"` // time and value of the last sample
	Low    bool       `json:"low"`    // was below since it rose last
	Rise   float64    `json:"rise"`   // where it rose last through the mean ...
	Risen  bool       `json:"risen"`  // ... and may still turn out to be noise
	Rose   bool       `json:"rose"`   // has risen before: the mean is that of an oscillation or more
	Times  []float64  `json:"times"`  // of the last rises, oldest first, without the very first
}

// cycles is how many rises are kept: the older ones tell of the start of a flow.
const cycles = 33

// clear of the mean, in standard deviations.
const clearance = 0.25

func (c *Cycles) add(t, x, mean, std float64) {
	before := c.Before
	c.Before = [2]float64{t, x}
	switch {
	case x < mean-clearance*std:
		c.Low, c.Risen = true, false
		return
	case !c.Low:
		return
	}
	if before[1] < mean && x >= mean {
		c.Rise, c.Risen = before[0]+(t-before[0])*(mean-before[1])/(x-before[1]), true
	}
	if c.Risen && x > mean+clearance*std {
		if len(c.Times) == cycles {
			c.Times = append(c.Times[:0], c.Times[1:]...)
		}
		if c.Rose {
			c.Times = append(c.Times, c.Rise)
		}
		c.Low, c.Risen, c.Rose = false, false, true
	}
}

// Frequency of the last oscillations, 32 at most: their number over the time that they
// took. NaN when there were fewer than three. The first rise does not count: the mean of a
// part of an oscillation lies anywhere.
func (c *Cycles) Frequency() float64 {
	n := len(c.Times)
	if n < 4 {
		return math.NaN()
	}
	return float64(n-1) / (c.Times[n-1] - c.Times[0])
}
