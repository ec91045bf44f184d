// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

// The speed of checkpoints on this disk, compared with dd, which every machine has.
// The speed of a disk drifts, so both alternate in random order.

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"lbmsim/comm"
)

// Speed is the result of Bench in bytes per second, medians over the runs.
type Speed struct {
	Bytes      int64   `json:"bytes"` // of one file
	Runs       int     `json:"runs"`
	Checkpoint float64 `json:"checkpoint"`
	DD         float64 `json:"dd"`   // dd conv=fsync of the same bytes; 0 without dd
	Read       float64 `json:"read"` // reading the checkpoint back, verified; from the page cache if it fits
}

// Ratio returns the speed of checkpoints in units of dd's.
func (s Speed) Ratio() float64 { return s.Checkpoint / s.DD }

func (s Speed) String() string {
	out := fmt.Sprintf("checkpoint of %d MiB: %.0f MB/s, verified reading %.0f MB/s", s.Bytes>>20, s.Checkpoint/1e6, s.Read/1e6)
	if s.DD > 0 {
		out += fmt.Sprintf(", dd conv=fsync %.0f MB/s, ratio %.2f", s.DD/1e6, s.Ratio())
	}
	return out + fmt.Sprintf(" (median of %d)", s.Runs)
}

// Bench writes files of about that many bytes into a folder, alternately as a
// checkpoint by one rank and by dd, and removes them. Each checkpoint is read
// back and verified before its time counts.
func Bench(dir string, size int64, runs int) (s Speed, err error) {
	h := Header{Case: "bench", Spec: "bench", Version: "bench", N: [3]int{512, 512, 1}, Rows: 512, Components: 10, Pitch: 512, Bytes: 4}
	h.Planes = int(max(1, size/int64(h.PlaneBytes())))
	h.N[2] = h.Planes
	s = Speed{Bytes: int64(h.Planes) * int64(h.PlaneBytes()), Runs: runs}
	work, err := os.MkdirTemp(dir, "bench-")
	if err != nil {
		return s, fmt.Errorf("bench checkpoints: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	data := make([]byte, s.Bytes)
	rand.New(rand.NewSource(1)).Read(data[:h.PlaneBytes()])
	for n := h.PlaneBytes(); n < len(data); n *= 2 {
		copy(data[n:], data[:n])
	}
	dd, ddErr := exec.LookPath("dd")
	var ours, dds, reads []float64
	rate := func(start time.Time) float64 { return float64(s.Bytes) / time.Since(start).Seconds() }
	for range runs {
		turns := []func() error{func() error {
			start := time.Now()
			if err := benchWrite(work, h, data); err != nil {
				return err
			}
			ours = append(ours, rate(start))
			start = time.Now()
			if err := benchRead(work, h); err != nil {
				return err
			}
			reads = append(reads, rate(start))
			return os.Remove(Path(work, 0))
		}}
		if ddErr == nil {
			turns = append(turns, func() error {
				path := filepath.Join(work, "dd")
				start := time.Now()
				out, err := exec.Command(dd, "if=/dev/zero", "of="+path, "bs="+fmt.Sprint(h.PlaneBytes()),
					"count="+fmt.Sprint(h.Planes), "conv=fsync").CombinedOutput()
				if err != nil {
					return fmt.Errorf("dd: %w: %s", err, out)
				}
				dds = append(dds, rate(start))
				return os.Remove(path)
			})
		}
		rand.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, turn := range turns {
			syscall.Sync() // no method pays for earlier writes
			if err := turn(); err != nil {
				return s, fmt.Errorf("bench checkpoints in %s: %w", dir, err)
			}
		}
	}
	s.Checkpoint, s.DD, s.Read = median(ours), median(dds), median(reads)
	return s, nil
}

func benchWrite(dir string, h Header, data []byte) error {
	p, err := Begin(comm.Serial(), dir, h, h.whole())
	if err != nil {
		return err
	}
	if err := p.Write(0, data); err != nil {
		p.Abort()
		return err
	}
	return p.Commit(0, nil)
}

func benchRead(dir string, h Header) error {
	r, err := Open(Path(dir, h.Step))
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Verify()
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}
