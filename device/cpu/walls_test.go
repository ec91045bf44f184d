// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"math"
	"testing"
)

// An index of the lists of walls that does not fit into 32 bits is an error, not another index.
func TestListIndex(t *testing.T) {
	if i, err := listIndex(math.MaxUint32); i != math.MaxUint32 || err != nil {
		t.Errorf("the last index is %d, %v", i, err)
	}
	if _, err := listIndex(math.MaxUint32 + 1); err == nil {
		t.Error("an index beyond 32 bits was cut")
	}
}
