// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package level steps one box of a rank's cells: its part of the domain, its states and program on the
// device, the passes before its steps and the exchange with the same box's cells on other ranks. A run decides when a level
// takes a step and what follows it. It knows a level's states as fields and sums (sim/derive) and as images (checkpoints).
package level

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// Level is a box of cells in steps.
type Level struct {
	Rank   *rank.Rank
	Part   *domain.Part
	Params model.Params     // of the coming step
	State  [2]device.Buffer // State[0] is the current one

	Device  device.Device
	Program device.Program
	Streams
	Halo   halo.Exchange
	Tags   int         // added to the tags of the exchange's messages, so that they differ from other levels'
	Queued halo.Queued // the same, where steps need not wait for the host; otherwise nil

	n        int          // the current step
	timed    device.Timed // the program, where something changes with time; otherwise nil
	passes   passes
	edges    []decomp.Box // local
	inner    decomp.Box
	unjoined bool // the bulk's stream has not waited for the last exchange
	fused    fusedFields
	filled   int // 1 + the step whose state the ghost cells of walls with a model were filled from by a reader of their flow; 0: none
}

// Streams of a level's work.
type Streams struct {
	Edge   device.Stream // urgent: the planes that neighbours wait for
	Bulk   device.Stream
	reader device.Stream // of fields, beside the steps
}

// NewStreams makes the streams of a level, or of several levels that alternate.
func NewStreams(dev device.Device) Streams {
	return Streams{dev.NewStream(true), dev.NewStream(false), dev.NewStream(false)}
}

// New returns a level at step 0, whose part has no cells before Build. Build makes separate streams unless some are given.
func New(on *rank.Rank, part *domain.Part, dev device.Device) *Level {
	return &Level{Rank: on, Part: part, Params: part.Params, Device: dev}
}

// Build makes cells, kernels and memory. Collective.
func (l *Level) Build() (err error) {
	p, c := l.Part, l.Part.Case
	if w, ok := l.Device.(device.Wrapper); ok {
		p.Plan.Wraps = w.Wraps()
	}
	p.Layout = p.Plan.Layout(l.Rank.ID, c.Spec.Components())
	scene := p.Geometry()
	p.Cells = domain.Sample(p, scene)
	if err = p.FindModelled(l.Rank, scene); err != nil {
		return err
	}
	l.edges, l.inner = p.Plan.Edges(l.Rank.ID, p.EdgeLayers(l.Rank.ID))
	if _, ok := l.Device.(device.WallModels); !ok && p.Cells.Modelled != nil {
		return fmt.Errorf("type \"wall_model\" does not run on %s; use \"interpolated_wall\"", l.Device.Info().Name)
	}
	if err = p.BalanceInflows(l.Rank); err != nil {
		return err
	}
	if l.Program, err = l.Device.Load(c.Spec, p.Layout, p.Plan.Periodic, p.Cells); err != nil {
		return fmt.Errorf("building the kernels of %s on %s: %w", c.Spec, l.Device.Info().Name, err)
	}
	if _, ok := l.Program.(device.Gatherer); !ok && l.Rank.Size > 1 && p.Cells.Modelled != nil {
		return fmt.Errorf("type \"wall_model\" runs on a single rank of %s so far: start lbmsim without mpirun, or use --device cpu", l.Device.Info().Name)
	}
	if p.Cells.Timed() || c.Force.At != nil || c.Force.Drive != nil {
		var ok bool
		if l.timed, ok = l.Program.(device.Timed); !ok {
			return fmt.Errorf("%s does not support walls, faces and forces that change with time", l.Device.Info().Name)
		}
		if err = l.Schedule(1); err != nil { // its memory is allocated now
			return fmt.Errorf("time-dependent boundaries and forces: %w", err)
		}
	}
	l.passes = l.passesOf()
	bytes := p.Layout.Len() * c.Spec.Precision.Bytes()
	for i := range l.State {
		if l.State[i], err = halo.AllocState(l.Device, bytes); err != nil {
			return fmt.Errorf("%d MiB for the state: %w", bytes>>20, err)
		}
	}
	if l.Bulk == nil {
		l.Streams = NewStreams(l.Device)
	}
	return nil
}

// Connect makes the exchange with the neighbours. Collective: ranks without cells of the level take part by Absent.
func (l *Level) Connect() (err error) {
	p := l.Part
	links := append(p.Plan.Links(l.Rank.ID), p.Listed...)
	for i := range links {
		links[i].SendTag, links[i].RecvTag = links[i].SendTag+l.Tags, links[i].RecvTag+l.Tags
	}
	l.Halo, err = connect(l.Rank, p.Case, halo.Setup{Links: links, Layout: p.Layout, Device: l.Device, States: l.State})
	l.Queued, _ = l.Halo.(halo.Queued)
	return err
}

// connect makes an exchange for a case.
func connect(on *rank.Rank, c *config.Case, s halo.Setup) (halo.Exchange, error) {
	s.Comm, s.ValueBytes, s.Want, s.Aware = on.Comm, c.Spec.Precision.Bytes(), c.Device.Transport, c.Device.GPUAware
	e, err := halo.New(s)
	if err != nil && c.Device.Transport != config.AutoTransport { // the requested transport is not available
		return e, exit.Agreed(exit.Usage, err)
	}
	return e, exit.Agreed(exit.Failure, err)
}

// Close gives the level's parts of the device back, and is collective where there is an exchange.
func (l *Level) Close() {
	if l.Halo != nil {
		l.Halo.Close()
	}
	if l.Program != nil {
		l.Program.Close()
	}
	for _, b := range append(l.State[:], l.fused.fields) {
		if b != nil {
			b.Free()
		}
	}
}

// Bytes returns the memory of the level on the device.
func (l *Level) Bytes() int { return l.State[0].Bytes() + l.State[1].Bytes() + l.Program.Bytes() }
