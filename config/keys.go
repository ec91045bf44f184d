// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"lbmsim/config/language"
	"lbmsim/model"
)

// Keys and words that several tables have.

// scheduleKeys returns the keys of a schedule, the same for everything that happens repeatedly.
func scheduleKeys(every, start, end string) []language.Key {
	return []language.Key{
		{Name: "every", Kind: language.Period, Default: every, Doc: "number of steps, or simulated time with a unit, between two outputs"},
		{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
		{Name: "at_start", Kind: language.Flag, Default: start, Doc: "also for the initial state"},
		{Name: "at_end", Kind: language.Flag, Default: end, Doc: "also when the run ends"},
	}
}

// begunKeys returns the keys of a schedule with a start.
func begunKeys(every, start, end string) []language.Key {
	return append([]language.Key{
		{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "the first step, or simulated time, that may be written, after the initial transient. With a value above 0 the default of at_start is false"},
	}, scheduleKeys(every, start, end)...)
}

func fields() []string { return names(model.Fields, func(f model.Field) string { return f.Name }) }

func averages() []string {
	return names(model.AverageFields(), func(f model.Field) string { return f.Name })
}

func components() []string { return []string{"x", "y", "z", "magnitude"} }

func onError() []string { return []string{"stop", continueOnError} }

func faceNames() []string {
	return []string{"x-", "x+", "y-", "y+", "z-", "z+"}
}
