// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package wire turns the values of Send and Receive into bytes and back: comm.Raw
// as it is, anything else by encoding/gob. Every implementation of comm.Comm
// uses it, so that a program that runs in one process runs over MPI too.
package wire

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"github.com/btracey/mpi"
)

// Encode gives the bytes of data, and whether they are raw: then they are data's
// own memory.
func Encode(data any) (b []byte, raw bool, err error) {
	if b, ok := Raw(data); ok {
		return b, true, nil
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(data); err != nil {
		return nil, false, fmt.Errorf("encode a %T: %w", data, err)
	}
	return buf.Bytes(), false, nil
}

// Raw returns the memory of a comm.Raw or *comm.Raw.
func Raw(data any) ([]byte, bool) {
	switch d := data.(type) {
	case mpi.Raw:
		return d, true
	case *mpi.Raw:
		return *d, true
	}
	return nil, false
}

// Decode stores encoded bytes in the variable that data points to.
func Decode(b []byte, data any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(data); err != nil {
		return fmt.Errorf("decode a %T: %w", data, err)
	}
	return nil
}
