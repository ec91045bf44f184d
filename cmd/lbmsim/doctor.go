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
	"golang.org/x/sys/unix"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/doctor"
	"lbmsim/internal/plain"
	"lbmsim/internal/ram"
	"lbmsim/report"
	"lbmsim/sim"
)

// doctorFlags are the flags of `lbmsim doctor`.
type doctorFlags struct {
	device  string
	threads int
	dir     string
	diskMiB int64
	limit   time.Duration
	strict  bool
}

func doctorCommand() *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check ranks, messages, devices and disk before a run",
		Long: `doctor checks everything a run on these ranks depends on, and reports problems and
how to fix them. Start it exactly like the run:

  mpirun -np 4 lbmsim doctor
  srun lbmsim doctor --output /where/outputs/go

The exit code is 0 if ready to run, even with warnings (--strict: without any); 1 if
not, or if a rank does not answer; 2 if the command line is wrong.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{errors.New("lbmsim doctor accepts no case: it checks the machine")}
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return runDoctor(f, stdout) },
	}
	c.Flags().StringVar(&f.device, "device", "auto", "`DEVICE` of the run: cpu, cuda, auto, or the number of a GPU")
	c.Flags().IntVar(&f.threads, "threads", 0, "`THREADS` per rank (default: its share of the cores)")
	c.Flags().StringVar(&f.dir, "output", ".", "output `FOLDER` of the run; the test file written there is removed")
	c.Flags().Int64Var(&f.diskMiB, "disk-mib", 256, "`MIB` to write there, in total over all ranks")
	c.Flags().DurationVar(&f.limit, "limit", time.Minute, "`TIME` within which a rank must answer, such as 1m30s")
	c.Flags().BoolVar(&f.strict, "strict", false, "exit with 1 also on warnings")
	return c
}

// runDoctor starts the ranks, examines them and ends them, even those that are stuck.
func runDoctor(f doctorFlags, out io.Writer) error {
	want, err := choose(f.device, config.Device{})
	if err != nil {
		return usageError{err}
	}
	if f.threads < 0 || f.diskMiB < 1 || f.limit < time.Second {
		return usageError{errors.New("doctor: --threads must be at least 0, --disk-mib at least 1, --limit at least 1s")}
	}
	// MPI, too, may wait indefinitely: for a missing node.
	starting := time.AfterFunc(2*f.limit, func() {
		fmt.Fprintf(os.Stderr, "lbmsim: MPI did not start within %v: a node cannot be reached, or the launcher does not match the MPI library that lbmsim found (see lbmsim info)\n", 2*f.limit)
		os.Exit(sim.ExitFailure)
	})
	c, err := ranks()
	if err != nil {
		return err
	}
	starting.Stop()
	var dev device.Device
	worst, err := examine(c, f, want, gpus(), out, &dev)
	var absent *doctor.Absent
	if errors.As(err, &absent) { // the message is complete
		err = absent
	}
	if err != nil {
		// The other ranks may wait for this one.
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d: %s\n", c.Rank(), plain.Text(err))
		abort(c, sim.ExitFailure)
		return alreadyPrinted{sim.ExitFailure}
	}
	c.Finalize()
	if closeLast(c, dev) != nil {
		worst = doctor.Fault
	}
	if worst == doctor.Fault || f.strict && worst == doctor.Warning {
		return alreadyPrinted{sim.ExitFailure}
	}
	return nil
}

// examine runs the checks and prints their findings. Collective; rank 0 writes to out. It returns an error only for ranks
// that cannot continue together; everything else is a finding.
func examine(c comm.Comm, f doctorFlags, want choice, from gpuSource, out io.Writer, opened *device.Device) (worst doctor.Severity, err error) {
	if c.Rank() != 0 {
		out = io.Discard
	}
	library := c
	if c, err = doctor.Punctual(c, f.limit); err != nil {
		return 0, err
	}
	stuck := func(check string) {
		fmt.Fprintf(os.Stderr, "lbmsim: rank %d on %s: the check %q did not finish within %v; the device, the disk or the network does not respond there\n",
			c.Rank(), hostname(), check, 2*f.limit)
		abort(c, sim.ExitFailure)
		os.Exit(sim.ExitFailure) // where there is no MPI, Abort returns
	}
	counts := map[doctor.Severity]int{}
	show := func(check string, found doctor.Finding) {
		counts[found.Severity]++
		fmt.Fprintf(out, "%-8s %-9s %s\n", found.Severity, check, found.Text)
		if found.Severity > doctor.Fine && found.Advice != "" {
			fmt.Fprintf(out, "%19s-> %s\n", "", found.Advice)
		}
	}
	watch := time.AfterFunc(2*f.limit, func() { stuck("device") })
	p, err := admit(c, says(library), f, want, from)
	watch.Stop()
	if err != nil {
		return 0, err
	}
	*opened = p.dev
	fmt.Fprintf(out, "lbmsim doctor %s, %s, %s\n\n", version, plain.Count(c.Size(), "rank"), comm.Describe(c))
	report.Columns(out, p.table)
	fmt.Fprintln(out)
	for _, found := range p.found {
		show("device", found)
		worst = max(worst, found.Severity)
	}
	site := &doctor.Site{Comm: c, Ranks: p.ranks, Device: p.dev, Dir: f.dir, Disk: f.diskMiB << 20, Limit: f.limit}
	rest, err := doctor.Run(site, show, stuck)
	if err != nil {
		return 0, err
	}
	switch worst = max(worst, rest); {
	case worst == doctor.Fault:
		fmt.Fprintf(out, "\nnot ready to run: %s, %s\n", plain.Count(counts[doctor.Fault], "fault"), plain.Count(counts[doctor.Warning], "warning"))
	case worst == doctor.Warning:
		fmt.Fprintf(out, "\nready to run: %s\n", plain.Count(counts[doctor.Warning], "warning"))
	default:
		fmt.Fprintf(out, "\nready to run\n")
	}
	return worst, nil
}

// patient is the state with which the checks begin.
type patient struct {
	ranks []doctor.Rank
	table [][]string
	dev   device.Device // nil: no rank gets one, and found has the reason
	found []doctor.Finding
}

// admit opens every rank's device as a run does, and collects the identity and host of every rank. Collective.
func admit(c comm.Comm, aware string, f doctorFlags, want choice, from gpuSource) (*patient, error) {
	p := &patient{}
	threads, _, err := share(c, &config.Case{}, f.threads)
	if err != nil {
		return nil, err
	}
	mine := takeSeat(c, from)
	if want.kind == config.CPUDevice {
		mine.Visible = nil // they are not to be used
	}
	seats, err := comm.Together(c, mine)
	if err != nil {
		return nil, err
	}
	dev, note, err := openDevice(c, want, from, threads)
	var agreed *sim.Error
	switch {
	case errors.As(err, &agreed): // all ranks have this error
		p.found = append(p.found, doctor.Finding{Severity: doctor.Fault, Text: plain.Text(err),
			Advice: "`lbmsim info` on that node shows what lbmsim finds there"})
	case err != nil:
		return nil, err
	case note != "":
		p.found = append(p.found, doctor.Finding{Severity: doctor.Warning, Text: note, Advice: "if that is intended, use --device cpu"})
	}
	p.dev = dev
	self := about(c, seats[c.Rank()], dev, threads)
	self.GPUAware = aware
	entries, err := comm.Together(c, self)
	if err != nil {
		return nil, err
	}
	p.table = [][]string{{"rank", "host", "place", "by", "device", "", "cores", "threads", "free memory"}}
	for r, e := range entries {
		p.ranks = append(p.ranks, e.Rank)
		cells := []string{fmt.Sprint(r), e.Rank.Host, fmt.Sprint(seats[r].Local), seats[r].By, e.Model, e.Detail,
			doctor.Span(e.Rank.Cores), fmt.Sprint(e.Rank.Threads), report.Bytes(float64(e.Free))}
		if e.Free == 0 {
			cells[len(cells)-1] = "not known"
		}
		p.table = append(p.table, cells)
	}
	return p, nil
}

// entry is a rank's line of the table.
type entry struct {
	doctor.Rank
	Model, Detail string
	Free          int64 // bytes, of the GPU, otherwise of the host
}

func about(c comm.Comm, s seat, dev device.Device, threads int) entry {
	e := entry{Model: "none", Free: ram.Left(), Rank: doctor.Rank{
		Host: s.Host, Online: onlineCPUs(), Threads: threads, Version: version, MPI: comm.Describe(c),
	}}
	for _, g := range s.Visible {
		e.Visible = append(e.Visible, s.name(g))
	}
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) == nil {
		for i := 0; len(e.Cores) < mask.Count(); i++ {
			if mask.IsSet(i) {
				e.Cores = append(e.Cores, i)
			}
		}
	}
	if dev == nil {
		return e
	}
	e.Model, e.Detail = dev.Info().Model, dev.Info().Detail
	if _, onCPU := dev.(*cpu.Device); onCPU {
		return e
	}
	e.OnGPU, e.Free = true, 0
	if m, ok := dev.(interface{ FreeMemory() (int64, error) }); ok {
		if free, err := m.FreeMemory(); err == nil { // otherwise unknown
			e.Free = free
		}
	}
	return e
}

// says returns the MPI library's answer about GPU memory.
func says(c comm.Comm) string {
	if word := comm.TakesGPUMemory(c); word != "unknown" {
		return word
	}
	return "nothing"
}
