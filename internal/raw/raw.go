// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package raw has two helpers for low-level code: the bytes of a slice, and the number of
// pieces that cover a range.
package raw

import "unsafe"

// Bytes returns the memory of a slice of plain numbers or structs, shared with the slice.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// Ceil returns a/b rounded up: how many pieces of b cover a.
func Ceil(a, b int) int { return (a + b - 1) / b }
