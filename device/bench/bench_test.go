package bench

import (
	"strings"
	"testing"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/model"
)

// cpuPrecisions are those that the CPU device has.
var cpuPrecisions = []model.Precision{model.Float32, model.Float64}

// The benchmark verifies before it times; a small box is enough to run all of it.
func TestMeasure(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, p := range cpuPrecisions {
		speeds, err := Measure(d, Specs(p, "regularized", "bgk", "trt"), true, 32, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(speeds) != 5 || speeds[0].Ratio != 1 {
			t.Errorf("%+v", speeds)
		}
		for _, s := range speeds {
			if s.MLUPS <= 0 || s.Low > s.MLUPS || s.High < s.MLUPS {
				t.Errorf("%+v", s)
			}
		}
	}
}

func TestVerifyEverySpec(t *testing.T) {
	d, err := cpu.New(2)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, l := range model.Lattices {
		for _, c := range model.Collisions {
			for _, p := range cpuPrecisions {
				if _, err := Verify(d, model.Spec{Lattice: l, Collision: c, Precision: p}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// wrong is a device that collides at a slightly wrong rate.
type wrong struct{ device.Device }
type wrongProgram struct{ device.Program }

func (w wrong) Load(spec model.Spec, l decomp.Layout, periodic [3]bool, cells model.Cells) (device.Program, error) {
	p, err := w.Device.Load(spec, l, periodic, cells)
	return wrongProgram{p}, err
}

func (w wrongProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, p model.Params) {
	p.Omega *= 1.01
	w.Program.Step(s, in, out, box, p)
}

// no speed is shown of a device that computes wrong.
func TestWrongResultsHaveNoSpeed(t *testing.T) {
	d, err := cpu.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, p := range cpuPrecisions {
		_, err := Measure(wrong{d}, Specs(p, "regularized"), false, 16, 1, 1)
		if err == nil || !strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v", err)
		}
	}
}
