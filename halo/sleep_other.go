//go:build !linux

package halo

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
