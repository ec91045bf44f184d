//go:build cuda

package cuda

import "testing"

func TestMarches(t *testing.T) {
	for _, c := range []struct{ n, most, columns, slots, want int }{
		{512, 80, 320, 132, 7},  // 16.97 rounds of 74 planes
		{128, 80, 20, 132, 6},   // one round
		{1, 80, 320, 132, 1},    // an edge plane
		{100, 40, 1000, 132, 3}, // as long as allowed
		{16, 80, 1, 132, 16},    // too few columns for the GPU
	} {
		if got := marches(c.n, c.most, c.columns, c.slots); got != c.want {
			t.Errorf("marches(%d planes, at most %d, %d columns, %d slots) = %d, want %d", c.n, c.most, c.columns, c.slots, got, c.want)
		}
	}
}
