// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"encoding/json"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/internal/stats"
)

// Checkpoints have statistics in the words of version 1, whose profiles and spectra were two types.
func TestMemoryOfStatisticsKeepsItsWords(t *testing.T) {
	var series stats.Vector
	series.Add([]float64{1, 2})
	series.Add([]float64{3, 5})
	type profileMemory struct {
		Output    config.Profile
		Reference stats.Floats
		Series    stats.Vector
		Every     float64 `json:",omitempty"`
	}
	type spectrumMemory struct {
		Output config.Spectrum
		Series stats.Vector
		Every  float64 `json:",omitempty"`
	}
	profile, spectrum := config.Profile{Name: "y", Axis: 1}, config.Spectrum{Name: "x", At: []int{3}}
	reference := stats.Floats{7, 8}
	for _, m := range []struct{ before, now any }{
		{profileMemory{profile, reference, series, 10}, statisticMemory[config.Profile]{profile, sums{reference, series}, 10}},
		{spectrumMemory{spectrum, series, 0}, statisticMemory[config.Spectrum]{spectrum, sums{Series: series}, 0}},
	} {
		before, err1 := json.Marshal(m.before)
		now, err2 := json.Marshal(m.now)
		if err1 != nil || err2 != nil || string(before) != string(now) {
			t.Errorf("%s\ninstead of\n%s (%v, %v)", now, before, err2, err1)
		}
	}
	restarted, err := json.Marshal(statisticMemory[config.Spectrum]{Output: config.Spectrum{Restarted: true}})
	if err != nil || !strings.Contains(string(restarted), `"Anew":true`) {
		t.Errorf("%s (%v)", restarted, err)
	}
	text, _ := json.Marshal(profileMemory{profile, reference, series, 10})
	var back statisticMemory[config.Profile]
	if err := json.Unmarshal(text, &back); err != nil || back.Reference[1] != 8 || back.Series.Samples() != 2 || back.Output.Axis != 1 {
		t.Errorf("%+v (%v)", back, err)
	}
}
