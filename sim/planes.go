package sim

import (
	"encoding/binary"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/fields"
	"lbmsim/model"
)

// planes writes one [output.plane.NAME]: fields of one plane of cells, a VTKHDF file a
// time, by rank 0.
type planes struct {
	config.Plane
	series fields.Series
	at     int
	alone  comm.Comm // of rank 0 with itself
}

func newPlanes(r *run, p config.Plane) *planes {
	return &planes{Plane: p, at: -1, alone: comm.Serial(), series: fields.Series{Dir: r.outputDir("planes", p.Name), Name: p.Name}}
}

func (p *planes) schedule() config.Schedule { return p.Schedule }
func (p *planes) written() int              { return p.at }
func (p *planes) close()                    {}

// write gathers the plane; rank 0 writes the file while the run goes on.
func (p *planes) write(r *run) error {
	kind := "plane " + p.Name
	if err := r.settleInTurn(kind); err != nil {
		return err
	}
	p.at = r.n
	slice := decomp.Box{Hi: r.Case.Cells}
	slice.Lo[p.Axis], slice.Hi[p.Axis] = p.At, p.At+1
	var parts [][]byte // of the file: one field at a time is there as float64
	for _, f := range p.Fields {
		values, err := r.view().CollectAll(f, slice)
		if err != nil {
			return err
		}
		parts = append(parts, p.bytes(values))
	}
	var file *fields.Pending
	var err error
	grid := p.grid(r)
	if r.Root {
		file, err = p.series.Begin(p.alone, decomp.Box{Hi: grid.N}, grid, r.listed(p.Fields, p.Type), r.meta())
	}
	if err := r.all(kind, err); err != nil {
		if file != nil {
			file.Abort()
		}
		return r.missed(kind, err)
	}
	finish := func() error {
		var err error
		if r.Root {
			err = file.Commit()
		}
		return comm.Agree(r.Comm, err)
	}
	r.launch(&job{kind: kind, path: p.series.Index(), finish: finish}, func() error {
		if !r.Root {
			return nil
		}
		for i, part := range parts {
			if err := file.Write(i, 0, part); err != nil {
				return err
			}
		}
		return file.Flush()
	})
	return nil
}

// grid is the plane as a file has it: one cell thick.
func (p *planes) grid(r *run) fields.Grid {
	g := r.grid()
	g.N[p.Axis] = 1
	g.Origin[p.Axis] += float64(p.At) * g.Spacing
	return g
}

// bytes is what the file has of a field of the slice, [z][y][x][component].
func (p *planes) bytes(values []float64) []byte {
	b := make([]byte, 0, len(values)*p.Type.Bytes())
	for _, v := range values {
		if p.Type == model.Float64 {
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(v))
		} else {
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
	}
	return b
}
