// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"lbmsim/kernels"
	"lbmsim/model"
)

// Inputs of the compiler, in kernels.Sources.
const (
	instanceFile = "gpu/instance.h"
	specialFile  = "gpu/special.h" // for cases with special cells
	facesFile    = "gpu/face.h"    // for cases with ghost cells behind faces
	scalarFile   = "gpu/scalar.h"  // for cases with a scalar
	timedFile    = "gpu/timed.h"   // for cases that change with time

	stepFieldsFile = "gpu/step_fields.h" // for runs that want fields of steps
	statisticsFile = "gpu/statistics.h"  // for runs with averages or profiles
	modelledFile   = "gpu/modelled.h"    // for walls with a model
	levelsFile     = "gpu/levels.h"      // for patches of refined grids
	castFile       = "gpu/cast.h"        // for runs with 3D views
	eddiesFile     = "gpu/eddies.h"      // for viscosity laws that read neighbours
)

// source returns a header with everything that it includes, as one text. NVRTC would take
// headers from memory too, but finds them by the literal words of an #include only,
// which "../portable.h" spoils; and one text is easy to keep a digest of. #line
// keeps the names and numbers of our files in messages and for profilers.
func source(files fs.FS, name string) (string, error) {
	var b strings.Builder
	if err := inline(&b, files, name, nil); err != nil {
		return "", err
	}
	return b.String(), nil
}

func inline(b *strings.Builder, files fs.FS, name string, from []string) error {
	// The headers' own guards decide what counts (a header may be included under
	// an #if): a text can come twice, but not inside of itself.
	for _, f := range from {
		if f == name {
			return nil
		}
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("kernels/%s, included from kernels/%s: %w", name, strings.Join(from, ", kernels/"), err)
	}
	fmt.Fprintf(b, "#line 1 \"kernels/%s\"\n", name)
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, `#include "`); ok {
			header, _, _ := strings.Cut(rest, `"`)
			if err := inline(b, files, path.Join(path.Dir(name), header), append(from, name)); err != nil {
				return err
			}
			fmt.Fprintf(b, "#line %d \"kernels/%s\"\n", i+2, name)
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return nil
}

// options returns the compiler's options for one instance of the kernels, for rows of the given
// pitch or, for 0, of any.
func options(spec model.Spec, pitch int, target string) []string {
	stored, real, coarse := "float", "float", 0
	switch spec.Precision.Bytes() {
	case 2:
		stored, coarse = "half", 1
	case 8:
		stored, real = "double", "double"
	}
	moments := 0
	if spec.Collision.Scheme == model.Moments {
		moments = 1
	}
	list := []string{
		target, "--std=c++17", "--device-as-default-execution-space", "-lineinfo",
		"-DLBM_LATTICE=" + spec.Lattice.Name,
		"-DLBM_COLLISION=" + model.TypeName(spec.Collision.Name),
		fmt.Sprintf("-DLBM_MOMENTS=%d", moments),
		"-DLBM_REAL=" + real,
		"-DLBM_STORED=" + stored,
		fmt.Sprintf("-DLBM_COARSE=%d", coarse),
		fmt.Sprintf("-DLBM_PITCH=%d", pitch),
		fmt.Sprintf("-DLBM_EXTRA=%d", spec.Components()-spec.FlowComponents()),
	}
	if spec.Local() {
		list = append(list, "-DLBM_LAW="+model.TypeName(spec.Viscosity.String()))
	}
	return list
}

// sharedLimit returns the shared memory in bytes that a block may have on GPUs of compute
// capability arch (CUDA C++ Programming Guide, technical specifications); for future
// GPUs the smallest of recent ones. The march of moments in 3D gives its blocks as many
// rows as fit; the numbers that the kernels compute are the same. The limit is the
// GPU's, not the target's: code of an older target has to run on it too.
func sharedLimit(arch int) int {
	switch {
	case arch == 75:
		return 64 << 10
	case arch < 80:
		return 96 << 10
	case arch == 86 || arch == 88 || arch == 89 || arch >= 120:
		return 99 << 10
	case arch < 90:
		return 163 << 10
	}
	return 227 << 10
}

// Architectures returns the GPUs that the run-time compiler of this machine makes code
// for: 90 for sm_90.
func Architectures() ([]int, error) {
	c, err := openCompiler(0, 0)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.archs, nil
}

// job is one compilation.
type job struct {
	compiler *compiler
	what     string // for messages
	file     string // of kernels.Sources
	text     string
	options  []string
	real     bool
}

func newJob(c *compiler, spec model.Spec, pitch, arch int) (j job, err error) {
	return newJobOf(c, instanceFile, spec, pitch, arch)
}

// newJobOf returns the job of a file of kernels, with more compiler options.
func newJobOf(c *compiler, file string, spec model.Spec, pitch, arch int, more ...string) (j job, err error) {
	target, real, err := c.target(arch)
	if err != nil {
		return j, err
	}
	j = job{compiler: c, what: "kernels of " + spec.String(), file: file, options: append(options(spec, pitch, target), fmt.Sprintf("-DLBM_SHARED=%d", sharedLimit(arch))), real: real}
	j.options = append(j.options, more...)
	j.text, err = source(kernels.Sources, j.file)
	return j, err
}

func (j job) compile() ([]byte, error) {
	code, log, err := j.compiler.compile(j.text, "kernels/"+j.file, j.options, j.real)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\noptions: %s\n%s", j.what, err, strings.Join(j.options, " "), head(log, 40))
	}
	return code, nil
}

// head returns the first lines of a text: one error in a template can produce a thousand lines.
func head(text string, lines int) string {
	list := strings.Split(text, "\n")
	if len(list) <= lines {
		return text
	}
	return strings.Join(list[:lines], "\n") + fmt.Sprintf("\n... %d more lines", len(list)-lines)
}
