// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// mostText is the longest text that ReadText takes: resolved cases have some KiB.
const mostText = 64 << 20

// ReadText reads the text that Write has stored beside a picture (Picture.Text).
func ReadText(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := readText(io.LimitReader(f, mostText))
	if err != nil {
		return nil, fmt.Errorf("read the texts of %s: %w", path, err)
	}
	return text, nil
}

// readText reads the chunks before the pixels: length, type, data, CRC (PNG
// specification, third edition, 5.3).
func readText(r io.Reader) (map[string]string, error) {
	text := map[string]string{}
	signature := make([]byte, 8)
	if _, err := io.ReadFull(r, signature); err != nil || string(signature) != "\x89PNG\r\n\x1a\n" {
		return nil, errors.New("it is not a PNG file")
	}
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, fmt.Errorf("it is truncated: %w", err)
		}
		n := int64(binary.BigEndian.Uint32(head))
		if string(head[4:]) == "IDAT" {
			return text, nil
		}
		var data bytes.Buffer // grows with the actual data, whatever the length field
		if got, err := io.CopyN(&data, r, n+4); err != nil {
			return nil, fmt.Errorf("a chunk of %d bytes ends after %d: %w", n, got, err)
		}
		b, sum := data.Bytes()[:n], data.Bytes()[n:]
		if crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, b) != binary.BigEndian.Uint32(sum) {
			return nil, errors.New("a chunk is damaged: it does not match its checksum")
		}
		if keyword, rest, ok := bytes.Cut(b, []byte{0}); ok && string(head[4:]) == "iTXt" && bytes.HasPrefix(rest, make([]byte, 4)) {
			text[string(keyword)] = string(rest[4:]) // not compressed, no language, no translation
		}
	}
}
