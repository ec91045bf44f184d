// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package examples holds the cases of this folder, for `lbmsim example`.
package examples

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed *.toml
var files embed.FS

// Example is a case that comes with lbmsim.
type Example struct {
	Name  string // without .toml
	Title string
	Text  string
}

var title = regexp.MustCompile(`(?m)^title = "(.*)"$`)

// All returns the examples, sorted by name.
func All() []Example {
	names, err := fs.Glob(files, "*.toml")
	if err != nil {
		panic(err) // of the pattern
	}
	var list []Example
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded in lbmsim
		}
		e := Example{Name: strings.TrimSuffix(path.Base(name), ".toml"), Text: string(text)}
		if m := title.FindStringSubmatch(e.Text); m != nil {
			e.Title = m[1]
		}
		list = append(list, e)
	}
	return list
}
