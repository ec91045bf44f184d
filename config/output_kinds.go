// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"

	"lbmsim/config/language"
)

// [output.*] and [checkpoint]: the files of a run. A kind is a file output_NAME.go, a line of outputKinds, and its
// place in Outputs.

// outputKind describes a kind of output to config.
type outputKind struct {
	table     language.Table                        // its keys
	read      func(r *outputs, s *language.Section) // and how they become a part of Outputs
	footprint func(c *Case) []Footprint
}

// outputKinds returns all kinds in the order of the documentation.
func outputKinds() []outputKind {
	return []outputKind{
		fieldsOutput(), averagesOutput(), pictureOutput(), pictureOutputs(), viewOutput(), filmOutput(), probeOutput(), planeOutput(), surfaceOutput(), profileOutput(), spectrumOutput(), lineOutput(), forceOutput(), seriesOutput(),
		checkpointOutput(),
	}
}

// ResumeCommand returns the command line that resumes a run of a case from its last checkpoint.
func ResumeCommand(c *Case) string {
	if c.Resume != "" {
		return c.Resume
	}
	return fmt.Sprintf("lbmsim run %q --output %q --restart latest", c.Path, c.OutputDir)
}

// Outputs is the set of outputs of a run.
type Outputs struct {
	OutputDir  string // folder of everything the run writes, relative to the working folder
	Resume     string // command line that resumes the run; empty: lbmsim run (ResumeCommand)
	Continue   bool   // the run continues when a file of results cannot be written
	Fields     FieldsOutput
	Averages   Averages
	Pictures   []PictureOutput
	Views      []View
	Films      []Film
	Probes     []Probe
	Lines      []Line
	Forces     []ForceOutput
	Series     []SeriesOutput
	Planes     []Plane
	Surfaces   []Surface
	Profiles   []Profile
	Spectra    []Spectrum
	Checkpoint Checkpoint
}

func (r *outputs) read() {
	r.outputDir()
	r.walled()
	for _, k := range outputKinds() {
		path, named := strings.CutSuffix(k.table.Path, ".*")
		if named {
			for _, s := range r.All(path) {
				k.read(r, s)
			}
		} else if s := r.Section(path); s != nil {
			k.read(r, s)
		}
	}
	r.forces.stopWhen()
}

// Footprints returns the footprints of all outputs except checkpoints: first of kinds that a case may have several of.
func Footprints(c *Case) (several []Footprint) {
	var one []Footprint
	for _, k := range outputKinds() {
		if strings.HasSuffix(k.table.Path, ".*") {
			several = append(several, k.footprint(c)...)
		} else {
			one = append(one, k.footprint(c)...)
		}
	}
	return append(several, one...)
}
