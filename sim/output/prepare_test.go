// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/model"
)

var errUnconnected = errors.New("no connection")

// unconnected is one of two ranks that have lost their connection.
type unconnected struct{ comm.Comm }

func (unconnected) Size() int                   { return 2 }
func (unconnected) Send(any, int, int) error    { return errUnconnected }
func (unconnected) Receive(any, int, int) error { return errUnconnected }

// hostSums is a state whose device keeps no sums.
type hostSums struct {
	State
	noStatistics
}

type noStatistics struct{ Statistics }

func (hostSums) Statistics(int) Statistics                               { return noStatistics{} }
func (hostSums) Rays(int) Rays                                           { return nil }
func (noStatistics) Averages(model.AverageSums) (device.Averages, error) { return nil, nil }

// A run whose ranks cannot agree on where the sums are ends before its first step, not at its first sample.
func TestPrepareReturnsErrors(t *testing.T) {
	r := (&reports{}).run()
	some := model.AverageSums{Density: true}
	r.Case, r.State = &config.Case{}, hostSums{}
	s := &Set{Run: r, List: []Output{&averager{of: some}}}
	if err := s.Prepare(); err != nil {
		t.Errorf("one rank: %v", err)
	}
	r.Rank.Comm = unconnected{r.Rank.Comm}
	s.List = []Output{&averager{of: some}}
	if err := s.Prepare(); !errors.Is(err, errUnconnected) {
		t.Errorf("Prepare returns %v without a connection", err)
	}
}
