// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import (
	"fmt"
	"strings"

	"lbmsim/internal/plain"
)

// Failure is the error that all ranks agreed on. Its text is the same on every
// rank, so that one of them prints it once for all.
type Failure struct {
	Rank   int    // the lowest rank that failed
	Failed int    // how many ranks failed
	Ranks  int    // of how many
	Text   string // that rank's error
	own    error
}

func (f *Failure) Error() string {
	text := f.Text
	if prefix := fmt.Sprintf("rank %d: ", f.Rank); f.Ranks > 1 && !strings.Contains(text, prefix) {
		text = prefix + text
	}
	switch f.Failed {
	case 1:
		return text
	case 2:
		return text + " (and 1 more rank failed)"
	}
	return fmt.Sprintf("%s (and %d more ranks failed)", text, f.Failed-1)
}

// Unwrap returns this rank's own error, nil if it did not fail.
func (f *Failure) Unwrap() error { return f.own }

// Agree makes all ranks agree on an error. It is collective: each rank passes its own error, nil if it did not fail.
// If no rank failed, it returns nil everywhere, at the cost of one small reduction; otherwise the same *Failure
// everywhere. Call it after work that can fail on some ranks only (reading, allocating, compiling), before the next
// message: the others would wait indefinitely. It returns an error of the communication itself together with the
// rank's own.
func Agree(c Comm, err error) error { return AgreeMax(c, err, nil) }

// AgreeMax combines Agree and Max in one reduction. After an error x is undefined.
func AgreeMax(c Comm, err error, x []int64) error {
	n, rank := c.Size(), c.Rank()
	first := append([]int64{0}, x...) // n - rank of the lowest rank that failed
	if err != nil {
		first[0] = int64(n - rank)
	}
	if e := Max(c, first); e != nil {
		return undecided(err, e)
	}
	copy(x, first[1:])
	if first[0] == 0 {
		return nil
	}
	f := &Failure{Rank: n - int(first[0]), Ranks: n, own: err}
	mine := []byte{0}
	if err != nil {
		mine[0] = 1
	}
	marks, e := Gather(c, mine)
	if e != nil {
		return undecided(err, e)
	}
	count := 0
	for _, m := range marks {
		count += int(m[0])
	}
	number, e := Broadcast(c, []byte(fmt.Sprint(count)))
	if e != nil {
		return undecided(err, e)
	}
	if _, e := fmt.Sscan(string(number), &f.Failed); e != nil {
		return undecided(err, e)
	}
	if rank == f.Rank {
		f.Text = plain.Text(err)
	}
	text, e := broadcast(c, []byte(f.Text), f.Rank)
	if e != nil {
		return undecided(err, e)
	}
	f.Text = string(text)
	return f
}

// undecided keeps a rank's own error if the ranks could not communicate.
func undecided(own, communication error) error {
	e := fmt.Errorf("agree on errors: %w", communication)
	if own != nil {
		e = fmt.Errorf("%w (and %w)", own, e)
	}
	return e
}
