// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"sync/atomic"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/render"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// A view that lacks memory on one rank is refused on all, unless the fields that turning views keep make room for it: these are freed
// first. A machine that does not report its memory refuses no view. Where the device casts the rays, the host needs memory for the hits
// alone, and a refused view leaves the device no memory.
func TestMemoryOfAView(t *testing.T) {
	defer func(was func(int) int64) { memoryLeft = was }(memoryLeft)
	speed, _ := model.FindField("speed")
	o := Orbit{Surface: speed, Colour: speed}
	hits := render.Bytes(0, 2, o.size()[0]*o.size()[1])
	for _, c := range []struct {
		left             []int64 // as two ranks ask, once or twice
		casts            bool    // the device
		room, kept       bool
		fields, reserved int64 // in the host's memory; the device's volumes of both ranks
	}{
		{left: []int64{1 << 40, 1 << 40}, room: true, kept: true, fields: 24 * 22 * 22 * 14},
		{left: []int64{0, 1 << 40}, room: true, kept: true, fields: 24 * 22 * 22 * 14},
		{left: []int64{1 << 40, 1, 1, 1 << 40}, fields: 24 * 22 * 22 * 14},
		{left: []int64{1, 1 << 40, 1 << 40, 1 << 40}, room: true, fields: 24 * 22 * 22 * 14},
		{left: []int64{hits, hits, hits, hits}, fields: 24 * 22 * 22 * 14},
		{left: []int64{hits, hits}, casts: true, room: true, kept: true, reserved: 2},
		{left: []int64{hits, hits - 1, hits, hits}, casts: true, room: true, reserved: 2},
		{left: []int64{hits, hits - 1, hits - 1, hits}, casts: true},
	} {
		var asked atomic.Int32
		var reserved atomic.Int64
		memoryLeft = func(int) int64 { return c.left[asked.Add(1)-1] }
		err := comm.RunLocal(2, func(cm comm.Comm) error {
			flow, err := config.Load("a.toml", []byte("[domain]\ncells = [16, 16, 16]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"))
			if err != nil {
				return err
			}
			on := rank.New(cm, 1, nil)
			part, err := domain.New(on, flow)
			if err != nil {
				return err
			}
			var state casting
			if c.casts {
				state.volumes = &reserved
			}
			set := &Set{Run: &Run{Rank: on, Case: flow, View: derive.View{Rank: on, Case: flow, Part: part, State: atStart{}}, State: state}, frozen: &frozen{scenery: &scenery{}}}
			g, need, err := o.reserve(set)
			if need != hits+c.fields {
				t.Errorf("%v: rank %d needs %d bytes beside its hits, not %d", c.left, on.ID, need-hits, c.fields)
			}
			if (g != nil) != c.room || (set.frozen != nil) != c.kept {
				t.Errorf("%v: room %v, fields kept %v on rank %d", c.left, g != nil, set.frozen != nil, on.ID)
			}
			return err
		})
		if n := int(asked.Load()); n != len(c.left) {
			t.Errorf("%v: asked %d times", c.left, n)
		}
		if n := reserved.Load(); n != c.reserved {
			t.Errorf("%v: %d volumes, not %d", c.left, n, c.reserved)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// casting is a state whose device casts rays, if counting its volumes.
type casting struct {
	State
	volumes *atomic.Int64
}

func (c casting) Rays(int) Rays { return castingRays{volumes: c.volumes} }

type castingRays struct {
	Rays
	volumes *atomic.Int64
}

func (c castingRays) NewVolume(device.VolumeBox, [2]device.Shown) device.Volume {
	if c.volumes == nil {
		return nil
	}
	c.volumes.Add(1)
	return countedVolume{volumes: c.volumes}
}

type countedVolume struct {
	device.Volume
	volumes *atomic.Int64
}

func (v countedVolume) Close() { v.volumes.Add(-1) }
