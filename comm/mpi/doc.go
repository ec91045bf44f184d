// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package mpi implements comm.Comm and all of comm's abilities over an MPI library that is found at
// run time: no library is linked, and no MPI header is needed to build.
//
// MPI libraries come in three ABIs: the ABI of Open MPI, the ABI of MPICH and its relatives (Intel
// MPI, Cray MPICH, MVAPICH), and the standard one of MPI 5. calls.h has the required calls;
// openmpi.c, mpich.c and standard.c compile it with the types and numbers of each. library.go finds
// the library that fits the launcher; load.c loads it and forwards calls. MPI 3.0 or newer is
// required.
//
// Started by the launcher of another library, the ranks would be several independent runs.
// Find avoids that, and Init refuses it.
//
// Without a launcher (see comm.Launched) the right communicator is comm.Serial;
// Init also works then, if the library supports a single process.
package mpi
