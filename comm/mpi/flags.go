//go:build mpi

package mpi

// The build has another text for this file, with the flags of the MPI library
// (scripts/env.sh, go build -overlay). Without that they come by CGO_CFLAGS.
import "C"
