// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* The calls of MPI that package mpi needs, over whichever library was taken at run time,
 * with types that Go understands.
 *
 * Every function of a world returns 0, an MPI error code, or WRONG_THREAD when the
 * caller is not the thread that started MPI (level FUNNELED). MPI's handles stay
 * in the two structs. No function but library_look, world_abort, process_exit and pointer_at may be
 * called before library_take has returned NULL.
 */
#ifndef LBMSIM_COMM_MPI_SHIM_H
#define LBMSIM_COMM_MPI_SHIM_H

#include <pthread.h>
#include <stdint.h>

enum { OK = 0, WRONG_THREAD = -1000, ALREADY_STARTED = -1001, NO_THREADS = -1002 };

/* The ABIs of MPI libraries: libraries that share one can be used with the same numbers and types. */
enum { ABI_UNKNOWN, ABI_OPENMPI, ABI_MPICH, ABI_STANDARD };

typedef struct {
    int abi;
    char path[4096]; /* of the file that has MPI's functions */
    char text[8193]; /* MPI_Get_library_version; why nothing was found if abi is ABI_UNKNOWN */
} library_t;

/* Loads the library of that path or name (NULL: the one that is in the process already)
 * separately and identifies it; 0 if it cannot be loaded or is not an MPI library. */
int library_look(const char *path, library_t *found);

/* Makes a library that library_look found the library of this process; a second one is refused.
 * NULL, or why it cannot be used. */
const char *library_take(const library_t *found);

/* A handle of MPI: a number or a pointer, as the library's ABI wants. */
typedef union {
    int number;
    void *pointer;
} handle_t;

/* One world of ranks: a copy of MPI_COMM_WORLD, so that no other library's
 * messages can be taken for ours. */
typedef struct {
    handle_t comm;
    pthread_t thread;
    int rank, size, local_rank, local_size, max_tag;
} world_t;

/* One message in flight, at most 2^31-1 bytes. */
typedef struct {
    handle_t request;
    int done;     /* set by message_test and message_wait */
    int received; /* bytes that arrived, or sent */
} message_t;

int world_start(world_t *w);
int world_stop(world_t *w);

/* The first n ranks of w as a separate world; *mine reports whether this rank is one of
 * them, and then world_drop frees it. Every rank of w calls world_part. */
int world_part(world_t *w, int n, world_t *part, int *mine);
int world_drop(world_t *part);

/* Ends all ranks; called from any thread, also while another one is inside MPI. */
void world_abort(int code);

/* Ends this process by exit(), for the handlers that MPI has registered by atexit(). */
void process_exit(int code);

int message_send(world_t *w, const void *data, int n, int to, int tag);
int message_isend(world_t *w, const void *data, int n, int to, int tag, message_t *m);
int message_irecv(world_t *w, void *data, int n, int from, int tag, message_t *m);
int message_test(world_t *w, message_t *m);
int message_wait(world_t *w, message_t *m);

/* Waits for the next message and stores its length in *length; takes it into data
 * if it has at most n bytes, and drops it if it has more. */
int message_receive(world_t *w, void *data, int n, int from, int tag, int *length);

/* The pointer of an address on a GPU. */
void *pointer_at(uintptr_t address);

int world_barrier(world_t *w);
int world_bcast(world_t *w, void *data, int n, int root);
int world_lengths(world_t *w, long long mine, long long *all);
int world_gather(world_t *w, const void *data, int n, void *all, const int *lengths, const int *offsets, int root);
int world_max(world_t *w, long long *x, int n);

/* A text of at most n bytes, the final zero included. */
void error_text(int code, char *text, int n);
int error_is_truncate(int code);

/* 1 if the library reports that it takes pointers to the memory of NVIDIA GPUs, 0 if it
 * reports that it does not, -1 if it has no way to report it. After world_start. */
int library_takes_cuda(void);

#endif
