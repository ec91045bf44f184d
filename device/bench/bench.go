// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package bench measures the kernels against the machine's rooflines: models are verified first,
// then all contenders are timed alternately within one run, because the speed of shared memory
// drifts; only ratios within a turn are compared. All results, rooflines included, are checked
// afterwards, and wrong ones have no speed.
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
	Cells   int     // counted cells: all, or the fluid ones of a box with solids
	MLUPS   float64 // median
	Low     float64 // the slowest and the fastest turn
	High    float64
	Traffic int     // unavoidable bytes per cell and step
	GBps    float64 // for that traffic at the median speed
	Ratio   float64 // median over the turns of the ratio of MLUPS to the first row
	Share   float64 // median over the turns of the traffic to the fastest roofline's; 0 without one
	Bytes   float64 // state and flags, bytes per cell; 0 for rooflines
	Oracle  float64 // largest difference from the oracle
	Without float64 // median over the turns of the ratio of MLUPS to the same flow without eddy viscosity; 0: it has none
}

// Job prepares a measurement on a device.
type Job func(device.Device) (*contender, error)

// contender takes part in every turn.
type contender struct {
	name     string
	cells    int
	bytes    int // traffic per cell and pass
	roofline bool
	memory   float64
	oracle   float64
	without  *contender       // the same flow without eddy viscosity; nil: it has none
	flow     *flow            // nil: a roofline
	queue    func()           // one step, or one pass over the memory
	several  func(n int) bool // queues n steps in pieces of several; nil: not supported
	wait     func() error     // for queued work
	graphs   []recording      // of passes, where the device records work; the longest first
	done     func() error     // verifies the result
	close    func()
	seconds  []float64
}

// turn runs n passes, an even number, and returns the seconds per pass.
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

// recording is a number of passes that a device launches as one piece.
type recording struct {
	passes int
	launch func()
	close  func()
}

// recorded are the passes per recording: even numbers as in a run, which end in the initial buffer. In a small box
// the gap between two launches takes as long as a kernel.
var recorded = []int{64, 8, 2}

// record makes a device with recordings launch many passes as one.
func (c *contender) record(dev device.Device, s device.Stream) error {
	r, ok := dev.(device.Recorder)
	if !ok {
		return nil
	}
	// Two plain passes: preparations of a device at the first call must not be recorded.
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

// turnSeconds is the intended length of a turn: long compared with the host's calls.
const turnSeconds = 0.1

// Measure times jobs alternately over a number of rounds: passes steps each, or with passes 0 as
// many as fit into a tenth of a second, at least 4.
func Measure(dev device.Device, jobs []Job, rounds, passes int) ([]Speed, error) {
	var all []*contender
	defer func() {
		for _, c := range slices.Backward(all) { // an earlier one may own data of a later one
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

// speed summarizes the turns, relative to the turns of the others.
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

// Median of some numbers; the mean of the middle two for an even count.
func Median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
