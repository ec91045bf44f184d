package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lbmsim/device/bench"
	"lbmsim/model"
)

// tunnels returns the cells of the boxes around a ball that `bench --only tunnel` measures.
func (b *benchmark) tunnels(onCPU bool) (list [][3]int) {
	lengths := []int{128, 256, 512, 1024}
	switch {
	case b.edge > 0:
		lengths = []int{b.edge}
	case onCPU:
		lengths = []int{256}
	}
	for _, n := range lengths {
		list = append(list, [3]int{n, max(8, n/2), max(8, n/2)})
	}
	return list
}

// The tunnel and what it is compared with: the same box without its faces and its ball, and
// with walls and a lid.
const (
	throughTunnel = `periodic = ["y", "z"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [%[1]g, %[2]g, %[2]g]
radius = %[3]g
`
	periodicBox = `periodic = ["x", "y", "z"]
`
	lidBox = `[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
`
)

// tunnel runs cases as a user does: a ball in a tunnel beside the plain boxes of its size, alternately.
func (b *benchmark) tunnel(onCPU bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "lbmsim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	budget := 6e10 // cells times steps of a run: about two seconds
	if onCPU {
		budget = 4e8
	}
	specs := slices.Concat(bench.Specs("D3Q19", model.Float32, "regularized"), bench.Specs("D3Q27", model.Float32, "cumulant"))
	if onCPU { // populations have a way of their own beyond the ends of rows
		specs = append(specs, bench.Specs("D3Q19", model.Float32, "trt")...)
	}
	for _, spec := range specs {
		for _, n := range b.tunnels(onCPU) {
			steps := 10 * b.passes
			if steps == 0 {
				steps = int(min(5e4, max(40, budget/float64(n[0]*n[1]*n[2]))))
			}
			head := fmt.Sprintf("[domain]\ncells = [%d, %d, %d]\nlattice = %q\n", n[0], n[1], n[2], spec.Lattice.Name)
			tail := fmt.Sprintf("[fluid]\nviscosity = 0.01\n[collision]\nmodel = %q\n[run]\nsteps = %d\nwatch_every = 1000000\nforensics = false\n", spec.Collision.Name, steps)
			ball := fmt.Sprintf(throughTunnel, float64(n[0])/4, float64(n[1])/2, float64(n[1])/5)
			names := []string{"periodic", "walls and a lid", "tunnel with a ball"}
			speeds := map[string][]float64{}
			for k, middle := range []string{periodicBox, lidBox, ball} {
				if err := os.WriteFile(filepath.Join(work, fmt.Sprint(k, ".toml")), []byte(head+middle+tail), 0o666); err != nil {
					return err
				}
			}
			for range b.rounds {
				for k, name := range names {
					v, _, err := speedOf([]string{self, "run", filepath.Join(work, fmt.Sprint(k, ".toml")), "--device", b.device,
						"--threads", fmt.Sprint(b.threads), "--log", "json", "--output", filepath.Join(work, fmt.Sprint(k))})
					if err != nil {
						return err
					}
					speeds[name] = append(speeds[name], v)
				}
			}
			b.tunnelRows(spec, n, steps, names, speeds)
		}
	}
	return nil
}

// tunnelRows prints the runs of one size.
func (b *benchmark) tunnelRows(spec model.Spec, n [3]int, steps int, names []string, speeds map[string][]float64) {
	if !b.json {
		fmt.Printf("\n%-48s %9s %21s %11s %11s\n", fmt.Sprintf("%d x %d x %d, %s, %d steps", n[0], n[1], n[2], spec, steps), "MLUPS", "(low - high)", "of periodic", "of walls")
	}
	for _, name := range names {
		v := speeds[name]
		of := func(other string) float64 {
			var ratios []float64
			for i := range v {
				ratios = append(ratios, v[i]/speeds[other][i])
			}
			return bench.Median(ratios)
		}
		if b.json {
			row, _ := json.Marshal(struct {
				Part       string  `json:"part"`
				What       string  `json:"what"`
				Device     string  `json:"device"`
				Version    string  `json:"version"`
				Name       string  `json:"name"`
				Size       [3]int  `json:"size"`
				MLUPS      float64 `json:"mlups"`
				OfPeriodic float64 `json:"of_periodic"`
				OfWalls    float64 `json:"of_walls"`
			}{b.part, name, b.dev.Info().Model, version, spec.String(), n, bench.Median(v), of(names[0]), of(names[1])})
			fmt.Println(string(row))
			continue
		}
		fmt.Printf("%-48s %9.1f  (%8.1f - %8.1f) %11.3f %11.3f\n", name, bench.Median(v), slices.Min(v), slices.Max(v), of(names[0]), of(names[1]))
	}
}
