// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"

	"lbmsim/comm"
	"lbmsim/comm/mpi"
)

// ranks joins the job started by mpirun or srun; without a launcher the process is the only rank
// and MPI is not used.
func ranks() (comm.Comm, error) {
	c := comm.Serial()
	if _, launched := comm.Launched(os.LookupEnv); launched {
		c = mpi.New()
	}
	return c, c.Init()
}
