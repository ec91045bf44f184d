// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* The standard ABI of MPI 5.0, chapter 20: a handle is a pointer, the predefined ones are
 * small numbers. TestNumbers compares the numbers with a library's mpi_abi.h. */
typedef void *MPI_Comm, *MPI_Datatype, *MPI_Errhandler, *MPI_Info, *MPI_Message, *MPI_Op, *MPI_Request;
#define HANDLE pointer

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_NO_MEM = 39,
    MPI_THREAD_FUNNELED = 1024,
    MPI_COMM_TYPE_SHARED = 221,
    MPI_UNDEFINED = -32766,
    MPI_TAG_UB = 501,
};
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)

#define OBJECTS(X)
#define CALLS standard_calls
#include "calls.h"
