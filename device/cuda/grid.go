//go:build cuda

package cuda

// marchCost is what a block pays beside the planes that it computes, in planes: it
// reads two more, and it has to be started.
const marchCost = 3

// marches is into how many blocks a range of n planes is cut along the axis that a
// block marches along: at most `most` planes each, `columns` blocks side by side,
// slots blocks at once on the GPU. Few long marches read little twice; but the last
// round of blocks should be full. The cut does not change the numbers, and leaves no
// block without planes: of equal lengths the fewest blocks win.
func marches(n, most, columns, slots int) int {
	best, least := 1, -1
	for k := ceil(n, most); k <= min(n, maxGrid); k++ {
		rounds := ceil(columns*k, slots)
		if cost := rounds * (ceil(n, k) + marchCost); least < 0 || cost < least {
			best, least = k, cost
		}
		if columns*k > 64*slots {
			break // shorter ones only cost more
		}
	}
	return best
}
