// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"lbmsim/config/language"
	"lbmsim/model"
)

// fieldsOutput describes [output.fields].
func fieldsOutput() outputKind {
	return outputKind{
		table: language.Table{Optional: true, Path: "output.fields", Keys: append([]language.Key{
			{Name: "fields", Kind: language.Words, Choices: fields(), DefaultDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", Doc: "fields to write, see the table of fields"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file"},
			{Name: "dir", Kind: language.Text, Default: `"fields"`, Doc: "subfolder of the folder of [output]"},
			{Name: "files", Kind: language.Integer, Default: "1", Within: language.Counts(1, 999), Doc: "number of files per output. With more than one the data are in a folder next to the .hdf file, which presents them as its own as long as both are kept together. Each file is written by one thread at a time: as many files as a node has cores are fastest"},
		}, begunKeys("", "false", "true")...), Doc: "Whole fields, as VTKHDF files for ParaView, with cell data. The table enables the output."},
		read: func(r *outputs, s *language.Section) { r.fieldsOutput(s) },
		footprint: func(c *Case) []Footprint {
			if !c.Fields.On {
				return nil
			}
			files := 1
			if parts := min(c.Fields.Files, c.Cells[c.Dims()-1]); parts > 1 {
				files += parts
			}
			return []Footprint{{Head: "[output.fields]", Schedule: c.Fields.Schedule, Files: files, Each: FileBytes(c, fieldsBytes(c))}}
		},
	}
}

// FieldsOutput is [output.fields].
type FieldsOutput struct {
	On       bool
	Schedule Schedule
	Dir      string // folder, relative to the output folder
	Fields   []model.Field
	Type     model.Precision // of the file
	Files    int             // into which the numbers of one output go
}

// Bytes returns the size of the numbers of so many cells.
func (o FieldsOutput) Bytes(cells [3]int) int64 { return bytesOf(o.Fields, o.Type, cells) }

// fieldsBytes returns the size of the numbers of one output of fields: of all levels.
func fieldsBytes(c *Case) (bytes float64) {
	for _, p := range Patches(c) {
		bytes += float64(c.Fields.Bytes(p.Size()))
	}
	return bytes
}

func (r *outputs) fieldsOutput(s *language.Section) {
	o := &r.Fields
	o.On, o.Schedule = true, r.begun(s)
	o.Fields = r.shown(s)
	if e := s.Get("fields"); e != nil && len(e.Words) == 0 {
		r.Add(e.At, "", "fields is empty: there is nothing to write")
	}
	if e := s.Get("precision"); e != nil {
		o.Type = precisionOf(e.Text)
	}
	if e := s.Get("files"); e != nil {
		o.Files = e.Ints[0]
	}
	if e := s.Get("dir"); e != nil {
		o.Dir = e.Text
		r.relative(e)
	}
}
