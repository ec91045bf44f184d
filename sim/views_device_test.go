// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// sighted is a CPU device that casts rays, as GPUs do: through its own volumes of density and speed, for which the host is not asked.
type sighted struct {
	device.Device
	device.LevelCoupler
	cast *atomic.Int64 // pictures
}

// sightedDevice counts the pictures.
func sightedDevice(cast *atomic.Int64) func(device.Device) device.Device {
	return func(d device.Device) device.Device { return sighted{d, d.(device.LevelCoupler), cast} }
}

func (d sighted) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := d.Device.Load(s, l, periodic, cells)
	if err != nil {
		return nil, err
	}
	return sightedProgram{p, p.(device.Coupler), cells, s.FieldValues(), d.cast}, nil
}

type sightedProgram struct {
	device.Program
	device.Coupler
	cells  boundary.Cells
	values int
	cast   *atomic.Int64
}

func (p sightedProgram) Close()     { p.Program.Close() }
func (p sightedProgram) Bytes() int { return p.Program.Bytes() }

func (p sightedProgram) NewVolume(at device.VolumeBox, fields [2]device.Shown) (device.Volume, error) {
	v := &hostVolume{p: p, at: at, shown: fields, box: decomp.Box{Lo: at.Local}}
	for a, n := range at.Block.N {
		v.box.Lo[a] -= render.Margin
		v.box.Hi[a] = at.Local[a] + n + render.Margin
	}
	for i, f := range fields {
		if f.Quantity != device.Excess && f.Quantity != device.Speed {
			return nil, errors.New("no such field")
		}
		v.fields[i] = make([]float32, v.box.Cells())
	}
	return v, nil
}

// hostVolume is a device.Volume in the host's memory.
type hostVolume struct {
	p      sightedProgram
	at     device.VolumeBox
	shown  [2]device.Shown
	box    decomp.Box // stored cells
	fields [2][]float32
}

func (v *hostVolume) Sample(state device.Buffer, field int, box decomp.Box, values []float32, p model.Params) error {
	n, s := box.Size(), v.shown[field]
	all := make([]float64, v.p.values*box.Cells())
	if err := v.p.Fields(state, box, all, p); err != nil {
		return err
	}
	for i := range values {
		x, row := i%n[0], all[i/n[0]*v.p.values*n[0]:]
		q := row[x]
		if s.Quantity == device.Speed {
			q = 0
			for c := 1; c <= 3; c++ {
				q += row[c*n[0]+x] * row[c*n[0]+x]
			}
			q = math.Sqrt(q)
		}
		values[i] = float32(s.Offset + s.Factor*q)
		if s.Blank[v.p.cells.At(box.Lo[0]+x, box.Lo[1]+i/n[0]%n[1], box.Lo[2]+i/n[0]/n[1])] {
			values[i] = float32(math.NaN())
		}
	}
	return nil
}

func (v *hostVolume) Evaluate(state device.Buffer, box decomp.Box, p model.Params) error {
	for field := range v.fields {
		values := make([]float32, box.Cells())
		err := v.Sample(state, field, box, values, p)
		if err == nil {
			err = v.Put(field, box, values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place returns the index of a stored value.
func (v *hostVolume) place(x, y, z int) int {
	n := v.box.Size()
	return ((z-v.box.Lo[2])*n[1]+y-v.box.Lo[1])*n[0] + x - v.box.Lo[0]
}

func (v *hostVolume) Put(field int, box decomp.Box, values []float32) error {
	n := box.Size()
	for i, value := range values {
		v.fields[field][v.place(box.Lo[0]+i%n[0], box.Lo[1]+i/n[0]%n[1], box.Lo[2]+i/n[0]/n[1])] = value
	}
	return nil
}

func (v *hostVolume) Extend(inside decomp.Box) error {
	n := v.box.Size()
	for i := range v.box.Cells() {
		at := [3]int{v.box.Lo[0] + i%n[0], v.box.Lo[1] + i/n[0]%n[1], v.box.Lo[2] + i/n[0]/n[1]}
		for a := range at {
			at[a] = min(max(at[a], inside.Lo[a]), inside.Hi[a]-1)
		}
		for _, f := range v.fields {
			f[i] = f[v.place(at[0], at[1], at[2])]
		}
	}
	return nil
}

// block returns the volume as package render has it.
func (v *hostVolume) block() render.Block {
	b := v.at.Block
	b.Shape, b.Colour = v.fields[0], v.fields[1]
	return b
}

func (v *hostVolume) Cast(scene render.Scene, others ...device.Volume) (device.Seen, error) {
	blocks := []render.Block{v.block()}
	for _, o := range others {
		blocks = append(blocks, o.(*hostVolume).block())
	}
	c := render.NewCaster(scene, blocks)
	var hits hostSeen
	for y := range scene.Rows() {
		hits = append(hits, c.Row(y)...)
	}
	v.p.cast.Add(1)
	return hits, nil
}

type hostSeen []render.Hit

func (s hostSeen) Hits() ([]render.Hit, error) { return s, nil }

func (v *hostVolume) Extremes() (least, most float32, ok bool, err error) {
	b := v.block()
	b.Each(func(value float32) {
		if !ok {
			least, most, ok = value, value, true
		}
		least, most = min(least, value), max(most, value)
	})
	return least, most, ok, nil
}

// Count has bins of all places, for positive values alone.
func (v *hostVolume) Count(bins device.Bins, counts []int64) error {
	b := v.block()
	b.Each(func(value float32) {
		place := max(int64(math.Float32bits(value))-bins.Floor, 0)
		counts[min((place-bins.Lo)*device.VolumeBins/max(bins.Hi-bins.Lo, 1), device.VolumeBins-1)]++
	})
	return nil
}

func (v *hostVolume) Close() { v.fields = [2][]float32{} }

// Views whose rays a device casts have the bits of views by the host, on any number of ranks, on a grid and on a refined one, also where
// the device has the formulas of some views alone.
func TestViewsOfADevice(t *testing.T) {
	const more = "[output.view.fast]\nsurface = \"speed\"\nvalue = 0.03\ncolour = \"density\"\nsize = [90, 60]\n[output.view.alike]\nsurface = \"speed\"\nvalue = 0.02\ncolour = \"speed\"\nsize = [90, 60]\n"
	file, _ := ballFile(t, 16, 4.2, 0)
	brief.Fewer(t, "numbers of ranks")
	for _, c := range []struct {
		text     string
		pictures int64 // that the device draws
		trials   []trial
	}{
		{fmt.Sprintf(viewed, file) + more, 2, []trial{{ranks: 1, threads: 2}, {ranks: 3}, {ranks: 4, cut: [3]int{1, 2, 2}}}},
		{fmt.Sprintf(viewedLevels, viewedBoxes) + more, 4, []trial{{ranks: 1}, {ranks: 2}, {ranks: 4}}},
	} {
		dir := t.TempDir()
		trial{text: c.text, ranks: 1, threads: 2, dir: dir}.must(t)
		want := viewsIn(t, dir)
		if testing.Short() {
			c.trials = c.trials[2:]
		}
		for _, tr := range c.trials {
			var cast atomic.Int64
			tr.text, tr.dir = c.text, t.TempDir()
			tr.wrap = sightedDevice(&cast)
			tr.must(t)
			compareViews(t, fmt.Sprintf("%d ranks %v", tr.ranks, tr.cut), viewsIn(t, tr.dir), want)
			if n := cast.Load(); n != c.pictures*int64(tr.ranks) {
				t.Errorf("%d ranks %v: the device cast %d times, not %d", tr.ranks, tr.cut, n, c.pictures*int64(tr.ranks))
			}
		}
	}
}
