// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"lbmsim/internal/finding"
	"lbmsim/sim"
)

// JSON writes one JSON object per line.
type JSON struct{ encoder *json.Encoder }

// NewJSON returns a report for programs.
func NewJSON(out io.Writer) *JSON { return &JSON{json.NewEncoder(out)} }

func (j *JSON) event(name string, data any) {
	// The log is a convenience: a closed pipe must not end the run.
	_ = j.encoder.Encode(struct {
		Event string    `json:"event"`
		At    time.Time `json:"at"`
		Data  any       `json:"data"`
	}{name, time.Now(), data})
}

// Start implements sim.Reporter.
func (j *JSON) Start(s sim.Start) {
	j.event("start", map[string]any{
		"version": s.Version, "case": s.Case.Path, "title": s.Case.Title, "table": s.Case.Table, "resolved": s.Case.Resolved,
		"ranks": s.Ranks, "mpi": s.MPI, "mpi_found": s.MPIFound, "mpi_takes_gpu_memory": s.MPITakes, "transport": s.Transport, "routes": s.Routes, "first_step": s.First, "restart": s.Restart, "output": s.Output,
	})
	for _, w := range s.Case.Warnings {
		j.Warn(w)
	}
}

// Progress implements sim.Reporter.
func (j *JSON) Progress(p sim.Progress) {
	j.event("progress", map[string]any{
		"step": p.Step, "last_step": p.Last, "time": p.Time, "seconds": p.Elapsed.Seconds(), "mlups": p.MLUPS, "roofline": p.Roofline,
		"communication": p.Communication, "eta": p.ETA.Seconds(), "max_mach": p.MaxMach, "left_out": tallies(p.LeftOut), "watch": watchOf(p.Health),
	})
}

// Wrote implements sim.Reporter.
func (j *JSON) Wrote(kind, path string) {
	j.event("wrote", map[string]string{"kind": kind, "path": path})
}

// Warn implements sim.Reporter.
func (j *JSON) Warn(w finding.Finding) { j.event("warning", w) }

// Note implements Reporter.
func (j *JSON) Note(message string) { j.event("note", message) }

// Finish implements sim.Reporter.
func (j *JSON) Finish(s sim.Summary) {
	j.event("finish", map[string]any{
		"reason": s.Reason, "steps": s.Steps, "last_step": s.Last, "cells": s.Cells, "seconds": s.Elapsed.Seconds(),
		"mlups": s.MLUPS, "mlups_whole": s.Whole, "roofline": s.Roofline, "roofline_disturbed": s.Roofline > 1, "times": s.Times, "imbalance": s.Imbalance, "files": filesOf(s.Files), "left_out": tallies(s.LeftOut),
		"max_mach": s.MaxMach, "watch": watchOf(s.Health), "doubts": append(finding.List{}, s.Doubts...), "expect": s.Expect, "results": append([]sim.Result{}, s.Results...), "walls": append([]sim.ModelledWall{}, s.Walls...),
	})
}

// Fail implements Reporter.
func (j *JSON) Fail(err error) { j.event("error", Failure(err)) }

// In the log keys are words of the format, in snake_case; names that a case or a run has are values.

type tally struct {
	Of    string `json:"of"`
	Count int    `json:"count"`
}

func tallies(counts map[string]int) []tally {
	list := []tally{}
	for _, of := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, tally{of, counts[of]})
	}
	return list
}

func filesOf(last map[string]string) []map[string]string {
	list := []map[string]string{}
	for _, kind := range slices.Sorted(maps.Keys(last)) {
		list = append(list, map[string]string{"kind": kind, "path": last[kind]})
	}
	return list
}

func watchOf(h sim.Health) map[string]any {
	return map[string]any{"density_drift": h.DensityDrift, "max_speed": h.MaxSpeed, "grid_scale": h.GridScale, "temperature_excess": h.Temperature, "warned": tallies(h.Warned)}
}
