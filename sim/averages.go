package sim

import (
	"fmt"
	"path/filepath"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// averager adds samples of [output.averages] up: means, and sums of the products of
// deviations from them, of every cell of this rank, by the recurrence of Welford
// (Technometrics 4 (1962) 419). A plain sum of squares would lose the small difference
// between it and the square of the mean.
type averager struct {
	config.Averages
	p, pp, u, uu bool // which sums are kept, in this order
	dims, nx     int
	stored       int // values a cell of a sample
	at           int
	samples      int64
	sums         []float64 // [plane][row][sum][x]
}

func newAverager(r *run) *averager {
	a := &averager{Averages: r.Case.Averages, dims: r.Case.Dims(), stored: r.Case.Spec.FieldValues(), nx: r.Layout.N[0], at: -1}
	a.p, a.pp, a.u, a.uu = a.Needs()
	a.sums = make([]float64, r.Box.Cells()*r.Case.AveragedValues())
	return a
}

func (a *averager) schedule() config.Schedule { return a.Sample }
func (a *averager) written() int              { return a.at }
func (a *averager) close()                    {}

// columns are where the sums of a row begin, in lengths of a row: of pressures, their
// squares, velocities, their products.
func (a *averager) columns() (p, pp, u, uu int) {
	next := func(on bool, n int) (at int) {
		at = uu
		if on {
			uu += n
		}
		return at
	}
	p, pp, u = next(a.p, 1), next(a.pp, 1), next(a.u, a.dims)
	return p, pp, u, uu
}

// averageJob is the kind of the file that keeps the sums beside a checkpoint.
const averageJob = "averages of a checkpoint"

// write takes a sample.
func (a *averager) write(r *run) error {
	a.at = r.n
	if r.n < a.Start {
		return nil
	}
	// A file of the sums is written from the sums themselves.
	if err := r.settle(averageJob); err != nil {
		return err
	}
	a.samples++
	source, planes := r.view().Present(), r.Layout.N[r.Layout.Axis()]
	size, whole := len(a.sums)/planes, decomp.Box{Hi: r.Layout.N}
	return r.all("averages", r.Share(planes, func(lo, hi int) (err error) {
		var plane []float64
		for k := lo; k < hi; k++ {
			box := whole
			box.Lo[r.Layout.Axis()], box.Hi[r.Layout.Axis()] = k, k+1
			if plane, err = source(box, plane); err != nil {
				return err
			}
			a.add(a.sums[k*size:][:size], plane, float64(a.samples))
		}
		return nil
	}))
}

// add goes on with sample n of a plane, [row][component][x].
func (a *averager) add(sums, plane []float64, n float64) {
	nx, in := a.nx, a.stored*a.nx
	p, pp, u, uu := a.columns()
	all := len(sums) / (len(plane) / in) // of a row
	share := (n - 1) / n
	for ; len(plane) > 0; plane, sums = plane[in:], sums[all:] {
		for x := range nx {
			if a.p {
				d := plane[x] - sums[p*nx+x]
				sums[p*nx+x] += d / n
				if a.pp {
					sums[pp*nx+x] += share * d * d
				}
			}
			if !a.u {
				continue
			}
			var d [3]float64
			for c := range a.dims {
				m := &sums[(u+c)*nx+x]
				d[c] = plane[(1+c)*nx+x] - *m
				*m += d[c] / n
			}
			if a.uu {
				at := uu*nx + x
				for i := range a.dims {
					for j := i; j < a.dims; j++ {
						sums[at] += share * d[i] * d[j]
						at += nx
					}
				}
			}
		}
	}
}

// tensor is where the products of a symmetric tensor's components are among those that
// add keeps, in the order of a file; -1: the component is 0 in 2D.
func (a *averager) tensor() [6]int {
	if a.dims == 2 { // xx, xy, yy
		return [6]int{0, 2, -1, 1, -1, -1}
	}
	return [6]int{0, 3, 5, 1, 4, 2} // xx, xy, xz, yy, yz, zz
}

// sums of a field's component: the first column of them, and the factor that leads to
// the case's unit; false for components that are always 0.
func (a *averager) column(f model.Field, c int, units config.Units) (column int, factor float64, ok bool) {
	p, pp, u, uu := a.columns()
	n := float64(max(a.samples, 1))
	factor = units.Factor(f.Dim)
	switch f.Name {
	case "mean_pressure":
		return p, factor * model.CS2, true
	case "pressure_variance":
		return pp, factor * model.CS2 * model.CS2 / n, true
	case "mean_velocity":
		return u + c, factor, c < a.dims
	}
	at := a.tensor()[c]
	return uu + at, factor / n, at >= 0
}

// averageFiles writes what the averages are by now.
type averageFiles struct {
	*averager
	series fields.Series
	at     int
}

func (f *averageFiles) schedule() config.Schedule { return f.Schedule }
func (f *averageFiles) written() int              { return f.at }

func (f *averageFiles) write(r *run) error {
	if err := r.settleInTurn("averages"); err != nil {
		return err
	}
	f.at = r.n
	if f.samples == 0 {
		if r.Root {
			r.options.Report.Warn(fmt.Sprintf("step %d: there are no averages yet: sampling begins at step %d", r.n, f.Start))
		}
		return nil
	}
	p, err := f.series.Begin(r.Comm, r.Box, r.grid(), r.listed(f.Fields, f.Type), r.meta())
	if err != nil {
		return r.missed("averages", r.agreedAt(r.n, "averages", err))
	}
	work := averagesInto[float32]
	if f.Type == model.Float64 {
		work = averagesInto[float64]
	}
	write := work(r, f.averager, p)
	r.launch(&job{kind: "averages", path: f.series.Index(), finish: p.Commit}, func() error {
		if err := write(); err != nil {
			return err
		}
		return p.Flush()
	})
	return nil
}

// averagesInto copies the averages as a file has them, and returns the work of writing.
func averagesInto[Out derive.Number](r *run, a *averager, p *fields.Pending) (write func() error) {
	nx, rows := a.nx, r.Box.Cells()/a.nx
	all := len(a.sums) / rows
	data := make([][]Out, len(a.Fields))
	for i, f := range a.Fields {
		data[i] = make([]Out, rows*nx*f.Components)
	}
	_ = r.Share(rows, func(lo, hi int) error {
		for i, f := range a.Fields {
			for c := range f.Components {
				column, factor, ok := a.column(f, c, r.Case.Units)
				if !ok {
					continue
				}
				for row := lo; row < hi; row++ {
					out := data[i][row*nx*f.Components:]
					for x, v := range a.sums[row*all+column*nx:][:nx] {
						out[x*f.Components+c] = Out(factor * v)
					}
				}
			}
		}
		return nil
	})
	planes := r.Layout.N[r.Layout.Axis()]
	return func() error {
		for i := range data {
			n := len(data[i]) / planes
			step := planesAtOnce[Out](n)
			for k := 0; k < planes; k += step {
				if err := p.Write(i, k, domain.BytesOf(data[i][k*n:min(k+step, planes)*n])); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// averageMemory is what a checkpoint says of the sums that lie beside it.
type averageMemory struct {
	Samples int64
	Sums    string // which there are
}

// averages of the run, nil when it has none.
func (r *run) averages() *averager {
	for _, o := range r.outputs {
		if a, ok := o.(*averager); ok {
			return a
		}
	}
	return nil
}

// remember tells of the sums; nil as long as there are none.
func (a *averager) remember() *averageMemory {
	if a == nil || a.samples == 0 {
		return nil
	}
	return &averageMemory{Samples: a.samples, Sums: fmt.Sprint(a.p, a.pp, a.u, a.uu)}
}

// averageDir is the folder of the sums below that of their checkpoints.
const averageDir = "averages"

// header is that of the sums beside the checkpoint with this header.
func (a *averager) header(r *run, h checkpoint.Header) checkpoint.Header {
	h.Components, h.Pitch, h.Bytes = r.Case.AveragedValues(), a.nx, 8
	return h
}

// keep begins the file of the sums that belongs to the checkpoint with this header. It
// comes before the checkpoint, which is of use only with it: kept tells, once it has been
// committed, whether it is on disk. It goes when its checkpoint has gone. Collective.
func (a *averager) keep(r *run, h checkpoint.Header, dir string) (kept *bool, err error) {
	p, err := checkpoint.Begin(r.Comm, filepath.Join(dir, averageDir), a.header(r, h), r.Extent())
	if err != nil {
		return nil, r.agreedAt(r.n, averageJob, err)
	}
	path := checkpoint.Path(filepath.Join(dir, averageDir), h.Step)
	kept = new(bool)
	finish := func() error {
		err := p.Commit(0)
		*kept = err == nil
		return err
	}
	r.launch(&job{kind: averageJob, path: path, finish: finish}, func() error {
		if err := p.Write(0, domain.BytesOf(a.sums)); err != nil {
			return err
		}
		return p.Flush()
	})
	return kept, nil
}

// recall reads the sums beside a checkpoint. Collective.
func (a *averager) recall(r *run, path string, m *averageMemory) error {
	if a == nil {
		return nil
	}
	// A newer checkpoint may have been given up halfway.
	a.samples = 0
	clear(a.sums)
	if m == nil {
		return nil
	}
	if want := fmt.Sprint(a.p, a.pp, a.u, a.uu); m.Sums != want {
		if r.Root {
			r.options.Report.Warn("the checkpoint has averages of other fields: those of [output.averages] begin anew")
		}
		return nil
	}
	beside := filepath.Join(filepath.Dir(path), averageDir, filepath.Base(path))
	f, err := checkpoint.Open(beside)
	if f != nil {
		defer f.Close()
	}
	if err == nil {
		h := a.header(r, r.header())
		if got := f.Header; got.Planes != h.Planes || got.PlaneBytes() != h.PlaneBytes() || got.Bytes != 8 {
			err = fmt.Errorf("%s does not hold the averages of this case", beside)
		}
	}
	if err := comm.Agree(r.Comm, err); err != nil {
		return err
	}
	size := len(a.sums) / max(r.Layout.N[r.Layout.Axis()], 1)
	err = f.Load(r.Comm, r.Extent(), func(first int, data []byte) error {
		copy(domain.BytesOf(a.sums[first*size:]), data)
		return nil
	})
	if err == nil {
		a.samples = m.Samples
	}
	return err
}
