// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package propose finds boxes of finer cells for a case ([refine.NAME]): around its bodies, and where a coarse run of the case has
// shear.
package propose
