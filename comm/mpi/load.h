// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* Definitions shared by load.c and the three ABIs. */
#ifndef LBMSIM_COMM_MPI_LOAD_H
#define LBMSIM_COMM_MPI_LOAD_H

#include "shim.h"

/* MPI and what it loads (hwloc's plugins, UCX as soon as it is loaded) replace Go's handlers of signals, which are
 * restored after each call that may do this. */
#include "../../internal/handlers/handlers.h"

/* The functions of shim.h that each ABI implements separately: X(type, name, parameters,
 * arguments). */
#define SHIM(X) \
    X(int, world_start, (world_t * w), (w)) \
    X(int, world_stop, (world_t * w), (w)) \
    X(int, world_part, (world_t * w, int n, world_t *part, int *mine), (w, n, part, mine)) \
    X(int, world_drop, (world_t * part), (part)) \
    X(int, message_send, (world_t * w, const void *data, int n, int to, int tag), (w, data, n, to, tag)) \
    X(int, message_isend, (world_t * w, const void *data, int n, int to, int tag, message_t *m), (w, data, n, to, tag, m)) \
    X(int, message_irecv, (world_t * w, void *data, int n, int from, int tag, message_t *m), (w, data, n, from, tag, m)) \
    X(int, message_test, (world_t * w, message_t *m), (w, m)) \
    X(int, message_wait, (world_t * w, message_t *m), (w, m)) \
    X(int, message_receive, (world_t * w, void *data, int n, int from, int tag, int *length), (w, data, n, from, tag, length)) \
    X(int, world_barrier, (world_t * w), (w)) \
    X(int, world_bcast, (world_t * w, void *data, int n, int root), (w, data, n, root)) \
    X(int, world_lengths, (world_t * w, long long mine, long long *all), (w, mine, all)) \
    X(int, world_gather, \
      (world_t * w, const void *data, int n, void *all, const int *lengths, const int *offsets, int root), \
      (w, data, n, all, lengths, offsets, root)) \
    X(int, world_max, (world_t * w, long long *x, int n), (w, x, n)) \
    X(void, error_text, (int code, char *text, int n), (code, text, n)) \
    X(int, error_is_truncate, (int code), (code)) \
    X(int, library_takes_cuda, (void), ())

typedef void *(*symbol_t)(const char *name);

typedef struct {
    /* Fills the table of MPI's functions; NULL, or the name of one that is missing. */
    const char *(*bind)(symbol_t symbol);
    void (*abort)(int code);
#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
    SHIM(MEMBER)
#undef MEMBER
} calls_t;

extern const calls_t openmpi_calls, mpich_calls, standard_calls;

#endif
