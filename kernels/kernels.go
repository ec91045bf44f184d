// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package kernels is the physics: C++17 headers that a GPU's run-time compiler and
// g++ both take. For the CPU they are compiled here, steps once per instruction set;
// Sources holds the same text for the GPU.
//
// A collision model is one header in collision/ and one row in model.Collisions, of
// the same name, a viscosity law one in viscosity/ and in model.ViscosityLaws; portable.h holds the macros by which the compilers
// differ. The loops around the physics are in cpu/ and gpu/.
//
//go:generate go run ../tools/catalogue
package kernels

import "embed"

// Sources holds the text of the headers that GPUs need, by path.
//
//go:embed *.h collision/*.h lattice/*.h gpu/*.h viscosity/*.h
var Sources embed.FS

// Embedding makes Go's build cache notice edits of headers in subfolders (golang/go issue 24355). CPU headers are embedded for
// that alone; the linker drops them.
//
//go:embed cpu/*.h
var _ embed.FS
