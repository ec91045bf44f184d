// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transport

import (
	"strings"
	"testing"
)

// Each word stands for one thing, and others are refused.
func TestWords(t *testing.T) {
	for k, word := range map[Kind]string{Auto: "auto", Host: "host", GPU: "gpu", Peer: "peer"} {
		if got, err := Parse(word); got != k || err != nil || k.String() != word {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	for a, word := range map[Answer]string{Ask: "ask", Yes: "yes", No: "no"} {
		if got, err := ParseAnswer(word); got != a || err != nil || a.String() != word {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
	if _, err := Parse("pigeon"); err == nil || !strings.Contains(err.Error(), "pigeon is not one of auto, host, gpu, peer") {
		t.Errorf("%v", err)
	}
	if _, err := ParseAnswer("maybe"); err == nil {
		t.Error("maybe is an answer")
	}
	if len(Kinds()) != 4 || len(Answers()) != 3 {
		t.Errorf("%q, %q", Kinds(), Answers())
	}
}
