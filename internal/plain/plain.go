// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package plain rewrites errors of Go's libraries for users: "open x.toml: no such file or directory" names a call
// of the system, "strconv.ParseFloat: parsing" a function, and both are meaningless to a reader of a case file.
// Count formats numbers of things.
package plain

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Text returns the message of an error. Parts written by libraries are replaced, wherever they are in the chain.
func Text(err error) string {
	text := err.Error()
	each(err, func(e error) {
		from, to := e.Error(), words(e)
		if at := strings.LastIndex(text, from); to != "" && at >= 0 {
			text = text[:at] + to + text[at+len(from):]
		}
	})
	return text
}

// each visits an error and all that it wraps, the outermost first.
func each(err error, visit func(error)) {
	if err == nil {
		return
	}
	visit(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		each(e.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			each(one, visit)
		}
	}
}

// words returns the text of an error of a library; empty for all others.
func words(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path + ": " + e.Err.Error()
	case *os.LinkError:
		return e.Old + " to " + e.New + ": " + e.Err.Error()
	case *os.SyscallError:
		return e.Err.Error()
	case *exec.Error:
		return e.Name + ": not found on PATH"
	case *strconv.NumError:
		return number(e)
	case *csv.ParseError:
		return fmt.Sprintf("line %d: misplaced quotation mark", e.Line)
	case *xml.SyntaxError:
		if strings.Contains(e.Msg, "unexpected EOF") {
			return fmt.Sprintf("the XML is truncated in line %d", e.Line)
		}
		return fmt.Sprintf("line %d is not valid XML", e.Line)
	case png.FormatError, png.UnsupportedError:
		return "its PNG data is damaged"
	case *json.SyntaxError:
		if strings.HasPrefix(e.Error(), "unexpected end") {
			return "the JSON is truncated"
		}
		return fmt.Sprintf("not valid JSON at byte %d", e.Offset)
	case *json.UnmarshalTypeError:
		if e.Field == "" {
			return fmt.Sprintf("not a JSON object, but its %s", e.Value)
		}
		return fmt.Sprintf("its %q is a %s, of another type than expected", e.Field, e.Value)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF { // and not what wraps it
		return "it is empty or truncated"
	}
	return ""
}

// number explains why a text is not a number.
func number(e *strconv.NumError) string {
	what := "a number"
	if strings.Contains(e.Func, "Int") || strings.Contains(e.Func, "Uint") || e.Func == "Atoi" {
		what = "a whole number"
	}
	if errors.Is(e.Err, strconv.ErrRange) {
		return strconv.Quote(e.Num) + " is out of range for " + what
	}
	return strconv.Quote(e.Num) + " is not " + what
}

// Count returns a number of things, such as "1 file" or "2 files".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
