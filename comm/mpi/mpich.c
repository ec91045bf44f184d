// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* The ABI of MPICH 3 to 5, Intel MPI, Cray MPICH and MVAPICH (the MPICH ABI compatibility
 * initiative): a handle is an int. The numbers are from its mpi.h; TestNumbers compares them with the installed one. */
typedef int MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_Info, MPI_Message, MPI_Op, MPI_Request;
#define HANDLE number

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_TRUNCATE = 14,
    MPI_ERR_NO_MEM = 34,
    MPI_THREAD_FUNNELED = 1,
    MPI_COMM_TYPE_SHARED = 1,
    MPI_UNDEFINED = -32766,
    MPI_TAG_UB = 0x64400001,
    MPI_COMM_WORLD = 0x44000000,
    MPI_COMM_SELF = 0x44000001,
    MPI_BYTE = 0x4c00010d,
    MPI_LONG_LONG = 0x4c000809,
    MPI_MAX = 0x58000001,
    MPI_INFO_NULL = 0x1c000000,
    MPI_ERRORS_RETURN = 0x54000001,
};
#define MPI_IN_PLACE ((void *)-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)1)

#define OBJECTS(X)
#define CALLS mpich_calls
#include "calls.h"
