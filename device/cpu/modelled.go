// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// modelled is boundary.Modelled in memory outside Go's heap, for kernels.
type modelled struct {
	memory *memory // nil: no walls with a model
	list   *kernels.Modelled
	count  int
	layer  *memory // cells of the layer; nil: no such cells
	eddies *memory // eddy viscosity of the cells, read by the march, for laws that compute none
	depth  int     // number of these cells
	// The numbers of ghost cells and of layer cells that depend on the box's own cells alone.
	early, earlyLayer int
	sent              []sent
}

// sent is the offset of a cell in the state and of its copy behind it, in values.
type sent struct{ from, to int }

var (
	_ device.WallModeler = (*program)(nil)
	_ device.Gatherer    = (*program)(nil)
	_ device.WallModels  = (*Device)(nil)
)

// WallModels reports that programs have a wall model.
func (*Device) WallModels() {}

// place lists the ghost cells of walls with a model. It comes before the lists of links, which point to their populations.
func (w *modelled) place(p *program, of boundary.Cells) error {
	m := of.Modelled
	if m == nil {
		return nil
	}
	if !p.kernel.Models() {
		return fmt.Errorf("%s has no wall model", p.spec)
	}
	cells := make([]kernels.ModelledCell, len(m.Cells))
	value := func(at [3]int) int { return p.layout.At(at[0], at[1], at[2], 0) }
	count := 0
	for i := range m.Cells {
		count += len(m.Cells[i].Links)
	}
	links := make([]kernels.ModelledLink, 0, count)
	for i := range m.Cells {
		c := &m.Cells[i]
		cells[i] = kernels.ModelledCell{Image: c.Image.Places(value), Sample: c.Sample.Places(value),
			Type: uint32(c.Type - 1), First: uint32(len(links)), Links: uint32(len(c.Links))}
		for _, l := range c.Links {
			links = append(links, kernels.ModelledLink{To: int64(value(l.To.Cell())), Direction: uint32(l.Direction), Area: l.Area})
		}
	}
	number := max(4, p.spec.Precision.Bytes())
	align := func(bytes int) int { return raw.Ceil(bytes, 64) * 64 }
	places := align(int(unsafe.Sizeof(kernels.Modelled{})))
	numbers := places + align(len(cells)*int(unsafe.Sizeof(kernels.ModelledCell{})))
	table := numbers + align(len(cells)*boundary.ModelledCount*number)
	populations := table + align(2*8*boundary.PlusCount)
	results := populations + align(len(cells)*p.spec.Lattice.Q()*number)
	tuning := results + align(len(cells)*kernels.ModelledResults*number)
	joined := tuning + align(kernels.WallTuning*p.types*number)
	heat := joined + align(len(links)*int(unsafe.Sizeof(kernels.ModelledLink{})))
	end := heat
	if p.spec.Scalar {
		end += align(len(cells) * number)
	}
	memory, err := newMemory(end)
	if err != nil {
		return fmt.Errorf("ghost cells of walls with a model: %w", err)
	}
	list := kernels.Modelled{
		Cells: place(memory, places, cells), Table: place(memory, table, boundary.PlusTable(boundary.PrandtlOf(of.Walls))),
		Populations: unsafe.Add(memory.pointer(), populations), Results: unsafe.Add(memory.pointer(), results),
		Tuning: unsafe.Add(memory.pointer(), tuning), Links: place(memory, joined, links),
	}
	if p.spec.Scalar {
		list.Heat = unsafe.Add(memory.pointer(), heat)
	}
	if number == 8 {
		list.Numbers = place(memory, numbers, boundary.ModelledNumbersOf[float64](m, of.Walls))
	} else {
		list.Numbers = place(memory, numbers, boundary.ModelledNumbersOf[float32](m, of.Walls))
	}
	*w = modelled{memory: memory, count: len(cells), list: (*kernels.Modelled)(place(memory, 0, []kernels.Modelled{list})), early: m.Early, earlyLayer: m.EarlyLayer}
	for _, c := range m.Sent {
		w.sent = append(w.sent, sent{value(c.From), value(c.To)})
	}
	if err := p.TuneWalls(slices.Repeat([]device.WallTuning{{Factor: 1}}, p.types)); err != nil {
		return err
	}
	return w.placeLayer(p, m, number)
}

// placeLayer allocates the layer's eddy viscosity among the per-cell numbers read by steps.
func (w *modelled) placeLayer(p *program, m *boundary.Modelled, number int) (err error) {
	if m.Layer == nil {
		return nil
	}
	if p.spec.Viscosity != model.Smagorinsky && p.spec.Viscosity != model.Wale {
		return fmt.Errorf("%s has no layer with eddies", p.spec)
	}
	n, pitch := p.layout.N, p.layout.Pitch
	cells := make([]kernels.LayerCell, len(m.Layer))
	for i, c := range m.Layer {
		cells[i] = kernels.LayerCell{At: int64((c.At[2]*n[1]+c.At[1])*pitch + c.At[0]), Ghost: c.Ghost, Length: c.Length}
	}
	w.layer, err = newMemory(len(cells) * int(unsafe.Sizeof(kernels.LayerCell{})))
	if err == nil && p.box.Eddies == nil {
		if w.eddies, err = newMemory(pitch * n[1] * n[2] * number); err == nil {
			p.box.Eddies = w.eddies.pointer()
		}
	}
	if err != nil {
		return fmt.Errorf("layer of %s: %w", p.spec, err)
	}
	w.list.Layer, w.depth = place(w.layer, 0, cells), len(cells)
	return nil
}

// modelledPiece is the number of ghost cells of a task.
const modelledPiece = 512

// FillModelled queues the ghost cells of walls with a model in pieces.
func (p *program) FillModelled(s device.Stream, state device.Buffer, q model.Params, exchanged bool) {
	own := p.device.own(s, "ghost cells")
	m, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", p.spec, err))
		return
	}
	w := &p.modelled
	cells, layer := [2]int{0, w.early}, [2]int{0, w.earlyLayer}
	if exchanged {
		cells, layer = [2]int{w.early, w.count}, [2]int{w.earlyLayer, w.depth}
	}
	numbers := func() *kernels.Numbers { return p.numbers(p.moments.params(q)) }
	for _, tasks := range [][]task{w.tasks(p, m, numbers, cells), w.layerTasks(p, numbers, layer)} {
		if len(tasks) > 0 {
			own.pool.push(own, &operation{tasks: tasks})
		}
	}
}

// tasks returns the pieces of a range of ghost cells, with the numbers of a step at the time a piece is computed.
func (w *modelled) tasks(p *program, m *memory, numbers func() *kernels.Numbers, cells [2]int) (tasks []task) {
	for first := cells[0]; first < cells[1]; first += modelledPiece {
		last := min(first+modelledPiece, cells[1])
		tasks = append(tasks, func(*worker) error {
			p.kernel.FillModelled(p.box, numbers(), w.list, first, last, m.pointer())
			return nil
		})
	}
	return tasks
}

// layerTasks returns tasks for the eddy viscosity of a range of the layer, which follows from the ghost cells.
func (w *modelled) layerTasks(p *program, numbers func() *kernels.Numbers, cells [2]int) (tasks []task) {
	const piece = 16 * modelledPiece
	for first := cells[0]; first < cells[1]; first += piece {
		last := min(first+piece, cells[1])
		tasks = append(tasks, func(*worker) error {
			p.kernel.FillLayer(p.box, numbers(), w.list, first, last)
			return nil
		})
	}
	return tasks
}

// Gather queues the copies of cells that other ranks' ghost cells read, in pieces.
func (p *program) Gather(s device.Stream, state device.Buffer) {
	own := p.device.own(s, "listed cells")
	m, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("listed cells of %s: %w", p.spec, err))
		return
	}
	var tasks []task
	bytes := p.spec.Precision.Bytes()
	for list := p.modelled.sent; len(list) > 0; {
		cells := list[:min(modelledPiece, len(list))]
		list = list[len(cells):]
		tasks = append(tasks, func(*worker) error {
			for _, c := range cells {
				for k := range p.layout.Components {
					from, to := (c.from+k*p.layout.Pitch)*bytes, (c.to+k*p.layout.Pitch)*bytes
					copy(m.view[to:to+bytes], m.view[from:from+bytes])
				}
			}
			return nil
		})
	}
	if len(tasks) > 0 {
		own.pool.push(own, &operation{tasks: tasks})
	}
}

// TuneWalls writes the corrections that ghost cells read.
func (p *program) TuneWalls(walls []device.WallTuning) error {
	m := p.modelled.memory
	offset := int(uintptr(p.modelled.list.Tuning) - uintptr(m.pointer()))
	for i, v := range device.TuningNumbers(walls) {
		if p.spec.Precision == model.Float64 {
			*(*float64)(unsafe.Add(m.pointer(), offset+8*i)) = v
		} else {
			*(*float32)(unsafe.Add(m.pointer(), offset+4*i)) = float32(v)
		}
	}
	return nil
}

// WallMomentum adds up the links of walls with a model.
func (p *program) WallMomentum(state device.Buffer, q model.Params) ([]device.WallMomentum, error) {
	w := &p.modelled
	m, err := p.state(state)
	if err == nil {
		err = p.device.run(w.tasks(p, m, func() *kernels.Numbers { return p.numbers(q) }, [2]int{0, w.count}))
	}
	if err != nil {
		return nil, err
	}
	all := make([]device.WallMomentum, p.types)
	var lock sync.Mutex
	var tasks []task
	for first := 0; first < w.count; first += modelledPiece {
		tasks = append(tasks, func(*worker) error {
			part := make([]int64, p.types*kernels.WallSums)
			p.kernel.SumMomentum(p.box, p.numbers(q), w.list, first, min(first+modelledPiece, w.count), m.pointer(), part)
			lock.Lock()
			defer lock.Unlock()
			for k := range all {
				n := part[k*kernels.WallSums:]
				all[k].Add(device.WallMomentum{Exchanged: n[0], Law: n[1], All: n[2], Area: n[3], Passed: n[4]})
			}
			return nil
		})
	}
	return all, p.device.run(tasks)
}

// ModelledWalls reads the results of the last FillModelled.
func (p *program) ModelledWalls() ([]device.ModelledWall, error) {
	walls := make([]device.ModelledWall, p.modelled.count)
	if p.modelled.count == 0 {
		return walls, nil
	}
	offset := int(uintptr(p.modelled.list.Results) - uintptr(p.modelled.memory.pointer()))
	value := reals(p.modelled.memory, offset, p.spec.Precision)
	for i := range walls {
		for a := range 3 {
			walls[i].Traction[a] = value(i*kernels.ModelledResults + a)
		}
		walls[i].HalfPlus, walls[i].Share = value(i*kernels.ModelledResults+3), value(i*kernels.ModelledResults+4)
	}
	return walls, nil
}

// reals returns the numbers of the arithmetic's type that begin at an offset.
func reals(m *memory, offset int, precision model.Precision) func(i int) float64 {
	if precision == model.Float64 {
		return func(i int) float64 { return *(*float64)(unsafe.Add(m.pointer(), offset+8*i)) }
	}
	return func(i int) float64 { return float64(*(*float32)(unsafe.Add(m.pointer(), offset+4*i))) }
}

func (m *modelled) bytes() (n int) {
	for _, b := range []*memory{m.memory, m.layer, m.eddies} {
		if b != nil {
			n += b.Bytes()
		}
	}
	return n
}

func (m *modelled) free() {
	for _, b := range []*memory{m.memory, m.layer, m.eddies} {
		if b != nil {
			b.Free()
		}
	}
}
