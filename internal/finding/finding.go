// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package finding lists the warnings of lbmsim: the quantity of each, when it is checked, its
// threshold and the reason. A warning is raised through its Kind, so the list is complete; the
// table in docs/reliability.md is generated from it.
package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"lbmsim/internal/plain"
)

// When is the moment at which a warning is checked. Warnings of Case and Files are the same in
// `lbmsim check` and in a run.
type When int

// Moments, in the order of a run.
const (
	Case   When = iota // when the case file is resolved
	Files              // when the files that the case names have been read
	Start              // before the first step, in a run alone: the machine, its files, the checkpoint
	Run                // while the run computes, every [run] watch_every steps or with an output
	End                // when the run ends
	Report             // in the commands that analyse surfaces or results
)

// String returns the entry of the table's column.
func (w When) String() string {
	return [...]string{"case", "files", "start", "run", "end", "report"}[w]
}

// Kind is one warning.
type Kind struct {
	Name      string // stable: JSON logs, status.json and the Python package carry it
	When      When
	Measures  string
	Threshold string
	Why       string
}

// Finding is a warning with its numbers.
type Finding struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Says returns a warning of this kind. A text without arguments is taken literally.
func (k *Kind) Says(format string, args ...any) Finding {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = plain.Text(err)
		}
	}
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return Finding{k.Name, format}
}

// String returns the text.
func (f Finding) String() string { return f.Text }

// UnmarshalJSON also takes the plain text of earlier versions.
func (f *Finding) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &f.Text)
	}
	type plain Finding
	return json.Unmarshal(b, (*plain)(f))
}

// List holds warnings in the order in which they were found.
type List []Finding

// Texts returns the texts alone.
func (l List) Texts() (texts []string) {
	for _, f := range l {
		texts = append(texts, f.Text)
	}
	return texts
}

// Of returns the warnings of some kinds.
func (l List) Of(kinds ...*Kind) (list List) {
	for _, f := range l {
		for _, k := range kinds {
			if f.Kind == k.Name {
				list = append(list, f)
			}
		}
	}
	return list
}

// Table returns all kinds as a Markdown table, in the order of a run.
func Table() string {
	var b strings.Builder
	b.WriteString("| warning | when | measures | threshold | why |\n|---|---|---|---|---|\n")
	for when := Case; when <= Report; when++ {
		for _, k := range kinds {
			if k.When == when {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, k.When, k.Measures, k.Threshold, k.Why)
			}
		}
	}
	return b.String()
}

// kinds holds every Kind that add has made.
var kinds []*Kind

func add(k Kind) *Kind {
	kinds = append(kinds, &k)
	return &k
}
