// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"fmt"
	"strconv"
	"strings"
)

// FileName returns the name of the file of a picture at a step.
func FileName(name string, step int64) string { return fmt.Sprintf("%s_%010d.png", name, step) }

// ParseFileName returns the picture and the step that a file is named after.
func ParseFileName(file string) (name string, step int64, ok bool) {
	base, isPNG := strings.CutSuffix(file, ".png")
	k := strings.LastIndexByte(base, '_')
	if !isPNG || k < 1 {
		return "", 0, false
	}
	step, err := strconv.ParseInt(base[k+1:], 10, 64)
	return base[:k], step, err == nil && FileName(base[:k], step) == file
}
