// Package bench measures the kernels beside the machine's rooflines: models are
// verified first, then all is timed alternately within one run, because the speed of
// shared memory drifts; only ratios within a turn are compared. The results of all that was
// timed, rooflines included, are checked afterwards, and wrong outcomes have no speed.
package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"lbmsim/device"
)

// Speed is one measured row.
type Speed struct {
	Name    string
	Cells   int     // that are counted: all, or the fluid ones of a box with solids
	MLUPS   float64 // median
	Low     float64 // the slowest and the fastest turn
	High    float64
	Traffic int     // unavoidable bytes per cell and step
	GBps    float64 // of that traffic at the median speed
	Ratio   float64 // median over the turns of the ratio of MLUPS to the first row
	Share   float64 // median over the turns of the traffic to the fastest roofline's; 0 without one
	Bytes   float64 // state and flags, bytes per cell; 0 for rooflines
	Oracle  float64 // largest difference from the oracle
	Without float64 // median over the turns of the ratio of MLUPS to the same flow without eddy viscosity; 0: it has none
}

// Job is something to measure, made ready on a device.
type Job func(device.Device) (*contender, error)

// contender is something that takes part in every turn.
type contender struct {
	name     string
	cells    int
	bytes    int // traffic a cell and pass
	roofline bool
	memory   float64
	oracle   float64
	without  *contender       // the same flow without eddy viscosity; nil: it has none
	flow     *flow            // nil: a roofline
	queue    func()           // one step, or one pass over the memory
	several  func(n int) bool // queues n steps in pieces of several, where it can; nil: it cannot
	wait     func() error     // for what was queued
	graphs   []recording      // of passes, where the device records work; the longest first
	done     func() error     // verifies the outcome
	close    func()
	seconds  []float64
}

// turn makes n passes, an even number, and returns the seconds of one.
func (c *contender) turn(n int) (float64, error) {
	start := time.Now()
	left := n
	for _, g := range c.graphs {
		for ; left >= g.passes; left -= g.passes {
			g.launch()
		}
	}
	for ; left > 0; left-- {
		c.queue()
	}
	err := c.wait()
	if err != nil {
		err = fmt.Errorf("%s: %w", c.name, err)
	}
	return time.Since(start).Seconds() / float64(n), err
}

// recording is passes that a device launches as one piece.
type recording struct {
	passes int
	launch func()
	close  func()
}

// recorded are the passes of recordings: as a run's, an even number that leaves the buffers where they were. Between
// two launches a small box waits for as long as for a kernel.
var recorded = []int{64, 8, 2}

// record lets a device that records work launch many passes as one.
func (c *contender) record(dev device.Device, s device.Stream) error {
	r, ok := dev.(device.Recorder)
	if !ok {
		return nil
	}
	// Two passes as they are: what a device prepares at the first call is no work to record.
	c.queue()
	c.queue()
	err := s.Sync()
	for _, passes := range recorded {
		if err != nil {
			break
		}
		var g device.Graph
		g, err = r.Capture(s, func() error {
			if c.several == nil || !c.several(passes) {
				for range passes {
					c.queue()
				}
			}
			return nil
		})
		if err == nil {
			c.graphs = append(c.graphs, recording{passes, func() { g.Launch(s) }, g.Close})
		}
	}
	return err
}

// turnSeconds is the intended length of a turn: long beside the host's calls.
const turnSeconds = 0.1

// Measure times jobs alternately, rounds of them: passes steps each, or with
// passes 0 as many as take a tenth of a second, 4 at least.
func Measure(dev device.Device, jobs []Job, rounds, passes int) ([]Speed, error) {
	var all []*contender
	defer func() {
		for _, c := range slices.Backward(all) { // an earlier one may own what a later one uses
			for _, g := range c.graphs {
				g.close()
			}
			c.close()
		}
	}()
	var counts []int
	for _, job := range jobs {
		c, err := job(dev)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		n := passes + passes%2
		if _, err := c.turn(2); err != nil { // warms up
			return nil, err
		}
		if n == 0 {
			seconds, err := c.turn(4)
			if err != nil {
				return nil, err
			}
			n = 2 * int(math.Ceil(max(4, turnSeconds/seconds)/2))
			if n > 2*recorded[0] {
				n -= n % recorded[0]
			}
		}
		counts = append(counts, n)
	}
	for turn := -1; turn < rounds; turn++ { // the first warms up
		for i, c := range all {
			seconds, err := c.turn(counts[i])
			if err != nil {
				return nil, err
			}
			if turn >= 0 {
				c.seconds = append(c.seconds, seconds)
			}
		}
	}
	var speeds []Speed
	for _, c := range all {
		if err := c.done(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		speeds = append(speeds, c.speed(all))
	}
	return speeds, nil
}

// speed sums the turns up, beside the turns of the others.
func (c *contender) speed(all []*contender) Speed {
	var ratios, shares, without []float64
	rate := func(c *contender, i int) float64 { return float64(c.cells) / c.seconds[i] }
	for i := range c.seconds {
		ratios = append(ratios, rate(c, i)/rate(all[0], i))
		if c.without != nil {
			without = append(without, rate(c, i)/rate(c.without, i))
		}
		fastest := 0.0
		for _, o := range all {
			if o.roofline {
				fastest = max(fastest, rate(o, i)*float64(o.bytes))
			}
		}
		if fastest > 0 {
			shares = append(shares, rate(c, i)*float64(c.bytes)/fastest)
		}
	}
	cells := float64(c.cells) / 1e6
	mlups := cells / Median(c.seconds)
	return Speed{
		Name: c.name, Cells: c.cells, MLUPS: mlups, Low: cells / slices.Max(c.seconds), High: cells / slices.Min(c.seconds),
		Traffic: c.bytes, GBps: mlups * float64(c.bytes) / 1e3, Ratio: Median(ratios), Share: Median(shares),
		Bytes: c.memory, Oracle: c.oracle, Without: Median(without),
	}
}

// Median of some numbers; the mean of the two in the middle.
func Median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
