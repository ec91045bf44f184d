// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// modelled is the ghost cells of walls with a model: the functions of kernels/gpu/modelled.h, loaded only where a case has
// some, and their lists.
type modelled struct {
	*core
	module                        module
	fill, layer, gather, momentum cu.Function

	cells, depth         [2]int  // numbers of ghost cells, and of cells of the layer: before an exchange, and in all
	list                 *buffer // modelledABI; nil: there are no ghost cells
	populations, results *buffer
	heat                 *buffer // the flux of a scalar at each
	sent                 *buffer // []gatheredABI
	sentCount            int

	tuning    *buffer // of the arithmetic's type, [type][kernels.WallTuning]; nil: no wall has a model
	sums      *buffer // [type][kernels.WallSums]
	linkCount int
}

var (
	_ device.WallModeler = (*program)(nil)
	_ device.Gatherer    = (*program)(nil)
	_ device.WallModels  = (*Device)(nil)
)

// WallModels reports that programs have a wall model.
func (*Device) WallModels() {}

// Options of kernels: some wall has a model, and a layer above it, in a box whose law finds no eddies itself. They follow from the
// case, not from a rank's part of it: all ranks compile the same arithmetic.
const (
	modelledOption = "-DLBM_MODELLED=1"
	layerOption    = "-DLBM_LAYER=1"
)

// modelledOptions returns the options that walls with a model need.
func modelledOptions(walls []boundary.Wall, law model.ViscosityLaw) (list []string) {
	layer := false
	for _, w := range walls {
		if w.Law == boundary.ModelledWall {
			list = []string{modelledOption}
			layer = layer || w.Model.Layer > 0
		}
	}
	if layer && !law.LooksAround() {
		list = append(list, layerOption)
	}
	return list
}

// place lists the ghost cells, and allocates the layer's eddy viscosity.
func (m *modelled) place(in *placing) (err error) {
	options := modelledOptions(in.cells.Walls, m.spec.Viscosity)
	if len(options) == 0 {
		return nil
	}
	if m.spec.Collision.Scheme != model.Moments || m.spec.Lattice.Dims == 2 || m.spec.Precision == model.Float16 {
		return fmt.Errorf("%s has no wall model", m.spec)
	}
	if len(options) > 1 {
		if m.spec.Viscosity != model.Smagorinsky {
			return fmt.Errorf("%s has no layer with eddies", m.spec)
		}
		eddies, err := m.put(m.layout.Pitch * m.layout.N[1] * m.layout.N[2] * m.valueBytes())
		if err != nil {
			return fmt.Errorf("eddies of %s: %w", m.spec, err)
		}
		in.eddies = uint64(eddies.at)
	}
	if m.tuning, err = m.put(kernels.WallTuning * m.types * m.valueBytes()); err == nil {
		err = m.TuneWalls(slices.Repeat([]device.WallTuning{{Factor: 1}}, m.types))
	}
	if err == nil {
		m.sums, err = m.put(8 * kernels.WallSums * m.types)
	}
	if err != nil {
		return fmt.Errorf("factors of walls with a model: %w", err)
	}
	found := in.cells.Modelled
	if found == nil || len(found.Cells)+len(found.Sent) == 0 {
		return nil
	}
	if err := m.placeCells(found, in.cells.Walls); err != nil {
		return fmt.Errorf("ghost cells of walls with a model: %w", err)
	}
	return m.loadShared(&m.module, "loading the kernels for walls with a model of "+m.spec.String(), modelledFile,
		functions{"lbm_modelled": &m.fill, "lbm_layer": &m.layer, "lbm_gather": &m.gather, "lbm_momentum": &m.momentum})
}

// placeCells uploads the lists to the GPU.
func (m *modelled) placeCells(found *boundary.Modelled, walls []boundary.Wall) (err error) {
	m.cells, m.depth = [2]int{found.Early, len(found.Cells)}, [2]int{found.EarlyLayer, len(found.Layer)}
	count := len(found.Cells)
	places, types := make([]int64, 2*modelledCorners*count), make([]uint32, count)
	layer, sent := make([]kernels.LayerCell, len(found.Layer)), make([]gatheredABI, len(found.Sent))
	value := func(at [3]int) int { return m.layout.At(at[0], at[1], at[2], 0) }
	for i, c := range found.Sent {
		sent[i] = gatheredABI{from: int64(value(c.From)), to: int64(value(c.To))}
	}
	var links []joinedLinkABI
	for i := range found.Cells {
		c := &found.Cells[i]
		types[i] = uint32(c.Type)
		for k, stencil := range []*boundary.Stencil{&c.Image, &c.Sample} {
			list, used := stencil.Places(value), stencil.N
			if used == 0 { // its weights are 0: any place with numbers
				list, used = c.Image.Places(value), 1
			}
			for n, at := range list {
				if n >= used {
					at = list[0]
				}
				places[(k*modelledCorners+n)*count+i] = at
			}
		}
		for _, l := range c.Links {
			links = append(links, joinedLinkABI{to: int64(value(l.To.Cell())), area: l.Area, ghost: uint32(i), direction: uint32(l.Direction)})
		}
	}
	for i, c := range found.Layer {
		layer[i] = kernels.LayerCell{At: int64((c.At[2]*m.layout.N[1]+c.At[1])*m.layout.Pitch + c.At[0]), Ghost: c.Ghost, Length: c.Length}
	}
	put := func(bytes int, parts ...[]byte) (b *buffer) {
		if b = new(buffer); err == nil {
			b, err = m.put(bytes, parts...)
		}
		return b
	}
	list := func(bytes []byte) uint64 { return uint64(put(len(bytes), bytes).at) }
	var numbers []byte
	if m.spec.Precision == model.Float64 {
		numbers = raw.Bytes(boundary.ModelledNumbersOf[float64](found, walls))
	} else {
		numbers = raw.Bytes(boundary.ModelledNumbersOf[float32](found, walls))
	}
	m.populations = put(count * m.spec.Lattice.Q() * m.valueBytes())
	m.results = put(count * kernels.ModelledResults * m.valueBytes())
	m.heat = &buffer{}
	if m.spec.Scalar {
		m.heat = put(count * m.valueBytes())
	}
	m.linkCount = len(links)
	m.sent, m.sentCount = put(len(raw.Bytes(sent)), raw.Bytes(sent)), len(sent)
	m.list = put(len(raw.Bytes([]modelledABI{{}})), raw.Bytes([]modelledABI{{
		count: int64(count), places: list(raw.Bytes(places)), types: list(raw.Bytes(types)), numbers: list(numbers), table: list(raw.Bytes(boundary.PlusTable(boundary.PrandtlOf(walls)))),
		populations: uint64(m.populations.at), results: uint64(m.results.at), tuning: uint64(m.tuning.at), layer: list(raw.Bytes(layer)),
		links: list(raw.Bytes(links)), heat: uint64(m.heat.at),
	}}))
	return err
}

// sends returns the address of the ghost cells' populations, 0 without ghost cells.
func (m *modelled) sends() uint64 {
	if m.populations == nil {
		return 0
	}
	return uint64(m.populations.at)
}

func (m *modelled) free() { m.module.unload(m.d) }

// modelledCorners are the cells of a stencil: CORNERS of kernels/gpu/modelled.h.
const modelledCorners = 8

// launch queues the ghost cells of these numbers of a state, and cells of the layer above them.
func (m *modelled) launch(s cu.Stream, state *buffer, cells, layer [2]int) error {
	for _, k := range []struct {
		kernel cu.Function
		part   [2]int
		args   []uint64
	}{{m.fill, cells, []uint64{uint64(state.at)}}, {m.layer, layer, nil}} {
		first, last := k.part[0], k.part[1]
		if first == last {
			continue
		}
		args := append([]uint64{uint64(m.box.at)}, k.args...)
		args = append(args, uint64(m.list.at), uint64(first), uint64(last))
		if err := launch(k.kernel, [3]int{raw.Ceil(last-first, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s, args...); err != nil {
			return err
		}
	}
	return nil
}

// all queues all ghost cells of a state, for sums over their links: the layer stays as the last step had it.
func (m *modelled) all(s cu.Stream, state *buffer) error {
	return m.launch(s, state, [2]int{0, m.cells[1]}, [2]int{})
}

// FillModelled queues the ghost cells of a state.
func (m *modelled) FillModelled(s device.Stream, state device.Buffer, q model.Params, exchanged bool) {
	own := m.stream(s)
	from, err := m.state(state)
	if err == nil {
		err = m.uploadStep(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", m.spec, err))
		return
	}
	cells, layer := [2]int{0, m.cells[0]}, [2]int{0, m.depth[0]}
	if exchanged {
		cells, layer = m.cells, m.depth
	}
	if cells[0] < cells[1] || layer[0] < layer[1] {
		own.queue("ghost cells of walls with a model", func() error { return m.launch(own.s, from, cells, layer) })
	}
}

// Gather queues the copies of the cells that other ranks read.
func (m *modelled) Gather(s device.Stream, state device.Buffer) {
	own := m.stream(s)
	at, err := m.state(state)
	if err != nil {
		own.fail(fmt.Errorf("listed cells of %s: %w", m.spec, err))
		return
	}
	if m.sentCount == 0 {
		return
	}
	own.queue("listed cells", func() error {
		return launch(m.gather, [3]int{raw.Ceil(m.sentCount*m.layout.Components, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(at.at), uint64(m.sent.at), uint64(m.sentCount), uint64(m.layout.Components), uint64(m.layout.Pitch))
	})
}

// TuneWalls writes the corrections that ghost cells read.
func (m *modelled) TuneWalls(walls []device.WallTuning) error {
	if m.tuning == nil {
		return nil
	}
	list := device.TuningNumbers(walls)
	bytes := raw.Bytes(list)
	if m.spec.Precision != model.Float64 {
		single := make([]float32, len(list))
		for i, v := range list {
			single[i] = float32(v)
		}
		bytes = raw.Bytes(single)
	}
	if err := m.tuning.Write(bytes, 0); err != nil {
		return fmt.Errorf("factors of walls of %s: %w", m.spec, err)
	}
	return nil
}

// WallMomentum adds up the links of walls with a model.
func (m *modelled) WallMomentum(state device.Buffer, q model.Params) ([]device.WallMomentum, error) {
	all := make([]device.WallMomentum, m.types)
	if m.linkCount == 0 {
		return all, nil
	}
	own, err := m.state(state)
	if err == nil {
		err = m.uploadStep(q)
	}
	sums := make([]int64, kernels.WallSums*m.types)
	if err == nil {
		l := <-m.d.lanes
		defer func() { m.d.lanes <- l }()
		if err = l.open(); err == nil {
			err = m.d.call("momentum at walls", func() error {
				if err := m.all(l.stream, own); err != nil {
					return err
				}
				if err := cu.MemsetD8Async(m.sums.at, 0, int64(m.sums.bytes), l.stream); err != nil {
					return err
				}
				return launch(m.momentum, [3]int{raw.Ceil(m.linkCount, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
					uint64(m.box.at), uint64(own.at), uint64(m.list.at), uint64(m.sums.at), uint64(m.linkCount))
			})
		}
		if err == nil {
			err = l.read(raw.Bytes(sums), m.sums.at)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("momentum at walls of %s: %w", m.spec, err)
	}
	for k := range all {
		n := sums[k*kernels.WallSums:]
		all[k] = device.WallMomentum{Exchanged: n[0], Law: n[1], All: n[2], Area: n[3], Passed: n[4]}
	}
	return all, nil
}

// ModelledWalls reads the results of the last FillModelled.
func (m *modelled) ModelledWalls() ([]device.ModelledWall, error) {
	walls := make([]device.ModelledWall, m.cells[1])
	if len(walls) == 0 {
		return walls, nil
	}
	var err error
	if m.spec.Precision == model.Float64 {
		err = readWalls[float64](m, walls)
	} else {
		err = readWalls[float32](m, walls)
	}
	if err != nil {
		return nil, fmt.Errorf("flow at the walls of %s: %w", m.spec, err)
	}
	return walls, nil
}

func readWalls[T float32 | float64](m *modelled, walls []device.ModelledWall) error {
	values := make([]T, len(walls)*kernels.ModelledResults)
	if err := m.results.Read(raw.Bytes(values), 0); err != nil {
		return err
	}
	for i := range walls {
		v := values[i*kernels.ModelledResults:][:kernels.ModelledResults]
		walls[i] = device.ModelledWall{Traction: [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}, HalfPlus: float64(v[3]), Share: float64(v[4])}
	}
	return nil
}
