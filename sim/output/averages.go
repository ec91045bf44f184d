// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/internal/finding"
	"lbmsim/internal/raw"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// averager accumulates samples of [output.averages]: means, and sums of the products of
// deviations from them, of every cell of this rank, by the recurrence of Welford
// (Technometrics 4 (1962) 419). A plain sum of squares would lose the small difference
// between it and the square of the mean. The sums are in the device's memory, where it keeps
// them; otherwise here, with the same arithmetic.
type averager struct {
	base
	config.Averages
	of      model.AverageSums
	walls   model.WallMeans
	dims    int
	stored  int // values per cell of a sample
	samples int64
	first   int    // step of the first sample
	last    int    // and of the last
	resumed string // path of the checkpoint that the sums continue from
	made    bool
	boxes   []*boxSums // of this rank's part of the domain, or of each patch that it has a part of
}

// averageOutputs returns the outputs of [output.averages]: the sums and the files that have them.
func averageOutputs(s *Set) []Output {
	c := s.Case
	if !c.Averages.On {
		return nil
	}
	sums := &averager{
		base: newBase(c.Averages.Sample), Averages: c.Averages, of: model.SumsOf(c.Averages.Fields), walls: model.WallMeansOf(c.Averages.Fields),
		dims: c.Dims(), stored: c.Spec.FieldValues(),
	}
	sums.boxes = newBoxSums(s.Run.View, sums.of.Values(c.Dims()), sums.walls)
	return []Output{sums, &averageFiles{base: newBase(sums.Schedule), sums: sums, series: fields.Series{Dir: s.Path(sums.Dir), Name: "averages"}}}
}

// allocate takes the memory of the sums. Collective: where a rank's device has none, all sums are on the hosts.
func (a *averager) allocate(r *Run) error {
	if a.made || a.of == (model.AverageSums{}) {
		return nil
	}
	var failed error
	for k, b := range a.boxes {
		if failed == nil {
			b.onDevice, failed = r.State.Statistics(k).Averages(a.of)
		}
	}
	none := comm.Agree(r.Rank.Comm, failed)
	var failure *comm.Failure
	switch {
	case none == nil:
	case !errors.As(none, &failure): // the ranks could not communicate
		a.Close()
		return none
	default:
		a.Close()
		if r.Rank.Root {
			r.Rank.Warn(finding.HostSums.Says("[output.averages] is summed on the host, which is slower: %v", none))
		}
	}
	for _, b := range a.boxes {
		if b.onDevice == nil {
			b.onHost = make([]float64, b.count)
		}
	}
	a.made = true
	return nil
}

// prepare takes the memory before the first step.
func (a *averager) prepare(r *Run) error { return a.allocate(r) }

func (a *averager) Close() {
	for _, b := range a.boxes {
		if b.onDevice != nil {
			b.onDevice.Close()
			b.onDevice = nil
		}
	}
}

// values returns the number of sums of a cell, means at walls included.
func (a *averager) values() int { return a.of.Values(a.dims) + a.walls.Values() }

// columns returns the offsets of the sums of a row, in lengths of a row: of pressures,
// their squares, velocities, their products.
func (a *averager) columns() (p, pp, u, uu int) {
	next := func(on bool, n int) (at int) {
		at = uu
		if on {
			uu += n
		}
		return at
	}
	p, pp, u = next(a.of.Density, 1), next(a.of.DensitySquares, 1), next(a.of.Velocity, a.dims)
	return p, pp, u, uu
}

// besideCheckpoint is the kind of the file that keeps the sums beside a checkpoint.
const besideCheckpoint = "averages of a checkpoint"

// besidePatch is the kind of the other files that keep them, of patches of a refined grid.
const besidePatch = "averages of a level of a checkpoint"

// Write takes a sample.
func (a *averager) Write(r *Run) error {
	a.at = r.Step()
	if r.Step() < a.Start {
		return nil
	}
	if err := a.allocate(r); err != nil {
		return err
	}
	if a.samples == 0 {
		a.first = r.Step()
	}
	a.last = r.Step()
	onHost := a.boxes[0].onHost != nil // on all ranks: each has a part of the domain
	if onHost {
		if err := a.commitSums(r); err != nil {
			return err
		}
	}
	a.samples++
	var failed error
	for k, b := range a.boxes {
		if b.onDevice != nil {
			r.State.Statistics(k).Take(b.onDevice, a.samples)
		} else if b.onHost != nil && failed == nil {
			failed = a.takeOnHost(r, k, b)
		}
	}
	if onHost {
		if err := r.All("averages", failed); err != nil {
			return err
		}
	}
	if a.walls.Values() == 0 {
		return nil
	}
	for _, b := range a.boxes {
		if failed == nil {
			failed = b.walls.take(r, b.view, a.samples)
		}
	}
	return r.All("averages at walls", failed)
}

// commitSums waits for files of the sums: on the host they are written from the sums themselves. Collective.
func (a *averager) commitSums(r *Run) error {
	for _, kind := range []string{besideCheckpoint, besidePatch} {
		if err := r.Files.CommitKind(kind); err != nil {
			return err
		}
	}
	return nil
}

// takeOnHost adds the current state to the sums of box k on the host: a CPU by its kernels, otherwise add. They have the same bits.
func (a *averager) takeOnHost(r *Run, k int, b *boxSums) error {
	if added, err := r.State.Statistics(k).AddSample(b.onHost, a.of, a.samples); added {
		return err
	}
	part := b.view.Part
	source, planes := r.presentOf(b.view), part.Planes()
	size := len(b.onHost) / planes
	each := max(1, readAtOnce*planes/part.Box.Cells())
	return r.Rank.Share((planes+each-1)/each, func(lo, hi int) (err error) {
		var sample []float64
		for k := lo * each; k < min(hi*each, planes); k += each {
			last := min(k+each, planes)
			box := part.Plane(k)
			box.Hi = part.Plane(last - 1).Hi
			if sample, err = source(box, sample); err != nil {
				return err
			}
			a.add(b.onHost[k*size:last*size], sample, part.Layout.N[0], float64(a.samples))
		}
		return nil
	})
}

// readAtOnce is the number of cells read at a time: reading a row of 2D takes longer than adding it.
const readAtOnce = 8192

// presentOf returns the current state of a box in the precision in which fields leave the device: a result must not depend on
// the free memory of the device.
func (r *Run) presentOf(v derive.View) derive.Source[float64] {
	if r.State.Snapshots() != nil && r.Case.Spec.Precision != model.Float64 {
		return derive.Rounded(v.Present())
	}
	return v.Present()
}

// add continues with sample n of some rows of nx cells, [row][component][x], by the arithmetic of kernels/gpu/statistics.h. The
// sample becomes the deviations from the means before it.
func (a *averager) add(sums, sample []float64, nx int, n float64) {
	in := a.stored * nx
	p, pp, u, uu := a.columns()
	all := len(sums) / (len(sample) / in) // of a row
	inverse := 1 / n
	share := (n - 1) * inverse
	for ; len(sample) > 0; sample, sums = sample[in:], sums[all:] {
		sum := func(k int) []float64 { return sums[k*nx:][:nx] }
		if a.of.Density {
			d := sample[:nx]
			deviate(d, sum(p), inverse)
			if a.of.DensitySquares {
				addProducts(d, d, sum(pp), share)
			}
		}
		if !a.of.Velocity {
			continue
		}
		d := func(c int) []float64 { return sample[(1+c)*nx:][:nx] }
		for c := range a.dims {
			deviate(d(c), sum(u+c), inverse)
		}
		if a.of.VelocityProducts {
			at := uu
			for i := range a.dims {
				for j := i; j < a.dims; j++ {
					addProducts(d(i), d(j), sum(at), share)
					at++
				}
			}
		}
	}
}

// tensor returns the indices of the products of a symmetric tensor's components among
// the products that add keeps, in the order of a file; -1: the component is 0 in 2D.
func (a *averager) tensor() [6]int {
	if a.dims == 2 { // xx, xy, yy
		return [6]int{0, 2, -1, 1, -1, -1}
	}
	return [6]int{0, 3, 5, 1, 4, 2} // xx, xy, xz, yy, yz, zz
}

// column returns the column of the sums of a field's component, and the factor that leads to
// the case's unit; false for components that are always 0.
func (a *averager) column(f model.Field, c int, units config.Units) (column int, factor float64, ok bool) {
	p, pp, u, uu := a.columns()
	walls := a.of.Values(a.dims)
	n := float64(max(a.samples, 1))
	factor = units.Factor(f.Dim)
	switch f.Name {
	case "mean_pressure":
		return p, factor * model.CS2, true
	case "pressure_variance":
		return pp, factor * model.CS2 * model.CS2 / n, true
	case "mean_velocity":
		return u + c, factor, c < a.dims
	case "mean_y_plus":
		return walls, factor, true
	case "mean_wall_shear":
		return walls + a.walls.Values() - f.Components + c, factor, true
	}
	if f.Name != "reynolds_stress" {
		panic("there is no average " + f.Name) // a row of model.Averages without a formula
	}
	at := a.tensor()[c]
	return uu + at, factor / n, at >= 0
}

// averageFiles writes the present averages.
type averageFiles struct {
	base
	sums   *averager
	series fields.Series
}

func (f *averageFiles) folder() string         { return f.series.Dir }
func (f *averageFiles) indexed() fields.Series { return f.series }
func (f *averageFiles) stepFiles() []string    { return numbered(f.series.Dir, f.series.Name) }

func (f *averageFiles) Write(r *Run) error {
	if err := r.Files.CommitThrough("averages"); err != nil {
		return err
	}
	f.at = r.Step()
	if f.sums.samples == 0 {
		if r.Rank.Root {
			r.Rank.Warn(finding.NoSamples.Says("step %d: no averages yet: the first sample is at step %d", r.Step(), f.sums.when.Next(r.Step())))
		}
		return nil
	}
	parts, err := f.sums.parts(r)
	if err != nil {
		return err
	}
	meta := r.Meta()
	meta.Samples, meta.First, meta.Last = f.sums.samples, int64(f.sums.first), int64(f.sums.last)
	p, err := f.begin(r, parts, meta)
	if err != nil {
		return r.Files.Missed("averages", exit.AtStep(r.Step(), "averages", err))
	}
	copied := averagesInto[float32]
	if f.sums.Type == model.Float64 {
		copied = averagesInto[float64]
	}
	var work []func() error
	for _, part := range parts {
		work = append(work, copied(r, f.sums, part, func(field, plane int, b []byte) error { return p.WriteBox(part.number, field, plane, b) }))
	}
	r.Files.Launch("averages", f.series.Index(), p.Commit, func() error {
		for _, write := range work {
			if err := write(); err != nil {
				return err
			}
		}
		return p.Flush()
	})
	return nil
}

// begin starts the file. Collective.
func (f *averageFiles) begin(r *Run, parts []averagePart, meta fields.Meta) (*fields.Pending, error) {
	list, a := r.Listed(f.sums.Fields, f.sums.Type), f.sums
	middle := 0.0 // of the axis that the averages are over, from the first layer on
	if a.Over {
		middle = float64(r.Case.Cells[a.Axis]-1) / 2
	}
	if r.View.Refined == nil {
		grid := r.Grid()
		grid.N = a.Grid(grid.N, 0)
		grid.Origin[a.Axis] += middle * grid.Spacing
		return f.series.Begin(r.Rank.Comm, nil, parts[0].box, grid, list, meta)
	}
	grid, boxes := r.levels()
	for i := range boxes {
		boxes[i] = decomp.Box{}
	}
	for _, p := range parts {
		boxes[p.number] = p.box
	}
	if a.Over { // along an axis that all boxes span
		grid.Corner[a.Axis] += middle * grid.Spacing
		for l, boxes := range grid.Boxes {
			for k := range boxes {
				boxes[k].Hi[a.Axis] = a.Layers(l)
			}
		}
	}
	return f.series.BeginLevels(r.Rank.Comm, nil, boxes, grid, list, meta)
}

// averagePart is a rank's part of a box of a file of averages.
type averagePart struct {
	number int        // of the box in the file
	box    decomp.Box // this rank's cells of it; empty: it has nothing to write
	sums   []float64  // of these, [plane][row][sum][x]
}

// parts returns this rank's parts of the file, one for each of its boxes. Collective.
func (a *averager) parts(r *Run) (parts []averagePart, err error) {
	for _, b := range a.boxes {
		p := averagePart{number: b.number, box: b.owned}
		if err == nil {
			p.sums, err = b.read()
		}
		parts = append(parts, p)
	}
	if err = r.All("reading the averages", err); err != nil {
		return nil, err
	}
	var failed error
	for i, b := range a.boxes {
		p, own := &parts[i], b.own
		n := b.view.Part.Layout.N
		if a.Over {
			n[a.Axis], own.Lo[a.Axis], own.Hi[a.Axis] = 1, 0, 1
			p.box.Lo[a.Axis], p.box.Hi[a.Axis] = 0, a.Layers(b.level)
			var one error
			if p.sums, one, err = a.over(r, b.view, p.sums); err != nil {
				return nil, err
			}
			failed = errors.Join(failed, one)
		}
		if p.sums == nil || b.owned.Cells() == 0 {
			p.box = decomp.Box{}
			continue
		}
		p.sums = cut(p.sums, n, own, a.values())
		if a.Over {
			p.sums = repeated(p.sums, own.Size(), a.Axis, a.Layers(b.level), a.values())
		}
	}
	return parts, r.All("averages over an axis", failed)
}

// averagesInto copies the averages of a box as a file has them, and returns the work of writing, whose error covers the copy as well.
func averagesInto[Out derive.Number](r *Run, a *averager, part averagePart, put func(field, plane int, b []byte) error) (write func() error) {
	size := part.box.Size()
	nx, rows := size[0], size[1]*size[2]
	all := nx * a.values()
	data := make([][]Out, len(a.Fields))
	for i, f := range a.Fields {
		data[i] = make([]Out, rows*nx*f.Components)
	}
	copied := r.Rank.Share(rows, func(lo, hi int) error {
		for i, f := range a.Fields {
			for c := range f.Components {
				column, factor, ok := a.column(f, c, r.Case.Units)
				if !ok {
					continue
				}
				for row := lo; row < hi; row++ {
					out := data[i][row*nx*f.Components:]
					for x, v := range part.sums[row*all+column*nx:][:nx] {
						out[x*f.Components+c] = Out(factor * v)
					}
				}
			}
		}
		return nil
	})
	planes := size[2]
	if a.flat(r) { // rows are the planes of a flat file
		planes = rows
	}
	return func() error { // which does not keep the sums alive
		if copied != nil || part.box.Cells() == 0 {
			return copied
		}
		return eachBatch(data, planes, put)
	}
}

// flat reports whether the file has one layer of cells along z.
func (a *averager) flat(r *Run) bool { return a.Grid(r.Case.Cells, 0)[2] == 1 }

// averageMemory is a checkpoint's record of the sums beside it.
type averageMemory struct {
	Samples     int64
	Sums        string  // which there are
	First, Last int     // steps of the first and the last sample; 0: from an older version, without Last nothing of what follows
	Start       int     // of the case
	Over        string  // axis; "": none
	Every       float64 `json:",omitempty"` // steps between the samples
}

// AverageDir is the folder of the sums, within the folder of their checkpoints.
const AverageDir = "averages"

// fileHeader returns the header of the file of sums beside the checkpoint with this header: of the domain, or of a patch of a refined
// grid. Overlap cells are not in it.
func (a *averager) fileHeader(r *Run, h checkpoint.Header, level, number int) checkpoint.Header {
	n := h.N
	if level > 0 {
		n = r.View.Refined.Hierarchy.Levels[level].Patches[number].Owned.Size()
	}
	h.N, h.Components, h.Pitch, h.Bytes = n, a.values(), n[0], 8
	if h.Planes, h.Rows = n[a.dims-1], 1; a.dims == 3 {
		h.Rows = n[1]
	}
	return h
}

// remember records the sums, as long as there are any, and reads them for beside: an error of the device is not an error of the
// disk.
func (a *averager) remember(r *Run, m *Memory) (err error) {
	if a.samples == 0 {
		return nil
	}
	m.Averages = &averageMemory{Samples: a.samples, Sums: a.kept(), First: a.first, Last: a.last, Start: a.Start, Over: a.axis(), Every: a.when.Period}
	for _, b := range a.boxes {
		if err == nil {
			b.image, err = b.read()
		}
		if err == nil {
			b.image = cut(b.image, b.view.Part.Layout.N, b.own, a.values())
		}
	}
	return r.All("reading the averages", err)
}

// kept names the sums.
func (a *averager) kept() string {
	kept := fmt.Sprint(a.of.Density, a.of.DensitySquares, a.of.Velocity, a.of.VelocityProducts)
	if a.walls.Values() > 0 {
		kept += fmt.Sprint(" walls ", a.walls.Plus, a.walls.Shear)
	}
	return kept
}

// axis returns the axis that over averages along.
func (a *averager) axis() string {
	if !a.Over {
		return ""
	}
	return "xyz"[a.Axis : a.Axis+1]
}

// beside begins the files of the sums. They precede the checkpoint, which is usable only
// with them, and are removed with their checkpoint.
func (a *averager) beside(r *Run, h checkpoint.Header, dir string) (written []*bool, err error) {
	if a.samples == 0 {
		return nil, nil
	}
	r.vacate(checkpoint.Path(dir, h.Step), a.resumed)
	err = eachBox(r.View, func(level, number, mine int) error {
		var b *boxSums
		if mine >= 0 {
			b = a.boxes[mine]
		}
		kind := besideCheckpoint
		if level > 0 {
			kind = besidePatch
		}
		one, err := a.besideBox(r, kind, a.fileHeader(r, h, level, number), sumsFolder(dir, level, number), b)
		if one != nil {
			written = append(written, one)
		}
		return err
	})
	return written, err
}

// besideBox begins the file of a box; b is nil where this rank has no cells of it.
func (a *averager) besideBox(r *Run, kind string, h checkpoint.Header, dir string, b *boxSums) (written *bool, err error) {
	part, sums := NoExtent(h), []float64(nil)
	if b != nil && b.owned.Cells() > 0 {
		part, sums, b.image = b.extent(), b.image, nil
	}
	p, err := checkpoint.Begin(r.Rank.Comm, dir, h, part)
	if err != nil {
		return nil, exit.AtStep(r.Step(), kind, err)
	}
	written = new(bool)
	commit := func(failed error) error {
		err := p.Commit(0, failed)
		*written = err == nil
		return err
	}
	r.Files.Launch(kind, checkpoint.Path(dir, h.Step), commit, func() error {
		if len(sums) > 0 {
			if err := p.Write(0, raw.Bytes(sums)); err != nil {
				return err
			}
		}
		return p.Flush()
	})
	return written, nil
}

// recall reads the sums beside a checkpoint.
func (a *averager) recall(r *Run, path string, all *Memory) error {
	// Reading a newer checkpoint may have been abandoned halfway.
	a.samples, a.first, a.last, a.resumed = 0, 0, 0, ""
	if err := a.allocate(r); err != nil {
		return err
	}
	var failed error
	for _, b := range a.boxes {
		failed = errors.Join(failed, b.set(nil))
	}
	if err := comm.Agree(r.Rank.Comm, failed); err != nil {
		return err
	}
	m := all.Averages
	if m == nil {
		r.startsLate("[output.averages]", a.when)
		return nil
	}
	if other := a.differs(m); other != "" {
		r.recalls("[output.averages]: the checkpoint has %s; restarting the averages", other)
		return nil
	}
	if dir := r.Path(a.Dir); r.Rank.Root && m.Last > 0 && m.Over != a.axis() && len(numbered(dir, "averages")) > 0 {
		r.recalls("[output.averages]: over changed from %q to %q: %s has files of both grids, which ParaView shows as one animation; use another dir to separate them", m.Over, a.axis(), dir)
	}
	err := eachBox(r.View, func(level, number, mine int) error {
		var b *boxSums
		if mine >= 0 {
			b = a.boxes[mine]
		}
		return a.recallBox(r, path, level, number, b)
	})
	if err == nil {
		a.samples, a.first, a.last, a.resumed = m.Samples, m.First, m.Last, path
		r.mixes("[output.averages]", m.Every, a.when)
	}
	return err
}

// recallBox reads the sums of a box that belong to the checkpoint of a path; b is nil where this rank has no cells of it. Collective.
func (a *averager) recallBox(r *Run, path string, level, number int, b *boxSums) error {
	beside := filepath.Join(sumsFolder(filepath.Dir(path), level, number), filepath.Base(path))
	f, err := checkpoint.Open(beside)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the averages of the checkpoint %s are missing: there is no file %s; a case without [output.averages] can resume from the checkpoint", path, beside)
	}
	if f != nil {
		defer f.Close()
	}
	h := a.fileHeader(r, r.Header(), level, number)
	if err == nil {
		if got := f.Header; got.N != h.N || got.Planes != h.Planes || got.PlaneBytes() != h.PlaneBytes() || got.Bytes != 8 {
			err = fmt.Errorf("%s does not contain the averages of this case", beside)
		}
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return err
	}
	if b == nil || b.owned.Cells() == 0 {
		return f.Load(r.Rank.Comm, NoExtent(h), func(int, []byte) error { return nil })
	}
	sums := make([]float64, b.own.Cells()*a.values())
	size := len(sums) / b.own.Size()[a.dims-1]
	err = f.Load(r.Rank.Comm, b.extent(), func(first int, data []byte) error {
		copy(raw.Bytes(sums[first*size:]), data)
		return nil
	})
	if err == nil {
		err = b.set(sums)
	}
	return err
}

// differs states how the sums of a checkpoint differ from the sums of this output; "": they match.
func (a *averager) differs(m *averageMemory) string {
	switch {
	case m.Sums != a.kept():
		return "averages of other fields"
	case m.Last > 0 && m.Start != a.Start:
		return fmt.Sprintf("averages from another start, step %d", m.Start)
	}
	return ""
}
