// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package picture

import (
	"bytes"
	"image/png"
	"maps"
	"strings"
	"testing"
)

// the text is in the file, and the picture is still a PNG.
func TestText(t *testing.T) {
	p := Picture{Quantity: "speed", W: 2, H: 2, Values: []float64{0, 1, 2, 3}, Spacing: 1, Text: map[string]string{
		"Source": "[domain]\ncells = [2, 2] # µ", "Software": "lbmsim"}}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"iTXtSoftware\x00\x00\x00\x00\x00lbmsim", "cells = [2, 2] # µ"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the file", want)
		}
	}
	whole := b.String()
	if got, err := readText(strings.NewReader(whole)); err != nil || !maps.Equal(got, p.Text) {
		t.Errorf("read back: %v, %v", got, err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"other":   {"GIF89a" + whole, "not a PNG"},
		"cut":     {whole[:header+40], "ends after"},
		"damaged": {strings.Replace(whole, "domain", "Domain", 1), "damaged"},
		"hostile": {whole[:header] + "\xff\xff\xff\xffiTXtx", "ends after"},
		"empty":   {"", "not a PNG"},
	} {
		if _, err := readText(strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := png.Decode(&b); err != nil { // checks every chunk's CRC
		t.Error(err)
	}
	p.Text = map[string]string{"": "x"}
	if p.Encode(&b) == nil {
		t.Error("an empty keyword was taken")
	}
}
