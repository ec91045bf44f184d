// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/finding"
	"lbmsim/internal/forecast"
	"lbmsim/internal/slurm"
	"lbmsim/io/status"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/domain"
	"lbmsim/sim/output"
)

// runFlags are the flags of `lbmsim run`, and of lbmsim with a case alone.
type runFlags struct {
	restart string
	output  string
	// overwrite starts over if there are results.
	overwrite bool
	log       string
	verbose   bool
	device    string
	threads   int
	isa       string
	set       []string
	as        string // name of the case; "": its path
	note      string // reason for the device, if opened before the run

	transport string
	requeue   bool
	live      liveFlags
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run CASE.toml",
		Short: "Run a case (the default command)",
		Args:  oneCaseOrAddress,
		RunE: func(c *cobra.Command, args []string) error {
			for name, text := range map[string]string{"restart": f.restart, "output": f.output} {
				if c.Flags().Changed(name) && text == "" {
					return usageError{fmt.Errorf("--%s is empty: is a variable of the script unset?", name)}
				}
			}
			if f.overwrite && f.restart != "" {
				return usageError{fmt.Errorf("--overwrite starts over, --restart resumes: use one of them")}
			}
			return runCase(args[0], f)
		},
	}
	c.Flags().StringVar(&f.restart, "restart", "", "resume from a `CHECKPOINT`: its path, latest, or auto: the latest if there is one, otherwise from the beginning")
	c.Flags().BoolVar(&f.requeue, "requeue-self", false, "in a SLURM job: --restart auto, and requeue when the job reaches its time limit before the last step")
	setFlag(c, &f.set)
	asFlag(c, &f.as)
	c.Flags().StringVar(&f.output, "output", "", "`FOLDER` for all outputs (default: as in the case)")
	c.Flags().BoolVar(&f.overwrite, "overwrite", false, "start over in a folder with results of another run, which are deleted")
	c.Flags().StringVar(&f.log, "log", "text", "`FORMAT` of the report: text or json, one event per line")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "print full details at startup: every number of the case, every rank, and the reasons for the halo exchange methods")
	deviceFlags(c, &f)
	f.live.add(c)
	return c
}

// deviceFlags adds the flags that determine where to compute.
func deviceFlags(c *cobra.Command, f *runFlags) {
	c.Flags().StringVar(&f.device, "device", "", "`DEVICE` to compute on: cpu, cuda, auto, or the number of a GPU (default: as in the case)")
	c.Flags().StringVar(&f.transport, "transport", "", "halo exchange `METHOD`: host, gpu, peer or auto (default: as in the case)")
	c.Flags().IntVar(&f.threads, "threads", 0, "`THREADS` per rank (default: its share of the cores)")
	c.Flags().StringVar(&f.isa, "isa", "", "instruction `SET` of the CPU device, such as avx2 (default: the best available)")
}

// runCase runs the case on the ranks that were started.
func runCase(path string, f runFlags) error {
	if f.threads < 0 {
		return usageError{fmt.Errorf("--threads %d: must be at least 1, or 0 for a share of the cores", f.threads)}
	}
	reports, err := newReporters(f.log, f.verbose)
	if err != nil {
		return err
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error {
		err := runRank(c, path, f, reports, dev)
		if err == nil && f.requeue {
			comm.HeartbeatOf(c).Guard(0) // SLURM may answer slowly
			err = requeue(c, reports.status.Summary(), reports)
		}
		return err
	}, reports.Fail, reports.status.Lost)
}

// runRank runs one rank from the case's bytes to the end of the run. The caller owns the opened device and closes it
// last.
func runRank(c comm.Comm, path string, f runFlags, reports *reporters, opened *device.Device) error {
	signals := catch(c, f.requeue)
	if c.Rank() == 0 && f.log == "text" { // JSON readers know their events
		reports.start.done = working("starting: reading files, generating cells, loading or compiling kernels")
		defer reports.start.end()
	}
	var shelf domain.Shelf
	caseFile, err := loadEverywhere(c, path, f.as, f.set, &shelf)
	if err != nil {
		return err
	}
	if f.output != "" {
		caseFile.OutputDir = f.output
	}
	if f.requeue {
		if err := mayRequeue(c, caseFile, f.restart); err != nil {
			return err
		}
		f.restart = sim.Auto
	}
	reports.status.Folder(caseFile.OutputDir)
	if err := mayFilm(c, caseFile.Films); err != nil {
		return err
	}
	page, err := f.live.serve(c, caseFile.Live, reports)
	if err != nil {
		return err
	}
	f.live.page = page
	err = runLoaded(c, caseFile, &shelf, f, signals, reports, opened)
	page.close(err)
	makeFilms(c, caseFile, err, reports)
	return err
}

// runLoaded runs one rank from the loaded case, with the files of bodies that are on a shelf, to the end of the run; on the device of an
// earlier run if there is one.
func runLoaded(c comm.Comm, caseFile *config.Case, shelf *domain.Shelf, f runFlags, signals *signals, reports report.Reporter, opened *device.Device) error {
	on, err := openFor(c, caseFile, f, gpus(), opened)
	if err != nil {
		return err
	}
	dev := *opened
	_, isCPU := dev.(*cpu.Device)
	if err := enoughMemory(c, caseFile, isCPU); err != nil {
		return err
	}
	var libraries []string
	if !isCPU {
		libraries = []string{gpus().versions()}
		on.advice = "" // idle cores do not matter beside a GPU
		if f.isa != "" {
			caseFile.Warnings = append(caseFile.Warnings, finding.FlagUnused.Says("--isa %s is for the CPU (--device cpu) and is ignored on a GPU", f.isa))
		}
	}
	if on.note != "" {
		caseFile.Warnings = append(caseFile.Warnings, finding.DeviceChoice.Says("%s", on.note))
	}
	caseFile.Warnings = append(caseFile.Warnings, tooMuch(caseFile)...)
	if on.advice != "" {
		caseFile.Warnings = append(caseFile.Warnings, finding.IdleCores.Says("%s", on.advice))
	}
	o := sim.Options{
		Case: caseFile, Shelf: shelf, Comm: c, Device: dev, Threads: on.threads, Report: reports,
		Restart: f.restart, Overwrite: f.overwrite, Version: version, Libraries: libraries, Signals: signals.caught, Stepping: signals.Stepping,
	}
	f.live.page.connect(&o)
	if !f.overwrite && c.Rank() == 0 { // which checks for all ranks
		o.Keep = results(caseFile.OutputDir)
	}
	if job, inside := slurm.Here(); inside && c.Rank() == 0 && caseFile.Run.EndMargin >= 0 {
		clock := job.Follow()
		defer clock.Close()
		o.JobEnd = clock.End
	}
	return sim.Run(o)
}

// opening holds the notes about a rank's device.
type opening struct {
	threads      int
	advice, note string // for warnings: idle cores; why this device
}

// openFor opens the device that a case and the flags ask for, unless one is open. Collective.
func openFor(c comm.Comm, caseFile *config.Case, f runFlags, from gpuSource, opened *device.Device) (on opening, err error) {
	if on.threads, on.advice, err = share(c, caseFile, f.threads); err != nil {
		return on, err
	}
	var options []cpu.Option
	if f.isa != "" {
		options = append(options, cpu.WithISA(f.isa))
	}
	if f.transport != "" {
		if caseFile.Device.Transport, err = config.ParseTransport(f.transport); err != nil {
			return on, &sim.Error{Code: sim.ExitUsage, Err: fmt.Errorf("--transport: %w", err)}
		}
	}
	want, err := choose(f.device, caseFile.Device)
	if err != nil {
		return on, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	on.note = f.note
	if *opened == nil {
		var dev device.Device
		if dev, on.note, err = openDevice(c, want, from, on.threads, options...); err != nil {
			return on, err
		}
		*opened = dev
	}
	return on, nil
}

// results returns what status.json records of an earlier run in an output folder.
func results(dir string) *output.Results {
	s, err := status.Read(dir)
	if err != nil {
		return &output.Results{Of: "a run"}
	}
	old := output.Results{Of: fmt.Sprintf("a run of %s, started %s, which reached step %d of %d", s.Case, s.Started.Format(time.DateTime), s.Step, s.Last)}
	for _, path := range s.Files {
		if _, err := os.Stat(path); err == nil && (old.File == "" || path < old.File) {
			old.File = path
		}
	}
	return &old
}

// setFlag adds --set.
func setFlag(c *cobra.Command, set *[]string) {
	c.Flags().StringArrayVar(set, "set", nil, "change a key of the case: `KEY=VALUE`, such as collision.model=trt; repeatable. Setting one of two mutually exclusive keys (e.g. run.steps / run.time) removes the other")
}

// asFlag adds --as.
func asFlag(c *cobra.Command, as *string) {
	c.Flags().StringVar(as, "as", "", "name the case `CASE` in messages and results, and resolve relative paths from its folder; for programs that pass a modified copy")
}

// called returns the name of the case of a file.
func called(path, as string) string {
	if as != "" {
		return as
	}
	return path
}

// readEverywhere reads the case on rank 0 and sends the same bytes to every rank.
func readEverywhere(c comm.Comm, path string) ([]byte, error) {
	var text []byte
	var err error
	if c.Rank() == 0 {
		text, err = readCase(path)
	}
	if err := comm.Agree(c, err); err != nil {
		return nil, sim.Agreed(sim.ExitUsage, err)
	}
	return comm.Broadcast(c, text)
}

// loadEverywhere parses the same bytes on every rank. Files of bodies that it reads are kept on the shelf.
func loadEverywhere(c comm.Comm, path, as string, set []string, shelf *domain.Shelf) (*config.Case, error) {
	text, err := readEverywhere(c, path)
	if err != nil {
		return nil, err
	}
	caseFile, err := loadCase(called(path, as), text, shelf.Extents(c), set...)
	if err != nil { // the same bytes give the same error everywhere
		return nil, &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	return caseFile, nil
}

// extents returns the box around the body in a file, in cells.
type extents = func(config.SolidFile) (lo, hi [3]float64, err error)

// loadCase returns the case of a text. Its warnings include outputs that cannot be intended.
func loadCase(path string, text []byte, of extents, set ...string) (*config.Case, error) {
	caseFile, err := config.LoadRefined(path, text, config.Refinement{Extents: of}, set...)
	if err != nil {
		return nil, err
	}
	caseFile.Warnings = append(caseFile.Warnings, forecast.Warnings(caseFile)...)
	return caseFile, nil
}

const caseLimit = 1 << 20 // bytes

// readCase refuses input that cannot be a case before it fills memory.
func readCase(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no case file %s", path)
	case err != nil:
		return nil, fmt.Errorf("reading the case: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a case file", path)
	case info.Size() > caseLimit:
		return nil, fmt.Errorf("%s has %d MiB; a case file is a few KiB of TOML", path, info.Size()>>20)
	}
	f, err := openCase(path, info.Mode())
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	defer f.Close()
	// Pipes and devices have no size that Stat knows.
	text, err := io.ReadAll(io.LimitReader(f, caseLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the case: %w", err)
	case len(text) > caseLimit:
		return nil, fmt.Errorf("%s has more than %d MiB; a case file is a few KiB of TOML", path, caseLimit>>20)
	}
	return text, nil
}

// pipePatience is the time that the writer of a pipe may take to open it.
var pipePatience = 30 * time.Second

// openCase opens a case file, which may be a pipe, such as a shell's <(command). Opening a named pipe blocks until a writer
// opens it.
func openCase(path string, mode os.FileMode) (*os.File, error) {
	if mode&os.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	opened := make(chan *os.File, 1)
	failed := make(chan error, 1)
	go func() {
		if f, err := os.Open(path); err != nil {
			failed <- err
		} else {
			opened <- f
		}
	}()
	select {
	case f := <-opened:
		return f, nil
	case err := <-failed:
		return nil, err
	case <-time.After(pipePatience):
		return nil, fmt.Errorf("%s is a pipe that no program opened for writing within %v", path, pipePatience)
	}
}
