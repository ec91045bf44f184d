// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"sync"
	"sync/atomic"

	"lbmsim/comm"
	"lbmsim/internal/raw"
	"lbmsim/internal/render"
)

// cast casts all rows on the rank's threads. Rows differ in their work, so each thread takes the next free one.
func cast(r *Run, s render.Scene, row func(y int) []render.Hit) (all []render.Hit, err error) {
	rows := make([][]render.Hit, s.Rows())
	var next atomic.Int64
	err = r.Rank.Share(len(rows), func(_, _ int) error {
		for {
			y := int(next.Add(1)) - 1
			if y >= len(rows) {
				return nil
			}
			rows[y] = row(y)
		}
	})
	for _, hits := range rows {
		all = append(all, hits...)
	}
	return all, err
}

// listing lists hits, which can take long: once, when it is called first.
type listing func() ([]render.Hit, error)

// ofView says where an error was met.
func (r *Run) ofView(err error) error {
	return fmt.Errorf("rank %d: view at step %d: %w", r.Rank.ID, r.Step(), err)
}

// meet returns the hits of all ranks on rank 0. A single rank lists its own when the picture is painted, beside the steps; several
// send them, which the main goroutine does. Collective.
func meet(r *Run, own listing) (listing, error) {
	if r.Rank.Size == 1 {
		return sync.OnceValues(func() ([]render.Hit, error) {
			hits, err := own()
			if err != nil {
				err = r.ofView(err)
			}
			return hits, err
		}), nil
	}
	hits, err := own()
	if err = r.All("view", err); err != nil {
		return nil, err
	}
	all, err := together(r, hits)
	return func() ([]render.Hit, error) { return all, nil }, err
}

// tagHits is the tag of messages with hits.
const tagHits = 103

// together returns the nearest hits of all ranks on rank 0. Pairs of ranks merge, then pairs of pairs, so that no rank receives more than
// a picture's hits at once. Collective.
func together(r *Run, hits []render.Hit) ([]render.Hit, error) {
	c, id := r.Rank.Comm, r.Rank.ID
	for way := 1; way < r.Rank.Size; way *= 2 {
		if id&way != 0 {
			count := []int64{int64(len(hits))}
			if err := c.Send(comm.Raw(raw.Bytes(count)), id-way, tagHits); err != nil || len(hits) == 0 {
				return nil, err
			}
			return nil, c.Send(comm.Raw(raw.Bytes(hits)), id-way, tagHits)
		}
		if id+way >= r.Rank.Size {
			continue
		}
		count := []int64{0}
		if err := c.Receive(comm.Raw(raw.Bytes(count)), id+way, tagHits); err != nil {
			return nil, err
		}
		if count[0] == 0 {
			continue
		}
		theirs := make([]render.Hit, count[0])
		if err := c.Receive(comm.Raw(raw.Bytes(theirs)), id+way, tagHits); err != nil {
			return nil, err
		}
		hits = render.Nearest(hits, theirs)
	}
	return hits, nil
}
