// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strings"

	"lbmsim/config/language"
)

// [initial] from: the flow of another run as the initial state.

// FlowSource is a flow to start from, as the case gives it.
type FlowSource struct {
	Path   string // to be opened: a run's folder, a checkpoint or a file of fields
	Shown  string // as the case file has it
	SHA256 string // of the file, in hexadecimal, when the case gives it
	// Length and Velocity convert the source's lengths and velocities to this case's, each in the
	// units of its case; 0: the factors follow from the two cases.
	Length, Velocity float64
	At               Place // of the file's name
}

// Scales are the characteristic numbers of a case in its own units: SI, or the units of the case file. 0: not given.
type Scales struct{ Length, Velocity float64 }

// Scales returns the characteristic length of [fluid] and the speed that drives the flow: the largest of the
// faces, otherwise the mean velocity that is kept, otherwise the characteristic velocity of [fluid].
func (c *Case) Scales() Scales {
	s := c.Characteristic
	unit := c.Units.Length / c.Units.Time
	driven := 0.0
	for _, b := range c.Boundaries {
		driven = math.Max(driven, math.Max(b.Fastest, sizeOf(b.Velocity)))
	}
	if d := c.Force.Drive; d != nil && driven == 0 {
		driven = sizeOf(d.Velocity)
	}
	if driven > 0 {
		s.Velocity = driven * unit
	}
	return s
}

// source reads where the initial flow comes from.
func (r *forcing) source(s *language.Section) *FlowSource {
	e := s.Get("from")
	for _, k := range []string{"sha256", "scale_length", "scale_velocity"} {
		if s.Has(k) && !s.Has("from") {
			r.Add(s.KeyAt(k), "from = \"out/other\" names a run to start from", "[initial] %s requires from, which is missing", k)
		}
	}
	if e == nil {
		return nil
	}
	path, ok := r.file(s, e)
	sum, right := r.digest(s, "sha256")
	if !ok || !right {
		return nil
	}
	f := &FlowSource{Path: path, Shown: e.Text, SHA256: sum, At: r.Spot(e.At)}
	for name, to := range map[string]*float64{"scale_length": &f.Length, "scale_velocity": &f.Velocity} {
		if e := s.Get(name); e != nil {
			*to = e.Values[0].Value
		}
	}
	return f
}

// PinFlow writes the checksum of the flow that a run starts from into a resolved copy that lacks it.
func PinFlow(resolved, sum string) string {
	at, line := flowLine(resolved)
	if at < 0 || sum == "" || FlowSum(resolved) != "" {
		return resolved
	}
	end := at + len(line)
	return resolved[:end] + "sha256 = " + language.Quote(sum) + "\n" + resolved[end:]
}

// FlowSum returns the checksum of the flow that the run of a resolved copy started from, "" if it has none.
func FlowSum(resolved string) string {
	at, line := flowLine(resolved)
	if at < 0 {
		return ""
	}
	next, _, _ := strings.Cut(resolved[at+len(line):], "\n")
	sum, ok := strings.CutPrefix(next, "sha256 = \"")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(sum, "\"")
}

// flowLine finds the line of [initial] from in a resolved copy; at is negative if it is absent.
func flowLine(resolved string) (at int, line string) {
	inside := false
	for _, line := range strings.SplitAfter(resolved, "\n") {
		if strings.HasPrefix(line, "[") {
			inside = line == "[initial]\n"
		}
		if inside && strings.HasPrefix(line, "from = ") {
			return at, line
		}
		at += len(line)
	}
	return -1, ""
}
