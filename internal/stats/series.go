// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package stats

import "math"

// Series is the record of a quantity over time. The zero value is empty.
type Series struct {
	Blocking
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Last   float64 `json:"last"`
	Cycles Cycles  `json:"cycles"`
}

// Add adds a sample; times grow.
func (s *Series) Add(t, x float64) {
	if len(s.Levels) == 0 {
		s.Min, s.Max = x, x
	}
	s.Min, s.Max, s.Last = math.Min(s.Min, x), math.Max(s.Max, x), x
	s.Blocking.Add(x)
	l := s.Levels[0]
	s.Cycles.add(t, x, l.Mean, math.Sqrt(l.Squares/float64(l.N)))
}

// Estimate of the samples so far. Of an oscillation whose blocks cannot be longer than its period, because it has few of them
// or too many samples in each, the interval is of what a part of a period adds to the mean: at most Std/2 over the number of
// periods for any wave between a sine and a square one, and twice that is taken.
func (s *Series) Estimate() Estimate {
	e := s.Blocking.Estimate()
	periods := float64(s.Cycles.Count - 1)
	if e.N < Fewest || e.Inefficiency < float64(e.N) || periods < fewestPeriods || !(s.Scatter() < regular) {
		return e
	}
	e.Half = e.Std / periods
	e.Inefficiency = float64(e.N) * square(e.Half/(normal95*e.Std))
	return e
}

func square(x float64) float64 { return x * x }

// An oscillation is one of so many periods at least, which scatter by no more than this part of themselves.
const (
	fewestPeriods = 4
	regular       = 0.05
)

// Deviation returns the standard deviation of all samples; 0 without any.
func (s *Series) Deviation() float64 {
	if len(s.Levels) == 0 {
		return 0
	}
	return math.Sqrt(s.Levels[0].Squares / float64(s.Levels[0].N))
}

// Frequency of the last oscillations, 32 at most: their number over the time that they took. NaN when there were fewer
// than three.
func (s *Series) Frequency() float64 {
	if len(s.Levels) == 0 {
		return math.NaN()
	}
	return s.Cycles.frequency(s.Levels[0].Mean, s.Deviation())
}

// Scatter returns the standard deviation of the periods of the oscillations that Frequency counts, relative to their
// mean. NaN when Frequency is.
func (s *Series) Scatter() float64 {
	if math.IsNaN(s.Frequency()) {
		return math.NaN()
	}
	rises := s.Cycles.near(s.Levels[0].Mean, s.Deviation())
	var periods Blocking
	for i, r := range rises[1:] {
		periods.Add(r.Time - rises[i].Time)
	}
	all := periods.Levels[0]
	return math.Sqrt(all.Squares/float64(all.N-1)) / all.Mean
}

// FrequencyHalf returns half the width of the 95 % interval of the frequency, from the scatter of its periods, as if
// they were independent. NaN when Frequency is.
func (s *Series) FrequencyHalf() float64 {
	f := s.Frequency()
	if math.IsNaN(f) {
		return f
	}
	n := len(s.Cycles.near(s.Levels[0].Mean, s.Deviation())) - 1
	return f * Student95(n-1) * s.Scatter() / math.Sqrt(float64(n))
}

// Cycles counts oscillations: times at which a series rises through its mean so far,
// between two samples by linear interpolation. Noise at the mean does not count: the series
// has to have been a quarter of its standard deviation below before it counts again.
type Cycles struct {
	Before [2]float64 `json:"before"`  // time and value of the last sample
	Low    bool       `json:"low"`     // was below since it rose last
	Rise   *Rise      `json:"pending"` // that may still turn out to be noise; nil: none
	Rises  []Rise     `json:"rises"`   // the last ones, oldest first
	Count  int64      `json:"count"`   // of all rises
}

// Rise is a rise of a series through a level, its mean so far.
type Rise struct {
	Time  float64 `json:"time"`
	Level float64 `json:"level"`
}

// cycles is the number of rises kept: older ones belong to the start of a flow.
const cycles = 33

// clearance is the distance from the mean, in standard deviations, that a series has to reach on both sides for a rise to count.
const clearance = 0.25

func (c *Cycles) add(t, x, mean, std float64) {
	before := c.Before
	c.Before = [2]float64{t, x}
	switch {
	case x < mean-clearance*std:
		c.Low, c.Rise = true, nil
		return
	case !c.Low:
		return
	}
	if before[1] < mean && x >= mean {
		c.Rise = &Rise{before[0] + (t-before[0])*(mean-before[1])/(x-before[1]), mean}
	}
	if c.Rise != nil && x > mean+clearance*std {
		if len(c.Rises) == cycles {
			c.Rises = append(c.Rises[:0], c.Rises[1:]...)
		}
		c.Rises = append(c.Rises, *c.Rise)
		c.Count++
		c.Low, c.Rise = false, nil
	}
}

// near returns the rises that count for a series with this mean and standard deviation: all from the first one on whose
// level was not far off.
func (c *Cycles) near(mean, std float64) []Rise {
	rises := c.Rises
	for len(rises) > 0 && !(math.Abs(rises[0].Level-mean) <= clearance*std) {
		rises = rises[1:]
	}
	return rises
}

// frequency returns the frequency of a series that has had this mean and standard deviation. The first means belong to parts of
// an oscillation, and lie anywhere: the series passes them earlier or later than its mean. Rises far off are left out; the
// phases of the others are corrected as for a sine of this size.
func (c *Cycles) frequency(mean, std float64) float64 {
	rises := c.near(mean, std)
	n := len(rises)
	if n < 4 {
		return math.NaN()
	}
	// of an oscillation, from the level to the mean
	part := func(r Rise) float64 {
		if std == 0 {
			return 0
		}
		return math.Asin(max(-1, min(1, (mean-r.Level)/(math.Sqrt2*std)))) / (2 * math.Pi)
	}
	first, last := rises[0], rises[n-1]
	return (float64(n-1) - part(last) + part(first)) / (last.Time - first.Time)
}
