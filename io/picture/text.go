// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

// header is the signature of a PNG file and its first chunk, IHDR.
const header = 8 + 4 + 4 + 13 + 4

// writeWithText writes a PNG file with one iTXt chunk (uncompressed UTF-8; PNG
// specification, third edition, 11.3.3.4) a keyword behind its header.
func writeWithText(w io.Writer, file []byte, text map[string]string) error {
	out := append([]byte(nil), file[:header]...)
	for _, keyword := range slices.Sorted(maps.Keys(text)) {
		if n := len(keyword); n < 1 || n > 79 {
			return fmt.Errorf("a keyword of %d characters: PNG allows 1 to 79", n)
		}
		// keyword, no compression (flag, method), no language, no translation
		data := append([]byte("iTXt"+keyword), 0, 0, 0, 0, 0)
		data = append(data, text[keyword]...)
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)-4))
		out = append(out, data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	}
	_, err := w.Write(append(out, file[header:]...))
	return err
}
