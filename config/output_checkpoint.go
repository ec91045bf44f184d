// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import "lbmsim/config/language"

// checkpointOutput describes [checkpoint].
func checkpointOutput() outputKind {
	return outputKind{
		table: language.Table{Optional: true, Path: "checkpoint", Keys: append([]language.Key{
			{Name: "keep", Kind: language.Integer, Default: "2", Within: language.Counts(1, 1000), Doc: "number of newest files to keep"},
			{Name: "on_error", Kind: language.Word, Choices: onError(), Default: `"stop"`, Doc: "behaviour when a checkpoint cannot be written, as on_error of [output]. With go_on the last good one is kept and the next is tried when due"},
		}, scheduleKeys("", "false", "true")...), Doc: "Files from which the run can be resumed. The table enables them."},
		read:      func(r *outputs, s *language.Section) { r.checkpoint(s) },
		footprint: func(*Case) []Footprint { return nil }, // internal/forecast knows the layout of the state
	}
}

// Checkpoint is [checkpoint].
type Checkpoint struct {
	On       bool
	Schedule Schedule
	Keep     int
	Continue bool // the run continues when one cannot be written
}

func (r *outputs) checkpoint(s *language.Section) {
	o := &r.Checkpoint
	o.On, o.Schedule = true, r.schedule(s)
	if e := s.Get("keep"); e != nil {
		o.Keep = e.Ints[0]
	}
	if e := s.Get("on_error"); e != nil {
		o.Continue = e.Text == continueOnError
	}
}
