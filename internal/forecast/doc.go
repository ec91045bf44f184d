// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package forecast estimates the resources of a run before allocation: memory of
// a rank (forecast.go; lists.go for data that are not per cell) and the files of outputs on
// disk (volume.go).
package forecast
