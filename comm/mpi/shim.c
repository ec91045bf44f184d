//go:build mpi

/* See shim.h. */
#define _GNU_SOURCE
#include "shim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#define CHECK_THREAD(w) \
    do { \
        if (!pthread_equal(pthread_self(), (w)->thread)) return WRONG_THREAD; \
    } while (0)
#define TRY(call) \
    do { \
        int error_ = (call); \
        if (error_ != MPI_SUCCESS) return error_; \
    } while (0)

/* Go's runtime has a handler for every signal and needs it: for panics by nil
 * pointers, for preemption, for signal.Notify. MPI and what it loads (hwloc's
 * plugins, UCX) may put theirs in place, some without an alternative stack, which
 * a goroutine's small stack does not survive. So whatever Go had is put back. */
enum { SIGNALS = 65 };

static void signals_save(struct sigaction *old) {
    for (int s = 1; s < SIGNALS; s++)
        if (sigaction(s, NULL, &old[s]) != 0) memset(&old[s], 0, sizeof old[s]);
}

static void signals_restore(const struct sigaction *old) {
    for (int s = 1; s < SIGNALS; s++) {
        struct sigaction now;
        if (s == SIGKILL || s == SIGSTOP || sigaction(s, NULL, &now) != 0) continue;
        if (now.sa_handler != old[s].sa_handler || now.sa_flags != old[s].sa_flags) sigaction(s, &old[s], NULL);
    }
}

/* The ranks' numbers in w->comm, whose errors become return values. */
static int number(world_t *w) {
    TRY(MPI_Comm_set_errhandler(w->comm, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_rank(w->comm, &w->rank));
    TRY(MPI_Comm_size(w->comm, &w->size));

    /* The library knows the nodes best: variables of launchers can be wrong. */
    MPI_Comm node;
    TRY(MPI_Comm_split_type(w->comm, MPI_COMM_TYPE_SHARED, w->rank, MPI_INFO_NULL, &node));
    TRY(MPI_Comm_rank(node, &w->local_rank));
    TRY(MPI_Comm_size(node, &w->local_size));
    return MPI_Comm_free(&node);
}

static int start(world_t *w) {
    int started, level;
    TRY(MPI_Initialized(&started));
    if (started) return ALREADY_STARTED;
    TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level));
    w->thread = pthread_self();
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (level < MPI_THREAD_FUNNELED) return NO_THREADS;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &w->comm));
    TRY(number(w));

    int *bound, found;
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found));
    w->max_tag = found ? *bound : 32767;
    return MPI_SUCCESS;
}

int world_start(world_t *w) {
    struct sigaction old[SIGNALS];
    signals_save(old);
    int error = start(w);
    signals_restore(old);
    return error;
}

int world_stop(world_t *w) {
    CHECK_THREAD(w);
    TRY(MPI_Comm_free(&w->comm));
    return MPI_Finalize();
}

int world_part(world_t *w, int n, world_t *part) {
    CHECK_THREAD(w);
    *part = *w;
    TRY(MPI_Comm_split(w->comm, w->rank < n ? 0 : MPI_UNDEFINED, w->rank, &part->comm));
    return part->comm == MPI_COMM_NULL ? MPI_SUCCESS : number(part);
}

int world_drop(world_t *part) {
    CHECK_THREAD(part);
    return MPI_Comm_free(&part->comm);
}

static void *exit_later(void *code) {
    sleep(3);
    _exit((int)(long)code);
}

/* MPI_Abort is called from any thread, also while another one is inside MPI; where
 * it hangs or returns, the process ends by itself and the launcher, seeing a rank
 * fail, ends the others. Launchers that end at once, as MPICH's does, drop what they
 * have not yet read of the ranks' output: the message that says why needs a moment. */
void world_abort(int code) {
    usleep(500 * 1000);
    pthread_t timer;
    if (pthread_create(&timer, NULL, exit_later, (void *)(long)code) == 0) pthread_detach(timer);
    int started = 0, stopped = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&stopped);
    if (started && !stopped) MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

int message_send(world_t *w, const void *data, int n, int to, int tag) {
    CHECK_THREAD(w);
    return MPI_Send(data, n, MPI_BYTE, to, tag, w->comm);
}

int message_isend(world_t *w, const void *data, int n, int to, int tag, message_t *m) {
    CHECK_THREAD(w);
    m->done = 0;
    return MPI_Isend(data, n, MPI_BYTE, to, tag, w->comm, &m->request);
}

int message_irecv(world_t *w, void *data, int n, int from, int tag, message_t *m) {
    CHECK_THREAD(w);
    m->done = 0;
    return MPI_Irecv(data, n, MPI_BYTE, from, tag, w->comm, &m->request);
}

static int finish(message_t *m, MPI_Status *status) {
    m->done = 1;
    TRY(MPI_Get_count(status, MPI_BYTE, &m->received));
    return MPI_SUCCESS;
}

int message_test(world_t *w, message_t *m) {
    CHECK_THREAD(w);
    MPI_Status status;
    TRY(MPI_Test(&m->request, &m->done, &status));
    return m->done ? finish(m, &status) : MPI_SUCCESS;
}

int message_wait(world_t *w, message_t *m) {
    CHECK_THREAD(w);
    MPI_Status status;
    TRY(MPI_Wait(&m->request, &status));
    return finish(m, &status);
}

int message_receive(world_t *w, void *data, int n, int from, int tag, int *length) {
    CHECK_THREAD(w);
    MPI_Message message;
    MPI_Status status;
    TRY(MPI_Mprobe(from, tag, w->comm, &message, &status));
    TRY(MPI_Get_count(&status, MPI_BYTE, length));
    if (*length <= n) return MPI_Mrecv(data, *length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    void *drop = malloc((size_t)*length);
    if (drop == NULL) return MPI_ERR_NO_MEM;
    int error = MPI_Mrecv(drop, *length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    free(drop);
    return error;
}

void *pointer_at(uintptr_t address) { return (void *)address; }

int world_barrier(world_t *w) {
    CHECK_THREAD(w);
    return MPI_Barrier(w->comm);
}

int world_bcast(world_t *w, void *data, int n, int root) {
    CHECK_THREAD(w);
    return MPI_Bcast(data, n, MPI_BYTE, root, w->comm);
}

int world_lengths(world_t *w, long long mine, long long *all) {
    CHECK_THREAD(w);
    return MPI_Allgather(&mine, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, w->comm);
}

int world_gather(world_t *w, const void *data, int n, void *all, const int *lengths, const int *offsets, int root) {
    CHECK_THREAD(w);
    return MPI_Gatherv(data, n, MPI_BYTE, all, lengths, offsets, MPI_BYTE, root, w->comm);
}

int world_max(world_t *w, long long *x, int n) {
    CHECK_THREAD(w);
    return MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_LONG_LONG, MPI_MAX, w->comm);
}

void error_text(int code, char *text, int n) {
    char buffer[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    if (MPI_Error_string(code, buffer, &length) != MPI_SUCCESS) snprintf(buffer, sizeof buffer, "MPI error %d", code);
    snprintf(text, (size_t)n, "%s", buffer);
}

int error_is_truncate(int code) {
    int class = MPI_SUCCESS;
    return MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE;
}

void library_text(char *text, int n) {
    char buffer[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    MPI_Get_library_version(buffer, &length);
    snprintf(text, (size_t)n, "%s", buffer);
}

int library_takes_cuda(void) {
#if defined(MPIX_GPU_SUPPORT_CUDA) /* MPICH 4 and its relatives */
    int yes = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &yes) == MPI_SUCCESS ? yes != 0 : -1;
#elif defined(MPIX_CUDA_AWARE_SUPPORT) /* Open MPI */
    return MPIX_Query_cuda_support() != 0;
#else
    return -1;
#endif
}
