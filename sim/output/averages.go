package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/internal/raw"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// averager adds samples of [output.averages] up: means, and sums of the products of
// deviations from them, of every cell of this rank, by the recurrence of Welford
// (Technometrics 4 (1962) 419). A plain sum of squares would lose the small difference
// between it and the square of the mean. The sums are in the device's memory, where it keeps
// them; otherwise here, with the same arithmetic.
type averager struct {
	base
	config.Averages
	of       model.AverageSums
	dims, nx int
	stored   int // values a cell of a sample
	count    int // sums of this rank, without the means at walls
	samples  int64
	first    int // step of the first sample
	last     int // and of the last
	made     bool
	onDevice device.Averages // nil: on the host
	onHost   []float64       // [plane][row][sum][x]
	walls    *wallMeans      // nil: none are wanted
	image    []float64       // for the checkpoint that is being written
}

// averageOutputs returns the outputs of [output.averages]: the sums and the files that have them.
func averageOutputs(s *Set) []Output {
	c := s.Case
	if !c.Averages.On {
		return nil
	}
	of := model.SumsOf(c.Averages.Fields)
	sums := &averager{
		base: newBase(c.Averages.Sample), Averages: c.Averages, of: of, dims: c.Dims(), stored: c.Spec.FieldValues(), nx: s.Run.View.Part.Layout.N[0],
		count: s.Run.View.Part.Box.Cells() * of.Values(c.Dims()),
	}
	if of := model.WallMeansOf(c.Averages.Fields); of.Values() > 0 {
		sums.walls = newWallMeans(of, s.Run.View)
	}
	return []Output{sums, &averageFiles{base: newBase(sums.Schedule), sums: sums, series: fields.Series{Dir: s.Path(sums.Dir), Name: "averages"}}}
}

// allocate takes the memory of the sums. Collective: where a rank's device has none, all sums are on the hosts.
func (a *averager) allocate(r *Run) error {
	if a.made || a.of == (model.AverageSums{}) {
		return nil
	}
	there, err := r.State.Statistics().Averages(a.of)
	none := comm.Agree(r.Rank.Comm, err)
	var failure *comm.Failure
	switch {
	case none == nil:
		a.onDevice = there
	case !errors.As(none, &failure): // the ranks could not talk
		if there != nil {
			there.Close()
		}
		return none
	case r.Rank.Root:
		r.Rank.Warn(finding.HostSums.Says("[output.averages] is summed on the host, which is slower: %v", none))
	}
	if a.onDevice == nil {
		if there != nil {
			there.Close()
		}
		a.onHost = make([]float64, a.count)
	}
	a.made = true
	return nil
}

// prepare takes the memory before the first step.
func (a *averager) prepare(r *Run) error { return a.allocate(r) }

func (a *averager) Close() {
	if a.onDevice != nil {
		a.onDevice.Close()
	}
}

// sums returns the sums so far, [plane][row][sum][x], with the means at walls last in each row. Callers must not modify them.
func (a *averager) sums() (sums []float64, err error) {
	sums = a.onHost
	if a.onDevice != nil {
		sums = make([]float64, a.count)
		err = a.onDevice.Read(sums)
	}
	if a.walls == nil || err != nil {
		return sums, err
	}
	return a.walls.join(sums), nil
}

// values returns the number of sums of a cell, means at walls included.
func (a *averager) values() int {
	n := a.of.Values(a.dims)
	if a.walls != nil {
		n += a.walls.of.Values()
	}
	return n
}

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
	if a.onHost != nil { // a file of the sums is written from the sums themselves
		if err := r.Files.CommitKind(besideCheckpoint); err != nil {
			return err
		}
	}
	a.samples++
	switch {
	case a.onDevice != nil:
		r.State.Statistics().Take(a.onDevice, a.samples)
	case a.onHost != nil:
		if err := a.takeOnHost(r); err != nil {
			return err
		}
	}
	if a.walls == nil {
		return nil
	}
	flow, err := r.View.State.WallFlow()
	if err == nil {
		err = a.walls.take(r, flow, a.samples)
	}
	return r.All("averages at walls", err)
}

// takeOnHost adds the current state to the sums on the host.
func (a *averager) takeOnHost(r *Run) error {
	source, planes := r.present(), r.View.Part.Planes()
	size := len(a.onHost) / planes
	each := max(1, readAtOnce*planes/r.View.Part.Box.Cells())
	return r.All("averages", r.Rank.Share((planes+each-1)/each, func(lo, hi int) (err error) {
		var sample []float64
		for k := lo * each; k < min(hi*each, planes); k += each {
			last := min(k+each, planes)
			box := r.View.Part.Plane(k)
			box.Hi = r.View.Part.Plane(last - 1).Hi
			if sample, err = source(box, sample); err != nil {
				return err
			}
			a.add(a.onHost[k*size:last*size], sample, float64(a.samples))
		}
		return nil
	}))
}

// readAtOnce is the number of cells read at a time: to ask for a row of 2D takes longer than to add it.
const readAtOnce = 8192

// present returns the current state with the digits that fields have on leaving the device: a result must not depend on
// the memory that the device had to spare.
func (r *Run) present() derive.Source[float64] {
	if r.State.Snapshots() != nil && r.Case.Spec.Precision != model.Float64 {
		return derive.Rounded(r.View.Present())
	}
	return r.View.Present()
}

// add continues with sample n of some rows, [row][component][x], by the arithmetic of kernels/gpu/statistics.h. The sample
// becomes the deviations from the means before it.
func (a *averager) add(sums, sample []float64, n float64) {
	nx, in := a.nx, a.stored*a.nx
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
		return walls + a.walls.of.Values() - f.Components + c, factor, true
	}
	if f.Name != "reynolds_stress" {
		panic("there is no average " + f.Name) // a row of model.Averages without a formula
	}
	at := a.tensor()[c]
	return uu + at, factor / n, at >= 0
}

// averageFiles writes what the averages are by now.
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
	part, err := f.sums.part(r)
	if err != nil {
		return err
	}
	meta := r.Meta()
	meta.Samples, meta.First, meta.Last = f.sums.samples, int64(f.sums.first), int64(f.sums.last)
	p, err := f.series.Begin(r.Rank.Comm, nil, part.box, part.grid, r.Listed(f.sums.Fields, f.sums.Type), meta)
	if err != nil {
		return r.Files.Missed("averages", exit.AtStep(r.Step(), "averages", err))
	}
	work := averagesInto[float32]
	if f.sums.Type == model.Float64 {
		work = averagesInto[float64]
	}
	write := work(r, f.sums, part, p)
	r.Files.Launch("averages", f.series.Index(), p.Commit, func() error {
		if err := write(); err != nil {
			return err
		}
		return p.Flush()
	})
	return nil
}

// averagePart is a rank's part of a file of averages.
type averagePart struct {
	grid fields.Grid // of the file
	box  decomp.Box  // this rank's cells of it; none: it has nothing to write
	sums []float64   // of these, [plane][row][sum][x]
}

// part returns this rank's part of the file. Collective.
func (a *averager) part(r *Run) (p averagePart, err error) {
	p = averagePart{grid: r.Grid(), box: r.View.Part.Box}
	p.grid.N = a.Grid(p.grid.N)
	p.sums, err = a.sums()
	if err = r.All("reading the averages", err); err != nil || !a.Over {
		return p, err
	}
	p.grid.Origin[a.Axis] += float64(r.Case.Cells[a.Axis]-1) / 2 * p.grid.Spacing
	p.box.Lo[a.Axis], p.box.Hi[a.Axis] = 0, 1
	if p.sums, err = a.over(r, p.sums); p.sums == nil {
		p.box = decomp.Box{}
	}
	return p, err
}

// averagesInto copies the averages as a file has them, and returns the work of writing, whose error covers the copy as well.
func averagesInto[Out derive.Number](r *Run, a *averager, part averagePart, p *fields.Pending) (write func() error) {
	nx, all := part.grid.N[0], part.grid.N[0]*a.values()
	rows := len(part.sums) / all
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
	planes := part.box.Size()[2]
	if part.grid.N[2] == 1 { // rows are the planes of a flat file
		planes = rows
	}
	return func() error { // which does not hold on to the sums
		if copied != nil || rows == 0 {
			return copied
		}
		for i := range data {
			n := len(data[i]) / planes
			step := planesAtOnce[Out](n)
			for k := 0; k < planes; k += step {
				if err := p.Write(i, k, raw.Bytes(data[i][k*n:min(k+step, planes)*n])); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

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

// fileHeader returns the header of the file of sums beside the checkpoint with this header.
func (a *averager) fileHeader(r *Run, h checkpoint.Header) checkpoint.Header {
	h.Components, h.Pitch, h.Bytes = a.values(), a.nx, 8
	return h
}

// remember records the sums, as long as there are any, and reads them for beside: an error of the device is not an error of the
// disk.
func (a *averager) remember(r *Run, m *Memory) (err error) {
	if a.samples == 0 {
		return nil
	}
	m.Averages = &averageMemory{Samples: a.samples, Sums: a.kept(), First: a.first, Last: a.last, Start: a.Start, Over: a.axis(), Every: a.when.Period}
	a.image, err = a.sums()
	return r.All("reading the averages", err)
}

// kept names the sums that there are.
func (a *averager) kept() string {
	kept := fmt.Sprint(a.of.Density, a.of.DensitySquares, a.of.Velocity, a.of.VelocityProducts)
	if a.walls != nil {
		kept += fmt.Sprint(" walls ", a.walls.of.Plus, a.walls.of.Shear)
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

// beside begins the file of the sums. It comes before the checkpoint, which is of use only
// with it, and goes when its checkpoint has gone.
func (a *averager) beside(r *Run, h checkpoint.Header, dir string) (written *bool, err error) {
	if a.samples == 0 {
		return nil, nil
	}
	sums := a.image
	a.image = nil
	if r.Rank.Root {
		// A checkpoint of this step may be there, of a run that this one has gone back from because
		// its sums were damaged. With the new sums beside it, which are named first, it would be
		// whole again for a moment, ahead of files that this run has yet to name.
		_ = os.Remove(checkpoint.Path(dir, h.Step)) // it is not there, or is replaced all the same
	}
	p, err := checkpoint.Begin(r.Rank.Comm, filepath.Join(dir, AverageDir), a.fileHeader(r, h), r.View.Part.Extent())
	if err != nil {
		return nil, exit.AtStep(r.Step(), besideCheckpoint, err)
	}
	written = new(bool)
	commit := func(failed error) error {
		err := p.Commit(0, failed)
		*written = err == nil
		return err
	}
	r.Files.Launch(besideCheckpoint, checkpoint.Path(filepath.Join(dir, AverageDir), h.Step), commit, func() error {
		if err := p.Write(0, raw.Bytes(sums)); err != nil {
			return err
		}
		return p.Flush()
	})
	return written, nil
}

// recall reads the sums beside a checkpoint.
func (a *averager) recall(r *Run, path string, all *Memory) error {
	// A newer checkpoint may have been given up halfway.
	a.samples, a.first, a.last = 0, 0, 0
	if err := a.allocate(r); err != nil {
		return err
	}
	sums := a.onHost
	if a.onDevice != nil || a.walls != nil {
		sums = make([]float64, r.View.Part.Box.Cells()*a.values())
	}
	clear(sums)
	if err := comm.Agree(r.Rank.Comm, a.set(sums)); err != nil {
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
	beside := filepath.Join(filepath.Dir(path), AverageDir, filepath.Base(path))
	f, err := checkpoint.Open(beside)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the averages of the checkpoint %s are missing: there is no file %s; a case without [output.averages] can resume from the checkpoint", path, beside)
	}
	if f != nil {
		defer f.Close()
	}
	if err == nil {
		h := a.fileHeader(r, r.Header())
		if got := f.Header; got.Planes != h.Planes || got.PlaneBytes() != h.PlaneBytes() || got.Bytes != 8 {
			err = fmt.Errorf("%s does not contain the averages of this case", beside)
		}
	}
	if err := comm.Agree(r.Rank.Comm, err); err != nil {
		return err
	}
	size := len(sums) / max(r.View.Part.Planes(), 1)
	err = f.Load(r.Rank.Comm, r.View.Part.Extent(), func(first int, data []byte) error {
		copy(raw.Bytes(sums[first*size:]), data)
		return nil
	})
	if err == nil {
		err = a.set(sums)
	}
	if err == nil {
		a.samples, a.first, a.last = m.Samples, m.First, m.Last
		r.mixes("[output.averages]", m.Every, a.when)
	}
	return err
}

// set replaces the sums by those that sums has returned, or by zeros.
func (a *averager) set(sums []float64) error {
	if a.walls != nil {
		sums = a.walls.part(sums)
	}
	if a.onDevice != nil {
		return a.onDevice.Write(sums)
	}
	copy(a.onHost, sums)
	return nil
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
