// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* Go's runtime has a handler for every signal and needs it: for panics by nil pointers, for preemption, for
 * signal.Notify. Libraries may put theirs in place, or put Go's back without an alternative stack, which a
 * goroutine's small stack does not survive. */
#ifndef LBMSIM_HANDLERS_H
#define LBMSIM_HANDLERS_H

#include <signal.h>
#include <string.h>

typedef struct {
    struct sigaction of[65];
} signals_t;

static inline void signals_save(signals_t *old) {
    for (int s = 1; s < (int)(sizeof old->of / sizeof *old->of); s++)
        if (sigaction(s, NULL, &old->of[s]) != 0) memset(&old->of[s], 0, sizeof old->of[s]);
}

/* Returns how many handlers it has put back, or, if look is set, would. */
static inline int signals_restore(const signals_t *old, int look) {
    int n = 0;
    for (int s = 1; s < (int)(sizeof old->of / sizeof *old->of); s++) {
        const struct sigaction *was = &old->of[s];
        struct sigaction now;
        if (s == SIGKILL || s == SIGSTOP || sigaction(s, NULL, &now) != 0) continue;
        if (now.sa_handler == was->sa_handler && now.sa_flags == was->sa_flags) continue;
        n++;
        if (!look) sigaction(s, was, NULL);
    }
    return n;
}

#endif
