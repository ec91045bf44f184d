// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"lbmsim/boundary"
	"lbmsim/cases/robustness"
	"lbmsim/config"
	"lbmsim/model"
)

// listCommand prints the catalogue: the words of cases, and their papers.
func listCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List lattices, collision models, boundaries, fields and quantities of [expect]",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintln(stdout, "lattices")
			for _, l := range model.Lattices {
				fmt.Fprintf(stdout, "  %-14s %d velocities in %dD\n                 %s\n", l.Name, l.Q(), l.Dims, l.Paper)
			}
			fmt.Fprintln(stdout, "collision models")
			for _, m := range model.Collisions {
				fmt.Fprintf(stdout, "  %-14s %s (stores %s)\n                 %s\n", m.Name, m.Doc, m.Scheme, m.Paper)
				for _, p := range m.Params {
					fmt.Fprintf(stdout, "                 %s = %g: %s\n", p.Name, p.Default, p.Doc)
				}
				if text := robustness.Measured().Quiet(m.Name); text != "" {
					fmt.Fprintf(stdout, "                 %s (docs/models.md)\n", text)
				}
			}
			fmt.Fprintln(stdout, "viscosity laws")
			for _, l := range model.ViscosityLaws {
				fmt.Fprintf(stdout, "  %-14s %s\n                 %s\n", l.Name, l.Doc, l.Paper)
			}
			fmt.Fprintln(stdout, "boundaries (besides periodic axes)")
			for _, b := range boundary.Kinds {
				fmt.Fprintf(stdout, "  %-14s %s\n                 %s\n", b.Name, b.Doc, b.Paper)
			}
			fmt.Fprintln(stdout, "of boundaries")
			for _, w := range [][2]string{
				{"parts of faces", "from and to, or centre and radius: a box or a disc; the rest of the face belongs to another boundary"},
				{"ramp, table", "velocities and pressures that ramp up smoothly or follow a file; profile: inlet profile from a file"},
				{"moving bodies", "velocity, angular_velocity: moving surfaces of bodies that stay in place\n                 Ladd, J. Fluid Mech. 271 (1994) 285; Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452"},
				{"sponge", "a layer of increased viscosity before an outflow or pressure face\n                 Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; Xu & Sagaut, J. Comput. Phys. 245 (2013) 14"},
			} {
				fmt.Fprintf(stdout, "  %-14s %s\n", w[0], w[1])
			}
			fmt.Fprintln(stdout, "output fields")
			for _, f := range model.Fields {
				fmt.Fprintf(stdout, "  %-14s %s\n", f.Name, f.Doc)
			}
			fmt.Fprintln(stdout, "quantities of [expect]")
			for _, q := range config.Quantities() {
				fmt.Fprintf(stdout, "  %-19s %s\n                      %s\n", q.Name, q.Key, q.Doc)
			}
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "reference",
		Short: "Print the reference of the case file (docs/reference.md)",
		Args:  cobra.NoArgs,
		Run:   func(*cobra.Command, []string) { fmt.Fprint(stdout, config.Reference()) },
	})
	return c
}
