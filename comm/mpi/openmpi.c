// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* The ABI of Open MPI 2 to 5 and Spectrum MPI: a handle is the address of an object, and the
 * predefined ones are variables of the library. The numbers are from its mpi.h;
 * TestNumbers compares them with the installed one. */
typedef void *MPI_Comm, *MPI_Datatype, *MPI_Errhandler, *MPI_Info, *MPI_Message, *MPI_Op, *MPI_Request;
#define HANDLE pointer

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_NO_MEM = 39,
    MPI_THREAD_FUNNELED = 1,
    MPI_COMM_TYPE_SHARED = 0,
    MPI_UNDEFINED = -32766,
    MPI_TAG_UB = 0,
};
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)

#define OBJECTS(X) \
    X(ompi_mpi_comm_world) \
    X(ompi_mpi_comm_self) \
    X(ompi_mpi_byte) \
    X(ompi_mpi_long_long_int) \
    X(ompi_mpi_op_max) \
    X(ompi_mpi_info_null) \
    X(ompi_mpi_errors_return)
#define ADDRESS(name) static void *name##_;
OBJECTS(ADDRESS)
#define MPI_COMM_WORLD ompi_mpi_comm_world_
#define MPI_COMM_SELF ompi_mpi_comm_self_
#define MPI_BYTE ompi_mpi_byte_
#define MPI_LONG_LONG ompi_mpi_long_long_int_
#define MPI_MAX ompi_mpi_op_max_
#define MPI_INFO_NULL ompi_mpi_info_null_
#define MPI_ERRORS_RETURN ompi_mpi_errors_return_

#define CALLS openmpi_calls
#include "calls.h"
