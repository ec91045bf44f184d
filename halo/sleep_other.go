//go:build !linux

package halo

import "time"

func sleep(d time.Duration) { time.Sleep(d) }

// precise is for systems whose sleeps are rounded up.
func precise() {}
