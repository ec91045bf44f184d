package bench

import (
	"testing"

	"lbmsim/device/cpu"
	"lbmsim/model"
)

// The benchmark verifies before it times; a small box is enough to run all of it.
func TestBench(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, l := range model.Lattices {
		for _, c := range model.Collisions {
			for _, p := range model.Precisions {
				r, err := Step(d, model.Spec{Lattice: l, Collision: c, Precision: p}, [3]int{48, 20, 18}, 3)
				if err != nil {
					t.Fatal(err)
				}
				if r.MLUPS <= 0 || r.Ratio <= 0 || r.Best < r.MLUPS {
					t.Errorf("%+v", r)
				}
			}
		}
	}
}

// go test -run - -bench . ./device/bench prints each spec's speed and its share of
// the in-place roofline; 256^3 in 3D, 4096^2 in 2D.
func BenchmarkStep(b *testing.B) {
	d, err := cpu.New(0)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for _, l := range model.Lattices {
		n := [3]int{256, 256, 256}
		if l.Dims == 2 {
			n = [3]int{4096, 4096, 1}
		}
		for _, c := range model.Collisions {
			for _, p := range model.Precisions {
				spec := model.Spec{Lattice: l, Collision: c, Precision: p}
				b.Run(l.Name+"/"+c.Name+"/"+p.String(), func(b *testing.B) {
					r, err := Step(d, spec, n, max(3, b.N))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(r.MLUPS, "MLUPS")
					b.ReportMetric(r.Ratio, "of_in_place")
					b.ReportMetric(r.MLUPS/r.Copy, "of_copy")
					b.ReportMetric(r.BytesPerCell, "B/cell")
				})
			}
		}
	}
}
