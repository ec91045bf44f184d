// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The rays of a GPU (cast.h) on a CPU.
//
//   emulate FILE
//
// reads Optics, the number of blocks and for each its level, whether it has a list of finest cells, n, lo, the domain's size in
// its cells, the values of both fields and the list; writes the Seen of all rays to the same file.
#include <cmath>
#include <cstdio>
#include <vector>

#include "cast.h"
using namespace lbm;

int main(int, char** argv) {
	FILE* f = fopen(argv[1], "r+b");
	auto read = [&](auto* to, size_t n) { return fread(to, sizeof(*to), n, f) == n; };
	Optics o;
	int count;
	if (!f || !read(&o, 1) || !read(&count, 1)) return 2;
	std::vector<Seen> seen(o.w * o.h, Seen{NEVER, 0, 0, 0});
	for (int i = 0; i < count; i++) {
		int head[11];
		if (!read(head, 11)) return 2;
		Volume v{};
		v.scale = 1 << head[0];
		long long stored = 1, own = 1;
		for (int a = 0; a < 3; a++) {
			v.n[a] = head[2 + a], v.lo[a] = head[5 + a];
			v.ends[0][a] = -v.lo[a], v.ends[1][a] = head[8 + a] - 1 - v.lo[a];
			stored *= v.n[a] + 2 * MARGIN, own *= v.n[a];
		}
		std::vector<float> shape(stored), colour(stored);
		std::vector<unsigned char> finest(head[1] ? own : 0);
		if (!read(shape.data(), stored) || !read(colour.data(), stored) || !read(finest.data(), finest.size())) return 2;
		v.shape = shape.data(), v.colour = colour.data(), v.finest = head[1] ? finest.data() : nullptr;
		const Cells cells(v);
		auto boxes = [&](int shift) { return size_t(cells.boxes(0, shift)) * cells.boxes(1, shift) * cells.boxes(2, shift); };
		std::vector<unsigned char> bricks(boxes(BRICK)), piles(boxes(PILE));
		v.bricks = bricks.data(), v.piles = piles.data();
		for (size_t k = 0; k < bricks.size(); k++) {
			float low, high;
			cells.extremes(k, 0, 1, 0, 1, low, high);
			cells.mark(k, Cells::mayHave(low, high, o.level));
		}
		for (int y = 0; y < o.h; y++)
			for (int x = 0; x < o.w; x++) {
				Seen s;
				if (cells.cast(o, Ray(o, x, y), s) && nearer(s, seen[y * o.w + x])) seen[y * o.w + x] = s;
			}
	}
	rewind(f);
	return fwrite(seen.data(), sizeof(Seen), seen.size(), f) != seen.size() || fclose(f) != 0;
}
