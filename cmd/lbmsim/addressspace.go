// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

/*
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// The constructor runs before Go's runtime, which reserves 0.7 to 1.5 GB of address space as it starts and may need more at any
// moment: under a lower limit it would abort with a stack trace, before main.
__attribute__((constructor)) static void refuse_low_limit(void)
{
	const double gib = 1 << 30, least = 2;
	struct rlimit space;
	if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY || space.rlim_cur >= least * gib)
		return;
	fprintf(stderr, "lbmsim: the virtual memory limit (ulimit -v) is %.2f GiB: lbmsim needs at least %g GiB of address space, most of it unused\n",
		space.rlim_cur / gib, least);
	_exit(2); // sim.ExitUsage
}
*/
import "C"
