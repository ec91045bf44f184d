// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build !linux

package halo

import "time"

func sleep(d time.Duration) { time.Sleep(d) }

// precise does nothing: only sleeps that are rounded up need it.
func precise() {}
