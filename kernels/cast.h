// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Rays of a camera through a block of cells, as package internal/render casts them on the host. The order of operations is the
// same: without contracted operations the hits have the same bits, on a GPU they differ by rounding. A test compares both.
// sqrt, floor and ceil are the compiler's own on a GPU; elsewhere include <cmath> first.
#ifndef LBM_CAST_H
#define LBM_CAST_H
#include "portable.h"

namespace lbm { namespace {

// Optics is render.Optics: a camera, its key light and the surface.
struct Optics {
	double from[3], right[3], up[3], ahead[3];  // right and up as long as half the picture is wide and high one unit ahead
	double key[3];                              // direction of the key light
	double size[3];                             // of the domain
	double step, level;                         // distance of samples; value of the surface
	long long w, h;                             // rays
	long long levels;                           // of the grid
};

// Volume is a block of cells of a level with the values of two fields, each with a margin of MARGIN layers (render.Block).
struct Volume {
	double scale;                 // cells of the level along one of level 0
	float *shape, *colour;        // [z][y][x]; NaN: no value
	const unsigned char* finest;  // [z][y][x] without the margin: no finer level has the cell; null: all cells
	unsigned char *bricks, *piles;  // whether boxes of 8 and of 32 cells along each edge may have the surface
	int lo[3], n[3];              // the first cell, from the domain's lower corner, and the cells
	int ends[2][3];               // the domain's outermost cells, from the block's corner
};
enum { MARGIN = 3, BRICK = 3, PILE = 5 };  // layers; log2 of cells

// Seen is the first hit of a ray; NEVER: none.
struct Seen { float depth, value, light, gloss; };
constexpr float NEVER = 3e38f;

// Shares of the light of a surface: internal/render/light.go.
constexpr double AMBIENT = 0.30, FILL = 0.25, KEY = 0.48, GLOSS = 0.14, SLACK = 1e-9;

template <class T> LBM_HD LBM_INLINE T lesser(T a, T b) { return a < b ? a : b; }
template <class T> LBM_HD LBM_INLINE T greater(T a, T b) { return a > b ? a : b; }
LBM_HD LBM_INLINE int within(int k, int lo, int hi) { return lesser(greater(k, lo), hi); }
LBM_HD LBM_INLINE double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
LBM_HD LBM_INLINE void toUnit(double* v) {
	const double l = sqrt(dot(v, v));
	if (l == 0) return;
	v[0] /= l, v[1] /= l, v[2] /= l;
}

// Corner is the place of a point between the centres of eight cells.
struct Corner {
	long long index;  // of the first cell's value
	double share[3];
};

// Ray is a half-line with a unit direction.
struct Ray {
	double from[3], along[3];

	LBM_HD LBM_INLINE Ray(const Optics& o, int x, int y) {
		const double u = (2 * double(x) + 1) / double(o.w) - 1, v = 1 - (2 * double(y) + 1) / double(o.h);
		for (int a = 0; a < 3; a++) from[a] = o.from[a], along[a] = o.ahead[a] + u * o.right[a] + v * o.up[a];
		toUnit(along);
	}
	LBM_HD LBM_INLINE void at(double t, double* p) const {
		for (int a = 0; a < 3; a++) p[a] = from[a] + t * along[a];
	}
	// span computes the distances at which the ray enters a box and leaves it; in >= out: it misses the box.
	LBM_HD LBM_INLINE void span(const double* lo, const double* hi, double& in, double& out) const {
		in = 0, out = 1e300;
		for (int a = 0; a < 3; a++) {
			if (along[a] == 0) {
				if (from[a] < lo[a] || from[a] >= hi[a]) in = out = 0;
				continue;
			}
			const double t = (lo[a] - from[a]) / along[a], u = (hi[a] - from[a]) / along[a];
			in = greater(in, lesser(t, u)), out = lesser(out, greater(t, u));
		}
	}
};

// Cells reads a volume.
struct Cells {
	const Volume& b;
	int dy;        // distances of neighbouring values
	long long dz;

	LBM_HD LBM_INLINE explicit Cells(const Volume& b) : b(b), dy(b.n[0] + 2 * MARGIN), dz((long long)dy * (b.n[1] + 2 * MARGIN)) {}
	LBM_HD LBM_INLINE long long place(int x, int y, int z) const { return z * dz + (long long)y * dy + x; }

	// boxes returns the number of boxes along an axis.
	LBM_HD LBM_INLINE int boxes(int axis, int shift) const { return ((b.n[axis] - 1) >> shift) + 1; }
	LBM_HD LBM_INLINE long long boxOf(const int* at, int shift) const {
		return ((long long)(at[2] >> shift) * boxes(1, shift) + (at[1] >> shift)) * boxes(0, shift) + (at[0] >> shift);
	}

	// cell computes the cell at a place, from the block's corner, and reports whether the block has it.
	LBM_HD LBM_INLINE bool cell(const double* p, int* at) const {
		bool mine = true;
		for (int a = 0; a < 3; a++) {
			at[a] = within(int(floor(p[a] * b.scale)) - b.lo[a], b.ends[0][a], b.ends[1][a]);
			mine = mine && at[a] >= 0 && at[a] < b.n[a];
		}
		return mine;
	}
	// between returns the corner of a point in the block or up to a cell around it.
	LBM_HD LBM_INLINE Corner between(const double* p) const {
		Corner c;
		int at[3];
		for (int a = 0; a < 3; a++) {
			const double q = p[a] * b.scale - 0.5, whole = floor(q);
			c.share[a] = q - whole;
			at[a] = within(int(whole) - b.lo[a] + MARGIN, 1, b.n[a] + 2 * MARGIN - 3);
		}
		c.index = place(at[0], at[1], at[2]);
		return c;
	}
	// eachOf visits the eight cells of a corner with their weights.
	template <class F> LBM_HD LBM_INLINE void eachOf(const Corner& c, F visit) const {
		for (int k = 0; k < 8; k++) {
			double weight = 1;
			for (int a = 0; a < 3; a++) weight *= k >> a & 1 ? c.share[a] : 1 - c.share[a];
			visit(c.index + (k & 1) + (k >> 1 & 1) * dy + (k >> 2) * dz, weight);
		}
	}
	// value interpolates linearly along each axis; where some of the eight cells have no value the others count.
	LBM_HD LBM_INLINE double value(const float* of, const Corner& c) const {
		auto line = [&](long long i) LBM_LAMBDA { return double(of[i]) + c.share[0] * (double(of[i + 1]) - double(of[i])); };
		double low = line(c.index), high = line(c.index + dz);
		low += c.share[1] * (line(c.index + dy) - low);
		high += c.share[1] * (line(c.index + dy + dz) - high);
		const double v = low + c.share[2] * (high - low);
		if (v == v) return v;
		double sum = 0, weights = 0;
		eachOf(c, [&](long long i, double weight) LBM_LAMBDA {
			if (of[i] == of[i]) sum += weight * double(of[i]), weights += weight;
		});
		return sum / weights;
	}
	// gradient interpolates central differences of the shape's field; beside cells without a value they are one-sided.
	LBM_HD LBM_INLINE void gradient(const Corner& c, double* g) const {
		g[0] = g[1] = g[2] = 0;
		const float* const of = b.shape;
		eachOf(c, [&](long long i, double weight) LBM_LAMBDA {
			const double here = of[i];
			if (here != here) return;
			for (int a = 0; a < 3; a++) {
				const long long step = a == 0 ? 1 : a == 1 ? dy : dz;
				double lo = of[i - step], hi = of[i + step];
				if (lo != lo) lo = here;
				if (hi != hi) hi = here;
				g[a] += weight * (hi - lo);
			}
		});
	}

	// corner computes the first cell of a brick.
	LBM_HD LBM_INLINE void corner(long long brick, int* at) const {
		const int bx = boxes(0, BRICK), by = boxes(1, BRICK);
		at[0] = int(brick % bx) << BRICK, at[1] = int(brick / bx % by) << BRICK, at[2] = int(brick / bx / by) << BRICK;
	}
	// extremes computes the least and the largest value of the cells that interpolation in a brick reads: of every dx-th from the x-th on in
	// every dy-th row from the y-th on.
	LBM_HD LBM_INLINE void extremes(long long brick, int x, int dx, int y, int dy, float& low, float& high) const {
		int at[3], lo[3], n[3];
		corner(brick, at);
		for (int a = 0; a < 3; a++) {
			lo[a] = at[a] + MARGIN - 2, n[a] = lesser(at[a] + (1 << BRICK), b.n[a]) + MARGIN + 2 - lo[a];
		}
		low = 3e38f, high = -3e38f;
#pragma unroll 4
		for (int k = 0; k < n[2]; k++)
			for (int j = y; j < n[1]; j += dy)
				for (int i = x; i < n[0]; i += dx) {
					const float v = b.shape[place(lo[0] + i, lo[1] + j, lo[2] + k)];
					low = v < low ? v : low, high = v > high ? v : high;
				}
	}
	// mark sets whether a brick may have the surface, and the pile around it, which begins unmarked.
	LBM_HD LBM_INLINE void mark(long long brick, bool has) const {
		b.bricks[brick] = has;
		if (!has) return;
		int at[3];
		corner(brick, at);
		b.piles[boxOf(at, PILE)] = 1;
	}
	// mayHave reports whether a brick with these extremes may have the surface; with slack for rounding, no division into bricks
	// changes a hit.
	LBM_HD LBM_INLINE static bool mayHave(float low, float high, double level) {
		const double l = low, h = high, around = SLACK * (level < 0 ? -level : level);
		return !(l > h || l - around - SLACK * (l < 0 ? -l : l) > level || h + around + SLACK * (h < 0 ? -h : h) < level);
	}

	// leaves returns the distance at which a ray leaves the box around a cell.
	LBM_HD LBM_INLINE double leaves(const Ray& r, const double* inverse, const int* at, int shift) const {
		double out = 1e300;
		for (int a = 0; a < 3; a++) {
			if (r.along[a] == 0) continue;
			const int side = (at[a] >> shift) + (r.along[a] > 0);
			out = lesser(out, (double(b.lo[a] + (side << shift)) / b.scale - r.from[a]) * inverse[a]);
		}
		return out;
	}

	// cast computes the first hit of a ray and reports whether there is one: Caster.cast has the rules.
	LBM_HD LBM_INLINE bool cast(const Optics& o, const Ray& r, Seen& seen) const {
		double in, out, start, end, lo[3], hi[3];
		const double origin[3] = {0, 0, 0};
		for (int a = 0; a < 3; a++) lo[a] = double(b.lo[a]) / b.scale, hi[a] = double(b.lo[a] + b.n[a]) / b.scale;
		r.span(lo, hi, in, out);
		if (in >= out) return false;
		r.span(origin, o.size, start, end);
		double inverse[3];
		for (int a = 0; a < 3; a++) inverse[a] = 1 / r.along[a];
		const int first = int(ceil(start / o.step)), last = int(ceil(end / o.step));
		double before = 0;
		int known = -2;  // the sample of before
		bool owned = false;
		for (int k = greater(int(in / o.step) - 1, first); k <= last; k++) {
			const double t = lesser(double(k) * o.step, end);
			if (t > out + o.step) break;
			double p[3];
			int at[3];
			r.at(t, p);
			bool mine = cell(p, at);
			if (mine && !b.bricks[boxOf(at, BRICK)]) {
				k = greater(k, int(leaves(r, inverse, at, b.piles[boxOf(at, PILE)] ? BRICK : PILE) / o.step) - 1);  // rounding may leave it there once more
				continue;
			}
			mine = mine && (!b.finest || b.finest[((long long)at[2] * b.n[1] + at[1]) * b.n[0] + at[0]]);
			if (!mine && !(owned && known == k - 1 && o.levels > 1)) continue;
			const double here = value(b.shape, between(p));
			const double previous = greater(double(k - 1) * o.step, start);
			if (known != k - 1) {
				r.at(previous, p);
				before = value(b.shape, between(p));
			}
			if (before == before && here == here && (before >= o.level) != (here >= o.level)) {
				surface(o, r, previous, t, before, here, seen);
				return true;
			}
			before = here, known = k, owned = mine;
		}
		return false;
	}

	// surface finds the place of the surface between two samples, by false position.
	LBM_HD LBM_INLINE void surface(const Optics& o, const Ray& r, double t0, double t1, double v0, double v1, Seen& seen) const {
		double t = t1, p[3];
		Corner at;
		for (int k = 0; k < 4; k++) {
			t = t0 + (t1 - t0) * (o.level - v0) / (v1 - v0);
			r.at(t, p);
			at = between(p);
			const double v = value(b.shape, at);
			if (v != v || v == o.level) break;
			if ((v >= o.level) == (v0 >= o.level)) t0 = t, v0 = v;
			else t1 = t, v1 = v;
		}
		seen.depth = float(t), seen.value = float(value(b.colour, at));
		if (seen.value != seen.value) seen.value = 0;  // in a solid that conducts heat, where the flow is at rest
		double normal[3];
		gradient(at, normal);
		shine(o, normal, r.along, seen);
	}
	// shine computes the light on a surface with a normal of any length and sign, seen along a direction.
	LBM_HD LBM_INLINE static void shine(const Optics& o, double* n, const double* along, Seen& seen) {
		toUnit(n);
		if (dot(n, along) > 0) n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
		double half[3] = {o.key[0] - along[0], o.key[1] - along[1], o.key[2] - along[2]};
		toUnit(half);
		double s = greater(0., dot(n, half));
		for (int k = 0; k < 6; k++) s *= s;  // to the power of 64
		seen.light = float(AMBIENT + FILL * greater(0., -dot(n, along)) + KEY * greater(0., dot(n, o.key)));
		seen.gloss = float(GLOSS * s);
	}
};

// nearer orders hits of a ray as Hit.before does.
LBM_HD LBM_INLINE bool nearer(const Seen& a, const Seen& b) {
	if (a.depth != b.depth) return a.depth < b.depth;
	if (a.value != b.value) return a.value < b.value;
	return a.light != b.light ? a.light < b.light : a.gloss < b.gloss;
}

}}  // namespace lbm
#endif
