// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// The report of a run by rank 0.

// table gathers one line per rank for the report.
func (r *run) table() ([]RankInfo, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	b, err := json.Marshal(RankInfo{
		Rank: r.Rank.ID, Host: host, Lo: r.level.Part.Box.Lo, Hi: r.level.Part.Box.Hi,
		Device: r.options.Device.Info(), Transport: r.level.Halo.Describe(), Routes: r.routes(), Bytes: r.bytes(),
	})
	if err != nil {
		return nil, err
	}
	parts, err := comm.Gather(r.Rank.Comm, b)
	if err != nil || !r.Rank.Root {
		return nil, err
	}
	var table []RankInfo
	for _, p := range parts {
		var i RankInfo
		err = errors.Join(err, json.Unmarshal(p, &i))
		table = append(table, i)
	}
	return table, err
}

// allRoutes returns the links of all ranks.
func allRoutes(ranks []RankInfo) (list []Routes) {
	for _, i := range ranks {
		for _, l := range i.Routes {
			list = addRoutes(list, l)
		}
	}
	return list
}

// report passes the progress of the run to rank 0's reporter.
func (r *run) report(steps int) {
	if !r.Rank.Root || steps == 0 {
		return
	}
	speed := r.control.pace.at(r.Step()-r.first, r.clock.wall)
	p := Progress{
		Step: r.Step(), Last: r.last, Time: float64(r.Step()) * r.Case.Units.Time,
		Elapsed: time.Since(r.control.began), MaxMach: r.watch.MaxMach, LeftOut: r.outputs.Files.LeftOut(),
		Health: r.watch.Health(), MLUPS: speed * r.updates() / 1e6,
		Times: Times{Compute: r.clock.compute, Exposed: r.clock.exposed(), Hidden: r.clock.hidden(), Output: r.outputs.Spent, Watch: r.clock.watch},
	}
	if r.limit > 0 {
		p.Roofline = p.MLUPS / r.limit
	}
	if r.clock.wall > 0 && r.exchanged().Messages > 0 && r.grid == nil {
		p.Communication = r.clock.exposed() / r.clock.wall
	}
	if r.grid != nil {
		p.Times = Times{Compute: r.clock.wall, Together: true, Output: p.Times.Output, Watch: p.Times.Watch}
	}
	if done := r.Step() - r.first; done > 0 {
		p.ETA = time.Duration(float64(p.Elapsed) / float64(done) * float64(r.last-r.Step()))
	}
	r.options.Report.Progress(p)
}

// summarize adds the times of all ranks and reports the end.
func (r *run) summarize(verdicts []Verdict) error {
	c := &r.clock
	stats := r.exchanged()
	c.exchange += stats.Seconds
	// A recorded exchange is counted once: bytes are per exchange, on average.
	bytes := float64(stats.Bytes) / float64(max(stats.Exchanges, 1))
	mine := []float64{c.compute, c.exposed(), c.hidden(), r.outputs.Spent, c.watch, bytes, c.ending}
	walls, err := r.modelledWalls()
	if err != nil {
		return err
	}
	parts, err := comm.Gather(r.Rank.Comm, comm.Float64Bytes(mine))
	if err != nil || !r.Rank.Root {
		return err
	}
	mean := make([]float64, len(mine))
	slowest := 0.0
	for _, p := range parts {
		for i := range mean {
			mean[i] += comm.Float64At(p, i) / float64(r.Rank.Size)
		}
		slowest = max(slowest, comm.Float64At(p, 0))
	}
	s := Summary{
		Walls: walls,
		Case:  r.Case, Reason: r.reason, Steps: r.Step() - r.first, Last: r.Step(), Cells: r.watch.Cells(),
		Elapsed: time.Since(r.control.began), Files: r.outputs.Files.Last(), Expect: verdicts, Doubts: append(r.Case.Warnings.Of(finding.UnresolvedWalls, finding.Unresolved, finding.ThinBody, finding.ReferenceValues, finding.CutWake), r.doubts()...), LeftOut: r.outputs.Files.LeftOut(),
		Health: r.watch.Health(), MaxMach: r.watch.MaxMach, Results: r.outputs.Results(), Times: Times{Compute: mean[0], Exposed: mean[1], Hidden: mean[2], Output: mean[3], Watch: mean[4], Ending: mean[6]},
	}
	if s.Steps > 0 {
		s.Times.Bytes = mean[5]
		s.MLUPS = float64(s.Steps) * r.updates() / c.wall / 1e6
		s.Whole = float64(s.Steps) * r.updates() / s.Elapsed.Seconds() / 1e6
		if s.Imbalance = slowest/mean[0] - 1; r.grid != nil { // the host waits for each exchange of each level within a step
			s.Times.Together, s.Times.Compute, s.Times.Exposed, s.Times.Hidden, s.Imbalance = true, c.wall, 0, 0, 0
		}
		if r.limit > 0 {
			s.Roofline = s.MLUPS / r.limit
		}
	}
	r.options.Report.Finish(s)
	return nil
}

// leg returns the software, cut and devices of this run; the devices are known to rank 0.
func (r *run) leg() output.Leg {
	l := output.Leg{
		From: r.Step(), Version: r.options.Version, Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		Libraries: append([]string{"HDF5 " + checkpoint.Library()}, r.options.Libraries...),
		Ranks:     r.Rank.Size, Cut: r.level.Part.Plan.Parts(), Transport: r.level.Halo.Describe(),
	}
	if d, ok := r.Rank.Comm.(comm.Describer); ok {
		l.Libraries = append(l.Libraries, d.Describe())
	}
	for _, i := range r.ranks {
		kind, _, _ := strings.Cut(i.Device.Name, ":")
		at := slices.IndexFunc(l.Devices, func(p output.Processor) bool { return p.Kind == kind && p.Model == i.Device.Model })
		if at < 0 {
			at = len(l.Devices)
			l.Devices = append(l.Devices, output.Processor{Kind: kind, Model: i.Device.Model})
		}
		p := &l.Devices[at]
		p.Ranks++
		if !slices.Contains(p.Details, i.Device.Detail) {
			p.Details = append(p.Details, i.Device.Detail)
		}
	}
	return l
}

// routes returns this rank's links, links alike together.
func (s *stepper) routes() (list []Routes) {
	for _, l := range s.level.Halo.Routes() {
		list = addRoutes(list, Routes{Transport: l.Transport.String(), Why: l.Why, Links: 1, Example: [2]int{s.Rank.ID, l.Rank}})
	}
	return list
}

func addRoutes(list []Routes, more Routes) []Routes {
	for i, l := range list {
		if l.Transport == more.Transport && l.Why == more.Why {
			list[i].Links += more.Links
			return list
		}
	}
	return append(list, more)
}
