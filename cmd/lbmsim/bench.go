package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/device/bench"
	"lbmsim/device/cpu"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
)

// benchFlags are the flags of `lbmsim bench`.
type benchFlags struct {
	size, threads, rounds, passes int
	only                          []string
	dir                           string
	diskMiB                       int64
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure this machine's rooflines, and the kernels, ranks and checkpoints beside them",
		Long: `bench verifies, then times. Rooflines and models take turns within one run,
because memory that is shared with others changes its speed: compare ratios.

  speed       the models beside the in-place roofline of populations
  ranks       2 ranks x 1 thread beside 1 rank x 2 threads, through mpirun
  checkpoint  checkpoints beside dd conv=fsync`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runBench(f) },
	}
	c.Flags().IntVar(&f.size, "size", 256, "edge of the box in cells")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads (default: all cores)")
	c.Flags().IntVar(&f.rounds, "rounds", 9, "turns that each contender takes")
	c.Flags().IntVar(&f.passes, "passes", 4, "steps a turn")
	c.Flags().StringSliceVar(&f.only, "only", []string{"speed", "ranks", "checkpoint"}, "what to measure")
	c.Flags().StringVar(&f.dir, "dir", ".", "folder on the disk to measure")
	c.Flags().Int64Var(&f.diskMiB, "disk-mib", 1024, "size of a checkpoint in MiB")
	return c
}

func runBench(f benchFlags) error {
	if l, launched := comm.Launched(os.LookupEnv); launched && l.Ranks > 1 {
		return usageError{fmt.Errorf("lbmsim bench starts its ranks itself; run it without a launcher")}
	}
	parts := map[string]func(benchFlags) error{"speed": benchSpeed, "ranks": benchRanks, "checkpoint": benchCheckpoint}
	for _, name := range f.only {
		part, ok := parts[name]
		if !ok {
			return usageError{fmt.Errorf("--only %s: give speed, ranks or checkpoint", name)}
		}
		if err := part(f); err != nil {
			return fmt.Errorf("bench %s: %w", name, err)
		}
	}
	return nil
}

// benchSpeed holds the models against the rooflines, then float64 against float32.
func benchSpeed(f benchFlags) error {
	dev, err := cpu.New(f.threads)
	if err != nil {
		return err
	}
	defer dev.Close()
	fmt.Printf("D3Q19, %d^3 cells, closed box with a moving lid, %s (%s), median of %d turns of %d steps\n",
		f.size, dev.Info().Model, dev.Info().Detail, f.rounds, f.passes)
	models := []string{"regularized", "bgk", "trt"}
	show := func(specs []model.Spec, rooflines bool) error {
		speeds, err := bench.Measure(dev, specs, rooflines, f.size, f.rounds, f.passes)
		if err != nil {
			return err
		}
		fmt.Printf("\n%-34s %8s %19s %8s %7s %12s %8s\n", "", "MLUPS", "(low - high)", "GB/s", "ratio", "bytes/cell", "oracle")
		for _, s := range speeds {
			fmt.Printf("%-34s %8.1f  (%7.1f - %7.1f) %8.1f %7.3f", s.Name, s.MLUPS, s.Low, s.High, s.GBps, s.Ratio)
			if s.Bytes > 0 {
				fmt.Printf(" %12.1f %8.1g", s.Bytes, s.Oracle)
			}
			fmt.Println()
		}
		return nil
	}
	if err := show(bench.Specs(model.Float32, models...), true); err != nil {
		return err
	}
	for _, m := range models {
		if err := show(append(bench.Specs(model.Float32, m), bench.Specs(model.Float64, m)...), false); err != nil {
			return err
		}
	}
	return nil
}

// benchRanks runs the same case on one rank with two threads and on two ranks with
// one thread each, in turns, as a user would.
func benchRanks(f benchFlags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	mpirun := os.Getenv("LBMSIM_MPIRUN")
	if mpirun == "" {
		mpirun = "mpirun"
	}
	if mpirun, err = exec.LookPath(mpirun); err != nil {
		fmt.Println("\nranks: not measured, there is no mpirun in PATH (LBMSIM_MPIRUN names another)")
		return nil
	}
	work, err := os.MkdirTemp("", "lbmsim-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	kase := filepath.Join(work, "box.toml")
	text := fmt.Sprintf(`[domain]
cells = [%[1]d, %[1]d, %[1]d]
[fluid]
viscosity = 0.03
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
`, f.size, 10*f.passes)
	if err := os.WriteFile(kase, []byte(text), 0o666); err != nil {
		return err
	}
	one := []string{self, "run", kase, "--threads", "2", "--log", "json", "--output", filepath.Join(work, "one")}
	two := []string{mpirun, "-np", "2", self, "run", kase, "--threads", "1", "--log", "json", "--output", filepath.Join(work, "two")}
	var ones, twos, ratios, hidden []float64
	for range f.rounds {
		a, _, err := speedOf(one)
		if err != nil {
			return err
		}
		b, share, err := speedOf(two)
		if err != nil {
			return err
		}
		ones, twos, ratios, hidden = append(ones, a), append(twos, b), append(ratios, b/a), append(hidden, share)
	}
	fmt.Printf("\nranks, D3Q19 regularized float32, %d^3 cells\n", f.size)
	fmt.Printf("  1 rank x 2 threads   %8.1f MLUPS\n", bench.Median(ones))
	fmt.Printf("  2 ranks x 1 thread   %8.1f MLUPS, ratio %.3f (median of %d), waiting for messages %.1f %% of the time\n",
		bench.Median(twos), bench.Median(ratios), f.rounds, 100*bench.Median(hidden))
	return nil
}

// speedOf runs the program and reads the speed and the share of exposed messages
// from its log.
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

func benchCheckpoint(f benchFlags) error {
	speed, err := checkpoint.Bench(f.dir, f.diskMiB<<20, f.rounds)
	if err == nil {
		fmt.Printf("\n%s\n", speed)
	}
	return err
}
