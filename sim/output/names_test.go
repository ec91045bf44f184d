// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/internal/stats"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// panics reports whether f does.
func panics(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// A number that the case file can name has a formula, and one without must not become
// a different one.
func TestNumbersOfForcesHaveFormulas(t *testing.T) {
	units := config.Units{Length: 1, Time: 1, Density: 1}
	row := func(name string) {
		(&forces{list: []config.ForceSeries{{Name: name}}}).values(nil, 1, [3]float64{}, units)
	}
	for _, name := range config.ForceQuantities() {
		if panics(func() { row(name) }) {
			t.Errorf("%s has no formula", name)
		}
	}
	if !panics(func() { row("power_x") }) {
		t.Error("a number without a formula was written")
	}
	s := &Set{Run: (&reports{}).run()}
	s.Case = &config.Case{Grid: config.Grid{Units: units}}
	f := &forces{ForceOutput: config.ForceOutput{Name: "ball"}, list: []config.ForceSeries{{Name: "drag"}}, series: make([]stats.Series, 1), course: make([]stats.Record, 1)}
	f.series[0].Add(0, 1)
	s.List = []Output{f}
	value := func(of string) { s.ForceValue(config.Expectation{Force: "ball", Series: "drag", Statistic: of}) }
	for _, name := range config.Statistics() {
		if panics(func() { value(name) }) {
			t.Errorf("%s has no formula", name)
		}
	}
	if !panics(func() { value("median") }) {
		t.Error("a statistic without a formula was judged")
	}
}

func TestQuantityWithoutDefinition(t *testing.T) {
	r := (&reports{}).run()
	r.Case = &config.Case{}
	if v, err := (&series{}).values(r, config.SeriesQuantity{Name: "entropy"}, derive.Totals{}); err == nil || !strings.Contains(err.Error(), "entropy") {
		t.Errorf("values %v, error %v", v, err)
	}
	if !panics(func() { (&averager{}).column(model.Field{Name: "mean_entropy"}, 0, config.Units{}) }) {
		t.Error("an average without a formula was written")
	}
}
