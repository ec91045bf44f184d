// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package scaling

import (
	"encoding/binary"
	"errors"
	"time"

	"lbmsim/sim"
)

const (
	tagNews   = 100
	newsBytes = 1024
	newsEvery = time.Millisecond
)

// share lets the first rank say how the work of the first n ranks ended, an error that
// these agree on or nil, and returns that on every rank. The others check for the result
// now and then.
func (m *Measurement) share(n int, err error) error {
	rank, size := m.Comm.Rank(), m.Comm.Size()
	news := make([]byte, newsBytes)
	switch {
	case rank == 0:
		if err != nil {
			code, _ := sim.ExitCode(err)
			text := err.Error()
			if len(text) > newsBytes-8 {
				text = text[:newsBytes-8]
			}
			binary.LittleEndian.PutUint32(news, uint32(code))
			binary.LittleEndian.PutUint32(news[4:], uint32(len(text)))
			copy(news[8:], text)
		}
		for to := n; to < size; to++ {
			r, err := m.nb.Isend(news, to, tagNews)
			if err == nil {
				err = r.Wait()
			}
			if err != nil {
				return err
			}
		}
	case rank >= n:
		r, err := m.nb.Irecv(news, 0, tagNews)
		if err != nil {
			return err
		}
		for done := false; !done; {
			if done, err = r.Test(); err != nil {
				return err
			}
			if !done {
				time.Sleep(newsEvery)
			}
		}
		if length := binary.LittleEndian.Uint32(news[4:]); length > 0 {
			text := string(news[8 : 8+length])
			return &sim.Error{Code: int(binary.LittleEndian.Uint32(news)), Err: errors.New(text)}
		}
	}
	return err
}
