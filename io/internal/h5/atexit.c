// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* HDF5 closes files that are still open by a handler of atexit. After a write that failed (a full
 * disk) that is a file in a state that it crashes at, long after we have reported the failure.
 * This must be said before the first call of HDF5, which is made when Go's packages start. */
#include <hdf5.h>

__attribute__((constructor)) static void no_handler(void) { H5dont_atexit(); }
