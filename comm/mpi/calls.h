// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* The functions of shim.h over one ABI of MPI. Not a header by itself: openmpi.c, mpich.c
 * and standard.c include it after the types and constants of their ABI, and CALLS, the
 * name of the table that they define.
 *
 * Nothing here is linked: every function of MPI is a pointer that bind fills from the
 * library that was loaded. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same size for all ABIs, larger than any needs: no function here reads its fields. */
typedef struct {
    long long opaque[8];
} MPI_Status;

enum { LONGEST_ERROR = 1025 }; /* no ABI has longer texts of errors */

#define COMM(w) ((w)->comm.HANDLE)

/* The functions of MPI 3.0 that package mpi uses, with the arguments of the standard. */
#define FUNCTIONS(X) \
    X(Abort, (MPI_Comm, int)) \
    X(Allgather, (const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)) \
    X(Allreduce, (const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)) \
    X(Barrier, (MPI_Comm)) \
    X(Bcast, (void *, int, MPI_Datatype, int, MPI_Comm)) \
    X(Comm_dup, (MPI_Comm, MPI_Comm *)) \
    X(Comm_free, (MPI_Comm *)) \
    X(Comm_get_attr, (MPI_Comm, int, void *, int *)) \
    X(Comm_rank, (MPI_Comm, int *)) \
    X(Comm_set_errhandler, (MPI_Comm, MPI_Errhandler)) \
    X(Comm_size, (MPI_Comm, int *)) \
    X(Comm_split, (MPI_Comm, int, int, MPI_Comm *)) \
    X(Comm_split_type, (MPI_Comm, int, int, MPI_Info, MPI_Comm *)) \
    X(Error_class, (int, int *)) \
    X(Error_string, (int, char *, int *)) \
    X(Finalize, (void)) \
    X(Finalized, (int *)) \
    X(Gatherv, (const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm)) \
    X(Get_count, (const MPI_Status *, MPI_Datatype, int *)) \
    X(Init_thread, (int *, char ***, int, int *)) \
    X(Initialized, (int *)) \
    X(Irecv, (void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)) \
    X(Isend, (const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)) \
    X(Mprobe, (int, int, MPI_Comm, MPI_Message *, MPI_Status *)) \
    X(Mrecv, (void *, int, MPI_Datatype, MPI_Message *, MPI_Status *)) \
    X(Send, (const void *, int, MPI_Datatype, int, int, MPI_Comm)) \
    X(Test, (MPI_Request *, int *, MPI_Status *)) \
    X(Wait, (MPI_Request *, MPI_Status *))

/* MPI is one per process, and so is this table. */
static struct {
#define POINTER(name, arguments) int(*name) arguments;
    FUNCTIONS(POINTER)
#undef POINTER
    /* Not of the standard: libraries have one, the other or none. */
    int (*query_cuda_support)(void);
    int (*gpu_query_support)(int kind, int *yes);
} mpi;

static const char *bind_calls(symbol_t symbol) {
    const char *missing = NULL;
#define BIND(name, arguments) \
    if ((mpi.name = (int(*) arguments)symbol("MPI_" #name)) == NULL) missing = "MPI_" #name;
    FUNCTIONS(BIND)
#undef BIND
    mpi.query_cuda_support = (int (*)(void))symbol("MPIX_Query_cuda_support");
    mpi.gpu_query_support = (int (*)(int, int *))symbol("MPIX_GPU_query_support");
#define OBJECT(name) \
    if ((name##_ = symbol(#name)) == NULL) missing = #name;
    OBJECTS(OBJECT)
#undef OBJECT
    return missing;
}

#define CHECK_THREAD(w) \
    do { \
        if (!pthread_equal(pthread_self(), (w)->thread)) return WRONG_THREAD; \
    } while (0)
#define TRY(call) \
    do { \
        int error_ = (call); \
        if (error_ != MPI_SUCCESS) return error_; \
    } while (0)

/* The ranks' numbers in w->comm, whose errors become return values. */
static int number(world_t *w) {
    TRY(mpi.Comm_set_errhandler(COMM(w), MPI_ERRORS_RETURN));
    TRY(mpi.Comm_rank(COMM(w), &w->rank));
    TRY(mpi.Comm_size(COMM(w), &w->size));

    /* The library knows the nodes best: variables of launchers can be wrong. */
    MPI_Comm node;
    TRY(mpi.Comm_split_type(COMM(w), MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &node));
    TRY(mpi.Comm_rank(node, &w->local_rank));
    TRY(mpi.Comm_size(node, &w->local_size));
    return mpi.Comm_free(&node);
}

static int start(world_t *w) {
    int started, level;
    TRY(mpi.Initialized(&started));
    if (started) return ALREADY_STARTED;
    TRY(mpi.Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level));
    w->thread = pthread_self();
    TRY(mpi.Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(mpi.Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (level < MPI_THREAD_FUNNELED) return NO_THREADS;
    TRY(mpi.Comm_dup(MPI_COMM_WORLD, &COMM(w)));
    TRY(number(w));

    int *bound, found;
    TRY(mpi.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
    w->max_tag = found ? *bound : 32767;
    return MPI_SUCCESS;
}

static int my_world_start(world_t *w) {
    signals_t go;
    signals_save(&go);
    int error = start(w);
    signals_restore(&go, 0);
    return error;
}

static int my_world_stop(world_t *w) {
    CHECK_THREAD(w);
    TRY(mpi.Comm_free(&COMM(w)));
    return mpi.Finalize();
}

static int my_world_part(world_t *w, int n, world_t *part, int *mine) {
    CHECK_THREAD(w);
    *part = *w;
    *mine = w->rank < n;
    TRY(mpi.Comm_split(COMM(w), *mine ? 0 : MPI_UNDEFINED, w->rank, &COMM(part)));
    return *mine ? number(part) : MPI_SUCCESS;
}

static int my_world_drop(world_t *part) {
    CHECK_THREAD(part);
    return mpi.Comm_free(&COMM(part));
}

static void abort_all(int code) {
    int started = 0, stopped = 0;
    mpi.Initialized(&started);
    mpi.Finalized(&stopped);
    if (started && !stopped) mpi.Abort(MPI_COMM_WORLD, code);
}

static int my_message_send(world_t *w, const void *data, int n, int to, int tag) {
    CHECK_THREAD(w);
    return mpi.Send(data, n, MPI_BYTE, to, tag, COMM(w));
}

static int my_message_isend(world_t *w, const void *data, int n, int to, int tag, message_t *m) {
    CHECK_THREAD(w);
    m->done = 0;
    return mpi.Isend(data, n, MPI_BYTE, to, tag, COMM(w), &m->request.HANDLE);
}

static int my_message_irecv(world_t *w, void *data, int n, int from, int tag, message_t *m) {
    CHECK_THREAD(w);
    m->done = 0;
    return mpi.Irecv(data, n, MPI_BYTE, from, tag, COMM(w), &m->request.HANDLE);
}

static int finish(message_t *m, MPI_Status *status) {
    m->done = 1;
    TRY(mpi.Get_count(status, MPI_BYTE, &m->received));
    return MPI_SUCCESS;
}

static int my_message_test(world_t *w, message_t *m) {
    CHECK_THREAD(w);
    MPI_Status status;
    TRY(mpi.Test(&m->request.HANDLE, &m->done, &status));
    return m->done ? finish(m, &status) : MPI_SUCCESS;
}

static int my_message_wait(world_t *w, message_t *m) {
    CHECK_THREAD(w);
    MPI_Status status;
    TRY(mpi.Wait(&m->request.HANDLE, &status));
    return finish(m, &status);
}

static int my_message_receive(world_t *w, void *data, int n, int from, int tag, int *length) {
    CHECK_THREAD(w);
    MPI_Message message;
    MPI_Status status;
    TRY(mpi.Mprobe(from, tag, COMM(w), &message, &status));
    TRY(mpi.Get_count(&status, MPI_BYTE, length));
    if (*length <= n) return mpi.Mrecv(data, *length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    void *drop = malloc((size_t)*length);
    if (drop == NULL) return MPI_ERR_NO_MEM;
    int error = mpi.Mrecv(drop, *length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    free(drop);
    return error;
}

static int my_world_barrier(world_t *w) {
    CHECK_THREAD(w);
    return mpi.Barrier(COMM(w));
}

static int my_world_bcast(world_t *w, void *data, int n, int root) {
    CHECK_THREAD(w);
    return mpi.Bcast(data, n, MPI_BYTE, root, COMM(w));
}

static int my_world_lengths(world_t *w, long long mine, long long *all) {
    CHECK_THREAD(w);
    return mpi.Allgather(&mine, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, COMM(w));
}

static int my_world_gather(world_t *w, const void *data, int n, void *all, const int *lengths, const int *offsets, int root) {
    CHECK_THREAD(w);
    return mpi.Gatherv(data, n, MPI_BYTE, all, lengths, offsets, MPI_BYTE, root, COMM(w));
}

static int my_world_max(world_t *w, long long *x, int n) {
    CHECK_THREAD(w);
    return mpi.Allreduce(MPI_IN_PLACE, x, n, MPI_LONG_LONG, MPI_MAX, COMM(w));
}

static void my_error_text(int code, char *text, int n) {
    char buffer[LONGEST_ERROR] = "";
    int length = 0;
    if (mpi.Error_string(code, buffer, &length) != MPI_SUCCESS) snprintf(buffer, sizeof buffer, "MPI error %d", code);
    snprintf(text, (size_t)n, "%s", buffer);
}

static int my_error_is_truncate(int code) {
    int class = MPI_SUCCESS;
    return mpi.Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE;
}

static int my_library_takes_cuda(void) {
    int yes = 0;
    if (mpi.gpu_query_support != NULL) /* MPICH 4 and its relatives; 0 is CUDA */
        return mpi.gpu_query_support(0, &yes) == MPI_SUCCESS ? yes != 0 : -1;
    if (mpi.query_cuda_support != NULL) /* Open MPI */
        return mpi.query_cuda_support() != 0;
    return -1;
}

#define ENTRY(type, name, parameters, arguments) .name = my_##name,
const calls_t CALLS = {.bind = bind_calls, .abort = abort_all, SHIM(ENTRY)};
