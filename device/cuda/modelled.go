//go:build cuda

package cuda

import (
	"fmt"

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
	module      module
	fill, layer cu.Function

	count, depth         int     // of the ghost cells, and of the cells of the layer
	list                 *buffer // modelledABI; nil: there are no ghost cells
	populations, results *buffer
}

var (
	_ device.WallModeler = (*program)(nil)
	_ device.WallModels  = (*Device)(nil)
)

// WallModels says that programs have a wall model.
func (*Device) WallModels() {}

// Options of kernels: some wall has a model, and a layer above it. They follow from the case, not from a rank's part of it: all
// ranks compile the same arithmetic.
const (
	modelledOption = "-DLBM_MODELLED=1"
	layerOption    = "-DLBM_LAYER=1"
)

// modelledOptions returns the options that walls with a model need.
func modelledOptions(walls []boundary.Wall) (list []string) {
	layer := false
	for _, w := range walls {
		if w.Law == boundary.ModelledWall {
			list = []string{modelledOption}
			layer = layer || w.Model.Layer > 0
		}
	}
	if layer {
		list = append(list, layerOption)
	}
	return list
}

// place lists the ghost cells, and takes the memory of the eddies of the layer.
func (m *modelled) place(in *placing) (err error) {
	options := modelledOptions(in.cells.Walls)
	if len(options) == 0 {
		return nil
	}
	if m.spec.Collision.Scheme != model.Moments || m.spec.Lattice.Dims == 2 || m.spec.Precision == model.Float16 || m.spec.Scalar {
		return fmt.Errorf("%s has no wall model", m.spec)
	}
	if len(options) > 1 {
		if m.spec.Viscosity != model.Smagorinsky {
			return fmt.Errorf("%s has no mixing length", m.spec)
		}
		lengths, err := m.put(m.layout.Pitch * m.layout.N[1] * m.layout.N[2] * m.valueBytes())
		if err != nil {
			return fmt.Errorf("mixing lengths of %s: %w", m.spec, err)
		}
		in.eddies = uint64(lengths.at)
	}
	if in.cells.Modelled == nil || len(in.cells.Modelled.Cells) == 0 {
		return nil
	}
	if err := m.placeCells(in.cells.Modelled); err != nil {
		return fmt.Errorf("ghost cells of walls with a model: %w", err)
	}
	return m.load(&m.module, "loading the kernels for walls with a model of "+m.spec.String(), modelledFile, functions{"lbm_modelled": &m.fill, "lbm_layer": &m.layer}, nil)
}

// placeCells brings the lists to the GPU.
func (m *modelled) placeCells(found *boundary.Modelled) (err error) {
	m.count, m.depth = len(found.Cells), len(found.Layer)
	cells, layer := make([]kernels.ModelledCell, m.count), make([]kernels.LayerCell, m.depth)
	place := func(to *[8]int64, s boundary.Stencil) {
		for k := range s.N {
			to[k] = int64(m.layout.At(s.Cells[k][0], s.Cells[k][1], s.Cells[k][2], 0))
		}
	}
	for i, c := range found.Cells {
		place(&cells[i].Image, c.Image)
		place(&cells[i].Sample, c.Sample)
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
	numbers := raw.Bytes(boundary.ModelledNumbersOf[float32](found))
	if m.spec.Precision == model.Float64 {
		numbers = raw.Bytes(boundary.ModelledNumbersOf[float64](found))
	}
	m.populations = put(m.count * m.spec.Lattice.Q() * m.valueBytes())
	m.results = put(m.count * kernels.ModelledResults * m.valueBytes())
	m.list = put(len(raw.Bytes([]modelledABI{{}})), raw.Bytes([]modelledABI{{
		cells: list(raw.Bytes(cells)), numbers: list(numbers), table: list(raw.Bytes(boundary.PlusTable())),
		populations: uint64(m.populations.at), results: uint64(m.results.at), layer: list(raw.Bytes(layer)),
	}}))
	return err
}

func (m *modelled) free() { m.module.unload(m.d) }

// launch queues the ghost cells of a state, and the layer above them.
func (m *modelled) launch(s cu.Stream, state *buffer) error {
	if m.count == 0 {
		return nil
	}
	err := launch(m.fill, [3]int{raw.Ceil(m.count, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s,
		uint64(m.box.at), uint64(state.at), uint64(m.list.at), uint64(m.count))
	if err == nil && m.depth > 0 {
		err = launch(m.layer, [3]int{raw.Ceil(m.depth, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s,
			uint64(m.box.at), uint64(m.list.at), uint64(m.depth))
	}
	return err
}

// FillModelled queues the ghost cells of a state, all of which follow from the cells of a single rank.
func (m *modelled) FillModelled(s device.Stream, state device.Buffer, q model.Params, exchanged bool) {
	if exchanged {
		return
	}
	own := m.stream(s)
	from, err := m.state(state)
	if err == nil {
		err = m.uploadStep(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", m.spec, err))
		return
	}
	own.queue("ghost cells of walls with a model", func() error { return m.launch(own.s, from) })
}

// ModelledWalls reads what the last FillModelled found.
func (m *modelled) ModelledWalls() ([]device.ModelledWall, error) {
	walls := make([]device.ModelledWall, m.count)
	if m.count == 0 {
		return walls, nil
	}
	read := func(to []byte) error {
		if err := m.results.Read(to, 0); err != nil {
			return fmt.Errorf("flow at the walls of %s: %w", m.spec, err)
		}
		return nil
	}
	values := make([]float64, m.count*kernels.ModelledResults)
	if m.spec.Precision == model.Float64 {
		if err := read(raw.Bytes(values)); err != nil {
			return nil, err
		}
	} else {
		single := make([]float32, len(values))
		if err := read(raw.Bytes(single)); err != nil {
			return nil, err
		}
		for i, v := range single {
			values[i] = float64(v)
		}
	}
	for i := range walls {
		v := values[i*kernels.ModelledResults:]
		walls[i] = device.ModelledWall{Traction: [3]float64(v[:3]), HalfPlus: v[3]}
	}
	return walls, nil
}
