package picture

import (
	"bytes"
	"image/png"
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
	if _, err := png.Decode(&b); err != nil { // checks every chunk's CRC
		t.Error(err)
	}
	p.Text = map[string]string{"": "x"}
	if p.Encode(&b) == nil {
		t.Error("an empty keyword was taken")
	}
}
