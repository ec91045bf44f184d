//go:build cuda

package cuda

// #include <cuda.h>
import "C"

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/kernels/lookup"
	"lbmsim/model"
)

// program is a device.Program: the kernels of one spec on one box, and its lists of
// walls in the GPU's memory.
type program struct {
	d      *Device
	spec   model.Spec
	layout decomp.Layout

	kernels kernelSet
	box     *buffer // boxABI
	lists   []*buffer
	rows    *buffer // sumsABI of each row, then of each plane

	found          *boundary.Walls
	origin         [3]int // of the box in the domain
	types          int    // of solid cells
	links          linkKernels
	laws, measures *linkLists // nil where there are none
	wraps          [3]bool    // axes along which the box is its own neighbour
	faces          faces
	scalar         scalar
	timed          timed
	steps          multistep
	stepFields     stepFields
	statistics     statistics
	eddies         eddies

	telling sync.Mutex   // of what follows
	params  model.Params // what the GPU has
	given   bool         // does it have any?

	mu     sync.Mutex // of what follows
	spare  []*snapshotMemory
	closed bool
}

var _ interface {
	device.Program
	device.SnapshotTaker
	device.FieldsWriter
	device.StepSnapshots
} = (*program)(nil)

// Load compiles the kernels, or takes them from the cache, and tells them the walls.
func (d *Device) Load(spec model.Spec, layout decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	if layout.Components != spec.Components() || layout.Ghost[0] != 0 || layout.Pitch < layout.N[0] || layout.Pitch%decomp.Align != 0 ||
		spec.Lattice.Dims == 2 && layout.N[2] != 1 || layout.Ghost[spec.Lattice.Dims-1] == 0 {
		return nil, fmt.Errorf("the layout %+v does not fit %s", layout, spec)
	}
	p := &program{d: d, spec: spec, layout: layout, origin: cells.Origin, types: len(cells.Velocity)}
	for a := range p.wraps {
		p.wraps[a] = periodic[a] && (layout.Ghost[a] == 0 || cells.Global == [3]int{} || cells.Global[a] == layout.N[a])
	}
	more, err := d.fit(spec, layout, cells)
	if err != nil {
		return nil, err
	}
	if p.kernels, err = d.kernels(spec, ownPitch(layout.Pitch), more...); err != nil {
		return nil, err
	}
	w, err := findWalls(spec, layout, periodic, cells, p.kernels.servesEnds(layout.N[0]))
	if err == nil {
		err = p.placeEddies()
	}
	if err == nil {
		err = p.place(w)
	}
	if err == nil {
		err = p.placeLinks(w)
	}
	if err == nil {
		err = p.placeFaces(w, periodic, cells)
	}
	if err == nil {
		err = p.placeScalar(w)
	}
	if err == nil {
		err = p.placeTimed(cells)
	}
	if err == nil {
		err = p.placeSteps(w, cells)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// ownPitch is the pitch that kernels are compiled for, as a constant: it saves a tenth
// of the instructions (a fourth of the regularized march's). Short rows are those of
// tiny cases, which had better start at once: they share kernels for any pitch (0).
// The choice depends on nothing that is cut among ranks, so that all take the same.
func ownPitch(pitch int) int {
	if pitch < 64 {
		return 0
	}
	return pitch
}

// fit is the compiler's options for a small box of one rank, whose blocks would else leave processors idle. Large ones share
// kernels.
func (d *Device) fit(spec model.Spec, l decomp.Layout, cells boundary.Cells) ([]string, error) {
	const small, most, width = 256, 80, 64 // cells; planes and width of a tile
	n := l.N
	whole := cells.Global == [3]int{} || cells.Global == n
	if spec.Collision.Scheme != model.Moments || spec.Lattice.Q() != 19 || spec.Scalar || spec.Precision.Bytes() > 4 ||
		!whole || min(n[0], n[1], n[2]) < width || max(n[0], n[1], n[2]) > small {
		return nil, nil
	}
	slots, err := d.processors()
	if rows := fittingRows(n[1], n[2], most, raw.Ceil(n[0], width), slots); err == nil && rows != usualRows {
		return []string{fmt.Sprintf("-DLBM_ROWS=%d", rows)}, nil
	}
	return nil, err
}

// place puts the box and its lists into the GPU's memory.
func (p *program) place(w *walls) error {
	list := w.kicks
	if p.spec.Collision.Scheme == model.Moments {
		list = momentsOf(p.spec.Lattice, list)
	}
	kicks := raw.Bytes(list)
	if p.spec.Precision != model.Float64 {
		single := make([]float32, len(list))
		for i, k := range list {
			single[i] = float32(k)
		}
		kicks = raw.Bytes(single)
	}
	put := func(bytes int, parts ...[]byte) (uint64, error) {
		b, err := p.d.alloc(bytes)
		if err != nil {
			return 0, err
		}
		p.lists = append(p.lists, b)
		at := 0
		for _, part := range parts {
			if err := b.Write(part, at); err != nil {
				return 0, err
			}
			at += len(part)
		}
		return uint64(b.at), nil
	}
	var words, sets [][]byte
	for _, part := range w.words {
		words = append(words, raw.Bytes(part))
	}
	for _, part := range w.sets {
		sets = append(sets, raw.Bytes(part))
	}
	box := boxABI{pitch: int32(p.layout.Pitch)}
	if p.eddies.at != nil {
		box.eddies = uint64(p.eddies.at.at)
	}
	for a := range p.layout.N {
		box.n[a], box.ghost[a] = int32(p.layout.N[a]), int32(p.layout.Ghost[a])
		if p.wraps[a] {
			box.periodic[a] = 1
		}
	}
	for side, mirror := range w.mirror {
		if mirror {
			box.mirror[side] = 1
		}
	}
	var err error
	for _, list := range []struct {
		at    *uint64
		bytes int
		parts [][]byte
	}{
		{&box.blocks, len(w.blocks) * int(unsafe.Sizeof(block{})), [][]byte{raw.Bytes(w.blocks)}},
		{&box.words, 4 * w.count, words},
		{&box.sets, 4 * w.count * min(1, len(sets)), sets},
		{&box.kicks, len(kicks), [][]byte{kicks}},
	} {
		if *list.at, err = put(list.bytes, list.parts...); err != nil {
			return fmt.Errorf("lists of walls: %w", err)
		}
	}
	if p.box, err = p.d.alloc(int(unsafe.Sizeof(box))); err != nil {
		return err
	}
	if err := p.box.Write(raw.Bytes([]boxABI{box}), 0); err != nil {
		return err
	}
	n := p.layout.N
	p.rows, err = p.d.alloc((n[1]*n[2] + n[p.layout.Axis()]) * int(unsafe.Sizeof(sumsABI{})))
	return err
}

// tell gives the GPU the numbers of a step if it has others. Of several goroutines
// that come first, one tells and the others wait until it is done.
func (p *program) tell(q model.Params) error {
	p.telling.Lock()
	defer p.telling.Unlock()
	if p.given && p.params == q {
		return nil
	}
	return p.write(q, 0, unsafe.Sizeof(kernels.Numbers{}))
}

// tellStep is tell for a step: where moments were foreseen, the force is theirs, and nobody writes over it.
func (p *program) tellStep(q model.Params) error {
	if !p.timed.forces {
		return p.tell(q)
	}
	p.telling.Lock()
	defer p.telling.Unlock()
	q.Force = p.params.Force
	given, wanted := p.params, q
	given.Force, wanted.Force = [3]float64{}, [3]float64{} // which may be no numbers
	if p.given && given == wanted {
		return nil
	}
	force := unsafe.Offsetof(kernels.Numbers{}.Force)
	return errors.Join(p.write(q, 0, force), p.write(q, force+unsafe.Sizeof(q.Force), unsafe.Sizeof(kernels.Numbers{})))
}

// write brings the numbers of these bytes to the GPU. They are one for all streams: work that is queued has
// to see the old ones.
func (p *program) write(q model.Params, from, to uintptr) error {
	if p.d.recording.Load() {
		return fmt.Errorf("the parameters of %s change while a graph is recorded", p.spec)
	}
	if err := p.d.call("waiting before the parameters change", cu.Synchronize); err != nil {
		return err
	}
	numbers := raw.Bytes([]kernels.Numbers{lookup.Numbers(p.spec, q)})
	if err := p.box.Write(numbers[from:to], int(unsafe.Offsetof(boxABI{}.numbers)+from)); err != nil {
		return err
	}
	p.params, p.given = q, true
	return nil
}

// state checks that a buffer holds a state of this program.
func (p *program) state(b device.Buffer) (*buffer, error) {
	own, ok := b.(*buffer)
	if !ok || own.d != p.d {
		return nil, fmt.Errorf("a buffer of another device (%T)", b)
	}
	if need := p.layout.Len() * p.spec.Precision.Bytes(); own.bytes < need {
		return nil, fmt.Errorf("a buffer of %d bytes for a state of %d", own.bytes, need)
	}
	return own, nil
}

// inside checks that a box lies in the interior, grown by the given layers, and
// spans it along x if whole.
func (p *program) inside(b decomp.Box, layers [3]int, whole bool) error {
	for a := range b.Lo {
		if b.Lo[a] < -layers[a] || b.Hi[a] > p.layout.N[a]+layers[a] {
			return fmt.Errorf("box %v reaches out of the interior %v and its ghosts %v", b, p.layout.N, layers)
		}
	}
	if whole && b.Cells() > 0 && (b.Lo[0] != 0 || b.Hi[0] != p.layout.N[0]) {
		return fmt.Errorf("box %v does not span the rows of %d cells", b, p.layout.N[0])
	}
	return nil
}

// stream is the stream as one of this device; another device's is a programmer's error.
func (p *program) stream(s device.Stream) *stream {
	own, ok := s.(*stream)
	if !ok || own.d != p.d {
		panic(fmt.Sprintf("%s on a stream of another device (%T)", p.spec, s))
	}
	return own
}

// Step queues one step of the cells of box.
func (p *program) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	p.stepBy(&p.kernels, s, in, out, box, q)
}

// stepBy is Step by the step of k, which may take more than lbm_step.
func (p *program) stepBy(k *kernelSet, s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params, more ...uint64) {
	own := p.stream(s)
	from, to, err := p.between(in, out, box, q)
	if err != nil {
		own.fail(fmt.Errorf("step of %s: %w", p.spec, err))
		return
	}
	if box.Cells() == 0 {
		return
	}
	queue := launch
	if k.follows && box == (decomp.Box{Hi: p.layout.N}) {
		queue = follow
	}
	// A grid has at most 65535 blocks along y and z.
	for z := box.Lo[2]; z < box.Hi[2]; z += maxGrid * k.tile[2] {
		zhi := min(z+maxGrid*k.tile[2], box.Hi[2])
		for y := box.Lo[1]; y < box.Hi[1]; y += maxGrid * k.tile[1] {
			yhi := min(y+maxGrid*k.tile[1], box.Hi[1])
			grid := [3]int{raw.Ceil(p.layout.N[0], k.tile[0]), raw.Ceil(yhi-y, k.tile[1]), raw.Ceil(zhi-z, k.tile[2])}
			if p.spec.Lattice.Dims == 3 && k.tile[2] > 1 {
				grid[2] = marches(zhi-z, k.tile[2], grid[0]*grid[1], k.slots)
			} else if p.spec.Lattice.Dims == 2 && k.tile[1] > 1 {
				grid[1] = marches(yhi-y, k.tile[1], grid[0], k.slots)
			}
			own.queue("step", func() error {
				args := []uint64{uint64(p.box.at), uint64(from.at), uint64(to.at), uint64(y), uint64(yhi), uint64(z), uint64(zhi)}
				return queue(k.step, grid, k.threads, k.shared, own.s, append(args, more...)...)
			})
		}
	}
	p.stepSpecial(own, from, to, box)
	p.stepScalar(own, from, to, box)
	p.stepOutflow(own, from, to, box)
}

// between checks what a step of box leads from and to, and tells the GPU its numbers.
func (p *program) between(in, out device.Buffer, box decomp.Box, q model.Params) (from, to *buffer, err error) {
	from, err = p.state(in)
	to, err2 := p.state(out)
	for _, e := range []error{err2, p.inside(box, [3]int{}, true)} {
		if err == nil {
			err = e
		}
	}
	if err == nil && from == to {
		err = fmt.Errorf("in and out are the same buffer")
	}
	if err == nil {
		err = p.tellStep(q)
	}
	return from, to, err
}

// maxGrid is the largest number of blocks along y or z.
const maxGrid = 65535

// piece is a part of a box whose values are contiguous among the box's.
type piece struct {
	box          decomp.Box
	first, count int // values
}

// pieces cuts a box into whole planes, or into rows of one plane, of at most so many
// values if a row has no more.
func pieces(b decomp.Box, components, values int) (list []piece) {
	if b.Cells() == 0 {
		return nil
	}
	n := b.Size()
	row := components * n[0]
	rows := max(1, values/row)
	depth := min(max(1, rows/n[1]), maxGrid)
	height := min(rows, n[1], maxGrid)
	if height < n[1] {
		depth = 1
	}
	for z := 0; z < n[2]; z += depth {
		for y := 0; y < n[1]; y += height {
			p := piece{box: b}
			p.box.Lo[1], p.box.Hi[1] = b.Lo[1]+y, b.Lo[1]+min(y+height, n[1])
			p.box.Lo[2], p.box.Hi[2] = b.Lo[2]+z, b.Lo[2]+min(z+depth, n[2])
			p.first, p.count = (z*n[1]+y)*row, components*p.box.Cells()
			list = append(list, p)
		}
	}
	return list
}

// rowsOf launches a kernel of the rows of a box: lbm_init or one of lbm_fields.
func (p *program) rowsOf(fn cu.Function, s cu.Stream, state, fields cu.DevicePtr, b decomp.Box) error {
	n := b.Size()
	args := []uint64{uint64(p.box.at), uint64(state), uint64(fields)}
	for _, corner := range [][3]int{b.Lo, b.Hi} {
		for _, k := range corner {
			args = append(args, uint64(int64(k)))
		}
	}
	return launch(fn, [3]int{raw.Ceil(n[0], rowThreads), n[1], n[2]}, [2]int{rowThreads, 1}, 0, s, args...)
}

// Init writes the state from physical fields.
func (p *program) Init(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	return p.through("init", state, box, [3]int{}, fields, p.spec.InitValues(), q, func(l *lane, h *half, at cu.DevicePtr, k piece) error {
		n := copyWide(h.host, raw.Bytes(fields[k.first:][:k.count]))
		if err := cu.MemcpyHtoDAsync(h.there.at, unsafe.Pointer(&h.host[0]), int64(n), l.stream); err != nil {
			return err
		}
		return p.rowsOf(p.kernels.init, l.stream, at, h.there.at, k.box)
	}, func(*half, piece) {})
}

// Fields reads density and velocity.
func (p *program) Fields(state device.Buffer, box decomp.Box, fields []float64, q model.Params) error {
	return p.through("fields", state, box, p.layout.Ghost, fields, p.spec.FieldValues(), q, func(l *lane, h *half, at cu.DevicePtr, k piece) error {
		if err := p.rowsOf(p.kernels.fields, l.stream, at, h.there.at, k.box); err != nil {
			return err
		}
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&h.host[0]), h.there.at, int64(8*k.count), l.stream)
	}, func(h *half, k piece) { copyWide(raw.Bytes(fields[k.first:][:k.count]), h.host) })
}

// through takes the fields of a box piece by piece through a lane.
func (p *program) through(what string, state device.Buffer, box decomp.Box, layers [3]int, fields []float64, components int, q model.Params,
	start func(*lane, *half, cu.DevicePtr, piece) error, finish func(*half, piece)) error {
	own, err := p.state(state)
	if err == nil {
		err = p.inside(box, layers, false)
	}
	if need := components * box.Cells(); err == nil && len(fields) != need {
		err = fmt.Errorf("%d values for a box that has %d", len(fields), need)
	}
	if err == nil {
		err = p.tell(q)
	}
	list := pieces(box, components, laneBytes/8)
	if err == nil && len(list) > 0 {
		most := 0
		for _, k := range list {
			most = max(most, 8*k.count)
		}
		l := <-p.d.lanes
		defer func() { p.d.lanes <- l }()
		if err = l.open(); err == nil {
			err = l.reserve(most, true)
		}
		if err == nil {
			err = l.turns(what, len(list), func(k int, h *half) error { return start(l, h, own.at, list[k]) },
				func(k int, h *half) { finish(h, list[k]) })
		}
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", what, p.spec, err)
	}
	return nil
}

// Planes sums the rows, then the rows of each plane, in their order.
func (p *program) Planes(state device.Buffer, q model.Params) ([]device.Plane, error) {
	return p.sums(state, q, p.layout.N[p.layout.Axis()])
}

// Rows sums the rows.
func (p *program) Rows(state device.Buffer, q model.Params) ([]device.Plane, error) {
	return p.sums(state, q, 0)
}

// sums of so many planes, or, where it is 0, of the rows.
func (p *program) sums(state device.Buffer, q model.Params, planes int) ([]device.Plane, error) {
	own, err := p.state(state)
	if err == nil {
		err = p.tell(q)
	}
	rows := p.layout.N[1] * p.layout.N[2]
	count := planes
	if planes == 0 {
		count = rows
	}
	sums := make([]sumsABI, count)
	size := int(unsafe.Sizeof(sums[0]))
	if err == nil {
		l := <-p.d.lanes
		defer func() { p.d.lanes <- l }()
		from := p.rows.at
		if err = l.open(); err == nil {
			err = p.d.call("sums", func() error {
				err := launch(p.kernels.rows, [3]int{rows, 1, 1}, [2]int{rowThreads, 1}, 0, l.stream, uint64(p.box.at), uint64(own.at), uint64(from))
				if err != nil || planes == 0 {
					return err
				}
				of := from
				from += cu.DevicePtr(rows * size)
				return launch(p.kernels.planes, [3]int{planes, 1, 1}, [2]int{rowThreads, 1}, 0, l.stream, uint64(p.box.at), uint64(of), uint64(from), uint64(rows/planes))
			})
		}
		// The lane's copy follows on the same stream.
		if err == nil {
			err = l.read(raw.Bytes(sums), from)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sums of %s: %w", p.spec, err)
	}
	list := make([]device.Plane, len(sums))
	for i, s := range sums {
		list[i] = device.Plane{Cells: int(s.cells), Mass: s.mass, Momentum: s.momentum, Energy: s.energy, Bad: int(s.bad)}
		if s.speed2 >= 0 {
			list[i].MaxSpeed, list[i].MaxAt = math.Sqrt(s.speed2), p.cell(s.at)
		}
		if s.bad > 0 {
			list[i].BadAt = p.cell(s.badAt)
		}
	}
	return list, nil
}

// cell is the place of the cell that a kernel numbered x + nx (y + ny z).
func (p *program) cell(number int64) [3]int {
	n := p.layout.N
	k := int(number)
	return [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}
}

// BytesPerCell: every stored value is read once and written once.
func (p *program) BytesPerCell() int { return 2 * p.spec.Components() * p.spec.Precision.Bytes() }

// Bytes is the GPU's memory for lists and sums.
func (p *program) Bytes() int {
	sum := p.box.bytes + p.rows.bytes
	for _, b := range p.lists {
		sum += b.bytes
	}
	return sum
}

func (p *program) freeLists() {
	for _, b := range append(p.lists, p.box, p.rows) {
		b.Free()
	}
}

// Close frees the lists and unloads the kernels.
func (p *program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.freeLists()
	p.links.unload(p.d)
	p.faces.unload(p.d)
	p.scalar.unload(p.d)
	p.timed.unload(p.d)
	p.stepFields.unload(p.d)
	p.statistics.unload(p.d)
	p.eddies.unload(p.d)
	for _, m := range p.spare {
		m.release()
	}
	p.spare = nil
	p.kernels.unload(p.d)
}
