// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds lbmsim from the tree at root in dir and returns its path; where $LBMSIM_TEST_PROGRAM names a program, for example without
// Go, it returns that program. It uses the tags of $LBMSIM_TAGS, as the tests do: others would compile all kernels once more. Where
// $LBMSIM_TEST_DEVICE is cuda it has that tag, too.
func Build(root, dir string) (string, error) {
	if built := os.Getenv("LBMSIM_TEST_PROGRAM"); built != "" {
		return built, nil
	}
	program, err := filepath.Abs(filepath.Join(dir, "lbmsim"))
	if err != nil {
		return "", err
	}
	tags := os.Getenv("LBMSIM_TAGS")
	if os.Getenv("LBMSIM_TEST_DEVICE") == "cuda" && !slices.Contains(strings.Split(tags, ","), "cuda") {
		tags += ",cuda"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-tags", tags, "-o", program, "./cmd/lbmsim")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
