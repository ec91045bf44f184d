// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"sync/atomic"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// A view that lacks memory on one rank is refused on all, unless the fields that turning views keep make room for it: these are freed
// first. A machine that does not report its memory refuses no view.
func TestMemoryOfAView(t *testing.T) {
	defer func(was func(int) int64) { memoryLeft = was }(memoryLeft)
	speed, _ := model.FindField("speed")
	o := Orbit{Surface: speed, Colour: speed}
	for _, c := range []struct {
		left       []int64 // as two ranks ask, once or twice
		room, kept bool
	}{
		{[]int64{1 << 40, 1 << 40}, true, true}, {[]int64{0, 1 << 40}, true, true},
		{[]int64{1 << 40, 1, 1, 1 << 40}, false, false}, {[]int64{1, 1 << 40, 1 << 40, 1 << 40}, true, false},
	} {
		var asked atomic.Int32
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
			set := &Set{Run: &Run{Rank: on, Case: flow, View: derive.View{Rank: on, Case: flow, Part: part, State: atStart{}}}, frozen: &frozen{scenery: &scenery{}}}
			// At least the two fields of the rank's cells and margins, and less than ten times that.
			if n := o.bytes(set.Run); n < 8*22*22*14 || n > 80*22*22*14+100_000_000 {
				t.Errorf("rank %d needs %d bytes", on.ID, n)
			}
			room, err := o.room(set)
			if room != c.room || (set.frozen != nil) != c.kept {
				t.Errorf("%v: room %v, fields kept %v on rank %d", c.left, room, set.frozen != nil, on.ID)
			}
			return err
		})
		if n := int(asked.Load()); n != len(c.left) {
			t.Errorf("%v: asked %d times", c.left, n)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
