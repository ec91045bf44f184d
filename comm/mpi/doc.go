// Package mpi implements comm.Comm and all of comm's abilities over the machine's
// MPI library. It is empty unless built with the tag mpi.
//
// The source names no library: Open MPI, MPICH and their relatives differ in
// where mpi.h lies and what to link, so the build passes what the compiler
// wrapper of the wanted library says (any of mpicc, mpicc.openmpi, mpicc.mpich):
//
//	show=$(mpicc -show); flags=${show#* }
//	CGO_CFLAGS="-g -O2 $flags" CGO_LDFLAGS="$flags" go build -tags mpi ./...
//
// The library must have MPI 3.0 or newer. A binary is bound to one library and its
// mpirun: started by another one it would be several independent runs, which Init
// refuses.
//
// Without a launcher (see comm.Launched) the right communicator is comm.Serial;
// Init works there too, as far as the library supports a single process.
package mpi
