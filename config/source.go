// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"path/filepath"
	"strings"

	"lbmsim/config/language"
	"lbmsim/internal/finding"
)

// source is the file that is read, and where warnings go.
type source struct {
	*language.Reader
	*Notes
	*bodyFiles
}

// warn records a warning of input that is allowed but often a mistake.
func (r *source) warn(kind *finding.Kind, format string, args ...any) {
	r.Warnings = append(r.Warnings, kind.Says(format, args...))
}

// need reports a missing key; false when it is missing.
func (r *source) need(s *language.Section, name, reason string) bool {
	if s.Has(name) {
		return true
	}
	r.missing(s, reason, "%s needs %s", s.Head(), name)
	return false
}

// missing adds an error about a key that a section lacks.
func (r *source) missing(s *language.Section, reason, format string, args ...any) {
	at := s.At
	if !s.Given {
		at = language.Nowhere
	}
	r.Add(at, reason, format, args...)
}

// exclusive reports keys of which only one may be given.
func (r *source) exclusive(s *language.Section, reason string, keys ...string) {
	var first *language.Entry
	for _, k := range keys {
		e := s.InFile(k)
		if e == nil {
			continue
		}
		if first == nil {
			first = e
		} else {
			r.Add(e.KeyAt, reason, "%s and %s cannot both be given", first.Key.Name, k)
		}
	}
}

// file returns the path of a file that a section names.
func (r *source) file(s *language.Section, e *language.Entry) (path string, ok bool) {
	if e.Text == "" {
		r.Add(e.At, "", "%s is empty: give the name of a file", e.Key.Name)
		return "", false
	}
	if filepath.IsAbs(e.Text) {
		return e.Text, true
	}
	return filepath.Join(filepath.Dir(r.Path), e.Text), true
}

// digest returns the checksum that a section requires of a file, "" for any.
func (r *source) digest(s *language.Section, key string) (sum string, ok bool) {
	e := s.Get(key)
	if e == nil {
		return "", true
	}
	sum = strings.ToLower(e.Text)
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		r.Add(e.At, "sha256sum prints it", "%s needs 64 hexadecimal digits", key)
		return "", false
	}
	return sum, true
}
