// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* Identifies MPI libraries, takes one, and passes the calls of shim.h on to the code for its
 * ABI. */
#define _GNU_SOURCE
#include "load.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The calls of the library that was taken; MPI is one per process. */
static const calls_t *calls;

/* Families that have MPICH's ABI, as MPI_Get_library_version names them. */
static const char *const mpichs[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation"};

/* dlopen, without what the library does to signals. */
static void *load(const char *path, int flags) {
    signals_t go;
    signals_save(&go);
    void *library = dlopen(path, flags);
    signals_restore(&go, 0);
    return library;
}

static int abi_of(void *library, const char *text) {
    int (*version)(int *major, int *minor);
    *(void **)&version = dlsym(library, "MPI_Abi_get_version");
    int major = -1, minor = -1;
    /* By MPI 5.0 a library with another ABI answers -1 for both. */
    if (version != NULL && version(&major, &minor) == 0 && major > 0) return major == 1 ? ABI_STANDARD : ABI_UNKNOWN;
    if (dlsym(library, "ompi_mpi_comm_world") != NULL) return ABI_OPENMPI;
    for (size_t i = 0; i < sizeof mpichs / sizeof *mpichs; i++)
        if (strstr(text, mpichs[i]) != NULL) return ABI_MPICH;
    return ABI_UNKNOWN;
}

int library_look(const char *path, library_t *found) {
    memset(found, 0, sizeof *found);
    if (path == NULL && dlsym(RTLD_DEFAULT, "MPI_Init_thread") == NULL) return 0;
    /* Separately: the symbols of a library that is not taken must not get in the way. */
    void *library = load(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(found->text, sizeof found->text, "%s", dlerror());
        return 0;
    }
    int (*version)(char *text, int *length);
    *(void **)&version = dlsym(library, "MPI_Get_library_version");
    if (version == NULL) {
        snprintf(found->text, sizeof found->text, "it has no MPI_Get_library_version, so it is no library of MPI 3 or newer");
        return 0;
    }
    int length = 0;
    version(found->text, &length);
    found->abi = abi_of(library, found->text);
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(*(void **)&version, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL)
        snprintf(found->path, sizeof found->path, "%s", map->l_name);
    return 1;
}

static void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

const char *library_take(const library_t *found) {
    if (calls != NULL) return "another one was taken before";
    const calls_t *taken = found->abi == ABI_OPENMPI ? &openmpi_calls : found->abi == ABI_MPICH ? &mpich_calls : &standard_calls;
    /* For all: Open MPI's plugins want that. And looked up from all, so that a tool which was
     * preloaded to count or time MPI's calls sees ours. */
    if (load(found->path, RTLD_LAZY | RTLD_GLOBAL) == NULL) return dlerror();
    const char *missing = taken->bind(symbol);
    if (missing == NULL) {
        calls = taken;
        return NULL;
    }
    static char text[64];
    snprintf(text, sizeof text, "it lacks %s", missing);
    return text;
}

static int last_code, ending; /* of a process that is about to end; the first call decides */

static void *exit_later(void *seconds) {
    sleep((unsigned)(long)seconds);
    _exit(last_code);
}

/* Ends the process within so many seconds, whatever happens meanwhile. */
static void exit_within(long seconds, int code) {
    if (__sync_lock_test_and_set(&ending, 1) == 0) last_code = code;
    pthread_t timer;
    if (pthread_create(&timer, NULL, exit_later, (void *)seconds) == 0) pthread_detach(timer);
}

/* Where MPI_Abort hangs or returns, the process ends by itself and the launcher, seeing a
 * rank fail, ends the others. Launchers that end at once, as MPICH's does, drop what they
 * have not yet read of the ranks' output: the message with the reason needs a moment. */
void world_abort(int code) {
    usleep(500 * 1000);
    exit_within(3, code);
    if (calls != NULL) calls->abort(code);
    _exit(code);
}

static void leave(int signal) {
    (void)signal;
    _exit(last_code);
}

/* All results are on disk by now: a library that crashes or hangs in its handler must not
 * change how the run ends. */
void process_exit(int code) {
    exit_within(10, code);
    struct sigaction end = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &end, NULL);
    exit(code);
}

void *pointer_at(uintptr_t address) { return (void *)address; }

#define PASS(type, name, parameters, arguments) \
    type name parameters { return calls->name arguments; }
SHIM(PASS)
