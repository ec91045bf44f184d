// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/bench"
	"lbmsim/device/cpu"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
)

// benchFlags are the flags of `lbmsim bench`.
type benchFlags struct {
	device                        string
	size, threads, rounds, passes int
	count                         int // ranks of whole cases
	only                          []string
	match, dir                    string
	diskMiB                       int64
	verify, json                  bool
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's rooflines, and compare kernels, scaling and checkpointing against them",
		Long: `bench verifies, then times. Rooflines and models alternate within one run,
because the speed of shared memory varies: compare ratios. ratio is
MLUPS relative to the first row, share the traffic relative to the fastest roofline,
eddies MLUPS relative to the same flow without the eddy viscosity.

  speed       the models on D3Q19 against the in-place rooflines of 19 and 10 values
  models      every model on every lattice in every precision, each with and without
              the eddy viscosity, against the same rooflines; takes minutes: only if --only,
              --match or --verify selects it
  ranks       2 ranks x 1 thread against 1 rank x 2 threads, through mpirun (CPU)
  checkpoint  checkpoints against dd conv=fsync (CPU)
  small       usual models in a box of 128^3 cells, where launching kernels matters (GPU)
  sizes       speed by size: D3Q19 regularized in boxes of 64^3 to 256^3 cells, D2Q9 bgk in periodic ones
              of 512^2 to 4096^2; only if --only selects it (GPU)
  plane       usual models on D2Q9, 8192^2 cells (GPU)
  porous      a box with 25 % solid spheres, counted per fluid cell (GPU)
  open        through-flow around a sphere: inlet, outflow, curved wall (GPU)
  tunnel      complete cases: a sphere in a tunnel, compared with a periodic and a closed
              box, 128 x 64 x 64 to 1024 x 512 x 512 cells (256 x 128 x 128 on a CPU), or
              --size and half of it; only if --only selects it
  refined     three levels of boxes around a ball in a tunnel, compared with the uniform
              tunnel of as many cells; 160 x 80 x 80 cells of level 0 on a CPU,
              416 x 208 x 208 on a GPU, or --size and half of it, in multiples of 16;
              only if --only selects it
  seed        D2Q9 bgk float32, 4096^2 cells, density and velocity written every step, by
              a second pass and by the step (GPU)
  fields      the same for populations in 3D, a flow around a sphere; only if --only selects
              it (GPU)`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runBench(f) },
	}
	c.Flags().StringVar(&f.device, "device", "auto", "`DEVICE` to measure: cpu, cuda, auto, or the number of a GPU")
	c.Flags().StringVar(&f.match, "match", "", "only models that have all of these `WORDS`, such as \"D3Q27 cumulant\"")
	c.Flags().IntVar(&f.size, "size", 0, "edge of the box in `CELLS`, in 2D 16 times as many (default: 256 on a CPU, 512 on a GPU; small, plane and seed: see above)")
	c.Flags().IntVar(&f.threads, "threads", 0, "number of `THREADS` (default: all cores)")
	c.Flags().IntVar(&f.count, "ranks", 1, "number of `RANKS` of tunnel and refined, started by mpirun")
	c.Flags().IntVar(&f.rounds, "rounds", 9, "`TURNS` per contender")
	c.Flags().IntVar(&f.passes, "passes", 0, "`STEPS` per turn (default: enough for 0.1 s, at least 4)")
	c.Flags().StringSliceVar(&f.only, "only", nil, "comma-separated `PARTS` to measure (default: all that the device supports)")
	c.Flags().StringVar(&f.dir, "dir", ".", "`FOLDER` on the disk to measure")
	c.Flags().Int64Var(&f.diskMiB, "disk-mib", 1024, "size of a checkpoint in `MIB`")
	c.Flags().BoolVar(&f.verify, "verify", false, "only verify the models against the oracle, which compiles the kernels of a GPU; no timing")
	c.Flags().BoolVar(&f.json, "json", false, "print results as JSON, one per line")
	c.AddCommand(benchScalingCommand())
	return c
}

// mostEdge is the largest --size: a state of more cells has more bytes than an int.
const mostEdge = 1 << 14

func runBench(f benchFlags) error {
	if l, launched := comm.Launched(os.LookupEnv); launched && l.Ranks > 1 {
		return usageError{fmt.Errorf("lbmsim bench starts its own ranks; run it without a launcher (lbmsim bench scaling measures the ranks of a launcher)")}
	}
	if f.size > mostEdge {
		return usageError{fmt.Errorf("bench: --size %d: must be at most %d", f.size, mostEdge)}
	}
	if f.size < 0 || f.threads < 0 || f.rounds < 1 || f.count < 1 || f.passes < 0 || f.diskMiB < 1 {
		return usageError{fmt.Errorf("bench: --rounds, --ranks and --disk-mib must be at least 1; --size, --threads and --passes too, or 0 for the default")}
	}
	want, err := choose(f.device, config.Device{})
	if err != nil {
		return usageError{err}
	}
	dev, note, err := openDevice(comm.Serial(), want, gpus(), f.threads)
	if err != nil {
		return err
	}
	defer dev.Close()
	if note != "" {
		fmt.Fprintln(os.Stderr, "warning:", note)
	}
	b := &benchmark{benchFlags: f, dev: dev, edge: f.size}
	_, onCPU := dev.(*cpu.Device)
	usual := []string{"speed", "small", "plane", "porous", "open", "seed"}
	if onCPU {
		usual = []string{"speed", "ranks", "checkpoint"}
	}
	if b.size == 0 {
		if b.size = 512; onCPU {
			b.size = 256
		}
	}
	if len(b.only) == 0 {
		if b.only = usual; f.match != "" || f.verify {
			b.only = []string{"models"}
		}
	}
	if f.match != "" && !slices.Contains(b.only, "models") || f.verify && !slices.Equal(b.only, []string{"models"}) {
		return usageError{fmt.Errorf("--match and --verify apply to models: use them with --only models, or without --only")}
	}
	if !f.json {
		fmt.Printf("%s (%s); median of %d turns each\n", dev.Info().Model, dev.Info().Detail, f.rounds)
	}
	parts := map[string]func() error{
		"speed": b.speed, "models": b.catalogue, "ranks": b.ranks, "checkpoint": b.checkpoint,
		"small": func() error { return b.models("D3Q19", b.cube(128), usualModels) },
		"plane": func() error { return b.models("D2Q9", b.square(8192), usualModels) },
		"sizes": b.sizes, "porous": b.porous, "open": b.open, "seed": b.seed, "fields": b.fields,
		"tunnel": func() error { return b.tunnel(onCPU) }, "refined": func() error { return b.refined(onCPU) },
	}
	for _, name := range b.only {
		part, ok := parts[name]
		if !ok {
			return usageError{fmt.Errorf("--only %s: choose from speed, models, ranks, checkpoint, small, sizes, plane, porous, open, tunnel, refined, seed, fields", name)}
		}
		b.part = name
		if err := part(); err != nil {
			return fmt.Errorf("bench %s: %w", name, err)
		}
	}
	return nil
}

// benchmark is one run of `lbmsim bench`.
type benchmark struct {
	benchFlags
	dev  device.Device
	edge int // --size, 0 without it
	part string
	head string // of the last table
}

// cube returns the box of a part with its own default edge, which --size overrides.
func (b *benchmark) cube(usual int) [3]int {
	n := cmp.Or(b.edge, usual)
	return [3]int{n, n, n}
}

// square returns the 2D box, with 16 times the edge of --size.
func (b *benchmark) square(usual int) [3]int {
	n := cmp.Or(16*b.edge, usual)
	return [3]int{n, n, 1}
}

// usualModels are the models that have rows in every part.
var usualModels = []string{"regularized", "bgk", "trt"}

func allModels() (names []string) {
	for _, c := range model.Collisions {
		names = append(names, c.Name)
	}
	return names
}

// closedBox is the flow in which models are measured.
const closedBox = "closed box with a moving lid"

// speed compares the models with the rooflines.
func (b *benchmark) speed() error {
	n := [3]int{b.size, b.size, b.size}
	if _, onCPU := b.dev.(*cpu.Device); !onCPU {
		return b.models("D3Q19", n, allModels())
	}
	// A CPU's memory speed varies with other load: all models alternately, then the other
	// precisions against float32.
	jobs := []bench.Job{bench.InPlace(19, n), bench.CopyPast(19, n)}
	for _, spec := range bench.Specs("D3Q19", model.Float32, allModels()...) {
		jobs = append(jobs, bench.Closed(spec, n))
	}
	if err := b.measure(closedBox, n, jobs...); err != nil {
		return err
	}
	for _, m := range allModels() {
		var jobs []bench.Job
		for _, p := range model.Precisions {
			jobs = append(jobs, bench.Closed(bench.Specs("D3Q19", p, m)[0], n))
		}
		if err := b.measure("other precisions against "+model.Precisions[0].String(), n, jobs...); err != nil {
			return err
		}
	}
	return nil
}

// models measures models in every precision, each with only the rooflines, so that the memory of
// one suffices.
func (b *benchmark) models(lattice string, n [3]int, names []string) error {
	var specs []model.Spec
	for _, p := range model.Precisions {
		specs = append(specs, bench.Specs(lattice, p, names...)...)
	}
	verified := bench.VerifyAll(b.dev, specs, func(model.Spec) int { return n[0] })
	for _, spec := range specs {
		if err := b.measure(closedBox, n, bench.InPlace(19, n), bench.InPlace(10, n), verified.Closed(spec, n)); err != nil {
			return err
		}
	}
	return nil
}

// sizes measures the speed of boxes that are too small for the whole GPU, or fit into its cache.
func (b *benchmark) sizes() error {
	cube, square := bench.Specs("D3Q19", model.Float32, "regularized")[0], bench.Specs("D2Q9", model.Float32, "bgk")[0]
	for _, n := range []int{64, 96, 128, 192, 256} {
		n := [3]int{n, n, n}
		if err := b.measure(closedBox, n, bench.Closed(cube, n)); err != nil {
			return err
		}
	}
	for _, n := range []int{512, 1024, 2048, 4096} {
		n := [3]int{n, n, 1}
		if err := b.measure("periodic, a density pulse", n, bench.Alone(square, n)); err != nil {
			return err
		}
	}
	return nil
}

// catalogue measures every model that a case may ask for. A model that cannot be measured, for lack
// of memory or because it is wrong, does not prevent the others.
func (b *benchmark) catalogue() error {
	specs := matching(bench.Catalogue(), b.match)
	if len(specs) == 0 {
		return usageError{fmt.Errorf("--match %q: no model has all of these words; an example of a name is %q", b.match, bench.Catalogue()[0])}
	}
	box := func(spec model.Spec) [3]int {
		if spec.Lattice.Dims == 2 {
			return [3]int{16 * b.size, 16 * b.size, 1}
		}
		return [3]int{b.size, b.size, b.size}
	}
	both := slices.Clone(specs)
	for _, spec := range specs {
		both = append(both, bench.WithEddies(spec))
	}
	if !b.json {
		fmt.Printf("\nverifying %d kernels against the oracle\n", len(both))
	}
	verified := bench.VerifyAll(b.dev, both, func(spec model.Spec) int { return box(spec)[0] })
	if b.verify {
		err := verified.Err()
		if err == nil && !b.json {
			fmt.Println("all agree")
		}
		return err
	}
	var failed []error
	for _, spec := range specs {
		n := box(spec)
		jobs := []bench.Job{bench.InPlace(19, n)}
		if _, onCPU := b.dev.(*cpu.Device); !onCPU {
			jobs = append(jobs, bench.InPlace(10, n))
		}
		if err := b.measure(closedBox, n, append(jobs, verified.Eddies(spec, n)...)...); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", spec, err))
			if !b.json {
				fmt.Printf("%s: not measured: %v\n", spec, err)
			}
		}
	}
	return errors.Join(failed...)
}

// matching returns the models whose names contain all of the words.
func matching(specs []model.Spec, words string) (list []model.Spec) {
	for _, spec := range specs {
		name := strings.Fields(spec.String())
		if !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !slices.Contains(name, w) }) {
			list = append(list, spec)
		}
	}
	return list
}

// porous counts fluid cells in a packing of spheres, compared with the empty box.
func (b *benchmark) porous() error {
	n := [3]int{b.size, b.size, b.size}
	spec := bench.Specs("D3Q19", model.Float32, "regularized")[0]
	return b.measure("with and without solid spheres", n,
		bench.InPlace(19, n), bench.InPlace(10, n), bench.Closed(spec, n), bench.Packed(spec, n, 0.25))
}

// open measures the cost of the cells at open faces and curved walls, beside the closed box.
func (b *benchmark) open() error {
	n := [3]int{b.size, b.size, b.size}
	spec := bench.Specs("D3Q19", model.Float32, "regularized")[0]
	return b.measure("closed, and with through-flow", n, bench.InPlace(10, n),
		bench.Closed(spec, n), bench.Through(spec, n, 0), bench.Through(spec, n, 1), bench.Through(spec, n, 2))
}

// seed measures the case cases/examples/gaussian_pulse.toml, enlarged.
func (b *benchmark) seed() error {
	n := b.square(4096)
	spec := bench.Specs("D2Q9", model.Float32, "bgk")[0]
	return b.measure("periodic, a density pulse", n, bench.InPlace(19, n), bench.InPlace(10, n), bench.Pulse(spec, n, true), bench.Pulse(spec, n, false))
}

// fields measures the cost of density and velocity of each step outside the plain bulk: a flow around a
// ball without them, with a second pass, and from the step.
func (b *benchmark) fields() error {
	for _, p := range model.Precisions {
		for _, spec := range append(bench.Specs("D3Q19", p, "bgk", "trt"), bench.Specs("D3Q27", p, "trt")...) {
			n := b.cube(256)
			flow := bench.Through(spec, n, 0)
			if err := b.measure("a flow around a ball", n, bench.InPlace(10, n), flow, bench.WithFields(flow, true), bench.WithFields(flow, false)); err != nil {
				return err
			}
		}
	}
	return nil
}

// speedRow is bench.Speed with keys as in all JSON of lbmsim.
type speedRow struct {
	Name    string  `json:"name"`
	Cells   int     `json:"cells"`
	MLUPS   float64 `json:"mlups"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Traffic int     `json:"traffic"`
	GBps    float64 `json:"gbps"`
	Ratio   float64 `json:"ratio"`
	Share   float64 `json:"share"`
	Bytes   float64 `json:"bytes"`
	Oracle  float64 `json:"oracle"`
	Without float64 `json:"without"`
}

// measure prints one table.
func (b *benchmark) measure(what string, n [3]int, jobs ...bench.Job) error {
	speeds, err := bench.Measure(b.dev, jobs, b.rounds, b.passes)
	if err != nil {
		return err
	}
	if b.json {
		for _, s := range speeds {
			row := struct {
				Part    string `json:"part"`
				What    string `json:"what"`
				Device  string `json:"device"`
				Version string `json:"version"`
				Size    [3]int `json:"size"`
				speedRow
			}{b.part, what, b.dev.Info().Model, version, n, speedRow(s)}
			if err := json.NewEncoder(os.Stdout).Encode(row); err != nil {
				return err
			}
		}
		return nil
	}
	cells := fmt.Sprintf("%d x %d", n[0], n[1])
	if n[2] > 1 {
		cells += fmt.Sprintf(" x %d", n[2])
	}
	if head := cells + ", " + what; head != b.head {
		b.head = head
		fmt.Printf("\n%-48s %9s %21s %8s %7s %7s %8s %8s %8s %8s\n", head, "MLUPS", "(low - high)", "GB/s", "ratio", "share", "B/step", "B/cell", "oracle", "eddies")
	}
	for _, s := range speeds {
		fmt.Printf("%-48s %9.1f  (%8.1f - %8.1f) %8.1f %7.3f", s.Name, s.MLUPS, s.Low, s.High, s.GBps, s.Ratio)
		if s.Share > 0 {
			fmt.Printf(" %5.1f %%", 100*s.Share)
		} else {
			fmt.Printf(" %7s", "-")
		}
		if fmt.Printf(" %8d", s.Traffic); s.Bytes > 0 {
			fmt.Printf(" %8.1f %8.1g", s.Bytes, s.Oracle)
		}
		if s.Without > 0 {
			fmt.Printf(" %8.3f", s.Without)
		}
		fmt.Println()
	}
	return nil
}

// ranks runs the same case on one rank with two threads and on two ranks with
// one thread each, alternately, as a user would.
func (b *benchmark) ranks() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	mpirun, err := launcher()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ranks: not measured,", err) // beside rows of JSON
		return nil
	}
	work, err := os.MkdirTemp("", "lbmsim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	caseFile := filepath.Join(work, "box.toml")
	text := fmt.Sprintf(`[domain]
cells = [%[1]d, %[1]d, %[1]d]
lattice = "D3Q19"
[fluid]
viscosity = 0.03
[collision]
model = "regularized"
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
[run]
steps = %[2]d
watch_every = 1000000
forensics = false
`, b.size, 10*max(4, b.passes))
	if err := os.WriteFile(caseFile, []byte(text), 0o666); err != nil {
		return err
	}
	one := []string{self, "run", caseFile, "--threads", "2", "--device", "cpu", "--log", "json", "--output", filepath.Join(work, "one")}
	two := []string{mpirun, "-np", "2", self, "run", caseFile, "--threads", "1", "--device", "cpu", "--log", "json", "--output", filepath.Join(work, "two")}
	var ones, twos, ratios, hidden []float64
	for range b.rounds {
		first, _, err := speedOf(one)
		if err != nil {
			return err
		}
		second, share, err := speedOf(two)
		if err != nil {
			return err
		}
		ones, twos, ratios, hidden = append(ones, first), append(twos, second), append(ratios, second/first), append(hidden, share)
	}
	if b.json {
		return json.NewEncoder(os.Stdout).Encode(struct {
			Part     string  `json:"part"`
			Version  string  `json:"version"`
			Size     [3]int  `json:"size"`
			OneRank  float64 `json:"one_rank"`  // MLUPS
			TwoRanks float64 `json:"two_ranks"` // MLUPS
			Ratio    float64 `json:"ratio"`     // two by one
			Waited   float64 `json:"waited"`    // share of the time
		}{b.part, version, [3]int{b.size, b.size, b.size}, bench.Median(ones), bench.Median(twos), bench.Median(ratios), bench.Median(hidden)})
	}
	fmt.Printf("\nranks, D3Q19 regularized float32, %d^3 cells, CPU\n", b.size)
	fmt.Printf("  1 rank x 2 threads   %8.1f MLUPS\n", bench.Median(ones))
	fmt.Printf("  2 ranks x 1 thread   %8.1f MLUPS, ratio %.3f (median of %d), exposed communication %.1f %% of the time\n",
		bench.Median(twos), bench.Median(ratios), b.rounds, 100*bench.Median(hidden))
	return nil
}

// speedOf runs lbmsim and reads the speed and the share of exposed messages from its log.
func speedOf(command []string) (mlups, exposed float64, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, errs.String())
	}
	for _, line := range bytes.Split(out, []byte("\n")) {
		var e struct {
			Event string
			Data  struct {
				MLUPS float64
				Times struct{ Compute, Exposed float64 }
			}
		}
		if json.Unmarshal(bytes.TrimSpace(line), &e) == nil && e.Event == "finish" {
			t := e.Data.Times
			return e.Data.MLUPS, t.Exposed / (t.Compute + t.Exposed), nil
		}
	}
	return 0, 0, fmt.Errorf("%s: no summary in\n%s", strings.Join(command, " "), out)
}

func (b *benchmark) checkpoint() error {
	speed, err := checkpoint.Bench(b.dir, b.diskMiB<<20, b.rounds)
	switch {
	case err != nil:
	case b.json:
		return json.NewEncoder(os.Stdout).Encode(struct {
			Part    string `json:"part"`
			Version string `json:"version"`
			checkpoint.Speed
		}{b.part, version, speed})
	default:
		fmt.Printf("\n%s\n", speed)
	}
	return err
}
