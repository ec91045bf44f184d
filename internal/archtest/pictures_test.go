// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package archtest

import (
	"os"
	"testing"
)

// Pictures load with the pages that show them, and stay in the history of the repository. The bounds were set after the largest one, an
// animation of 1.4 MB, and a sum of 6.6 MB.
func TestSizeOfPictures(t *testing.T) {
	const largest, whole = 1_500_000, 8_000_000
	files, err := os.ReadDir("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
		if info.Size() > largest {
			t.Errorf("docs/%s has %d bytes, more than %d: fewer frames, fewer pixels or a lower quality", f.Name(), info.Size(), int64(largest))
		}
	}
	if t.Logf("docs: %d bytes", sum); sum > whole || len(files) == 0 {
		t.Errorf("docs has %d bytes in %d files, at most %d", sum, len(files), int64(whole))
	}
}
