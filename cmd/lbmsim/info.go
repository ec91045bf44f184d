// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/comm/mpi"
	"lbmsim/device/cpu"
	"lbmsim/internal/plain"
	"lbmsim/io/checkpoint"
	"lbmsim/report"
)

// infoCommand prints the build's components and the hardware and libraries found here.
func infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Show the version, the libraries and the devices of this machine",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := ranks()
			if err != nil {
				return err
			}
			defer c.Finalize()
			if c.Rank() != 0 {
				return nil
			}
			fmt.Fprintf(stdout, "lbmsim   %s, %s\n", version, runtime.Version())
			printMPI(c)
			fmt.Fprintf(stdout, "hdf5     %s\n", checkpoint.Library())
			fmt.Fprintf(stdout, "cpu      %s, %d cores usable\n", cpuModel(), runtime.NumCPU())
			d, err := cpu.New(0)
			if err != nil {
				return err
			}
			defer d.Close()
			i := d.Info()
			fmt.Fprintf(stdout, "device   %s: %s (%s)\n", i.Name, i.Model, i.Detail)
			printGPUs(gpus())
			return nil
		},
	}
}

// printMPI prints which MPI library this job uses, or another job would use.
func printMPI(c comm.Comm) {
	if l, ok := c.(comm.Located); ok {
		fmt.Fprintf(stdout, "mpi      %s, %s\n         %s; GPU memory: %s\n", comm.Describe(c), plain.Count(c.Size(), "rank"), l.Located(), comm.TakesGPUMemory(c))
		return
	}
	fmt.Fprintln(stdout, "mpi      no launcher: single rank")
	if library, err := mpi.Find(comm.Launch{}, os.LookupEnv); err != nil {
		fmt.Fprintf(stdout, "         %s\n", plain.Text(err))
	} else {
		fmt.Fprintf(stdout, "         found for mpirun or srun: %s, %s, %s\n", library.Version, library.Path, library.How)
	}
}

// printGPUs lists the GPUs that this process may use, or prints why it may use none.
func printGPUs(from gpuSource) {
	fmt.Fprintf(stdout, "cuda     %s\n", from.versions())
	list, err := from.list()
	if err != nil {
		fmt.Fprintf(stdout, "gpus     none: %s\n", plain.Text(err))
		return
	}
	for _, g := range list {
		fmt.Fprintf(stdout, "device   cuda:%d: %s, %s, compute capability %s (%s, %s)\n",
			g.Number, g.Name, report.Bytes(float64(g.Memory)), g.Capability, g.PCI, g.UUID)
	}
}

// cpuModel returns the processor's name.
func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for _, line := range strings.Split(string(b), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
