package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	btracey "github.com/btracey/mpi"
	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/device/cpu"
	"lbmsim/io/checkpoint"
)

// infoCommand tells what this binary is made of and what it finds here.
func infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Show the version, the libraries and the devices of this machine",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := ranks()
			if err != nil {
				return fmt.Errorf("starting MPI: %w", err)
			}
			defer btracey.Finalize()
			if c.Rank() != 0 {
				return nil
			}
			fmt.Printf("lbmsim   %s, %s\n", version, runtime.Version())
			if d, ok := c.(comm.Describer); ok {
				fmt.Printf("mpi      %s, %d ranks\n", d.Describe(), c.Size())
			}
			fmt.Printf("hdf5     %s\n", checkpoint.Library())
			fmt.Printf("cpu      %s, %d cores usable\n", cpuModel(), runtime.NumCPU())
			d, err := cpu.New(0)
			if err != nil {
				return err
			}
			defer d.Close()
			i := d.Info()
			fmt.Printf("device   %s: %s (%s)\n", i.Name, i.Model, i.Detail)
			printGPUs(gpus())
			return nil
		},
	}
}

// printGPUs lists the GPUs that this process may use, or says why there is none.
func printGPUs(from gpuSource) {
	fmt.Printf("cuda     %s\n", from.versions())
	list, err := from.list()
	if err != nil {
		fmt.Printf("gpus     none: %v\n", err)
		return
	}
	for _, g := range list {
		fmt.Printf("device   cuda:%d: %s, %s, compute capability %s (%s, %s)\n",
			g.Number, g.Name, bytesText(float64(g.Memory)), g.Capability, g.PCI, g.UUID)
	}
}

// cpuModel is the processor's name.
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
