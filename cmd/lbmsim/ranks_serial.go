//go:build !mpi

package main

import (
	"fmt"
	"os"

	btracey "github.com/btracey/mpi"

	"lbmsim/comm"
)

// ranks without MPI: this process is the only one, whoever started it.
func ranks() (comm.Comm, error) {
	if l, launched := comm.Launched(os.LookupEnv); launched && l.Ranks > 1 {
		return nil, fmt.Errorf("started as one of %d ranks by %s, but this lbmsim was built without MPI; build it with `make build MPI=openmpi` or MPI=mpich", l.Ranks, l.By)
	}
	c := comm.Serial()
	btracey.Register(c)
	return c, btracey.Init()
}
